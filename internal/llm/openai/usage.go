package openai

import (
	"encoding/json"

	"kaoju/internal/llm"
)

// wireUsage has the numbers of a call under the names in use.
type wireUsage struct {
	PromptTokens     float64 `json:"prompt_tokens"`
	InputTokens      float64 `json:"input_tokens"`
	CompletionTokens float64 `json:"completion_tokens"`
	OutputTokens     float64 `json:"output_tokens"`
	TotalTokens      float64 `json:"total_tokens"`
	CacheHitTokens   float64 `json:"prompt_cache_hit_tokens"`
	PromptDetails    struct {
		CachedTokens float64 `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	CompletionDetails struct {
		ReasoningTokens float64 `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

// usageOf reads a usage member; the zero value where there is none.
func usageOf(m json.RawMessage) llm.Usage {
	var w wireUsage
	if !present(m) || json.Unmarshal(m, &w) != nil {
		return llm.Usage{}
	}
	u := llm.Usage{
		Input:     int(max(w.PromptTokens, w.InputTokens)),
		Output:    int(max(w.CompletionTokens, w.OutputTokens)),
		Cached:    int(max(w.CacheHitTokens, w.PromptDetails.CachedTokens)),
		Reasoning: int(w.CompletionDetails.ReasoningTokens),
	}
	if u.Input == 0 && u.Output == 0 {
		u.Input = int(w.TotalTokens) // rerankers and embedders name the sum only
	}
	return u
}

// count takes the newest numbers: endpoints that send them with every chunk
// send sums.
func (o *output) count(m json.RawMessage) {
	if u := usageOf(m); u != (llm.Usage{}) {
		o.usage = u
	}
}

// runes counts characters for a rough number of tokens, where the endpoint
// gives none.
type runes struct{ ascii, other int }

func (r *runes) add(s string) {
	for _, c := range s {
		if c < 0x80 {
			r.ascii++
		} else {
			r.other++
		}
	}
}

// tokens: about four Latin letters a token, and seven tokens for ten Chinese
// characters.
func (r runes) tokens() int { return (r.ascii+3)/4 + (r.other*7+9)/10 }
