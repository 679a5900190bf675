package stage

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"kaoju/internal/config"
	"kaoju/internal/core"
	"kaoju/internal/index"
	"kaoju/internal/pipeline"
	"kaoju/internal/retrieve"
)

// Searcher is the hybrid search; *retrieve.Searcher is one.
type Searcher interface {
	Search(ctx context.Context, req retrieve.Request) ([]retrieve.Found, retrieve.Explain, error)
}

// Chunks reads chunks that a search has found, without looking at scopes.
type Chunks interface {
	ChunksByID(ctx context.Context, ids []string) ([]core.Chunk, error)
}

// Search finds passages in the bases of the turn, at their active versions,
// and, beside that, in the branches; without branches it is the hybrid search
// alone. It lifts children to their parents, so that ranking reads what the
// answer is written from. Nothing found ends the search.
func Search(searcher Searcher, chunks Chunks, cfg config.Retrieve, branches ...Branch) pipeline.Plugin {
	fusion := fusionOf(cfg)
	return step{"search", pipeline.StageSearch, func(ctx context.Context, t *pipeline.Turn) error {
		req := retrieve.Request{Targets: targets(t), Spaces: spaces(t), Question: t.Question(), Limit: t.Plan.Value().TopK, Fusion: fusion, Least: leastOf(t.Request.Assistant.Retrieval, cfg)}
		var found []retrieve.Found
		elsewhere, err := branching(ctx, branches, Lookup{
			Scope: t.Request.Scope, Question: req.Question, Intent: t.Understanding.Value().Intent,
			Targets: req.Targets, Limit: req.Limit,
		}, func() (err error) {
			found, err = inBases(ctx, t, searcher, req)
			return err
		})
		if err != nil {
			return err
		}
		found = join(t, found, elsewhere)
		if err := t.Fused.Set(found); err != nil {
			return err
		}
		if len(found) == 0 {
			return pipeline.ErrNothingFound
		}
		if found, err = lift(ctx, chunks, found); err != nil {
			return err
		}
		return t.Candidates.Set(found)
	}}
}

// inBases is the hybrid search, with other wordings where it finds little.
func inBases(ctx context.Context, t *pipeline.Turn, searcher Searcher, req retrieve.Request) ([]retrieve.Found, error) {
	found, explain, err := searcher.Search(ctx, req)
	if err != nil {
		return nil, err
	}
	t.Note(pipeline.StageSearch, "targets", strconv.Itoa(len(req.Targets)))
	t.Note(pipeline.StageSearch, "found", fmt.Sprintf("%d of at most %d", len(found), req.Limit))
	noteSearch(t, explain)
	if err := t.Explain.Set(explain); err != nil {
		return nil, err
	}
	return expand(ctx, t, searcher, req, found)
}

// fusionOf turns the options into the settings of the search.
func fusionOf(cfg config.Retrieve) retrieve.Fusion {
	return retrieve.Fusion{
		Method: retrieve.Method(cfg.Fusion), Keyword: 1 - cfg.VectorWeight, Vector: cfg.VectorWeight,
	}
}

// leastOf gives the thresholds of the search: the assistant's, else the
// server's.
func leastOf(own core.AssistantRetrieval, cfg config.Retrieve) retrieve.Least {
	return retrieve.Least{Keyword: cmp.Or(own.KeywordThreshold, cfg.KeywordThreshold), Vector: cmp.Or(own.VectorThreshold, cfg.VectorThreshold)}
}

// targets names the published versions that the turn may search. Chosen
// documents and chosen folders are looked into side by side: a passage need
// not stand in both.
func targets(t *pipeline.Turn) []index.Target {
	documents, folders := t.Request.DocumentIDs, t.Request.FolderIDs
	if only := t.Plan.Value().Documents; len(only) > 0 {
		documents, folders = only, nil
	}
	var out []index.Target
	for _, b := range t.Bases.Value() {
		if only := t.Plan.Value().Only; len(only) > 0 && !slices.Contains(only, b.ID) {
			continue
		}
		if b.ActiveVersion > 0 {
			whole := index.Target{BaseID: b.ID, Version: b.ActiveVersion, TagIDs: tagsOf(t)}
			out = append(out, within(whole, documents, folders)...)
		}
	}
	return out
}

// tagsOf gives the tags that the turn stays within; nil means any. Names that
// no base has are a tag that nothing has.
func tagsOf(t *pipeline.Turn) []string {
	if len(t.Request.Tags) == 0 {
		return nil
	}
	if ids := t.Tags.Value(); len(ids) > 0 {
		return ids
	}
	return []string{"none"}
}

// within narrows a target to documents or folders, where some are chosen.
func within(whole index.Target, documents, folders []string) []index.Target {
	inDocuments, inFolders := whole, whole
	inDocuments.DocumentIDs, inFolders.FolderIDs = documents, folders
	if len(documents) > 0 && len(folders) > 0 {
		return []index.Target{inDocuments, inFolders}
	}
	if len(folders) > 0 {
		return []index.Target{inFolders}
	}
	return []index.Target{inDocuments}
}

// spaces tells by which model's vectors the bases are searched.
func spaces(t *pipeline.Turn) map[string]string {
	out := map[string]string{}
	for _, b := range t.Bases.Value() {
		if b.EmbeddingModel != "" {
			out[b.ID] = b.EmbeddingModel
		}
	}
	return out
}

func noteSearch(t *pipeline.Turn, e retrieve.Explain) {
	t.Note(pipeline.StageSearch, "keyword", strconv.Itoa(e.Keyword))
	t.Note(pipeline.StageSearch, "vector", strconv.Itoa(e.Vector))
	if e.Degraded != "" {
		t.Note(pipeline.StageSearch, "degraded", e.Degraded)
	}
	if len(e.Named) > 0 {
		t.Note(pipeline.StageSearch, "named", strings.Join(e.Named, "; "))
	}
}

// liftable reports whether a passage is a piece of running text, or of a
// picture in it.
func liftable(kind core.ChunkType) bool {
	return kind == core.ChunkText || kind == core.ChunkImageOCR || kind == core.ChunkImageCaption
}

// lift makes the parent of each child of running text the passage: it is what
// is ranked, read and cited. Rows and FAQ entries stand for themselves.
func lift(ctx context.Context, chunks Chunks, found []retrieve.Found) ([]retrieve.Found, error) {
	children, others := make([]retrieve.Found, 0, len(found)), []retrieve.Found(nil)
	ids := make([]string, 0, len(found))
	asked := map[string][]string{} // by parent
	for _, f := range found {
		if !liftable(f.Chunk.Type) || f.Chunk.ParentID == "" {
			others = append(others, f)
			continue
		}
		children = append(children, f)
		ids = append(ids, f.Chunk.ParentID)
		asked[f.Chunk.ParentID] = append(asked[f.Chunk.ParentID], f.Chunk.Questions...)
	}
	list, err := chunks.ChunksByID(ctx, ids)
	if err != nil {
		return nil, core.Wrap(err, core.CodeOf(err), "the passages around those found could not be read")
	}
	parents := make(map[string]core.Chunk, len(list))
	for _, c := range list {
		parents[c.ID] = c
	}
	lifted := retrieve.LiftToParents(children, parents)
	for i, f := range lifted {
		if parent, ok := parents[f.Chunk.ParentID]; ok {
			lifted[i].Joined = append([]string{f.Chunk.ID}, f.Joined...)
			lifted[i].Chunk, lifted[i].Asked = parent, asked[parent.ID]
		}
	}
	return retrieve.SortTop(append(lifted, others...), 0), nil
}
