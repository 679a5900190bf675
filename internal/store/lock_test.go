package store

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kaoju/internal/core"
)

func TestLock(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "folder")
	first, err := Lock(dir)
	must(t, err)
	if _, ok := ReadServer(dir); ok {
		t.Error("a server is there before it was announced")
	}
	must(t, first.Announce("http://127.0.0.1:8420"))
	if url, ok := ReadServer(dir); !ok || url != "http://127.0.0.1:8420" {
		t.Errorf("the server is at %q, %v", url, ok)
	}

	_, err = Lock(dir)
	wantCode(t, err, core.CodeBusy)
	for _, part := range []string{dir, fmt.Sprint(os.Getpid())} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the message %q does not name %s", err, part)
		}
	}

	must(t, first.Release())
	if _, ok := ReadServer(dir); ok {
		t.Error("a server is there after its release")
	}
	second, err := Lock(dir)
	must(t, err)
	must(t, second.Release())
}

// What lies in the folder without a lock behind it is not a server.
func TestStaleAnnouncements(t *testing.T) {
	for name, content := range map[string]string{
		"dead process":       `{"pid": 999999999, "url": "http://127.0.0.1:1"}`,
		"reused process id":  fmt.Sprintf(`{"pid": %d, "url": "http://127.0.0.1:1"}`, os.Getpid()),
		"damaged":            `{"pid": 1, "u`,
		"empty":              ``,
		"without an address": fmt.Sprintf(`{"pid": %d}`, os.Getpid()),
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			must(t, os.WriteFile(filepath.Join(dir, serverFile), []byte(content), 0o644))
			must(t, os.WriteFile(filepath.Join(dir, lockFile), nil, 0o644))
			if url, ok := ReadServer(dir); ok {
				t.Errorf("found a server at %q", url)
			}
			l, err := Lock(dir)
			must(t, err)
			if _, err := os.Stat(filepath.Join(dir, serverFile)); err == nil {
				t.Error("the lock left the old announcement")
			}
			must(t, l.Release())
		})
	}
}
