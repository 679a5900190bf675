package assistant

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"unicode/utf8"

	"kaoju/internal/core"
)

// Limits of an assistant's texts, in characters, and of its lists.
const (
	maxName     = 200
	maxText     = 4000
	maxPrompt   = 20_000
	maxBases    = 100
	maxPatterns = 200
)

// slug is what ids look like: they stand in addresses and as names of models.
var slug = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)

// Check reports what is wrong with an assistant as a core.CodeInvalid error.
func Check(a core.Assistant) error { return check(document{name: "assistant"}, a) }

func check(d document, a core.Assistant) error {
	if !slug.MatchString(a.ID) {
		return d.fault(a.ID, "id %q: an id has 1 to 64 of a-z, 0-9, _ and -, and begins with a letter or digit", a.ID)
	}
	if strings.TrimSpace(a.Name) == "" {
		return d.fault("assistant_name", "assistant_name is empty")
	}
	for _, t := range []struct {
		key, value string
		max        int
	}{
		{"assistant_name", a.Name, maxName}, {"description", a.Description, maxText}, {"business_domain", a.BusinessDomain, maxName},
		{"industry", a.Industry, maxName}, {"support_contact", a.SupportContact, maxName}, {"text", a.Fallback.Text, maxText},
		{"system_text", a.Prompts.SystemText, maxPrompt},
	} {
		if utf8.RuneCountInString(t.value) > t.max || !utf8.ValidString(t.value) || strings.ContainsRune(t.value, 0) {
			return d.fault(t.key, "%s has more than %d characters, or is not text", t.key, t.max)
		}
	}
	if len(a.BaseIDs) > maxBases || len(a.Questions) > maxBases {
		return d.fault("knowledge_base_ids", "more than %d entries in a list", maxBases)
	}
	if err := a.Fallback.Strategy.Check(); err != nil {
		return d.fault(string(a.Fallback.Strategy), "%s", core.PublicMessage(err))
	}
	if err := a.CitationStyle.Check(); err != nil {
		return d.fault(string(a.CitationStyle), "%s", core.PublicMessage(err))
	}
	if err := checkNumbers(d, a); err != nil {
		return err
	}
	return checkRouting(d, a.Routing)
}

func checkNumbers(d document, a core.Assistant) error {
	r, f := a.Retrieval, a.FAQ
	for _, n := range []struct {
		key        string
		value, max float64
	}{
		{"top_k", float64(r.TopK), 500}, {"rerank_top_k", float64(r.RerankTopK), 100}, {"evidence_top_n", float64(r.Evidence), 50},
		{"evidence_chars", float64(r.EvidenceChars), 200_000}, {"document_chars", float64(r.DocumentChars), 200_000},
		{"keyword_threshold", r.KeywordThreshold, 1}, {"vector_threshold", r.VectorThreshold, 1},
		{"min_score", r.MinScore, 1}, {"direct_threshold", f.Direct, 1}, {"guarded_threshold", f.Guarded, 1},
		{"pricing_threshold", f.Pricing, 1}, {"compliance_threshold", f.Compliance, 1},
	} {
		if !(n.value >= 0 && n.value <= n.max) {
			return d.fault(n.key, "%s is %v; it lies in 0..%v", n.key, n.value, n.max)
		}
	}
	return nil
}

func checkRouting(d document, r core.AssistantRouting) error {
	lists := [][]string{r.OutOfScope, r.HumanService}
	for _, s := range r.Sources {
		if strings.TrimSpace(s.Name) == "" {
			return d.fault("sources", "a source has no name")
		}
		lists = append(lists, s.Patterns)
	}
	n := 0
	for _, list := range lists {
		if n += len(list); n > maxPatterns {
			return d.fault("patterns", "more than %d patterns", maxPatterns)
		}
		if _, err := compilePatterns(d, list); err != nil {
			return err
		}
	}
	return nil
}

// Decode reads a description in JSON over an assistant that has the other
// values. A field that there is not is a core.CodeInvalid error; the tenant,
// the origin and the times are not the client's to say.
func Decode(raw []byte, over core.Assistant) (core.Assistant, error) {
	a := over
	// A list is replaced whole, and never written into over's.
	lists := []*[]string{&a.BaseIDs, &a.Questions, &a.Routing.OutOfScope, &a.Routing.HumanService}
	before := make([][]string, len(lists))
	for i, list := range lists {
		before[i], *list = *list, nil
	}
	a.Routing.Sources = nil
	d := document{"the assistant", nil}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := d.explain(decoder.Decode(&a)); err != nil {
		return core.Assistant{}, err
	}
	for i, list := range lists {
		if *list == nil {
			*list = before[i]
		}
	}
	if a.Routing.Sources == nil {
		a.Routing.Sources = over.Routing.Sources
	}
	if a.Name == "" {
		a.Name = a.ID
	}
	a.TenantID, a.Origin, a.CreatedAt, a.UpdatedAt = over.TenantID, over.Origin, over.CreatedAt, over.UpdatedAt
	return a, nil
}
