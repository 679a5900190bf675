package redis

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"

	"kaoju/internal/core"
)

// decode reads the entries that follow event after. It passes over nothing:
// an entry that is missing, or cannot be read, is core.CodeCorrupt.
func decode(turnID string, after int64, entries []redis.XMessage) ([]core.Event, error) {
	events := make([]core.Event, 0, len(entries))
	for _, entry := range entries {
		after++
		e, ok := eventOf(entry)
		if !ok {
			return nil, core.Errorf(core.CodeCorrupt, "event %d of message %q cannot be read", after, turnID)
		}
		if e.Seq != after {
			return nil, core.Errorf(core.CodeCorrupt, "event %d of message %q is missing; the next is %d", after, turnID, e.Seq)
		}
		events = append(events, e)
	}
	return events, nil
}

// eventOf reads one entry.
func eventOf(entry redis.XMessage) (core.Event, bool) {
	number, zero, _ := strings.Cut(entry.ID, "-")
	seq, err := strconv.ParseInt(number, 10, 64)
	if err != nil || zero != "0" {
		return core.Event{}, false
	}
	kind, okKind := entry.Values["t"].(string)
	content, okContent := entry.Values["c"].(string)
	done, okDone := entry.Values["d"].(string)
	payload, okPayload := entry.Values["p"].(string)
	if !okKind || !okContent || !okDone || !okPayload || kind == "" {
		return core.Event{}, false
	}
	e := core.Event{Seq: seq, Type: core.EventType(kind), Content: content, Done: done == "1"}
	if payload != "" {
		if !json.Valid([]byte(payload)) {
			return core.Event{}, false
		}
		e.Data = json.RawMessage(payload)
	}
	return e, true
}
