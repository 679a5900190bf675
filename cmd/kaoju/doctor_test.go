package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kaoju/internal/app"
	"kaoju/internal/core"
)

// modelServer is an endpoint that knows one model and one key.
func modelServer(t *testing.T) string {
	mux := http.NewServeMux()
	answer := func(body string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			var asked struct {
				Model string   `json:"model"`
				Input []string `json:"input"`
			}
			_ = json.NewDecoder(r.Body).Decode(&asked)
			switch {
			case r.Header.Get("Authorization") != "Bearer sk-TEST-123456":
				http.Error(w, `{"error":{"message":"wrong key sk-TEST-999999"}}`, http.StatusUnauthorized)
			case asked.Model != "" && asked.Model != "good":
				http.Error(w, `{"error":{"message":"no such model"}}`, http.StatusNotFound)
			case len(asked.Input) > 0:
				var vectors []string
				for i := range asked.Input {
					vectors = append(vectors, fmt.Sprintf(`{"index":%d,"embedding":[1,%d]}`, i, i))
				}
				fmt.Fprintf(w, `{"data":[%s],"usage":{"prompt_tokens":7}}`, strings.Join(vectors, ","))
			default:
				_, _ = w.Write([]byte(body))
			}
		}
	}
	mux.Handle("POST /v1/chat/completions", answer("data: {\"choices\":[{\"delta\":{\"content\":\"ok\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"))
	mux.Handle("POST /v1/embeddings", answer(""))
	mux.Handle("POST /v1/rerank", answer(`{"results":[{"index":0,"relevance_score":0.1},{"index":1,"relevance_score":0.9}]}`))
	mux.Handle("GET /v1/models", answer(`{"data":[{"id":"good"}]}`))
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL + "/v1"
}

// The doctor tells what works, what does not, and what to do, and shows no key.
// (A76)
func TestDoctor(t *testing.T) {
	url := modelServer(t)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	model := func(kind, name, key string) []string {
		return []string{"--" + kind + "-base-url", url, "--" + kind + "-name", name, "--" + kind + "-api-key", key}
	}
	for _, c := range []struct {
		name string
		args []string
		want []string
		code int
	}{
		{"nothing configured", nil, []string{"✓ data folder", "✓ database", "✓ chat_model       not configured"}, exitOK},
		{"a good model", model("chat-model", "good", "sk-TEST-123456"), []string{"✓ chat_model       good works"}, exitOK},
		{"a wrong key", model("chat-model", "good", "sk-TEST-000000"), []string{"✗ chat_model", "check the API key"}, exitError},
		{"a wrong name", model("chat-model", "bad", "sk-TEST-123456"), []string{"✗ chat_model", "[good]"}, exitError},
		{"an embedding model", model("embedding-model", "good", "sk-TEST-123456"), []string{"✓ embedding_model  good works"}, exitOK},
		{"a model that ranks upside down", model("rerank-model", "good", "sk-TEST-123456"), []string{"✗ rerank_model", "does not answer"}, exitError},
		{"no Redis", []string{"--redis-url", "redis://:hush@127.0.0.1:1"}, []string{"✗ redis", "→ start Redis"}, exitError},
		{"an address that is taken", []string{"--listen", taken.Addr().String()}, []string{"✗ address", "→ choose another"}, exitError},
	} {
		t.Run(c.name, func(t *testing.T) {
			args := append([]string{"doctor", "--data", t.TempDir(), "--listen", "127.0.0.1:0"}, c.args...)
			r := kaoju(t, args...)
			for _, want := range c.want {
				if !strings.Contains(r.out, want) {
					t.Errorf("%q is not in\n%s", want, r.out)
				}
			}
			if r.code != c.code || strings.Contains(r.out+r.err, "sk-TEST") || strings.Contains(r.out+r.err, "hush") {
				t.Errorf("exit code %d, or a secret is shown:\n%s%s", r.code, r.out, r.err)
			}
		})
	}
}

// What a configured model costs is kept by the day.
func TestUsage(t *testing.T) {
	data, settings := t.TempDir(), filepath.Join(t.TempDir(), "kaoju.yaml")
	block := fmt.Sprintf("embedding_model: {base_url: %q, name: good, api_key: sk-TEST-123456}\n", modelServer(t))
	if err := os.WriteFile(settings, []byte(block), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) result {
		r := kaoju(t, append(args, "--data", data, "--config", settings)...)
		if r.code != exitOK {
			t.Fatalf("%v: exit %d: %s%s", args, r.code, r.out, r.err)
		}
		return r
	}
	if r := run("usage"); !strings.Contains(r.out, "no configured model") {
		t.Errorf("before any call: %s", r.out)
	}
	run("ingest", handbook(t))
	r := run("usage", "--json")
	var list []core.DayUsage
	if err := json.Unmarshal([]byte(r.out), &list); err != nil || len(list) != 1 || list[0].Model != "good" || list[0].Input != 7*list[0].Calls {
		t.Errorf("%v, %s%s", err, r.out, r.err)
	}
	if r := run("usage"); !strings.Contains(r.out, "embedding  good") {
		t.Errorf("for people: %s", r.out)
	}
}

func TestDoctorForPrograms(t *testing.T) {
	r := kaoju(t, "doctor", "--data", t.TempDir(), "--listen", "127.0.0.1:0", "--json")
	seen := map[string]app.State{}
	for line := range strings.Lines(r.out) {
		var c app.Check
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		seen[c.Name] = c.State
	}
	if len(seen) != 11 || seen["disk"] == "" || seen["database"] != app.StateOK {
		t.Errorf("the checks are %v", seen)
	}
}
