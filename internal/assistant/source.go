package assistant

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"kaoju/internal/core"
	"kaoju/internal/text"
)

// maxCompiled bounds the patterns of assistants that are kept compiled.
const maxCompiled = 5000

// Patterns compiles the patterns of assistants once. It is safe for
// concurrent use; the zero value is ready.
type Patterns struct {
	mu       sync.Mutex
	compiled map[string]*regexp.Regexp
}

// Match reports whether one of the patterns matches the question. A pattern
// that is not one, which Check refuses, matches nothing.
func (p *Patterns) Match(patterns []string, question string) bool {
	if len(patterns) == 0 {
		return false
	}
	q := plain(question)
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		re := p.get(pattern)
		return re != nil && re.MatchString(q)
	})
}

func (p *Patterns) get(pattern string) *regexp.Regexp {
	p.mu.Lock()
	defer p.mu.Unlock()
	if re, ok := p.compiled[pattern]; ok {
		return re
	}
	if p.compiled == nil || len(p.compiled) >= maxCompiled {
		p.compiled = map[string]*regexp.Regexp{}
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		re = nil
	}
	p.compiled[pattern] = re
	return re
}

// SourcesOf gives the sources of an assistant that a question is about, by
// their patterns or because it calls them by name.
func (p *Patterns) SourcesOf(a core.Assistant, question string) []core.AssistantSource {
	var out []core.AssistantSource
	q := text.Normalize(question)
	for _, s := range a.Routing.Sources {
		if p.Match(s.Patterns, question) || s.Title != "" && containsFold(q, s.Title) {
			out = append(out, s)
		}
	}
	return out
}

func containsFold(normal, word string) bool {
	w := text.Normalize(word)
	return w != "" && strings.Contains(normal, w)
}
