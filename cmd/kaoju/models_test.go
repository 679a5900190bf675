package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A model is added with its key from a file, answers the next question, and
// is listed without the key.
func TestModelsCommand(t *testing.T) {
	data, url := t.TempDir(), modelServer(t)
	key := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(key, []byte("sk-TEST-123456\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := kaoju(t, "models", "list", "--data", data); r.code != exitOK || !strings.Contains(r.out, "There are none") {
		t.Errorf("%+v", r)
	}
	if r := kaoju(t, "models", "add", "own", "--data", data, "--url", url, "--name", "good", "--key-file", key, "--default"); r.code != exitOK || !strings.Contains(r.out, "own works") {
		t.Fatalf("%+v", r)
	}
	if r := kaoju(t, "models", "list", "--data", data); !strings.Contains(r.out, "••••3456") || strings.Contains(r.out, "sk-TEST") || !strings.Contains(r.out, "default") {
		t.Errorf("%+v", r)
	}
	if r := kaoju(t, "models", "rotate-key", "--data", data); !strings.Contains(r.out, "1 models") {
		t.Errorf("%+v", r)
	}
	if r := kaoju(t, "models", "test", "own", "--data", data); r.code != exitOK {
		t.Errorf("%+v", r)
	}
	for _, args := range [][]string{{"test", "none"}, {"remove", "none"}, {"default", "none"}, {"add", "x", "--url", "file:///x", "--name", "n"}, {"add", "y", "--url", url, "--name", "n", "--options", "{"}} {
		if r := kaoju(t, append(append([]string{"models"}, args...), "--data", data)...); r.code != exitError || strings.Count(strings.TrimSpace(r.err), "\n") > 0 {
			t.Errorf("%v: %+v", args, r)
		}
	}
	if r := kaoju(t, "models", "remove", "own", "--data", data); r.code != exitOK {
		t.Errorf("%+v", r)
	}
}

// The doctor has the server try what is registered with it.
func TestDoctorTriesRegisteredModels(t *testing.T) {
	data, url := t.TempDir(), modelServer(t)
	key := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(key, []byte("sk-TEST-123456"), 0o600); err != nil {
		t.Fatal(err)
	}
	startServer(t, data)
	kaoju(t, "models", "add", "works", "--data", data, "--url", url, "--name", "good", "--key-file", key)
	if r := kaoju(t, "doctor", "--data", data); r.code != exitOK || !strings.Contains(r.out, "model works") {
		t.Errorf("%+v", r)
	}
	kaoju(t, "models", "add", "fails", "--data", data, "--url", url, "--name", "unknown", "--key-file", key)
	if r := kaoju(t, "doctor", "--data", data); r.code != exitError || !strings.Contains(r.out, "✗ model fails") || strings.Contains(r.out+r.err, "sk-TEST") {
		t.Errorf("%+v", r)
	}
}
