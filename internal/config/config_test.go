package config

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kaoju/internal/core"
)

var update = flag.Bool("update", false, "write docs/configuration.md")

func TestPrecedence(t *testing.T) {
	file := write(t, "listen: 127.0.0.1:1\nretrieve:\n  top_k: 10\nchat:\n  timeout: 5s\npublic_hosts: [a.example, b.example]\n")
	c, err := Load(Sources{
		File:    file,
		Environ: []string{"KAOJU_LISTEN=127.0.0.1:2", "KAOJU_RETRIEVE_TOP_K=20", "HOME=/x", "KAOJU_CONFIG=ignored"},
		Flags:   map[string]string{"listen": "127.0.0.1:3"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if c.Listen != "127.0.0.1:3" || c.Retrieve.TopK != 20 || c.Chat.Timeout != 5*time.Second {
		t.Errorf("listen %s, top_k %d, timeout %s: want flag, environment, file", c.Listen, c.Retrieve.TopK, c.Chat.Timeout)
	}
	if strings.Join(c.PublicHosts, " ") != "a.example b.example" {
		t.Errorf("public_hosts = %q", c.PublicHosts)
	}
	if c.Limits.UploadBytes != 100<<20 {
		t.Errorf("untouched option lost its default: %d", c.Limits.UploadBytes)
	}
}

func TestErrorsNameKeyValueAndRule(t *testing.T) {
	tests := []struct {
		name string
		src  Sources
		want []string
	}{
		{"unknown flag", Sources{Flags: map[string]string{"lisen": "x"}}, []string{"lisen", "did you mean listen"}},
		{"unknown variable", Sources{Environ: []string{"KAOJU_LISTN=x"}}, []string{"KAOJU_LISTN", "KAOJU_LISTEN"}},
		{"far from all", Sources{Flags: map[string]string{"nothing.like.it.at.all": "x"}}, []string{"kaoju config"}},
		{"number", Sources{Environ: []string{"KAOJU_RETRIEVE_TOP_K=many"}}, []string{"retrieve.top_k", `"many"`, "from 1 to 500"}},
		{"range", Sources{Flags: map[string]string{"retrieve.top_k": "501"}}, []string{"501", "out of range"}},
		{"fraction", Sources{Flags: map[string]string{"retrieve.vector_weight": "NaN"}}, []string{"vector_weight", "from 0 to 1"}},
		{"duration", Sources{Flags: map[string]string{"chat.timeout": "5"}}, []string{"chat.timeout", "duration"}},
		{"size", Sources{Flags: map[string]string{"limits.upload_bytes": "9223372036854775807GiB"}}, []string{"upload_bytes", "not a size"}},
		{"word", Sources{Flags: map[string]string{"log.level": "loud"}}, []string{"log.level", "debug, info, warn, error"}},
		{"address", Sources{Flags: map[string]string{"listen": "8420"}}, []string{"listen", "HOST:PORT"}},
		{"chunk sizes", Sources{Flags: map[string]string{"chunk.overlap": "400"}}, []string{"chunk.overlap", "chunk.child"}},
		{"model without a name", Sources{Flags: map[string]string{"chat_model.base_url": "http://127.0.0.1:1"}}, []string{"chat_model.name"}},
		{"model elsewhere", Sources{Flags: map[string]string{"rerank_model.base_url": "ftp://x"}}, []string{"rerank_model.base_url", "http"}},
		{"no file", Sources{File: "/nowhere/kaoju.yaml"}, []string{"/nowhere/kaoju.yaml"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Load(tt.src)
			if err == nil {
				t.Fatal("no error")
			}
			for _, w := range tt.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("%q does not name %q", err, w)
				}
			}
		})
	}
}

func TestSecretsAreMasked(t *testing.T) {
	const secret = "sk-TEST-1234567890"
	c, err := Load(Sources{Environ: []string{"KAOJU_AUTH_API_KEY=" + secret}})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range c.Table() {
		if strings.Contains(o.Value(), secret) {
			t.Errorf("%s shows the secret", o.Key)
		}
	}
	_, err = Load(Sources{Environ: []string{"KAOJU_AUTH_API_KEY=short-secret"}})
	if core.CodeOf(err) != core.CodeInvalid || strings.Contains(err.Error(), "short-secret") {
		t.Errorf("error for a bad secret: %v", err)
	}
}

func TestBadFile(t *testing.T) {
	if _, err := Load(Sources{File: write(t, "listen: [")}); core.CodeOf(err) != core.CodeInvalid {
		t.Errorf("broken YAML: %v", err)
	}
	if _, err := Load(Sources{File: write(t, "")}); err != nil {
		t.Errorf("empty file: %v", err)
	}
}

func TestBytesRoundTrip(t *testing.T) {
	for _, s := range []string{"0", "1B", "1023B", "1KiB", "100MiB", "3GiB"} {
		n, err := parseBytes(s)
		if err != nil {
			t.Fatalf("%s: %v", s, err)
		}
		if again, _ := parseBytes(formatBytes(n)); again != n {
			t.Errorf("%s: %d became %d", s, n, again)
		}
	}
}

func TestReferencePageIsCurrent(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "configuration.md")
	want := Reference()
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("docs/configuration.md is stale: go test ./internal/config -update")
	}
}

func write(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kaoju.yaml")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
