package core

import "time"

// Assistant is who answers: a persona, its knowledge bases, models, prompts
// and rules. The one with DefaultAssistantID always exists and needs no model.
// Zero values mean the server's own settings.
type Assistant struct {
	ID             string   `json:"id"`
	TenantID       string   `json:"tenant_id"`
	Name           string   `json:"assistant_name"`
	Description    string   `json:"description"`
	BusinessDomain string   `json:"business_domain"`
	Industry       string   `json:"industry"`
	SupportContact string   `json:"support_contact"`
	BaseIDs        []string `json:"knowledge_base_ids"` // ids or names; empty means every base that the caller may see
	MultiTurn      bool     `json:"multi_turn"`
	Citations      bool     `json:"citations"` // false: answers carry no marks, whatever a request asks for
	WebSearch      bool     `json:"web_search"`
	DataAnalysis   bool     `json:"data_analysis"`
	Tools          bool     `json:"tools"`

	// CitationStyle is how marks are written; "" means numbers.
	CitationStyle CitationStyle `json:"citation_style"`

	Models    AssistantModels    `json:"models"`
	Prompts   AssistantPrompts   `json:"prompts"`
	Retrieval AssistantRetrieval `json:"retrieval"`
	FAQ       AssistantFAQ       `json:"faq"`
	Fallback  AssistantFallback  `json:"fallback"`
	Routing   AssistantRouting   `json:"routing"`
	Questions []string           `json:"example_questions"` // offered to users

	Origin    string    `json:"origin"` // "store", or the name of the file that describes it
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

// AssistantModels names models by their ids; "" means the server's.
type AssistantModels struct {
	Chat       string `json:"chat"`
	Understand string `json:"understand"`
	Rerank     string `json:"rerank"`
}

// AssistantPrompts choose and override templates. System and Context are ids
// of templates; SystemText stands in place of the system template's words.
type AssistantPrompts struct {
	System     string `json:"system"`
	Context    string `json:"context"`
	SystemText string `json:"system_text"`
}

// AssistantRetrieval changes how its questions are searched for; 0 means the
// server's number.
type AssistantRetrieval struct {
	TopK          int     `json:"top_k"`          // passages that the search finds
	RerankTopK    int     `json:"rerank_top_k"`   // passages kept after ranking
	Evidence      int     `json:"evidence_top_n"` // passages in the prompt
	MinScore      float64 `json:"min_score"`      // least score of evidence, in [0,1]
	EvidenceChars int     `json:"evidence_chars"`
	DocumentChars int     `json:"document_chars"`
	// KeywordThreshold and VectorThreshold are the least scores, in [0,1], that
	// the keyword and the vector part of a search must give a passage.
	KeywordThreshold float64 `json:"keyword_threshold"`
	VectorThreshold  float64 `json:"vector_threshold"`
}

// AssistantFAQ says how standard questions are answered; 0 means the server's
// threshold.
type AssistantFAQ struct {
	Off        bool    `json:"off"`        // standard questions are evidence like any other
	ExactOnly  bool    `json:"exact_only"` // no standard answer for a question that is only like one
	Direct     float64 `json:"direct_threshold"`
	Guarded    float64 `json:"guarded_threshold"`    // follow-ups and very short questions
	Pricing    float64 `json:"pricing_threshold"`    // questions about money
	Compliance float64 `json:"compliance_threshold"` // questions about law and privacy
}

// AssistantFallback says what answers where nothing was found.
type AssistantFallback struct {
	Strategy FallbackStrategy `json:"strategy"`
	Text     string           `json:"text"` // in place of the fixed words
	// NoBuiltin ends a turn with an error where the chat model is away, in place
	// of an answer that the built-in model quotes.
	NoBuiltin bool `json:"no_builtin"`
}

// AssistantRouting adds to the server's rules.
type AssistantRouting struct {
	Sources []AssistantSource `json:"sources"`
	// Boundary refuses a question about one source where the caller chose
	// another, and says which to choose.
	Boundary bool `json:"boundary"`
	// Narrow searches only the source that a question is clearly about.
	Narrow       bool     `json:"narrow"`
	OutOfScope   []string `json:"out_of_scope"`  // patterns of questions that are refused
	HumanService []string `json:"human_service"` // patterns of calls for a person
}

// AssistantSource is a part of an assistant's knowledge with the patterns of
// the questions that are about it.
type AssistantSource struct {
	Name     string   `json:"name"`               // of the knowledge base, or its id
	Title    string   `json:"title"`              // as users are told
	Bases    []string `json:"knowledge_base_ids"` // empty means the base called Name
	Patterns []string `json:"patterns"`           // regular expressions over the normalised question
}

// DefaultAssistant is the assistant that every tenant has.
func DefaultAssistant(tenantID string) Assistant {
	return Assistant{
		ID: DefaultAssistantID, TenantID: tenantID, Name: "Kaoju", MultiTurn: true, Citations: true, Origin: "store",
	}
}

// SpokenName is the name under which the assistant speaks of itself; empty
// where it has none but its id.
func (a Assistant) SpokenName() string {
	if a.Name == a.ID {
		return ""
	}
	return a.Name
}
