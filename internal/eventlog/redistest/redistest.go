// Package redistest runs a real redis-server for tests.
//
//	server := redistest.Serve(t, false)
//	log, err := redis.Open(ctx, redis.Options{URL: server.URL()})
package redistest

import (
	"bufio"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// startTime is how long a server may take to start.
const startTime = 10 * time.Second

// Server is a redis-server of the test's own, on a socket in its folder. It
// ends with the test.
type Server struct {
	dir     string
	durable bool
	process *exec.Cmd
}

// Serve starts a server. A durable one has all that it acknowledged after it
// was killed; the other has nothing. The test fails where redis-server is not
// installed.
func Serve(t testing.TB, durable bool) *Server {
	t.Helper()
	if _, err := exec.LookPath("redis-server"); err != nil {
		t.Fatal("redis-server is not installed; make setup installs it")
	}
	s := &Server{dir: t.TempDir(), durable: durable}
	s.Start(t)
	t.Cleanup(s.Kill)
	return s
}

// Start starts a server that was killed again, on the same folder.
func (s *Server) Start(t testing.TB) {
	t.Helper()
	args := []string{"--port", "0", "--unixsocket", s.Socket(), "--save", "", "--dir", s.dir}
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
	late := time.AfterFunc(startTime, func() { _ = s.process.Process.Kill() })
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

// Kill ends the server as a crash would.
func (s *Server) Kill() {
	_ = s.process.Process.Kill()
	_ = s.process.Wait() // it was killed
}

// Socket is the server's address as a path.
func (s *Server) Socket() string { return filepath.Join(s.dir, "redis.sock") }

// URL is the server's address.
func (s *Server) URL() string { return "unix://" + s.Socket() + "?db=0" }
