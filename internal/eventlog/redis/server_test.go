package redis_test

import (
	"bufio"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	client "github.com/redis/go-redis/v9"

	"kaoju/internal/eventlog/redis"
)

// server is a real redis-server of the test's own, on a socket in its folder.
type server struct {
	dir     string
	durable bool
	process *exec.Cmd
}

// serve starts a server. A durable one has all that it acknowledged after it
// was killed; the other has nothing.
func serve(t *testing.T, durable bool) *server {
	t.Helper()
	if _, err := exec.LookPath("redis-server"); err != nil {
		t.Fatal("redis-server is not installed; make setup installs it")
	}
	s := &server{dir: t.TempDir(), durable: durable}
	s.start(t)
	t.Cleanup(s.kill)
	return s
}

func (s *server) start(t *testing.T) {
	t.Helper()
	args := []string{"--port", "0", "--unixsocket", s.socket(), "--save", "", "--dir", s.dir}
	if s.durable {
		args = append(args, "--appendonly", "yes", "--appendfsync", "always")
	}
	// It outlives t.Context, which ends before the cleanup.
	s.process = exec.Command("redis-server", args...) //nolint:noctx // killed by the cleanup
	out, err := s.process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.process.Start(); err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(10*time.Second, func() { _ = s.process.Process.Kill() })
	defer late.Stop()
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if strings.Contains(strings.ToLower(lines.Text()), "ready to accept connections") {
			go func() {
				for lines.Scan() {
				}
			}()
			return
		}
	}
	t.Fatal("redis-server did not start")
}

// kill ends the server as a crash would.
func (s *server) kill() {
	_ = s.process.Process.Kill()
	_ = s.process.Wait()
}

func (s *server) socket() string { return filepath.Join(s.dir, "redis.sock") }

func (s *server) url() string { return "unix://" + s.socket() + "?db=0" }

// open gives a replica's view of the server.
func (s *server) open(t *testing.T, o redis.Options) *redis.Log {
	t.Helper()
	o.URL = s.url()
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
func (s *server) bare(t *testing.T) *client.Client {
	t.Helper()
	c := client.NewClient(&client.Options{Network: "unix", Addr: s.socket()})
	t.Cleanup(func() { _ = c.Close() })
	return c
}
