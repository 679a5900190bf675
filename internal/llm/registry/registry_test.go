package registry_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kaoju/internal/core"
	"kaoju/internal/llm"
	"kaoju/internal/llm/llmtest"
	"kaoju/internal/llm/openai"
	"kaoju/internal/llm/registry"
	"kaoju/internal/store"
)

const secret = "sk-very-secret-key-1234"

// rig is a registry over a real store.
type rig struct {
	t    *testing.T
	dir  string
	db   *store.DB
	list []registry.Configured
	*registry.Registry
}

func open(t *testing.T, configured ...registry.Configured) *rig {
	t.Helper()
	r := &rig{t: t, dir: t.TempDir(), list: configured}
	db, err := store.Open(t.Context(), r.dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	r.db = db
	r.again()
	return r
}

// again opens the registry anew, as a restart does.
func (r *rig) again() {
	r.t.Helper()
	sealer, err := registry.OpenSealer(filepath.Join(r.dir, "secrets.key"))
	if err != nil {
		r.t.Fatal(err)
	}
	if r.Registry, err = registry.Open(r.t.Context(), registry.Options{Store: r.db, Sealer: sealer, Configured: r.list}); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) create(d registry.Draft) core.Model {
	r.t.Helper()
	m, err := r.Create(r.t.Context(), d)
	if err != nil {
		r.t.Fatal(err)
	}
	return m
}

// endpoint answers everything with a word.
func endpoint(t *testing.T, word string) *llmtest.Endpoint {
	t.Helper()
	s, err := llmtest.Parse("status 200\n---\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"" + word + "\"}}]}\n\n" +
		"data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	if err != nil {
		t.Fatal(err)
	}
	return llmtest.StartTCP(t, s)
}

// builtin stands for the built-in answerer.
type builtin struct{}

func (builtin) Model() string { return "builtin" }

func (builtin) Stream(_ context.Context, _ llm.ChatRequest, yield func(llm.Delta) error) error {
	return yield(llm.Delta{Text: "quoted", Finish: "stop"})
}

func say(ctx context.Context, m llm.Chat) (text, degraded string, err error) {
	err = m.Stream(ctx, llm.ChatRequest{Messages: []llm.Message{{Role: "user", Content: "q"}}}, func(d llm.Delta) error {
		text, degraded = text+d.Text, degraded+d.Degraded
		return nil
	})
	return text, degraded, err
}

// A switch of the chat model needs no restart; an assistant may choose another;
// what it names and is not there is said.
func TestTheWriterFollowsTheRegistry(t *testing.T) {
	r := open(t)
	w := r.Writer(builtin{})
	expect := func(c llm.Choice, want string) {
		t.Helper()
		if got, _, err := say(llm.WithChoice(t.Context(), c), w); err != nil || got != want {
			t.Errorf("%+v: %q, want %q, %v", c, got, want, err)
		}
	}
	expect(llm.Choice{}, "quoted")
	r.create(registry.Draft{ID: "one", Kind: core.ModelChat, Name: "m1", BaseURL: endpoint(t, "one").URL, Default: true})
	r.create(registry.Draft{ID: "two", Kind: core.ModelChat, Name: "m2", BaseURL: endpoint(t, "two").URL})
	expect(llm.Choice{}, "one")
	expect(llm.Choice{Chat: "two"}, "two")
	yes := true
	if _, err := r.Change(t.Context(), "two", registry.Change{Default: &yes}); err != nil {
		t.Fatal(err)
	}
	expect(llm.Choice{}, "two")
	if one, err := r.Model("one"); err != nil || one.Default {
		t.Errorf("two defaults: %+v, %v", one, err)
	}
	if name := llm.NameOf(llm.WithChoice(t.Context(), llm.Choice{Chat: "one"}), w); name != "m1" {
		t.Errorf("the turn's model is called %s", name)
	}
	text, degraded, err := say(llm.WithChoice(t.Context(), llm.Choice{Chat: "gone"}), w)
	if text != "quoted" || !strings.Contains(degraded, `"gone"`) || err != nil {
		t.Errorf("a model that is not there: %q, %q, %v", text, degraded, err)
	}
	if _, _, err := say(llm.WithChoice(t.Context(), llm.Choice{Chat: "gone", NoFallback: true}), w); core.CodeOf(err) != core.CodeUnavailable {
		t.Errorf("without the built-in answer: %v", err)
	}
	r.again()
	w = r.Writer(builtin{})
	expect(llm.Choice{}, "two")
	if err := r.Delete(t.Context(), "two"); err != nil {
		t.Fatal(err)
	}
	expect(llm.Choice{}, "quoted") // nobody made another one the default
}

// A76: keys are sealed where they are stored, and masked in all that is given
// back; what comes back masked changes nothing.
func TestKeysAreSealedAndMasked(t *testing.T) {
	r := open(t)
	e := endpoint(t, "ok")
	options := `{"headers": {"X-Team": "team-secret-99"}, "timeout": {"first": "90s"}, "body": {"enable_thinking": false, "top_p": null}, "limit": {"concurrent": 4}}`
	m := r.create(registry.Draft{ID: "m", Kind: core.ModelChat, Name: "n", BaseURL: e.URL, APIKey: secret, Options: json.RawMessage(options), Default: true})
	shown, err := json.Marshal([]any{m, r.List(), fmt.Sprintf("%+v %v", m, r.List())})
	if err != nil || strings.Contains(string(shown), "secret") || m.APIKey != "••••1234" {
		t.Errorf("shown: %s, %v", shown, err)
	}
	for _, part := range []string{`"first":"1m30s"`, `"concurrent":4`, `"top_p":null`, `"X-Team":"***"`} {
		if !strings.Contains(string(m.Options), part) {
			t.Errorf("options %s lack %s", m.Options, part)
		}
	}
	name := "other"
	if _, err := r.Change(t.Context(), "m", registry.Change{Name: &name, APIKey: &m.APIKey, Options: m.Options}); err != nil {
		t.Fatal(err)
	}
	elsewhere := "http://other.example"
	if _, err := r.Change(t.Context(), "m", registry.Change{BaseURL: &elsewhere, APIKey: &m.APIKey}); core.CodeOf(err) != core.CodeInvalid {
		t.Errorf("another host gets the key: %v", err)
	}
	for _, pass := range []string{"as changed", "after a restart", "after a rotation", "after both"} {
		switch pass {
		case "after a restart", "after both":
			r.again()
		case "after a rotation":
			if n, err := r.Rotate(t.Context()); n != 1 || err != nil {
				t.Fatalf("%d sealed anew: %v", n, err)
			}
		}
		if _, _, err := say(t.Context(), r.Writer(builtin{})); err != nil {
			t.Fatal(err)
		}
		calls := e.Requests()
		last := calls[len(calls)-1]
		if last.Header.Get("Authorization") != "Bearer "+secret || last.Header.Get("X-Team") != "team-secret-99" || !strings.Contains(last.Body, `"model":"other"`) {
			t.Errorf("%s: the endpoint was called with %v, %s", pass, last.Header, last.Body)
		}
	}
	if err := r.db.Close(); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(r.dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if raw, err := os.ReadFile(f); err == nil && (strings.Contains(string(raw), secret) || strings.Contains(string(raw), "team-secret")) {
			t.Errorf("%s holds a secret in the clear", f)
		}
	}
	if info, err := os.Stat(filepath.Join(r.dir, "secrets.key")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key file: %v, %v", info, err)
	}
}

// Without its key file a model is listed with what is wrong, the others work,
// and a key that is entered again mends it.
func TestALostKeyFile(t *testing.T) {
	r := open(t)
	e := endpoint(t, "ok")
	r.create(registry.Draft{ID: "sealed", Kind: core.ModelChat, Name: "n", BaseURL: e.URL, APIKey: secret, Default: true})
	r.create(registry.Draft{ID: "open", Kind: core.ModelChat, Name: "n", BaseURL: e.URL})
	if err := os.Remove(filepath.Join(r.dir, "secrets.key")); err != nil {
		t.Fatal(err)
	}
	r.again()
	m, err := r.Model("sealed")
	if err != nil || !strings.Contains(m.Trouble, "secrets.key") || m.Name != "n" {
		t.Errorf("%+v, %v", m, err)
	}
	if text, degraded, err := say(t.Context(), r.Writer(builtin{})); text != "quoted" || degraded == "" || err != nil {
		t.Errorf("%q, %q, %v", text, degraded, err)
	}
	if text, _, err := say(llm.WithChoice(t.Context(), llm.Choice{Chat: "open"}), r.Writer(builtin{})); text != "ok" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	if err := r.Test(t.Context(), "sealed"); core.CodeOf(err) != core.CodeCorrupt {
		t.Errorf("the test says %v", err)
	}
	name, key := "other", secret
	if _, err := r.Change(t.Context(), "sealed", registry.Change{Name: &name}); core.CodeOf(err) != core.CodeCorrupt {
		t.Errorf("a change that would lose the key: %v", err)
	}
	if _, err := r.Rotate(t.Context()); err == nil {
		t.Error("a rotation lost a key")
	}
	if m, err = r.Change(t.Context(), "sealed", registry.Change{APIKey: &key}); err != nil || m.Trouble != "" || !m.Default {
		t.Errorf("%+v, %v", m, err)
	}
	if text, _, err := say(t.Context(), r.Writer(builtin{})); text != "ok" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
}

func TestModelsOfTheConfiguration(t *testing.T) {
	e := endpoint(t, "configured")
	r := open(t, registry.Configured{ID: "chat_model", Kind: core.ModelChat, Options: openai.Options{BaseURL: e.URL, Model: "c", APIKey: secret}})
	list := r.List()
	if len(list) != 1 || !list[0].Default || list[0].Origin != core.ModelOfConfig || list[0].APIKey != "••••1234" {
		t.Errorf("%+v", list)
	}
	name := "x"
	if _, err := r.Change(t.Context(), "chat_model", registry.Change{Name: &name}); core.CodeOf(err) != core.CodeConflict {
		t.Errorf("a change: %v", err)
	}
	if err := r.Delete(t.Context(), "chat_model"); core.CodeOf(err) != core.CodeConflict {
		t.Errorf("a deletion: %v", err)
	}
	r.create(registry.Draft{ID: "own", Kind: core.ModelChat, Name: "o", BaseURL: endpoint(t, "own").URL, Default: true})
	if text, _, err := say(t.Context(), r.Writer(builtin{})); text != "own" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	if err := r.Delete(t.Context(), "own"); err != nil {
		t.Fatal(err)
	}
	if text, _, err := say(t.Context(), r.Writer(builtin{})); text != "configured" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
}

func TestBadDraftsAreRefused(t *testing.T) {
	r := open(t)
	good := registry.Draft{ID: "m", Kind: core.ModelChat, Name: "n", BaseURL: "http://127.0.0.1:1"}
	for name, change := range map[string]func(*registry.Draft){
		"id": func(d *registry.Draft) { d.ID = "A B" }, "kind": func(d *registry.Draft) { d.Kind = "song" },
		"address": func(d *registry.Draft) { d.BaseURL = "file:///etc/passwd" }, "name": func(d *registry.Draft) { d.Name = " " },
		"options": func(d *registry.Draft) { d.Options = json.RawMessage(`[]`) }, "unknown option": func(d *registry.Draft) { d.Options = json.RawMessage(`{"colour": 1}`) },
		"time": func(d *registry.Draft) { d.Options = json.RawMessage(`{"timeout": {"first": "soon"}}`) }, "key among options": func(d *registry.Draft) { d.Options = json.RawMessage(`{"api_key": "x"}`) },
		"not JSON":                func(d *registry.Draft) { d.Options = json.RawMessage(`{a: b}`) },
		"password in the address": func(d *registry.Draft) { d.BaseURL = "http://me:secret@127.0.0.1:1" },
		"key in the address":      func(d *registry.Draft) { d.BaseURL = "http://127.0.0.1:1?api_key=x" },
		"word":                    func(d *registry.Draft) { d.Options = json.RawMessage(`{"embed": {"similarity": "taste"}}`) },
	} {
		d := good
		change(&d)
		_, err := r.Create(t.Context(), d)
		if core.CodeOf(err) != core.CodeInvalid {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil && (strings.Contains(err.Error(), "yaml") || strings.Contains(err.Error(), "line ")) {
			t.Errorf("%s: the reason shows the decoder: %v", name, err)
		}
	}
	r.create(good)
	if _, err := r.Create(t.Context(), good); core.CodeOf(err) != core.CodeConflict {
		t.Errorf("twice: %v", err)
	}
	if _, err := r.Model("none"); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("none: %v", err)
	}
}

// A rotation that breaks off leaves keys that open everything.
func TestBrokenRotation(t *testing.T) {
	s, err := registry.OpenSealer(filepath.Join(t.TempDir(), "k"))
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := s.Seal("a", "text")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Rotate(func() error { return errors.New("full disk") }); err == nil {
		t.Error("the failure is hidden")
	}
	if text, err := s.Open("a", sealed); text != "text" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := s.Open("b", sealed); err == nil {
		t.Error("it opens for somebody else")
	}
	if err := s.Rotate(func() error { return nil }); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Open("a", sealed); core.CodeOf(err) != core.CodeCorrupt {
		t.Errorf("the old key is still there: %v", err)
	}
}

func TestReadFile(t *testing.T) {
	t.Setenv("REGISTRY_TEST_KEY", secret)
	file := filepath.Join(t.TempDir(), "models.yaml")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("models:\n  - {id: a, kind: chat, base_url: 'http://x', model: m, timeout: {first: 90s}}\n" +
		"  - {id: e5, kind: embedding, default: true, base_url: 'http://x', model: e5, api_key: '${REGISTRY_TEST_KEY}', embed: {max_runes: 400, affixes: {query_prefix: 'query: '}}}\n")
	list, err := registry.ReadFile(file)
	if err != nil || len(list) != 2 || list[0].ID != "e5" || string(list[0].Options.APIKey) != secret || list[0].Options.Embed.Affixes.QueryPrefix != "query: " || list[1].Options.Timeout.First.Seconds() != 90 {
		t.Errorf("%+v, %v", list, err)
	}
	for name, text := range map[string]string{
		"unknown field": "models: [{id: a, colour: red}]", "no id": "models: [{kind: chat}]", "twice": "models: [{id: a}, {id: a}]",
		"no such variable": "models: [{id: a, api_key: '${REGISTRY_TEST_NONE}'}]", "not YAML": "models: [",
	} {
		write(text)
		if _, err := registry.ReadFile(file); core.CodeOf(err) != core.CodeInvalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}
