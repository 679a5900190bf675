package pipeline

import (
	"context"
	"sync"
	"time"

	"kaoju/internal/answer"
	"kaoju/internal/core"
	"kaoju/internal/llm"
	"kaoju/internal/prompt"
	"kaoju/internal/retrieve"
)

// Artifact is a value that one stage sets once and later stages read.
type Artifact[T any] struct {
	value T
	set   bool
}

// Set gives the artifact its value. A second call is a core.CodeInternal
// error: two stages believe that they own it.
func (a *Artifact[T]) Set(v T) error {
	if a.set {
		return core.Errorf(core.CodeInternal, "an artifact of %T was set twice", v)
	}
	a.value, a.set = v, true
	return nil
}

// Get gives the value and whether there is one.
func (a *Artifact[T]) Get() (T, bool) { return a.value, a.set }

// Value gives the value, or T's zero value where none was set.
func (a *Artifact[T]) Value() T { return a.value }

// Round is an earlier question with its answer.
type Round struct {
	Question string
	Answer   string // without what the model thought; may be empty for a round handed over
	Image    string // what the picture of the question showed; empty without one
	// Cited are the sources that the answer cites, in the order of their
	// numbers.
	Cited []core.Reference
}

// Understanding is what was made of the question.
type Understanding struct {
	Question  string // stand-alone; the original one where nothing was rewritten
	Rewritten bool
	Intent    Intent
	Reason    string // why it was rewritten, or not
	// Unsure says that a model alone takes the words for small talk: documents
	// that answer them come first.
	Unsure bool
	// Image says what the picture of the question shows, in a model's words;
	// empty where there is none.
	Image string
}

// Intent is what the user wants.
type Intent string

// The intents.
const (
	IntentSearch        Intent = "kb_search"
	IntentWebSearch     Intent = "web_search" // asks to look on the web
	IntentGreeting      Intent = "greeting"
	IntentChitchat      Intent = "chitchat"
	IntentFollowUp      Intent = "follow_up"  // makes sense only with what was said before
	IntentImage         Intent = "image_only" // about a picture
	IntentDocument      Intent = "doc_only"   // about a document at hand
	IntentSummarize     Intent = "summarize"
	IntentClarification Intent = "clarification" // asks what an answer meant
)

// Talks reports whether an intent asks nothing of any document.
func (i Intent) Talks() bool { return i == IntentGreeting || i == IntentChitchat }

// Plan says how a turn searches, and why.
type Plan struct {
	RunFAQ    bool `json:"run_faq"`
	RunDocs   bool `json:"run_doc"`
	Rerank    bool `json:"rerank"`
	FAQTopK   int  `json:"faq_top_k"`
	TopK      int  `json:"doc_top_k"`           // passages that the search finds
	Keep      int  `json:"rerank_top_k"`        // passages after ranking
	Evidence  int  `json:"final_context_top_n"` // passages in the prompt
	Scoped    bool `json:"scoped"`              // the user chose documents: thresholds do not apply
	Rewording bool `json:"use_query_variants"`
	// FAQDirect is the least score of a standard question whose answer is given
	// as it stands; with FAQExactOnly only an equal one counts.
	FAQDirect    float64 `json:"faq_direct_threshold"`
	FAQExactOnly bool    `json:"faq_direct_exact_only"`
	PreferTable  bool    `json:"prefer_table"`
	MinScore     float64 `json:"min_context_score"`
	Chars        int     `json:"max_context_chars"`
	DocChars     int     `json:"max_context_doc_chars"`
	// Documents are those that alone are searched, because the question is about
	// them; empty where the request's hold.
	Documents []string `json:"only_documents,omitempty"`
	// Only names the bases that are searched of those that may be; empty means
	// all.
	Only   []string `json:"only_bases,omitempty"`
	Reason string   `json:"reason"`
}

// Prompt is what the model is given.
type Prompt struct {
	Profile  string
	Talk     bool // there is no evidence because none is asked for
	Messages []llm.Message
}

// Answer is the text of a turn as it was streamed.
type Answer struct {
	Text string
	// Model tells who wrote it; empty for fixed texts.
	Model string
	// Degraded says that the built-in answerer wrote because the configured
	// model could not be reached.
	Degraded bool
	// Insufficient says that the writer found no answer in the evidence.
	Insufficient bool
	// Assessed is the writer's probability that the evidence answers, where it
	// knows one.
	Assessed *float64
	// HitType is set by stages that answer without evidence.
	HitType core.HitType
	// References are those of an answer that was not written from evidence; its
	// Score is how well they fit the question.
	References []core.Reference
	Score      float64
	Cited      []int         // numbers of the references that the text cites
	Marks      []answer.Mark // where in the text it cites
	Invalid    int           // marks that named no source and were removed
}

// Verdict is what the check of an answer found.
type Verdict struct {
	HitType     core.HitType
	References  []core.Reference
	Citations   []core.Citation
	Unsupported []core.Unsupported
	Confidence  core.Confidence
}

// Turn is one question on its way to its answer. Stages run one after the
// other and share it; a stage that works in parallel hands copies to its
// branches. Only Note and Publish may be called from several goroutines.
type Turn struct {
	Request Request

	History       Artifact[[]Round]
	Seen          Artifact[string] // what the pictures of the question show; empty where nobody could look
	Understanding Artifact[Understanding]
	Decision      Artifact[Decision]
	Probed        Artifact[FAQList] // by the route, for the question as it was asked
	FAQ           Artifact[FAQList]
	Wordings      Artifact[[]string] // of the question; the first is the question itself
	Profile       Artifact[prompt.Profile]
	Tags          Artifact[[]string]    // ids of the tags that the request names, in its bases
	Aliases       Artifact[[]llm.Alias] // other names of its words, by the glossaries
	Entities      Artifact[[]string]    // what the question speaks of by name; absent without a graph
	Plan          Artifact[Plan]
	Bases         Artifact[[]core.KnowledgeBase]
	Explain       Artifact[retrieve.Explain] // how the search came to its list
	Variants      Artifact[[]retrieve.Variant]
	Fused         Artifact[[]retrieve.Found] // as the retrievers found them, together
	Candidates    Artifact[[]retrieve.Found] // the same, children lifted to parents
	Reranked      Artifact[[]retrieve.Found] // as ranked; absent where ranking was left out
	Merged        Artifact[[]retrieve.Found] // duplicates out
	Ranked        Artifact[[]retrieve.Found] // the best of them, in final order
	Computed      Artifact[[]retrieve.Found] // what was computed from tables; absent where that is off
	Evidence      Artifact[[]llm.Evidence]
	Sources       Artifact[*answer.Sources] // the register behind the evidence's handles
	Prompt        Artifact[Prompt]
	Answer        Artifact[Answer]
	Verdict       Artifact[Verdict]

	publish Publish
	now     func() time.Time
	began   time.Time
	spoke   time.Time // when the first words of the answer went out; zero before

	mu      sync.Mutex
	notes   []core.TraceNote
	timings []core.Timing
}

// NewTurn makes a turn that publishes to publish and reads time from now.
func NewTurn(req Request, publish Publish, now func() time.Time) *Turn {
	return &Turn{Request: req, publish: publish, now: now, began: now()}
}

// Question is the question to search for: the rewritten one where there is
// one, else the original.
func (t *Turn) Question() string {
	if u, ok := t.Understanding.Get(); ok && u.Question != "" {
		return u.Question
	}
	return t.Request.Question
}

// Retrieves reports whether the turn searches for anything: a conversation
// without knowledge, and what is small talk beyond doubt, do not.
func (t *Turn) Retrieves() bool {
	u := t.Understanding.Value()
	return t.Request.RetrieveOnly || !t.Request.Talk && (!u.Intent.Talks() || u.Unsure)
}

// Prompts gives the templates of the turn: the assistant's, else others.
func (t *Turn) Prompts(others *prompt.Library) *prompt.Library {
	if own := t.Request.Prompts; own != nil {
		return own
	}
	return others
}

// Publish puts an event on the turn's bus.
func (t *Turn) Publish(ctx context.Context, e core.Event) error {
	if e.Type == core.EventAnswer && e.Content != "" {
		t.speak()
	}
	return t.publish(ctx, e)
}

// speak notes the time of the first words.
func (t *Turn) speak() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.spoke.IsZero() {
		t.spoke = t.now()
	}
}

// Now is the turn's clock.
func (t *Turn) Now() time.Time { return t.now() }

// Note records a decision of a stage for the trace. Values hold no document
// text and no prompt.
func (t *Turn) Note(stage Stage, key, value string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.notes = append(t.notes, core.TraceNote{Stage: string(stage), Key: key, Value: value})
}

func (t *Turn) timed(stage Stage, d time.Duration, note string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.timings = append(t.timings, core.Timing{
		Stage: string(stage), ElapsedMS: float64(d.Microseconds()) / 1000, Note: note,
	})
}

// outcome gathers what the turn has come to.
func (t *Turn) outcome() Outcome {
	t.mu.Lock()
	defer t.mu.Unlock()
	v := t.Verdict.Value()
	return Outcome{
		Answer: t.Answer.Value().Text, References: v.References, Citations: v.Citations,
		Confidence: v.Confidence, HitType: v.HitType, Ranked: t.Ranked.Value(),
		Timings: t.timings, Notes: t.notes, Debug: t.debug(), Unsupported: v.Unsupported, Account: t.account(), FAQ: t.FAQ.Value().Candidates,
		Seen: t.Seen.Value(),
	}
}

// debug gathers the lists of a turn that only retrieves; nil for others.
func (t *Turn) debug() *Debug {
	if !t.Request.RetrieveOnly {
		return nil
	}
	return &Debug{
		Question: t.Question(), History: t.History.Value(), Understanding: t.Understanding.Value(), Plan: t.Plan.Value(),
		Bases: t.Bases.Value(), Explain: t.Explain.Value(), Variants: t.Variants.Value(), Fused: t.Fused.Value(),
		Candidates: t.Candidates.Value(), Reranked: t.Reranked.Value(), Merged: t.Merged.Value(),
	}
}
