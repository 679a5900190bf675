// Package prompt holds what models are told: templates by group, each in
// Chinese and English, in YAML files that are part of the binary and that a
// directory can override.
//
//	lib, err := prompt.Load(dir) // "" means our own
//	system, user := lib.Get(prompt.GroupRewrite, "").Render(text.Chinese, prompt.Values{Query: q})
//
// A placeholder stands in single or double braces: {query}. One that is not
// known, a template without its group's own placeholders, or a file that names
// no group, is an error at start and not in the middle of an answer. What is
// put in is never read again for placeholders, and cannot close the tags that
// set material off from instructions. The citation protocol stands in no
// template: Messages adds it.
package prompt

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"kaoju/internal/core"
)

// Group is what templates are for.
type Group string

// The groups; each is a file.
const (
	GroupSystem    Group = "system"
	GroupContext   Group = "context"
	GroupRewrite   Group = "rewrite"
	GroupIntent    Group = "intent"
	GroupFallback  Group = "fallback"
	GroupTitle     Group = "title"
	GroupKeywords  Group = "keywords"
	GroupQuestions Group = "questions"
	GroupSummary   Group = "summary"
	GroupGraph     Group = "graph"
	GroupAgent     Group = "agent"
	GroupProfile   Group = "profile"
	GroupWiki      Group = "wiki"
)

// Groups gives all groups.
func Groups() []Group {
	return []Group{GroupSystem, GroupContext, GroupRewrite, GroupIntent, GroupFallback, GroupTitle, GroupKeywords,
		GroupQuestions, GroupSummary, GroupGraph, GroupAgent, GroupProfile, GroupWiki}
}

// needed are the placeholders without which a template of a group is of no
// use.
func needed(g Group) []string {
	switch g {
	case GroupContext:
		return []string{"contexts", "query"}
	case GroupRewrite:
		return []string{"conversation", "query"}
	case GroupWiki:
		return []string{"contexts"}
	case GroupTitle, GroupKeywords:
		return []string{"query"}
	case GroupQuestions, GroupSummary, GroupGraph:
		return []string{"content"}
	}
	return nil
}

//go:embed templates/*.yaml
var embedded embed.FS

var ours = sync.OnceValue(func() *Library {
	l := &Library{groups: map[Group][]Template{}}
	sub, err := fs.Sub(embedded, "templates")
	if err == nil {
		err = l.overlay(sub)
	}
	if err != nil {
		panic("the templates in the binary: " + err.Error()) // a test reads them all
	}
	return l
})

// Library is a set of templates. It does not change and is safe for concurrent
// use.
type Library struct {
	groups map[Group][]Template
}

// Default gives the templates of the binary.
func Default() *Library { return ours() }

// Load gives the templates of the binary with those of a directory, whose
// files are named after groups ("system.yaml"): a template with a known id
// takes its place, another is added, and one that is marked as default becomes
// it. "" means the binary's alone. What is wrong with a file is a
// core.CodeInvalid error that names it.
func Load(dir string) (*Library, error) {
	if dir == "" {
		return Default(), nil
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, core.Errorf(core.CodeInvalid, "prompts.dir: %s is not a folder that can be read", dir)
	}
	return Overlay(os.DirFS(dir))
}

// Overlay is Load from any file system.
func Overlay(dir fs.FS) (*Library, error) {
	l := &Library{groups: map[Group][]Template{}}
	for g, list := range Default().groups {
		l.groups[g] = slices.Clone(list)
	}
	if err := l.overlay(dir); err != nil {
		return nil, err
	}
	return l, nil
}

// Get gives a template by its id; without one, or with one that is not there,
// the group's default.
func (l *Library) Get(g Group, id string) Template {
	list := l.groups[g]
	for _, t := range list {
		if t.ID == id {
			return t
		}
	}
	for _, t := range list {
		if t.Default {
			return t
		}
	}
	return Template{}
}

// With gives a library in which each of the templates stands in place of its
// group's default, as an assistant has them: one with a known id takes that
// template's place too. What is wrong with one is a core.CodeInvalid error.
// The library itself stays as it is.
func (l *Library) With(templates ...Template) (*Library, error) {
	own := &Library{groups: maps.Clone(l.groups)}
	for _, t := range templates {
		if !slices.Contains(Groups(), t.Group) {
			return nil, core.Errorf(core.CodeInvalid, "prompts: there is no group %q; the groups are %v", t.Group, Groups())
		}
		if err := t.check(); err != nil {
			return nil, core.Errorf(core.CodeInvalid, "prompts: %v", err)
		}
		t.Default = true
		own.groups[t.Group] = slices.Clone(own.groups[t.Group])
		own.put(t)
	}
	return own, nil
}

func (l *Library) has(g Group, id string) bool {
	return slices.ContainsFunc(l.groups[g], func(t Template) bool { return t.ID == id })
}

// List gives the templates of a group, in order.
func (l *Library) List(g Group) []Template { return slices.Clone(l.groups[g]) }

func (l *Library) overlay(dir fs.FS) error {
	names, err := fs.Glob(dir, "*.yaml")
	if err != nil {
		return fmt.Errorf("list the prompt templates: %w", err)
	}
	var all error
	for _, name := range names {
		g := Group(strings.TrimSuffix(name, ".yaml"))
		if !slices.Contains(Groups(), g) {
			all = errors.Join(all, core.Errorf(core.CodeInvalid, "prompts: %s names no group of templates; the groups are %v", name, Groups()))
			continue
		}
		if err := l.file(dir, name, g); err != nil {
			all = errors.Join(all, err)
		}
	}
	return all
}

// file takes the templates of one file.
func (l *Library) file(dir fs.FS, name string, g Group) error {
	raw, err := fs.ReadFile(dir, name)
	if err != nil {
		return core.Wrap(err, core.CodeInvalid, "prompts: %s cannot be read", name)
	}
	var content struct {
		Templates []Template `yaml:"templates"`
	}
	decoder := yaml.NewDecoder(strings.NewReader(string(raw)))
	decoder.KnownFields(true)
	if err := decoder.Decode(&content); err != nil {
		return core.Errorf(core.CodeInvalid, "prompts: %s: %v", name, err)
	}
	for _, t := range content.Templates {
		t.Group = g
		if err := t.check(); err != nil {
			return core.Errorf(core.CodeInvalid, "prompts: %s: %v", name, err)
		}
		l.put(t)
	}
	return nil
}

func (l *Library) put(t Template) {
	list := l.groups[t.Group]
	at := slices.IndexFunc(list, func(o Template) bool { return o.ID == t.ID })
	if at >= 0 {
		t.Default = t.Default || list[at].Default
	}
	if t.Default {
		for i := range list {
			list[i].Default = false
		}
	}
	if at >= 0 {
		list[at] = t
	} else {
		list = append(list, t)
	}
	l.groups[t.Group] = list
}
