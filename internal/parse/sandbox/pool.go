package sandbox

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"kaoju/internal/core"
	"kaoju/internal/parse"
)

// Options say how children are run. Zero fields have defaults.
type Options struct {
	Command      []string      // program and arguments of the child; must be given
	Env          []string      // further environment, as KEY=value
	Workers      int           // children at once; 2
	MaxMemory    int64         // bytes of a child; 1.5 GiB (enforced on Linux)
	MaxDocuments int           // documents until a child is replaced; 200
	Idle         time.Duration // how long a child without work is kept; 30 s
	Log          *slog.Logger  // slog.Default()
}

func (o Options) withDefaults() Options {
	if o.Workers <= 0 {
		o.Workers = 2
	}
	if o.MaxMemory <= 0 {
		o.MaxMemory = 3 << 29
	}
	if o.MaxDocuments <= 0 {
		o.MaxDocuments = 200
	}
	if o.Idle <= 0 {
		o.Idle = 30 * time.Second
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	return o
}

// Pool runs children and hands them files. It is safe for concurrent use.
type Pool struct {
	opt    Options
	ctx    context.Context // ends with Close
	cancel context.CancelFunc
	tokens chan struct{} // one for each child at work

	mu     sync.Mutex
	closed bool
	idle   []*process // the last one used is at the end
	timers sync.WaitGroup
}

// NewPool makes a Pool. Nothing is started until the first file.
func NewPool(opt Options) *Pool {
	opt = opt.withDefaults()
	ctx, cancel := context.WithCancel(context.Background())
	return &Pool{opt: opt, ctx: ctx, cancel: cancel, tokens: make(chan struct{}, opt.Workers)}
}

// Reader gives the reader of a format, as the child knows it by name. All
// readers of a Pool share its children.
//
// Its Read returns what the child's reader returned. A child that crashed on
// the file is core.CodeCorrupt, one that ran out of memory
// core.CodeTooLarge, one that took longer than the limits allow
// core.CodeTimeout.
func (p *Pool) Reader(format string) parse.Reader { return reader{pool: p, format: format} }

type reader struct {
	pool   *Pool
	format string
}

// Read implements parse.Reader.
func (r reader) Read(ctx context.Context, in parse.Input, lim parse.Limits) (parse.Document, error) {
	return r.pool.read(ctx, r.format, in, lim.WithDefaults())
}

// grace is how long a child may take beyond the limit of time to say itself
// that it ran out.
const grace = 2 * time.Second

func (p *Pool) read(ctx context.Context, format string, in parse.Input, lim parse.Limits) (parse.Document, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(p.ctx, cancel)()
	select {
	case p.tokens <- struct{}{}:
		defer func() { <-p.tokens }()
	case <-ctx.Done():
		return parse.Document{}, stopped(ctx)
	}
	if ctx.Err() != nil {
		return parse.Document{}, stopped(ctx)
	}
	// The clock starts here: waiting for a child is not the file's fault.
	ctx, cancelTimeout := context.WithTimeout(ctx, lim.Timeout+grace)
	defer cancelTimeout()
	h := header{
		Format: format, Name: in.Name, MaxBytes: lim.MaxBytes, MaxText: lim.MaxText,
		MaxBlocks: lim.MaxBlocks, MaxDepth: lim.MaxDepth, Timeout: lim.Timeout, Pictures: lim.Pictures, Memory: p.opt.MaxMemory,
	}
	for {
		proc, err := p.take()
		if err != nil {
			return parse.Document{}, core.Wrap(err, core.CodeInternal, "the parse worker could not be started")
		}
		used := proc.served > 0
		rep, err := proc.read(ctx, h, in.Data)
		if err == nil {
			p.give(proc)
			return rep.result()
		}
		failure := proc.fail(ctx, err)
		if !used || ctx.Err() != nil {
			return parse.Document{}, failure
		}
		// The child may have been broken by a file before: once more, with a
		// new one.
		p.drain()
	}
}

func (rep reply) result() (parse.Document, error) {
	if rep.Document == nil {
		return parse.Document{}, &core.Error{Code: rep.Code, Message: rep.Message}
	}
	return *rep.Document, nil
}

// take gives an idle child, or starts one.
func (p *Pool) take() (*process, error) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, errors.New("the pool is closed")
	}
	if n := len(p.idle); n > 0 {
		proc := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		p.disarm(proc)
		return proc, nil
	}
	p.mu.Unlock()
	return start(p.ctx, p.opt)
}

// give returns a child after its work; it is kept unless it has done enough.
func (p *Pool) give(proc *process) {
	p.mu.Lock()
	keep := !p.closed && proc.served < p.opt.MaxDocuments
	if keep {
		p.idle = append(p.idle, proc)
		p.timers.Add(1)
		proc.timer = time.AfterFunc(p.opt.Idle, func() {
			defer p.timers.Done()
			p.expire(proc)
		})
	}
	p.mu.Unlock()
	if !keep {
		proc.end()
	}
}

// disarm stops the clock of a child that was taken from idle.
func (p *Pool) disarm(proc *process) {
	if proc.timer.Stop() {
		p.timers.Done()
	}
}

// expire ends a child that is still idle.
func (p *Pool) expire(proc *process) {
	p.mu.Lock()
	i := slices.Index(p.idle, proc)
	if i >= 0 {
		p.idle = slices.Delete(p.idle, i, i+1)
	}
	p.mu.Unlock()
	if i >= 0 {
		proc.end()
	}
}

// drain ends all idle children.
func (p *Pool) drain() {
	p.mu.Lock()
	idle := p.idle
	p.idle = nil
	p.mu.Unlock()
	for _, proc := range idle {
		p.disarm(proc)
		proc.end()
	}
}

// Close stops the files being read, ends all children and waits for them. A
// second call does nothing.
func (p *Pool) Close() error {
	p.mu.Lock()
	again := p.closed
	p.closed = true
	p.mu.Unlock()
	if again {
		return nil
	}
	p.cancel()
	for range p.opt.Workers { // all tokens: nobody is at work
		p.tokens <- struct{}{}
	}
	p.drain()
	p.timers.Wait()
	return nil
}

// stopped says why a file was not read to its end.
func stopped(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return core.Wrap(ctx.Err(), core.CodeTimeout, "reading the file took too long")
	}
	return core.Wrap(ctx.Err(), core.CodeCanceled, "reading the file was stopped")
}
