package ws

import (
	"context"
	"encoding/json"
	"time"

	"kaoju/internal/answer"
	"kaoju/internal/chat"
	"kaoju/internal/core"
	"kaoju/internal/pipeline"
)

// Head is what every event has. Seq is the number of the event in its turn:
// resume with the last one seen. It is left out where no turn answers.
type Head struct {
	Type      string `json:"type"`
	Seq       int64  `json:"seq,omitempty"`
	SessionID string `json:"session_id"`
	MessageID string `json:"message_id,omitempty"`
}

// Start says that the question was taken.
type Start struct {
	Head
	TraceID      string    `json:"trace_id"` // the round's request id
	ScenarioID   string    `json:"scenario_id"`
	ScenarioName string    `json:"scenario_name"`
	DataScope    DataScope `json:"data_scope"`
	// Replay says that a stored answer is told from its start: drop what was
	// shown of it.
	Replay bool `json:"replay,omitempty"`
}

// DataScope is what the question may see.
type DataScope struct {
	TenantID string   `json:"tenant_id"`
	Datasets []string `json:"dataset_ids,omitempty"` // none means every one of the tenant
}

// Status says what is being done.
type Status struct {
	Head
	Stage   string `json:"stage"` // query_understand | knowledge_search | generate
	Message string `json:"message"`
}

// Token is an increment of the answer.
type Token struct {
	Head
	Token string `json:"token"`
}

// Failure ends a question without an answer; the text so far is kept.
type Failure struct {
	Head
	Code    core.Code `json:"code"`
	Message string    `json:"message"`
}

// End ends a question. The answer was stored before it.
type End struct {
	Head
	HitType    core.HitType    `json:"hit_type"`
	Answer     string          `json:"answer"` // the sum of the tokens
	Complete   bool            `json:"is_complete"`
	State      string          `json:"state"` // complete | stopped | interrupted
	Sources    []Source        `json:"sources"`
	Citations  []core.Citation `json:"citations"`
	Confidence *Confidence     `json:"answer_confidence"`
	// Unsupported are the claims that no source carries.
	Unsupported []core.Unsupported `json:"unsupported"`
	Intent      *Intent            `json:"intent"` // nil where the turn is told again
	Rewritten   string             `json:"rewritten_query,omitempty"`
	Retrieval   Retrieval          `json:"retrieval"`
	Processing  float64            `json:"processing_time"` // seconds
	Slowest     string             `json:"slowest_stage"`
	TraceID     string             `json:"trace_id"`
}

// Source is a passage that was found. Number is that of its mark in the
// answer, 0 where it is not cited.
type Source struct {
	Number     int            `json:"number"`
	FileName   string         `json:"file_name"`
	Title      string         `json:"title"`
	Source     string         `json:"source"` // the knowledge base
	SourceType core.ChunkType `json:"source_type"`
	Content    string         `json:"content"` // a quote; the passage is at /api/v1/chunks/{chunk_id}
	Score      float64        `json:"score"`
	ChunkID    string         `json:"chunk_id"`
	DocumentID string         `json:"document_id"`
	Headings   []string       `json:"headings,omitempty"`
	Page       int            `json:"page,omitempty"`
	Sheet      string         `json:"sheet,omitempty"`
	Row        int            `json:"row_number,omitempty"`
}

// Confidence says how far the answer may be relied on.
type Confidence struct {
	Score       float64    `json:"score"`
	Level       core.Level `json:"level"`
	Label       string     `json:"label"`
	Probability float64    `json:"probability"`
	Reasons     []string   `json:"reasons"`
	Evidence    Graded     `json:"evidence_confidence"`
	Generation  Verified   `json:"generation_verification"`
	// Signals are what the scores were made of.
	Signals core.Signals `json:"signals"`
}

// Intent is what the question was taken for.
type Intent struct {
	Intent     string  `json:"intent"`
	Rule       float64 `json:"rule_score"`
	Confidence float64 `json:"confidence"`
	Reason     string  `json:"reason"`
	Source     string  `json:"source,omitempty"`
	Route      string  `json:"route"`
	Category   string  `json:"category,omitempty"`
}

// Graded is a score without its reasons.
type Graded struct {
	Score float64    `json:"score"`
	Level core.Level `json:"level"`
	Label string     `json:"label"`
}

// Verified is what the check of the text came to.
type Verified struct {
	Score  *float64 `json:"score"` // null where no model wrote
	Status string   `json:"status"`
}

// Retrieval holds the times of the stages, in their order.
type Retrieval struct {
	Timings    []core.Timing `json:"stage_timings_ms"`
	FirstToken *float64      `json:"first_token_ms"` // null where the client came later
	Total      float64       `json:"total_elapsed_ms"`
	// What follows is null where the turn is told again.
	Plan     *pipeline.Plan         `json:"plan"`
	Variants []string               `json:"query_variants"`
	Profile  string                 `json:"prompt_profile,omitempty"`
	Cache    *pipeline.CacheAccount `json:"cache"`
}

func (t *telling) head(kind string, seq int64) Head {
	return Head{Type: kind, Seq: seq, SessionID: t.message.SessionID, MessageID: t.message.ID}
}

func (t *telling) start(e core.Event) Start {
	var opening chat.AgentQuery
	_ = json.Unmarshal(e.Data, &opening) // ours; only the replay matters here
	assistant, scope := t.assistant, t.connection.scope
	return Start{
		Head: t.head("start", e.Seq), TraceID: t.message.RequestID, ScenarioID: assistant.ID, ScenarioName: assistant.Name,
		DataScope: DataScope{TenantID: scope.TenantID, Datasets: scope.Datasets}, Replay: opening.Replay,
	}
}

// statuses say in both languages what is being done; the last is for
// whatever else.
var statuses = [...]struct{ stage, chinese, english string }{
	{"query_understand", "正在理解问题...", "Understanding the question..."},
	{"knowledge_search", "正在检索知识库...", "Searching the knowledge bases..."},
	{"generate", "正在生成回答...", "Writing the answer..."},
	{"", "正在处理...", "Working..."},
}

func (t *telling) status(e core.Event, stage string) Status {
	for _, s := range statuses {
		if s.stage == stage || s.stage == "" {
			message := s.english
			if t.chinese {
				message = s.chinese
			}
			return Status{Head: t.head("status", e.Seq), Stage: stage, Message: message}
		}
	}
	return Status{}
}

func (t *telling) failure(e core.Event) Failure {
	f := Failure{Head: t.head("error", e.Seq), Code: core.CodeInternal, Message: e.Content}
	var payload chat.Failed
	if json.Unmarshal(e.Data, &payload) == nil && payload.Code != "" {
		f.Code = payload.Code
	}
	return f
}

// end tells the stored answer: what a client reads from the history is what
// it has here.
func (t *telling) end(ctx context.Context, e core.Event) (End, error) {
	m, err := t.connection.handlers.Chat.Message(ctx, t.connection.scope, t.message.ID)
	if err != nil {
		return End{}, err
	}
	var payload chat.Complete
	_ = json.Unmarshal(e.Data, &payload) // a stop has no timings
	end := End{
		Head: t.head("end", e.Seq), HitType: m.HitType, Answer: m.Content, TraceID: m.RequestID,
		Complete: m.State == core.MessageComplete, State: string(m.State),
		Sources: sources(m.References), Citations: m.Citations, Confidence: confidence(m.Confidence, t.chinese),
		Retrieval: Retrieval{Timings: payload.Timings, Total: payload.DurationMS}, Processing: payload.DurationMS / 1000,
	}
	if end.Citations == nil {
		end.Citations = []core.Citation{}
	}
	if end.Retrieval.Timings == nil {
		end.Retrieval.Timings = []core.Timing{}
	}
	if !t.asked.IsZero() && !t.firstToken.IsZero() {
		first := float64(t.firstToken.Sub(t.asked)) / float64(time.Millisecond)
		end.Retrieval.FirstToken = &first
	}
	end.Unsupported = m.Unsupported
	if end.Unsupported == nil {
		end.Unsupported = []core.Unsupported{}
	}
	end.account(payload.Account)
	longest := -1.0
	for _, s := range end.Retrieval.Timings {
		if s.ElapsedMS > longest {
			longest, end.Slowest = s.ElapsedMS, s.Stage
		}
	}
	return end, nil
}

// account fills in what was decided on the way.
func (e *End) account(a *pipeline.Account) {
	if a == nil {
		return
	}
	e.Intent = &Intent{Intent: a.Intent, Rule: a.Rule, Confidence: a.Confidence, Reason: a.Reason, Source: a.Source, Route: a.Route, Category: a.Category}
	e.Rewritten = a.Question
	e.Retrieval.Plan, e.Retrieval.Variants, e.Retrieval.Profile, e.Retrieval.Cache = a.Plan, a.Variants, a.Profile, &a.Cache
	if e.Retrieval.FirstToken == nil {
		e.Retrieval.FirstToken = a.FirstMS
	}
}

func sources(references []core.Reference) []Source {
	list := make([]Source, 0, len(references))
	for _, r := range references {
		list = append(list, Source{
			Number: r.Number, FileName: r.Document, Title: r.Title, Source: r.BaseID, SourceType: r.Type, Content: r.Quote, Score: r.Score,
			ChunkID: r.ChunkID, DocumentID: r.DocumentID, Headings: r.Headings, Page: r.Page, Sheet: r.Sheet, Row: r.Row,
		})
	}
	return list
}

func confidence(c *core.Confidence, chinese bool) *Confidence {
	if c == nil {
		return nil
	}
	out := &Confidence{
		Score: c.Score, Level: c.Level, Label: label(c.Level, chinese), Probability: c.Probability, Reasons: c.Reasons,
		Generation: Verified{Status: c.Status}, Signals: c.Signals,
	}
	level := answer.LevelOf(c.Evidence)
	out.Evidence = Graded{Score: c.Evidence, Level: level, Label: label(level, chinese)}
	if c.Status != answer.StatusNotApplicable {
		out.Generation.Score = &c.Generation
	}
	return out
}

func label(l core.Level, chinese bool) string {
	words := map[core.Level]string{core.LevelHigh: "高", core.LevelMedium: "中", core.LevelLow: "低"}
	if chinese {
		return words[l]
	}
	return string(l)
}
