package enrich

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"kaoju/internal/core"
	"kaoju/internal/ingest"
	"kaoju/internal/knowledge"
	"kaoju/internal/llm"
	"kaoju/internal/parse"
	"kaoju/internal/prompt"
	"kaoju/internal/store"
)

// model is a chat model made of a function of its prompt.
type model struct {
	say   func(system, user string) (string, error)
	mu    sync.Mutex
	asked []string
}

func (*model) Model() string { return "scripted" }

func (m *model) Stream(_ context.Context, req llm.ChatRequest, yield func(llm.Delta) error) error {
	system, user := req.Messages[0].Content, req.Messages[len(req.Messages)-1].Content
	m.mu.Lock()
	m.asked = append(m.asked, user)
	m.mu.Unlock()
	words, err := m.say(system, user)
	if err != nil {
		return err
	}
	return yield(llm.Delta{Text: words, Finish: "stop"})
}

func (m *model) calls() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.asked)
}

// scripted answers every step as a good model would, in the forms that models
// use.
func scripted(system, user string) (string, error) {
	switch {
	case strings.Contains(system, "JSON 数组"), strings.Contains(system, "JSON array"):
		return "```json\n[\"人事\", \"休假\"]\n```", nil
	case strings.Contains(system, "表的表头"), strings.Contains(system, "rows of a table"):
		return `Here it is: {"summary":"各仓库的库存","columns":[{"name":"仓库","description":"仓库的名称"}]} Done.`, nil
	case strings.Contains(system, "个这段文字"):
		return "1. 探亲能歇多久？\n2）回老家的路费谁出\n", nil
	case strings.Contains(system, "看图"), strings.Contains(system, "the picture"):
		return `{"caption":"一张流程图","text":"先审批后付款"}`, nil
	}
	return "<think>hm</think>这份制度规定了探亲假。", nil
}

type engine struct{}

func (engine) Refresh(context.Context, string) error { return nil }
func (engine) Reload(context.Context, string) error  { return nil }
func (engine) Drop(string)                           {}

// album gives the same pictures for every file.
type album []parse.Picture

func (a album) Pictures(context.Context, parse.Input) ([]parse.Picture, error) { return a, nil }

type rig struct {
	t     testing.TB
	db    *store.DB
	k     *knowledge.Service
	w     *ingest.Worker
	e     *Enricher
	model *model
	base  core.KnowledgeBase
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// newRig has an ingesting worker beside the Enricher; change sets it up.
func newRig(t testing.TB, dir string, change func(*Options)) *rig {
	t.Helper()
	db, err := store.Open(t.Context(), dir)
	must(t, err)
	t.Cleanup(func() { must(t, db.Close()) })
	r := &rig{t: t, db: db, model: &model{say: scripted}}
	o := Options{
		Store: db, Index: engine{}, Prompts: prompt.Default(), Chat: func() llm.Chat { return r.model },
		Vision: func() llm.Vision { return llm.Eyes{Chat: r.model} }, Backoff: func(int) time.Duration { return time.Microsecond },
	}
	if change != nil {
		change(&o)
	}
	r.e = New(o)
	r.w = ingest.New(ingest.Deps{Store: db, Parser: parse.New(nil), Index: engine{}, Recognise: r.e.Recognise, Published: r.e.Wake})
	r.k = knowledge.New(knowledge.Options{Store: db, Work: r.w, Index: engine{}, Limit: 16 << 20})
	r.base, err = db.Base(t.Context(), core.OwnerScope(), core.DefaultBaseName)
	must(t, err)
	return r
}

func (r *rig) start() *rig {
	must(r.t, r.w.Start(r.t.Context()))
	r.t.Cleanup(r.w.Close)
	return r
}

func (r *rig) want(e core.Enrichment) { must(r.t, r.db.SetEnrichment(r.t.Context(), r.base.ID, e)) }

func (r *rig) add(name, content string) core.Document {
	r.t.Helper()
	d, _, err := r.k.Add(r.t.Context(), core.OwnerScope(), knowledge.AddRequest{Base: core.DefaultBaseName, Name: name, Content: strings.NewReader(content)})
	must(r.t, err)
	for {
		changed := r.w.Changed()
		p, err := r.w.Progress(r.t.Context(), r.base.ID)
		must(r.t, err)
		if p.Left() == 0 {
			return r.document(d.ID)
		}
		select {
		case <-changed:
		case <-time.After(20 * time.Second):
			r.t.Fatal("stuck")
		}
	}
}

func (r *rig) document(id string) core.Document {
	r.t.Helper()
	d, err := r.k.TaggedDocument(r.t.Context(), core.OwnerScope(), id)
	must(r.t, err)
	return d
}

// drain does all that waits, in this goroutine.
func (r *rig) drain() {
	r.t.Helper()
	for {
		busy, err := r.e.once(r.t.Context())
		must(r.t, err)
		if !busy {
			return
		}
	}
}

func (r *rig) live(id string) map[core.ChunkType][]core.Chunk {
	r.t.Helper()
	list, err := r.e.live(r.t.Context(), id)
	must(r.t, err)
	out := map[core.ChunkType][]core.Chunk{}
	for _, c := range list {
		out[c.Type] = append(out[c.Type], c)
	}
	return out
}

func states(d core.Document) string {
	var out []string
	for _, s := range d.Enrichment {
		out = append(out, fmt.Sprintf("%s:%s:%d", s.Step, s.State, s.Added))
	}
	return strings.Join(out, " ")
}

const leave = "# 探亲假\n\n职工探望配偶每年给假一次，假期为三十天，往返路费由所在单位负担，须事先由部门负责人审批同意，并在返回后五个工作日内报销。\n"

var everything = core.Enrichment{Summary: true, Questions: 2, Tables: true, Tags: true}

func TestStepsAddToADocument(t *testing.T) {
	picture := pngOf(t)
	r := newRig(t, t.TempDir(), func(o *Options) { o.Pictures = album{{Data: picture, Page: 3}} }).start()
	r.want(everything)
	d := r.add("leave.md", leave)
	r.drain()
	d = r.document(d.ID)
	if got := states(d); got != "pictures:done:2 summary:done:1 tables:skipped:0 tags:done:2 questions:done:1" {
		t.Errorf("the steps are %s", got)
	}
	if !slices.Equal(d.Tags, []string{"人事", "休假"}) && !slices.Equal(d.Tags, []string{"休假", "人事"}) {
		t.Errorf("tags %q", d.Tags)
	}
	live := r.live(d.ID)
	for kind, want := range map[core.ChunkType]string{
		core.ChunkSummary:      "这份制度规定了探亲假。",
		core.ChunkImageCaption: "一张流程图", core.ChunkImageOCR: "先审批后付款",
	} {
		if len(live[kind]) != 1 || live[kind][0].Content != want {
			t.Errorf("%s: %+v", kind, live[kind])
		}
	}
	if c := live[core.ChunkImageOCR]; len(c) == 1 && c[0].Page != 3 {
		t.Errorf("the picture stands on page %d", c[0].Page)
	}
	if c := live[core.ChunkText]; len(c) != 1 || !slices.Equal(c[0].Questions, []string{"探亲能歇多久？", "回老家的路费谁出"}) || c[0].ParentID == "" {
		t.Errorf("the passage is %+v", c)
	}
	before := r.model.calls()
	// Again by hand: what was there before is replaced and not doubled.
	_, err := r.e.Enrich(t.Context(), core.OwnerScope(), d.ID, []core.EnrichStep{core.EnrichSummary, core.EnrichQuestions})
	must(t, err)
	r.drain()
	again := r.live(d.ID)
	if len(again[core.ChunkSummary]) != 1 || len(again[core.ChunkText]) != 1 || r.model.calls() != before+2 {
		t.Errorf("after a second time: %+v, %d calls", again, r.model.calls()-before)
	}
}

func TestTablesAreDescribed(t *testing.T) {
	r := newRig(t, t.TempDir(), nil).start()
	r.want(core.Enrichment{Tables: true})
	d := r.add("stock.csv", "仓库,数量\n北库,17\n南库,4\n东库,9\n")
	r.drain()
	live := r.live(d.ID)
	for kind, want := range map[core.ChunkType]string{core.ChunkTableSummary: "各仓库的库存", core.ChunkTableColumn: "仓库: 仓库的名称"} {
		if len(live[kind]) != 1 || live[kind][0].Content != want {
			t.Errorf("%s: %+v", kind, live[kind])
		}
	}
	if !strings.Contains(r.model.asked[0], "北库") || !strings.Contains(r.model.asked[0], "(3 rows)") {
		t.Errorf("the model was shown %q", r.model.asked[0])
	}
}

// A66's kind: what a model cannot do leaves the document as it is, with the
// reason; the other steps go on; the step can be had again alone.
func TestAFailedStepFailsNothingElse(t *testing.T) {
	r := newRig(t, t.TempDir(), nil).start()
	r.want(core.Enrichment{Summary: true, Tags: true})
	down := true
	r.model.say = func(system, user string) (string, error) {
		if down && strings.Contains(system, "概括") {
			return "", core.Errorf(core.CodeUnavailable, "the chat model does not answer")
		}
		return scripted(system, user)
	}
	d := r.add("leave.md", leave)
	r.drain()
	d = r.document(d.ID)
	if d.State != core.DocumentReady || states(d) != "pictures:skipped:0 summary:failed:0 tables:skipped:0 tags:done:2 questions:skipped:0" {
		t.Fatalf("%s, %s", d.State, states(d))
	}
	if s := d.Enrichment[1]; s.Reason != "the chat model does not answer" || s.Attempts != maxAttempts {
		t.Errorf("the step says %+v", s)
	}
	down = false
	before := r.model.calls()
	_, err := r.e.Enrich(t.Context(), core.OwnerScope(), d.ID, nil)
	must(t, err)
	r.drain()
	if got := states(r.document(d.ID)); !strings.Contains(got, "summary:done:1") || r.model.calls() != before+1 {
		t.Errorf("after the model came back: %s, %d calls", got, r.model.calls()-before)
	}
}

func TestWithoutModelsStepsSayThatTheyAreSkipped(t *testing.T) {
	r := newRig(t, t.TempDir(), func(o *Options) { o.Chat, o.Vision = nil, nil }).start()
	r.want(everything)
	d := r.document(r.add("leave.md", leave).ID)
	r.drain()
	d = r.document(d.ID)
	for _, s := range d.Enrichment {
		if s.State != core.EnrichSkipped || !strings.Contains(s.Reason, "model is set") {
			t.Errorf("%+v", s)
		}
	}
	if len(d.Enrichment) != 5 {
		t.Errorf("%d steps", len(d.Enrichment))
	}
}

// Words of models that keep to no form at all.
func TestReplies(t *testing.T) {
	for said, want := range map[string][]string{
		"":                                    nil,
		"1. a?\n2. b?\n\n2. b?":               {"a?", "b?"},
		"Here are the questions:\n- a?\n* b?": {"a?", "b?"},
		"```json\n[\"a?\", \"b?\"]\n```":      {"a?", "b?"},
		`{"questions": ["a?"]}`:               {"a?"},
		"Q1: a?\nQ2: \"b?\"":                  {"a?", "b?"},
		"<think>1. x?</think>（1）a？\n（2）b？": {"a？", "b？"},
		strings.Repeat("long", 100):        nil,
	} {
		if got := lines(said); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", said, got, want)
		}
	}
	if about, columns := tableReply("It is a table of stores."); about != "It is a table of stores." || columns != "" {
		t.Errorf("plain words: %q, %q", about, columns)
	}
	if about, columns := tableReply(`{"summary":"s","columns":{"b":"2","a":"1"}}`); about != "s" || columns != "a: 1\nb: 2" {
		t.Errorf("named columns: %q, %q", about, columns)
	}
	if saw := pictureReply(`{"caption": null, "text": "none"}`); saw != (seen{}) {
		t.Errorf("nothing: %+v", saw)
	}
	if saw := pictureReply("A cat."); saw.caption != "A cat." {
		t.Errorf("plain words: %+v", saw)
	}
}

func FuzzReplies(f *testing.F) {
	for _, s := range []string{"", "[", "{\"columns\":[{}]}", "```\n1. a\n```", "<think>", "{{{\"text\":1}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, l := range lines(s) {
			if l == "" || strings.Contains(l, "\n") && array(unfenced(s)) == nil {
				t.Errorf("a line is %q", l)
			}
		}
		tableReply(s)
		pictureReply(s)
	})
}

// A picture and a scanned PDF are read by the vision model; without one the
// reason stays that of the reader.
func TestPicturesAreDocuments(t *testing.T) {
	picture := pngOf(t)
	r := newRig(t, t.TempDir(), func(o *Options) { o.Pictures = parse.New(nil) }).start()
	d := r.add("流程.png", string(picture))
	if d.State != core.DocumentReady || len(d.Warnings) != 1 {
		t.Fatalf("%+v", d)
	}
	r.drain()
	d = r.document(d.ID)
	texts := r.live(d.ID)[core.ChunkText]
	if len(texts) != 1 || !strings.Contains(texts[0].Content, "先审批后付款") || r.model.calls() != 1 {
		t.Errorf("%+v after %d calls", texts, r.model.calls())
	}
	blind := newRig(t, t.TempDir(), func(o *Options) { o.Pictures, o.Vision = parse.New(nil), nil }).start()
	if d := blind.add("流程.png", string(picture)); d.State != core.DocumentFailed || d.ErrorCode != core.CodeUnsupportedFormat {
		t.Errorf("without a model: %+v", d)
	}
}

// A deleted document takes with it what models said about it.
func TestDeletionTakesAll(t *testing.T) {
	r := newRig(t, t.TempDir(), nil).start()
	r.want(core.Enrichment{Summary: true})
	d := r.add("leave.md", leave)
	must(t, r.db.SaveEnrichmentPart(t.Context(), d.ID, core.EnrichSummary, "document", "said"))
	must(t, r.k.Delete(t.Context(), core.OwnerScope(), d.ID))
	if err := r.db.SaveEnrichmentPart(t.Context(), d.ID, core.EnrichSummary, "document", "said"); core.CodeOf(err) != core.CodeCanceled {
		t.Errorf("words about a deleted document: %v", err)
	}
	parts, err := r.db.EnrichmentParts(t.Context(), d.ID, core.EnrichSummary)
	must(t, err)
	if len(parts) != 0 {
		t.Errorf("%q is left", parts)
	}
	r.drain()
	if r.model.calls() != 0 {
		t.Error("a model was asked about a deleted document")
	}
}

// The test binary is also the process that gets killed.
const (
	childFolder = "KAOJU_ENRICH_CHILD"
	childPoint  = "KAOJU_ENRICH_KILL_AT"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(childFolder); dir != "" {
		child(dir, os.Getenv(childPoint))
	}
	os.Exit(m.Run())
}

func child(dir, killAt string) {
	var pass int
	var point string
	_, _ = fmt.Sscan(killAt, &pass, &point)
	db, err := store.Open(context.Background(), dir)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	m := &model{say: scripted}
	e := New(Options{Store: db, Index: engine{}, Prompts: prompt.Default(), Chat: func() llm.Chat { return m }})
	var mu sync.Mutex
	e.probe = func(at string) {
		mu.Lock()
		defer mu.Unlock()
		if at == point {
			if pass--; pass == 0 {
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
				select {}
			}
		}
	}
	for {
		if busy, err := e.once(context.Background()); err != nil || !busy {
			fmt.Println("ended", err)
			os.Exit(1)
		}
	}
}

// A63, A64: killed at any point of a step, the next start goes on: each passage
// has its questions once, and what a model said is not asked again.
func TestKillAtEachPoint(t *testing.T) {
	const passages = 6
	var doc strings.Builder
	for i := range passages {
		fmt.Fprintf(&doc, "第%d条 %s。\n\n", i, strings.Repeat("考据问答", 95))
	}
	for killAt, most := range map[string]int{"1 questions": 7, "3 part": 5, "1 answered": 6, "2 answered": 0, "1 stored": 6, "2 stored": 0} {
		t.Run(killAt, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			var id string
			t.Run("ingest", func(t *testing.T) {
				r := newRig(t, dir, nil)
				must(t, r.w.Start(t.Context()))
				defer r.w.Close()
				r.want(core.Enrichment{Summary: true, Questions: 2})
				id = r.add("rules.txt", doc.String()).ID
			})
			cmd := exec.Command(os.Args[0], "-test.run=^$")
			cmd.Env = append(os.Environ(), childFolder+"="+dir, childPoint+"="+killAt)
			out, err := cmd.CombinedOutput()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
				t.Fatalf("the child was not killed: %v\n%s", err, out)
			}
			r := newRig(t, dir, nil)
			r.drain()
			if got := states(r.document(id)); !strings.Contains(got, fmt.Sprintf("questions:done:%d", passages)) || !strings.Contains(got, "summary:done:1") {
				t.Errorf("the steps are %s", got)
			}
			live := r.live(id)
			if len(live[core.ChunkText]) != passages || len(live[core.ChunkSummary]) != 1 {
				t.Errorf("%d passages and %d summaries", len(live[core.ChunkText]), len(live[core.ChunkSummary]))
			}
			if n := r.model.calls(); n > most {
				t.Errorf("the model was asked %d times, want at most %d", n, most)
			}
		})
	}
}
