package knowledge

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"kaoju/internal/core"
	"kaoju/internal/store"
)

// maxPassage is the longest passage that is written by hand, in characters.
const maxPassage = 10_000

// EditChunk gives a passage another text, as a version of its base: the new
// passage is found when this returns, with an id of its own. The passages
// around it keep their text, under a parent that holds the new one. An empty
// text takes the passage out. Only passages of the last version can be edited,
// else it is a core.CodeConflict.
func (s *Service) EditChunk(ctx context.Context, scope core.Scope, id, content string) (core.Chunk, error) {
	c, d, err := s.editable(ctx, scope, id)
	if err != nil {
		return core.Chunk{}, err
	}
	content = tidyAnswer(content)
	if utf8.RuneCountInString(content) > maxPassage {
		return core.Chunk{}, core.Errorf(core.CodeTooLarge, "a passage has at most %d characters", maxPassage)
	}
	done, err := s.turns.take(ctx, d.BaseID)
	if err != nil {
		return core.Chunk{}, err
	}
	defer done()
	e := store.ChunkEdit{Document: d, UserID: scope.UserID, Note: "edit a passage of " + d.Name, Follows: map[string]string{}}
	edited, err := s.rewrite(ctx, &e, c, content)
	if err != nil {
		return core.Chunk{}, err
	}
	return edited, s.publishEdit(ctx, e)
}

// editable gives a passage of the index that may be edited, and its document.
func (s *Service) editable(ctx context.Context, scope core.Scope, id string) (core.Chunk, core.Document, error) {
	c, err := s.db.Chunk(ctx, scope, id)
	if err != nil {
		return c, core.Document{}, err
	}
	d, err := s.db.Document(ctx, scope, c.DocumentID)
	switch {
	case err != nil:
		return c, d, err
	case refuseMade(d) != nil:
		err = refuseMade(d)
	case !c.Type.Indexed():
		err = core.Errorf(core.CodeConflict, "this passage is made of others; edit those")
	}
	return c, d, err
}

// rewrite plans the edit: the passage, and where it has a parent, a new parent
// with all its children, for a parent is what answers are written from.
func (s *Service) rewrite(ctx context.Context, e *store.ChunkEdit, c core.Chunk, content string) (core.Chunk, error) {
	family := []core.Chunk{c}
	var parent core.Chunk
	if c.ParentID != "" {
		parents, err := s.db.ChunksByID(ctx, []string{c.ParentID})
		if err != nil {
			return core.Chunk{}, err
		}
		if len(parents) > 0 {
			parent = parents[0]
		}
		if family, err = s.db.Siblings(ctx, c.DocumentID, c.ParentID); err != nil {
			return core.Chunk{}, err
		}
		if !slices.ContainsFunc(family, func(o core.Chunk) bool { return o.ID == c.ID }) {
			return core.Chunk{}, core.Errorf(core.CodeConflict, "the passage was changed meanwhile; read the document again")
		}
	}
	var edited core.Chunk
	var children []core.Chunk
	for _, old := range family {
		e.Close = append(e.Close, old.ID)
		child := old
		child.ID = core.NewID()
		if old.ID == c.ID {
			child.Content, child.Questions = content, nil
			edited = child
		}
		if child.Content != "" {
			e.Follows[child.ID] = old.ID
			children = append(children, child)
		}
	}
	if parent.ID != "" && len(children) > 0 {
		grown := parent
		grown.ID, grown.Content = core.NewID(), parentText(parent, family, children, c.Content, content)
		for i := range children {
			children[i].ParentID = grown.ID
		}
		edited.ParentID = grown.ID
		e.Add = append(e.Add, grown)
		e.Follows[grown.ID] = parent.ID
	}
	e.Add = append(e.Add, children...)
	return edited, nil
}

// parentText is the parent's text with the new passage in the place of the old
// one, once; where the old one does not stand there as it is, as with table
// headers that are repeated, the children's texts one after the other.
func parentText(parent core.Chunk, family, children []core.Chunk, old, content string) string {
	if strings.Count(parent.Content, old) == 1 {
		return strings.TrimSpace(strings.Replace(parent.Content, old, content, 1))
	}
	if len(family) == 1 {
		return content
	}
	texts := make([]string, len(children))
	for i, c := range children {
		texts[i] = c.Content
	}
	return strings.Join(texts, "\n")
}

// AddChunk adds a passage to the end of a document, as a version of its base.
func (s *Service) AddChunk(ctx context.Context, scope core.Scope, documentID, content string) (core.Chunk, error) {
	d, err := s.db.Document(ctx, scope, documentID)
	if err != nil {
		return core.Chunk{}, err
	}
	if err := refuseMade(d); err != nil {
		return core.Chunk{}, err
	}
	content = tidyAnswer(content)
	switch {
	case content == "":
		return core.Chunk{}, core.Errorf(core.CodeEmpty, "the passage has no text")
	case utf8.RuneCountInString(content) > maxPassage:
		return core.Chunk{}, core.Errorf(core.CodeTooLarge, "a passage has at most %d characters", maxPassage)
	}
	done, err := s.turns.take(ctx, d.BaseID)
	if err != nil {
		return core.Chunk{}, err
	}
	defer done()
	last, err := s.db.LastPosition(ctx, documentID)
	if err != nil {
		return core.Chunk{}, err
	}
	c := core.Chunk{
		ID: core.NewID(), BaseID: d.BaseID, DocumentID: d.ID, Type: core.ChunkText, Index: last + 1, Content: content,
	}
	return c, s.publishEdit(ctx, store.ChunkEdit{
		Document: d, Add: []core.Chunk{c}, UserID: scope.UserID, Note: "add a passage to " + d.Name,
	})
}

func (s *Service) publishEdit(ctx context.Context, e store.ChunkEdit) error {
	var children []core.Chunk
	for _, c := range e.Add {
		if c.Type.Indexed() {
			children = append(children, c)
		}
	}
	e.Model = s.indexer.Model()
	var err error
	if e.Index, err = s.indexer.Entries(ctx, e.Document, children); err != nil {
		return err
	}
	if _, err := s.db.EditChunks(ctx, e); err != nil {
		return err
	}
	_ = s.index.Refresh(context.WithoutCancel(ctx), e.Document.BaseID) // saves the next search the wait
	return nil
}

// Revisions gives what has stood in the place of a passage, the newest first.
// An edit of a passage beside it gives it another id, and is no revision of it.
func (s *Service) Revisions(ctx context.Context, scope core.Scope, id string) ([]core.Revision, error) {
	if _, err := s.db.Chunk(ctx, scope, id); err != nil {
		return nil, err
	}
	list, err := s.db.Revisions(ctx, id)
	return edits(list), err
}

// edits drops the revisions that say what the one before them said; the one
// that stays has the newest id, and the author and time of the oldest.
func edits(list []core.Revision) []core.Revision {
	kept := list[:0]
	for _, r := range list {
		if last := len(kept) - 1; last >= 0 && kept[last].Content == r.Content {
			kept[last].UserID, kept[last].CreatedAt = r.UserID, r.CreatedAt
			continue
		}
		kept = append(kept, r)
	}
	return kept
}

// Revert gives a passage the text of one of its revisions back, as an edit
// like any other. id is any of its revisions, that whose text is wanted.
func (s *Service) Revert(ctx context.Context, scope core.Scope, id string) (core.Chunk, error) {
	if _, err := s.db.Chunk(ctx, scope, id); err != nil {
		return core.Chunk{}, err
	}
	list, err := s.db.Revisions(ctx, id)
	if err != nil {
		return core.Chunk{}, err
	}
	now := slices.IndexFunc(list, func(r core.Revision) bool { return r.Current })
	then := slices.IndexFunc(list, func(r core.Revision) bool { return r.ChunkID == id })
	if now < 0 || then < 0 {
		return core.Chunk{}, core.Errorf(core.CodeConflict, "the passage is not there any more; add it again")
	}
	return s.EditChunk(ctx, scope, list[now].ChunkID, list[then].Content)
}
