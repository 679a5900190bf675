package redis_test

import (
	"testing"
	"time"

	client "github.com/redis/go-redis/v9"

	"kaoju/internal/eventlog/redis"
	"kaoju/internal/eventlog/redistest"
)

// server is a real redis-server of the test's own.
type server struct{ *redistest.Server }

func serve(t *testing.T, durable bool) server {
	t.Helper()
	return server{redistest.Serve(t, durable)}
}

// open gives a replica's view of the server.
func (s server) open(t *testing.T, o redis.Options) *redis.Log {
	t.Helper()
	o.URL = s.URL()
	if o.Patience == 0 {
		o.Patience = 10 * time.Second
	}
	log, err := redis.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(log.Close)
	return log
}

// bare is a client that may do what the log never does.
func (s server) bare(t *testing.T) *client.Client {
	t.Helper()
	c := client.NewClient(&client.Options{Network: "unix", Addr: s.Socket()})
	t.Cleanup(func() { _ = c.Close() })
	return c
}
