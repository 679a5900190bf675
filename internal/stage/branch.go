package stage

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"kaoju/internal/core"
	"kaoju/internal/index"
	"kaoju/internal/pipeline"
	"kaoju/internal/retrieve"
)

// Branch finds passages elsewhere than in the index: on the web, by the
// entities of a graph. It runs beside the hybrid search, and one that fails is
// left out. A branch that has nothing to say for a question gives none.
type Branch interface {
	Name() string
	Find(ctx context.Context, l Lookup) ([]retrieve.Found, error)
}

// Lookup is what a branch is asked. It is the branch's own: it may change it.
type Lookup struct {
	Scope    core.Scope
	Question string // stand-alone
	Intent   pipeline.Intent
	Targets  []index.Target
	Limit    int
}

// beside is what a branch came to.
type beside struct {
	name  string
	found []retrieve.Found
	err   error
}

// branching runs the branches beside work and waits for all of them. What
// they found comes in the order of the branches.
func branching(ctx context.Context, branches []Branch, l Lookup, work func() error) ([]beside, error) {
	results := make([]beside, len(branches))
	var wg sync.WaitGroup
	for i, b := range branches {
		own := l
		own.Scope, own.Targets = ownScope(l.Scope), ownTargets(l.Targets)
		wg.Go(func() {
			results[i].name = b.Name()
			results[i].found, results[i].err = find(ctx, b, own)
		})
	}
	err := work()
	wg.Wait()
	return results, err
}

func ownScope(s core.Scope) core.Scope {
	s.Datasets, s.Visibility, s.Roles = slices.Clone(s.Datasets), slices.Clone(s.Visibility), slices.Clone(s.Roles)
	return s
}

func ownTargets(list []index.Target) []index.Target {
	own := slices.Clone(list)
	for i, t := range own {
		own[i].DocumentIDs, own[i].FolderIDs = slices.Clone(t.DocumentIDs), slices.Clone(t.FolderIDs)
		own[i].TagIDs, own[i].Types = slices.Clone(t.TagIDs), slices.Clone(t.Types)
	}
	return own
}

// find asks a branch and turns a panic into an error: nobody else could catch
// it, and a branch must not end the server.
func find(ctx context.Context, b Branch, l Lookup) (found []retrieve.Found, err error) {
	defer func() {
		if p := recover(); p != nil {
			found, err = nil, core.Errorf(core.CodeInternal, "branch %s panicked: %v", b.Name(), p)
		}
	}()
	return b.Find(ctx, l)
}

// join puts what branches found behind what the search found, and notes what
// each brought.
func join(t *pipeline.Turn, found []retrieve.Found, results []beside) []retrieve.Found {
	for _, r := range results {
		if r.err != nil {
			t.Note(pipeline.StageSearch, r.name, "left out: "+core.PublicMessage(r.err))
			continue
		}
		t.Note(pipeline.StageSearch, r.name, fmt.Sprintf("%d found", len(r.found)))
		found = append(slices.Clip(found), r.found...)
	}
	return found
}
