package stage

import (
	"context"
	"strconv"
	"strings"

	"kaoju/internal/core"
	"kaoju/internal/pipeline"
)

// Bases reads knowledge bases within a scope.
type Bases interface {
	// TagsNamed gives the ids of tags of bases that have one of the names.
	TagsNamed(ctx context.Context, baseIDs, names []string) ([]string, error)
	Base(ctx context.Context, scope core.Scope, idOrName string) (core.KnowledgeBase, error)
	ListBases(ctx context.Context, scope core.Scope) ([]core.KnowledgeBase, error)
}

// Route settles which knowledge bases a turn may search: those that the
// request names, else the assistant's, else all that the caller sees. Every
// one is authorised here; one that the request names and that is not there, or
// not visible, is core.CodeNotFound.
func Route(bases Bases) pipeline.Plugin {
	return step{"route", pipeline.StageRoute, func(ctx context.Context, t *pipeline.Turn) error {
		list, err := chosen(ctx, bases, t)
		if err != nil {
			return err
		}
		t.Note(pipeline.StageRoute, "knowledge_bases", strconv.Itoa(len(list)))
		if err := t.Bases.Set(list); err != nil || len(t.Request.Tags) == 0 {
			return err
		}
		return tagged(ctx, bases, t, list)
	}}
}

// tagged finds the tags that the request names.
func tagged(ctx context.Context, bases Bases, t *pipeline.Turn, list []core.KnowledgeBase) error {
	ids := make([]string, len(list))
	for i, b := range list {
		ids[i] = b.ID
	}
	tags, err := bases.TagsNamed(ctx, ids, t.Request.Tags)
	if err != nil {
		return err
	}
	t.Note(pipeline.StageRoute, "tags", strconv.Itoa(len(tags))+" of these names: "+strings.Join(t.Request.Tags, ", "))
	return t.Tags.Set(tags)
}

// chosen gives the bases of the turn. Of an assistant's bases those count that
// the caller sees; that there is no other is no fault of the caller.
func chosen(ctx context.Context, bases Bases, t *pipeline.Turn) ([]core.KnowledgeBase, error) {
	req := t.Request
	if len(req.BaseIDs) > 0 || len(req.Assistant.BaseIDs) == 0 {
		return authorise(ctx, bases, req.Scope, req.BaseIDs)
	}
	var list []core.KnowledgeBase
	for _, id := range req.Assistant.BaseIDs {
		seen, err := authorise(ctx, bases, req.Scope, []string{id})
		if core.CodeOf(err) == core.CodeNotFound {
			t.Note(pipeline.StageRoute, "left_out", "a base of the assistant that is gone, or not visible")
			continue
		}
		if err != nil {
			return nil, err
		}
		list = append(list, seen...)
	}
	return list, nil
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
