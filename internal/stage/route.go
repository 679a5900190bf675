package stage

import (
	"context"
	"strconv"

	"kaoju/internal/core"
	"kaoju/internal/pipeline"
)

// Bases reads knowledge bases within a scope.
type Bases interface {
	Base(ctx context.Context, scope core.Scope, idOrName string) (core.KnowledgeBase, error)
	ListBases(ctx context.Context, scope core.Scope) ([]core.KnowledgeBase, error)
}

// Route settles which knowledge bases a turn may search: those that the
// request names, else the assistant's, else all that the caller sees. Every
// one is authorised here; one that is not there, or not visible, is
// core.CodeNotFound.
func Route(bases Bases) pipeline.Plugin {
	return step{"route", pipeline.StageRoute, func(ctx context.Context, t *pipeline.Turn) error {
		named := t.Request.BaseIDs
		if len(named) == 0 {
			named = t.Request.Assistant.BaseIDs
		}
		list, err := authorise(ctx, bases, t.Request.Scope, named)
		if err != nil {
			return err
		}
		t.Note(pipeline.StageRoute, "knowledge_bases", strconv.Itoa(len(list)))
		return t.Bases.Set(list)
	}}
}

func authorise(ctx context.Context, bases Bases, scope core.Scope, named []string) ([]core.KnowledgeBase, error) {
	if len(named) == 0 {
		return bases.ListBases(ctx, scope)
	}
	var list []core.KnowledgeBase
	seen := map[string]bool{}
	for _, id := range named {
		b, err := bases.Base(ctx, scope, id)
		if err != nil {
			return nil, err
		}
		if !seen[b.ID] {
			seen[b.ID] = true
			list = append(list, b)
		}
	}
	return list, nil
}
