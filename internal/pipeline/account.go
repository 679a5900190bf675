package pipeline

import (
	"kaoju/internal/core"
	"kaoju/internal/retrieve"
)

// Ways that a question takes.
const (
	RouteDirect    = "direct_answer" // a rule answers
	RouteFAQExact  = "faq_exact"     // the question is a standard question
	RouteRetrieval = "retrieval"     // the documents are searched
)

// Labels of what a user wants, as far as search and answer depend on it.
const (
	LabelGreeting   = "greeting"
	LabelHuman      = "human_service"
	LabelOutOfScope = "out_of_scope"
	LabelFAQ        = "faq_query"
	LabelKnowledge  = "knowledge_query"
	LabelFollowUp   = "follow_up"
)

// Decision is what the rules take a question for. Scores lie in [0,1]: Rule is
// the rule's own, Confidence what is left where another reader disagrees.
type Decision struct {
	Intent     string  `json:"intent"`
	Rule       float64 `json:"rule_score"`
	Confidence float64 `json:"confidence"`
	Reason     string  `json:"reason"`
	Source     string  `json:"source,omitempty"` // the part of the knowledge that the question is about
	Route      string  `json:"route"`
	Category   string  `json:"category,omitempty"`
}

// FAQList is a list of standard questions like the one asked, best first, and
// what it was found with.
type FAQList struct {
	Candidates []retrieve.FAQCandidate
	Question   string   // that was searched for
	BaseIDs    []string // that were searched
	Capacity   int      // entries that were asked for
}

// Account is what a turn decided on its way, for clients and traces.
type Account struct {
	Decision
	Question  string        `json:"rewritten_query,omitempty"` // where it was completed
	Plan      *Plan         `json:"plan,omitempty"`            // as executed; nil where nothing was searched
	Variants  []string      `json:"query_variants"`
	Profile   string        `json:"prompt_profile,omitempty"`
	FAQ       int           `json:"faq_candidates"`
	Evidence  int           `json:"context_count"`
	FirstMS   *float64      `json:"first_token_ms"` // null where nothing was said
	Slowest   string        `json:"slowest_stage,omitempty"`
	SlowestMS float64       `json:"slowest_stage_ms,omitempty"`
	Cache     CacheAccount  `json:"cache"`
	Timings   []core.Timing `json:"-"`
}

// CacheAccount counts what caches had of what the turn looked for.
type CacheAccount struct {
	Enabled  bool         `json:"enabled"`
	Hits     int          `json:"hit_count"`
	Misses   int          `json:"miss_count"`
	Bypassed int          `json:"bypass_count"`
	Events   []CacheEvent `json:"events"` // in their order
}

// CacheEvent is one look-up.
type CacheEvent struct {
	Kind   string `json:"source_type"` // embedding, faq or doc
	Hit    bool   `json:"hit"`
	Bypass string `json:"bypass,omitempty"` // why the cache was left aside
}

// account gathers the decisions of a turn. The caller holds its lock.
func (t *Turn) account() Account {
	a := Account{
		Decision: t.Decision.Value(), Variants: orNone(t.Wordings.Value()), Profile: t.Prompt.Value().Profile,
		FAQ: len(t.FAQ.Value().Candidates), Evidence: len(t.Evidence.Value()), Cache: CacheAccount{Events: []CacheEvent{}},
	}
	if p, ok := t.Plan.Get(); ok {
		a.Plan = &p
	}
	if u := t.Understanding.Value(); u.Rewritten {
		a.Question = u.Question
	}
	if !t.spoke.IsZero() {
		ms := float64(t.spoke.Sub(t.began).Microseconds()) / 1000
		a.FirstMS = &ms
	}
	for _, s := range t.timings {
		if s.ElapsedMS > a.SlowestMS || a.Slowest == "" {
			a.Slowest, a.SlowestMS = s.Stage, s.ElapsedMS
		}
	}
	return a
}

func orNone(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
