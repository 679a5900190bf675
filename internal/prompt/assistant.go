package prompt

import (
	"slices"

	"kaoju/internal/core"
)

// For gives the templates as an assistant has them: those that it chose are
// the defaults of their groups, and its own words stand in place of the
// system template and of the fixed fallback. A template that is not there, or
// words that make no template, are a core.CodeInvalid error.
func (l *Library) For(a core.Assistant) (*Library, error) {
	own := &Library{groups: map[Group][]Template{}}
	for g, list := range l.groups {
		own.groups[g] = slices.Clone(list)
	}
	for g, id := range map[Group]string{GroupSystem: a.Prompts.System, GroupContext: a.Prompts.Context} {
		if id == "" {
			continue
		}
		if !l.has(g, id) {
			return nil, core.Errorf(core.CodeInvalid, "assistant %s: there is no %s template %q", a.ID, g, id)
		}
		t := l.Get(g, id)
		t.Default = true
		own.put(t)
	}
	if words := a.Prompts.SystemText; words != "" {
		t := Template{Group: GroupSystem, ID: "assistant", Default: true, ZH: Words{System: words}, EN: Words{System: words}}
		if err := t.check(); err != nil {
			return nil, core.Errorf(core.CodeInvalid, "assistant %s: system_text: %v", a.ID, err)
		}
		own.put(t)
	}
	if words := a.Fallback.Text; words != "" {
		for _, id := range []string{own.Get(GroupFallback, "").ID, "contact_fallback"} {
			t := Template{Group: GroupFallback, ID: id, ZH: Words{User: words}, EN: Words{User: words}}
			if err := t.check(); err != nil {
				return nil, core.Errorf(core.CodeInvalid, "assistant %s: fallback text: %v", a.ID, err)
			}
			own.put(t)
		}
	}
	return own, nil
}
