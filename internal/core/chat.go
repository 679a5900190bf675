package core

import "time"

// Session is a conversation of one user.
type Session struct {
	ID          string    `json:"id"`
	TenantID    string    `json:"tenant_id"`
	UserID      string    `json:"user_id"`
	AssistantID string    `json:"assistant_id"`
	Title       string    `json:"title"`
	BaseIDs     []string  `json:"knowledge_base_ids"` // empty means every base that the user may see
	Messages    int       `json:"message_count"`
	Pinned      bool      `json:"pinned"`
	Hidden      bool      `json:"-"` // in no list: it was opened for one call of a protocol without sessions
	CreatedAt   time.Time `json:"created_at"`
	UpdatedAt   time.Time `json:"updated_at"`
	// LastRequest is what the last question chose; nil before the first.
	LastRequest *LastRequest `json:"last_request,omitempty"`
}

// LastRequest is what a question narrowed itself to, kept so that an interface
// can offer the same choice again. Empty lists are no choice.
type LastRequest struct {
	BaseIDs     []string `json:"knowledge_base_ids"`
	DocumentIDs []string `json:"knowledge_ids"`
	FolderIDs   []string `json:"folder_ids,omitempty"` // as they were named, without those below them
	TopK        int      `json:"top_k,omitempty"`
}

// FoundMessage is a message that a search found.
type FoundMessage struct {
	Message
	SessionTitle string `json:"session_title"`
}

// Role says who wrote a message.
type Role string

// Roles of a message.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
)

// MessageState is where an assistant message stands. User messages are
// complete from the start.
type MessageState string

// States of a message. All but Pending are final.
const (
	MessagePending     MessageState = "pending"
	MessageComplete    MessageState = "complete"
	MessageStopped     MessageState = "stopped"     // the user pressed stop; the text so far is kept
	MessageInterrupted MessageState = "interrupted" // the server ended; the text so far is kept
	MessageFailed      MessageState = "failed"
)

// Message is one side of a round. The two messages of a round share a
// RequestID.
type Message struct {
	ID         string       `json:"id"`
	SessionID  string       `json:"session_id"`
	RequestID  string       `json:"request_id"`
	Role       Role         `json:"role"`
	Order      int64        `json:"order"` // from 1, unique within the session
	Content    string       `json:"content"`
	State      MessageState `json:"state"`
	ErrorCode  Code         `json:"error_code,omitempty"`
	HitType    HitType      `json:"hit_type,omitempty"`
	References []Reference  `json:"knowledge_references,omitempty"`
	Citations  []Citation   `json:"citations,omitempty"`
	Confidence *Confidence  `json:"confidence,omitempty"`
	// Unsupported are the claims of the answer that no source carries.
	Unsupported []Unsupported `json:"unsupported,omitempty"`
	// Thinking is what a model thought before the answer, as far as it was shown.
	Thinking string `json:"thinking,omitempty"`
	// Image is what the pictures of a question show, in a model's words; an
	// answer that is stored hands it to its question.
	Image string `json:"image_description,omitempty"`
	// Narrowed is, of an answer, what its question was narrowed to; nil where it
	// was asked of all.
	Narrowed *LastRequest `json:"narrowed_to,omitempty"`
	// Feedback is what the reader thinks of the answer; set only where messages
	// are read over the API.
	Feedback  *Feedback `json:"feedback,omitempty"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

// NewRound is a question on its way into its session, with the place of the
// answer to come.
type NewRound struct {
	Question Message
	Answer   Message
	Owner    string       // the process that writes the answer; "" where one has the store to itself
	Title    string       // for a session that has none; "" leaves it without
	Chosen   *LastRequest // what the question narrowed itself to; nil keeps what is there
}

// HitType says by which way an answer was found.
type HitType string

// Ways to an answer.
const (
	HitDirect       HitType = "direct_answer"        // greeting, human service, boundary
	HitFAQExact     HitType = "faq_exact"            // the question is a standard question
	HitFAQ          HitType = "faq_direct"           // close enough to a standard question
	HitRAG          HitType = "rag"                  // written from evidence
	HitInsufficient HitType = "insufficient_context" // no evidence, or none that answers
	HitFallback     HitType = "fallback"
)

// Reference is a source that is shown with an answer. Numbers start at 1 and
// are those of the marks in the answer; a source that the answer does not
// cite has number 0 and is "also found".
type Reference struct {
	Number     int       `json:"number"`
	Handle     string    `json:"-"` // what the model saw: c1, w1; never leaves the server
	ChunkID    string    `json:"chunk_id"`
	DocumentID string    `json:"document_id"`
	BaseID     string    `json:"knowledge_base_id"`
	Document   string    `json:"document"` // the document's name
	Title      string    `json:"title"`
	Headings   []string  `json:"headings,omitempty"`
	Page       int       `json:"page,omitempty"`
	Sheet      string    `json:"sheet,omitempty"`
	Row        int       `json:"row,omitempty"`
	Type       ChunkType `json:"type"`
	URL        string    `json:"url,omitempty"` // of a page of the web
	Quote      string    `json:"quote"`         // at most 200 characters; the whole passage is one GET away
	Score      float64   `json:"score"`         // 0..1, the number that thresholds compare
	// ChunkIDs are the chunks whose text was read as this source, in the order
	// of the text, where it was more than the one; each citation names its own.
	ChunkIDs []string `json:"chunk_ids,omitempty"`
}

// Citation is a mark in an answer, resolved.
type Citation struct {
	Number   int    `json:"number"`
	Document string `json:"document"`
	ChunkID  string `json:"chunk_id"`
	Quote    string `json:"quote"` // the supporting span, word for word from the chunk
	// AnswerStart and AnswerEnd are the byte range of the claim in the answer;
	// SourceStart and SourceEnd that of the quote in the chunk's content.
	AnswerStart int  `json:"answer_start"`
	AnswerEnd   int  `json:"answer_end"`
	SourceStart int  `json:"source_start"`
	SourceEnd   int  `json:"source_end"`
	Supported   bool `json:"supported"`
}

// Unsupported is a claim of an answer that its sources do not carry.
type Unsupported struct {
	Text        string   `json:"text"`
	AnswerStart int      `json:"answer_start"` // byte range in the answer
	AnswerEnd   int      `json:"answer_end"`
	Reason      string   `json:"reason"`            // not_cited | low_support | unsupported_detail
	Missing     []string `json:"missing,omitempty"` // numbers, dates, names and units that no cited source has
}

// Level is confidence in words.
type Level string

// Levels: high from .82, medium from .55.
const (
	LevelHigh   Level = "high"
	LevelMedium Level = "medium"
	LevelLow    Level = "low"
)

// Confidence says how far an answer may be relied on. Score is the lower of
// the evidence tier and the generation check; Probability is the calibrated
// chance that the evidence answers the question. All lie in [0,1].
type Confidence struct {
	Score       float64  `json:"score"`
	Level       Level    `json:"level"`
	Probability float64  `json:"probability"`
	Evidence    float64  `json:"evidence"`
	Generation  float64  `json:"generation"`
	Status      string   `json:"status"` // verified | partial | failed | not_applicable
	Reasons     []string `json:"reasons"`
	Signals     Signals  `json:"signals"`
}

// Signals are what a confidence was made of.
type Signals struct {
	TopScore       float64 `json:"retrieval_top_score"`
	Normalized     float64 `json:"normalized_retrieval_score"`
	Contexts       int     `json:"context_count"`
	Sources        int     `json:"source_count"`
	IntentRule     float64 `json:"intent_rule_score"`
	IntentDecision float64 `json:"intent_decision_score"`
	Rewritten      bool    `json:"history_rewrite_used"`
	Coverage       float64 `json:"citation_coverage"`
	Support        float64 `json:"context_overlap"`
	ValidMarks     []int   `json:"valid_citation_numbers"`
	InvalidMarks   int     `json:"invalid_citations"`
	Claims         int     `json:"claim_count"`
	Chars          int     `json:"answer_char_count"`
}

// Timing is what one stage of a turn took.
type Timing struct {
	Stage     string  `json:"stage"`
	ElapsedMS float64 `json:"elapsed_ms"`
	Note      string  `json:"note,omitempty"` // why it was skipped or degraded
}

// Trace is the stored account of a turn: its stages in order and what each
// decided. It holds no prompts and no document text.
type Trace struct {
	ID        string      `json:"id"`
	MessageID string      `json:"message_id"`
	Timings   []Timing    `json:"timings"`
	Notes     []TraceNote `json:"notes"`
	CreatedAt time.Time   `json:"created_at"`
}

// TraceNote is one decision of a stage.
type TraceNote struct {
	Stage string `json:"stage"`
	Key   string `json:"key"`
	Value string `json:"value"`
}
