package redis

import (
	"context"

	"kaoju/internal/eventlog"
)

var _ eventlog.Stopper = (*Log)(nil)

// stopScript marks a turn that has not ended, and tells every replica. KEYS:
// the count. ARGV: the channel, what is told. It gives 0 where there is no
// such turn.
const stopScript = `
if redis.call('EXISTS', KEYS[1]) == 0 then
	return 0
end
if redis.call('HEXISTS', KEYS[1], 'ended') == 0 then
	redis.call('HSET', KEYS[1], 'stop', '1')
	redis.call('PUBLISH', ARGV[1], ARGV[2])
end
return 1
`

// stopNews is what is told of a turn that is to stop. Those who wait for its
// events do not hear it.
func stopNews(turnID string) string { return "stop:" + turnID }

// AskStop asks whoever runs the turn to stop it; see eventlog.Stopper.
func (l *Log) AskStop(ctx context.Context, turnID string) error {
	var known int64
	err := l.patiently(ctx, func() (err error) {
		known, err = l.stopping.Run(ctx, l.client, []string{l.countKey(turnID)}, l.channel(), stopNews(turnID)).Int64()
		return err
	})
	if err != nil {
		return failure(err, "ask for the end of an answer")
	}
	if known == 0 {
		return unknown(turnID)
	}
	return nil
}

// AwaitStop waits until somebody asked; see eventlog.Stopper. It reads once,
// and again only when told to or when news may have been missed.
func (l *Log) AwaitStop(ctx context.Context, turnID string) error {
	for {
		asked, err := l.awaitStop(ctx, turnID)
		if err != nil || asked {
			return err
		}
	}
}

// awaitStop reads and, where nobody asked, waits until somebody may have. A
// Redis that is away wakes all when it is back.
func (l *Log) awaitStop(ctx context.Context, turnID string) (asked bool, err error) {
	w := l.watch(stopNews(turnID)) // before reading, so that nothing is missed
	defer l.unwatch(stopNews(turnID), w)
	err = l.patiently(ctx, func() (err error) {
		asked, err = l.client.HExists(ctx, l.countKey(turnID), "stop").Result()
		return err
	})
	if asked && err == nil {
		return true, nil
	}
	return false, l.hear(ctx, w)
}
