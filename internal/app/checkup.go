package app

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"kaoju/internal/config"
	"kaoju/internal/core"
	"kaoju/internal/eventlog/redis"
	"kaoju/internal/llm/openai"
	"kaoju/internal/parse/office"
	"kaoju/internal/store"
)

// State is how a check went.
type State string

// States of a check.
const (
	StateOK      State = "ok"
	StateNote    State = "note" // works without it, but less well
	StateTrouble State = "trouble"
)

// Check is one thing that was looked at.
type Check struct {
	Name   string  `json:"name"`
	State  State   `json:"state"`
	Detail string  `json:"detail"`           // what was seen
	Advice string  `json:"advice,omitempty"` // what to do about trouble
	MS     float64 `json:"elapsed_ms"`
}

// checkTimeout bounds one check: a model that is asked for a word may have to
// be loaded first.
const checkTimeout = 60 * time.Second

// lowDisk is how much free space is worth a warning.
const lowDisk = 1 << 30

// Checkup looks at everything that a server with these options needs, with a
// real call to each service, and tells each check as it ends. It changes
// nothing and needs no lock, so that it can run beside the server.
func Checkup(ctx context.Context, cfg *config.Config, tell func(Check)) {
	run := func(name string, look func(ctx context.Context) Check) {
		ctx, cancel := context.WithTimeout(ctx, checkTimeout)
		defer cancel()
		begun := time.Now()
		c := look(ctx)
		c.Name, c.MS = name, float64(time.Since(begun).Microseconds())/1000
		tell(c)
	}
	run("data folder", func(context.Context) Check { return checkFolder(cfg.Data) })
	run("disk", func(context.Context) Check { return checkDisk(cfg.Data) })
	run("database", func(ctx context.Context) Check { return checkDatabase(ctx, cfg.Data) })
	run("address", func(ctx context.Context) Check { return checkListen(ctx, cfg) })
	run("redis", func(ctx context.Context) Check { return checkRedis(ctx, cfg.Redis.URL) })
	run("chat_model", func(ctx context.Context) Check {
		return checkModel(ctx, cfg.ChatModel, "answers are quoted from the passages", func() (checker, error) { return openai.NewChat(endpoint(cfg.ChatModel), openai.Env{}) })
	})
	run("understand_model", func(ctx context.Context) Check {
		own := understandEndpoint(cfg)
		return checkModel(ctx, own, "the chat model, or else rules, understand questions", func() (checker, error) { return openai.NewChat(endpoint(own), openai.Env{}) })
	})
	run("rerank_model", func(ctx context.Context) Check {
		return checkModel(ctx, cfg.RerankModel, "passages are ranked by their words", func() (checker, error) { return openai.NewReranker(endpoint(cfg.RerankModel), openai.Env{}) })
	})
	run("embedding_model", func(ctx context.Context) Check {
		return checkModel(ctx, cfg.EmbeddingModel, "vectors are made from parts of words", func() (checker, error) { return openai.NewEmbedder(endpoint(cfg.EmbeddingModel), openai.Env{}) })
	})
	run("vision_model", func(ctx context.Context) Check {
		return checkModel(ctx, cfg.Vision(), "pictures are not read", func() (checker, error) { return openai.NewVision(endpoint(cfg.Vision()), openai.Env{}) })
	})
	run("antiword", func(context.Context) Check {
		if path := office.OldWordTool(); path != "" {
			return Check{State: StateOK, Detail: "old Word documents (.doc) are read by " + path}
		}
		return Check{State: StateNote, Detail: "old Word documents (.doc) are refused", Advice: "install antiword to have them read"}
	})
}

func trouble(err error, advice string) Check {
	return Check{State: StateTrouble, Detail: core.PublicMessage(err), Advice: advice}
}

func checkFolder(dir string) Check {
	info, err := os.Stat(dir)
	if os.IsNotExist(err) {
		return Check{State: StateOK, Detail: dir + " is not there yet; the server makes it"}
	}
	if err != nil || !info.IsDir() {
		return Check{State: StateTrouble, Detail: dir + " is no folder that can be opened", Advice: "choose another with --data"}
	}
	f, err := os.CreateTemp(dir, "doctor-*")
	if err != nil {
		return Check{State: StateTrouble, Detail: dir + " cannot be written", Advice: "give its owner's rights to the user that runs the server, or choose another with --data"}
	}
	_ = f.Close()
	_ = os.Remove(f.Name())
	if url, ok := store.ReadServer(dir); ok {
		return Check{State: StateOK, Detail: dir + ", which the server at " + url + " has open"}
	}
	return Check{State: StateOK, Detail: dir + " can be written"}
}

func checkDisk(dir string) Check {
	for dir != filepath.Dir(dir) {
		if _, err := os.Stat(dir); err == nil {
			break
		}
		dir = filepath.Dir(dir)
	}
	var fs syscall.Statfs_t
	if err := syscall.Statfs(dir, &fs); err != nil {
		return trouble(core.Wrap(err, core.CodeInternal, "the free space of %s cannot be told", dir), "look at the file system by hand")
	}
	free := fs.Bavail * uint64(fs.Bsize) //nolint:gosec // a size is not negative
	c := Check{State: StateOK, Detail: fmt.Sprintf("%.1f GiB are free", float64(free)/(1<<30))}
	if free < lowDisk {
		c.State, c.Advice = StateNote, "documents wait when the disk is full; make room, or move the folder with --data"
	}
	return c
}

func checkDatabase(ctx context.Context, dir string) Check {
	seen, err := store.Inspect(ctx, dir)
	switch {
	case core.CodeOf(err) == core.CodeConflict:
		return trouble(err, "use the newer program that wrote it")
	case err != nil:
		return trouble(err, "stop the server and bring back the folder from a backup")
	case !seen.Exists:
		return Check{State: StateOK, Detail: "there is none yet; the server makes it"}
	case seen.Schema < seen.Newest:
		return Check{State: StateOK, Detail: fmt.Sprintf("sound, %d MiB; the next start brings its schema from %d to %d", seen.Bytes>>20, seen.Schema, seen.Newest)}
	}
	return Check{State: StateOK, Detail: fmt.Sprintf("sound, %d MiB, schema %d", seen.Bytes>>20, seen.Schema)}
}

func checkListen(ctx context.Context, cfg *config.Config) Check {
	if url, ok := store.ReadServer(cfg.Data); ok {
		return Check{State: StateOK, Detail: "the server listens at " + url}
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", cfg.Listen)
	if err != nil {
		return Check{State: StateTrouble, Detail: cfg.Listen + " cannot be listened at: another program has it, or it is not this machine's", Advice: "choose another with --listen"}
	}
	_ = l.Close()
	return Check{State: StateOK, Detail: cfg.Listen + " is free"}
}

func checkRedis(ctx context.Context, url string) Check {
	if url == "" {
		return Check{State: StateOK, Detail: "not configured: streams are kept in memory"}
	}
	log, err := redis.Open(ctx, redis.Options{URL: url})
	if err != nil {
		return trouble(err, "start Redis, or correct redis.url: its host, port, user and password")
	}
	log.Close()
	return Check{State: StateOK, Detail: "answers"}
}

// checker is a model that can be tried.
type checker interface {
	Check(ctx context.Context) error
}

// checkModel asks a model for something small. Where that fails, the names
// that its endpoint lists show what it would know.
func checkModel(ctx context.Context, cfg config.Model, without string, open func() (checker, error)) Check {
	if cfg.BaseURL == "" {
		return Check{State: StateOK, Detail: "not configured: " + without}
	}
	m, err := open()
	if err == nil {
		err = m.Check(ctx)
	}
	if err == nil {
		return Check{State: StateOK, Detail: cfg.Name + " works"}
	}
	return trouble(err, modelAdvice(ctx, cfg, err))
}

// maxNames is how many names of models an advice gives.
const maxNames = 8

func modelAdvice(ctx context.Context, cfg config.Model, err error) string {
	if core.CodeOf(err) == core.CodeTimeout {
		return "see whether the endpoint is busy or still loading the model"
	}
	names, listErr := openai.ListModels(ctx, endpoint(cfg), openai.Env{})
	switch {
	case listErr != nil && strings.Contains(core.PublicMessage(err), "; "):
		return "" // it says itself what to do
	case listErr != nil:
		return "see whether base_url is right and the endpoint runs"
	case len(names) == 0:
		return "the endpoint lists no model; load one, or correct base_url"
	}
	if len(names) > maxNames {
		names = append(names[:maxNames], "…")
	}
	return fmt.Sprintf("set name to a model that the endpoint knows: %v", names)
}
