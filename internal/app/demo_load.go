package app

import (
	"bytes"
	"context"

	"kaoju/internal/api/native"
	"kaoju/internal/assistant"
	"kaoju/internal/core"
	"kaoju/internal/knowledge"
)

// examples loads the example that comes with the program.
type examples struct {
	knowledge  *knowledge.Service
	assistants *assistant.Service
}

// LoadExample puts the example's knowledge into bases of its own, then its
// assistant over them.
func (e examples) LoadExample(ctx context.Context, scope core.Scope) (native.Example, error) {
	d, err := HRDemo()
	if err != nil {
		return native.Example{}, err
	}
	out := native.Example{AssistantID: d.Assistant.ID}
	load := func(name string, kind core.BaseKind, fill func(context.Context, core.Scope, core.KnowledgeBase) error) {
		if err != nil {
			return
		}
		var b core.KnowledgeBase
		if b, err = e.base(ctx, scope, name, kind); err == nil {
			out.BaseIDs = append(out.BaseIDs, b.ID)
			err = fill(ctx, scope, b)
		}
	}
	load(d.FAQBase, core.BaseFAQ, e.entries(d.FAQ))
	for _, b := range d.Bases {
		load(b.Name, core.BaseDocument, e.documents(b.Files))
	}
	if err != nil {
		return native.Example{}, err
	}
	for _, q := range d.Questions {
		out.Questions = append(out.Questions, native.ExampleQuestion{Text: q.Text, Shows: q.Shows, Base: q.Base, After: q.After})
	}
	return out, e.assistant(ctx, scope, d.Assistant)
}

// base gives the base of a name, and makes it if it is not there.
func (e examples) base(ctx context.Context, scope core.Scope, name string, kind core.BaseKind) (core.KnowledgeBase, error) {
	b, err := e.knowledge.Base(ctx, scope, name)
	if core.CodeOf(err) == core.CodeNotFound {
		return e.knowledge.CreateBase(ctx, scope, knowledge.NewBase{Name: name, Kind: kind})
	}
	return b, err
}

func (e examples) entries(file []byte) func(context.Context, core.Scope, core.KnowledgeBase) error {
	return func(ctx context.Context, scope core.Scope, b core.KnowledgeBase) error {
		_, err := e.knowledge.ImportFAQ(ctx, scope, b.ID, knowledge.FAQImport{Name: "faq.json", Data: file, Mode: knowledge.ImportReplace})
		return err
	}
}

func (e examples) documents(files []DemoFile) func(context.Context, core.Scope, core.KnowledgeBase) error {
	return func(ctx context.Context, scope core.Scope, b core.KnowledgeBase) error {
		for _, f := range files {
			_, _, err := e.knowledge.Add(ctx, scope, knowledge.AddRequest{Base: b.ID, Name: f.Name, Source: "demo", Content: bytes.NewReader(f.Content)})
			if err != nil {
				return err
			}
		}
		return nil
	}
}

func (e examples) assistant(ctx context.Context, scope core.Scope, a core.Assistant) error {
	_, err := e.assistants.Create(ctx, scope, a)
	if core.CodeOf(err) == core.CodeConflict {
		_, err = e.assistants.Replace(ctx, scope, a)
	}
	return err
}
