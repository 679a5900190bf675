package knowledge

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"kaoju/internal/core"
	"kaoju/internal/store"
	"kaoju/internal/text"
)

// Limits of an FAQ entry.
const (
	maxQuestion  = 800   // characters of a question
	maxQuestions = 1000  // similar questions, and negative ones, of an entry
	maxAnswer    = 20000 // characters of an answer
	maxAnswers   = 50
	maxTags      = 50
)

// FAQPage asks for a part of a list of entries. Query's words must all occur in
// a question or answer; case, width and script do not matter.
type FAQPage struct {
	Query    string
	Tag      string
	FolderID string
	Enabled  *bool
	Offset   int
	Limit    int // 0 means 50, at most 1,000
}

const (
	defaultFAQPage = 50
	maxFAQPage     = 1000
)

// FAQs gives a page of the entries of an FAQ base, the newest first, and how
// many fit in all. A base of another kind is a core.CodeConflict.
func (s *Service) FAQs(ctx context.Context, scope core.Scope, base string, p FAQPage) ([]core.FAQ, int, error) {
	b, err := s.faqBase(ctx, scope, base)
	if err != nil {
		return nil, 0, err
	}
	if p.Limit <= 0 {
		p.Limit = defaultFAQPage
	}
	filter := store.FAQFilter{Words: strings.Fields(p.Query), Tag: p.Tag, FolderID: p.FolderID, Enabled: p.Enabled}
	return s.db.FAQs(ctx, b.ID, filter, p.Offset, min(p.Limit, maxFAQPage))
}

// FAQ gives one entry.
func (s *Service) FAQ(ctx context.Context, scope core.Scope, base, id string) (core.FAQ, error) {
	b, err := s.faqBase(ctx, scope, base)
	if err != nil {
		return core.FAQ{}, err
	}
	return s.db.FAQ(ctx, b.ID, id)
}

func (s *Service) faqBase(ctx context.Context, scope core.Scope, base string) (core.KnowledgeBase, error) {
	b, err := s.db.Base(ctx, scope, base)
	if err == nil && b.Kind != core.BaseFAQ {
		err = core.Errorf(core.CodeConflict, "the knowledge base %q holds no FAQ entries; make one of kind faq", b.Name)
	}
	return b, err
}

// CreateFAQ adds an entry to an FAQ base; it can be found when this returns.
// A question that leads to another entry already is a core.CodeConflict that
// names it. Id, base and times are filled in.
func (s *Service) CreateFAQ(ctx context.Context, scope core.Scope, base string, f core.FAQ) (core.FAQ, error) {
	b, done, err := s.editFAQ(ctx, scope, base)
	if err != nil {
		return core.FAQ{}, err
	}
	defer done()
	f.ID, f.BaseID = core.NewID(), b.ID
	return s.putFAQ(ctx, scope, f, true)
}

// ChangeFAQ changes an entry: change gets what is there, and its error leaves
// all as it was. The new version can be found when this returns, the old one
// only in older versions of the base.
func (s *Service) ChangeFAQ(ctx context.Context, scope core.Scope, base, id string, change func(*core.FAQ) error) (core.FAQ, error) {
	b, done, err := s.editFAQ(ctx, scope, base)
	if err != nil {
		return core.FAQ{}, err
	}
	defer done()
	f, err := s.db.FAQ(ctx, b.ID, id)
	if err != nil {
		return core.FAQ{}, err
	}
	if err := change(&f); err != nil {
		return core.FAQ{}, err
	}
	f.ID, f.BaseID = id, b.ID
	return s.putFAQ(ctx, scope, f, false)
}

// DeleteFAQs removes entries for good, from every version, or none of them
// where one is missing.
func (s *Service) DeleteFAQs(ctx context.Context, scope core.Scope, base string, ids []string) error {
	b, done, err := s.editFAQ(ctx, scope, base)
	if err != nil {
		return err
	}
	defer done()
	for _, id := range ids {
		if _, err := s.db.FAQ(ctx, b.ID, id); err != nil {
			return err
		}
	}
	for _, id := range ids {
		if err := s.Delete(ctx, scope, id); err != nil && core.CodeOf(err) != core.CodeNotFound {
			return err
		}
	}
	return nil
}

// editFAQ takes the base's turn: call done at the end of the edit.
func (s *Service) editFAQ(ctx context.Context, scope core.Scope, base string) (b core.KnowledgeBase, done func(), err error) {
	if b, err = s.faqBase(ctx, scope, base); err != nil {
		return b, nil, err
	}
	done, err = s.turns.take(ctx, b.ID)
	return b, done, err
}

func (s *Service) putFAQ(ctx context.Context, scope core.Scope, f core.FAQ, isNew bool) (core.FAQ, error) {
	if err := tidyFAQ(&f); err != nil {
		return core.FAQ{}, err
	}
	if err := s.checkFolder(ctx, scope, f.BaseID, f.FolderID); err != nil {
		return core.FAQ{}, err
	}
	for _, q := range f.Questions() {
		other, err := s.db.FAQWithQuestion(ctx, f.BaseID, text.Key(q), f.ID)
		if err != nil {
			return core.FAQ{}, err
		}
		if other.ID != "" {
			return core.FAQ{}, core.Errorf(core.CodeConflict, "the question %q leads to the entry %q already", q, other.Question)
		}
	}
	note := "change FAQ " + text.Truncate(f.Question, 80)
	if isNew {
		note = "add FAQ " + text.Truncate(f.Question, 80)
	}
	if err := s.publishFAQ(ctx, f.BaseID, []core.FAQ{f}, isNew, note); err != nil {
		return core.FAQ{}, err
	}
	return s.db.FAQ(ctx, f.BaseID, f.ID)
}

func (s *Service) publishFAQ(ctx context.Context, baseID string, entries []core.FAQ, isNew bool, note string) error {
	c := store.FAQChange{Note: note, Model: s.indexer.Model()}
	for _, f := range entries {
		w, err := s.writeOf(ctx, f, isNew)
		if err != nil {
			return err
		}
		c.Put = append(c.Put, w)
	}
	return s.changeFAQ(ctx, baseID, c)
}

// changeFAQ publishes a change and makes it searchable.
func (s *Service) changeFAQ(ctx context.Context, baseID string, c store.FAQChange) error {
	if _, err := s.db.ChangeFAQ(ctx, baseID, c); err != nil {
		return err
	}
	// A search reads the version first and catches up by itself; this only
	// saves the next one the wait.
	_ = s.index.Refresh(context.WithoutCancel(ctx), baseID)
	return nil
}

// writeOf makes the chunks of an entry and what is indexed of them: the entry,
// by its question and its answers, and each of its questions alone, so that a
// plain question is found however long the answers are. Of a disabled entry
// nothing is indexed.
func (s *Service) writeOf(ctx context.Context, f core.FAQ, isNew bool) (store.FAQWrite, error) {
	entry := core.Chunk{
		ID: core.NewID(), BaseID: f.BaseID, DocumentID: f.ID, Type: core.ChunkFAQ, Content: faqContent(f.FAQEntry), FAQ: &f.FAQEntry,
	}
	w := store.FAQWrite{FAQ: f, New: isNew, Chunks: []core.Chunk{entry}}
	if f.Disabled {
		keywords := Indexer{Glossaries: s.indexer.Glossaries}
		var err error
		w.Index, err = keywords.Entries(ctx, core.Document{BaseID: f.BaseID}, w.Chunks)
		return w, err
	}
	for i, q := range f.Questions() {
		w.Chunks = append(w.Chunks, core.Chunk{
			ID: core.NewID(), BaseID: f.BaseID, DocumentID: f.ID, ParentID: entry.ID,
			Type: core.ChunkFAQQuestion, Index: i + 1, Content: q,
		})
	}
	var err error
	w.Index, err = s.indexer.Entries(ctx, core.Document{BaseID: f.BaseID, Title: f.Question}, w.Chunks)
	return w, err
}

// faqContent is an entry as it reads: its questions, then its answers.
func faqContent(e core.FAQEntry) string {
	return strings.Join(append(e.Questions(), e.Answers...), "\n")
}

// tidyFAQ trims what people type, drops what says nothing or the same twice,
// and refuses what cannot be an entry with a core.CodeInvalid.
func tidyFAQ(f *core.FAQ) error {
	f.Question = oneLine(f.Question)
	f.Similar = distinct(f.Similar, oneLine, f.Question)
	f.Negative = distinct(f.Negative, oneLine)
	f.Answers = distinct(f.Answers, tidyAnswer)
	f.Strategy = or(f.Strategy, core.AnswerAll)
	var err error
	if f.Tags, err = tidyTags(f.Tags); err != nil {
		return err
	}
	switch {
	case text.Key(f.Question) == "":
		return core.Errorf(core.CodeInvalid, "an FAQ entry needs a standard question, in words")
	case len(f.Answers) == 0:
		return core.Errorf(core.CodeInvalid, "an FAQ entry needs an answer")
	case len(f.Similar) > maxQuestions || len(f.Negative) > maxQuestions:
		return core.Errorf(core.CodeTooLarge, "an FAQ entry has at most %d similar and %d negative questions", maxQuestions, maxQuestions)
	case len(f.Answers) > maxAnswers:
		return core.Errorf(core.CodeTooLarge, "an FAQ entry has at most %d answers", maxAnswers)
	case f.Strategy != core.AnswerAll && f.Strategy != core.AnswerRandom:
		return core.Errorf(core.CodeInvalid, "the answer strategy is all or random, not %q", f.Strategy)
	}
	return checkFAQTexts(f.FAQEntry)
}

func checkFAQTexts(e core.FAQEntry) error {
	for _, q := range slices.Concat(e.Questions(), e.Negative) {
		if utf8.RuneCountInString(q) > maxQuestion {
			return core.Errorf(core.CodeTooLarge, "a question has at most %d characters; this one is longer: %s", maxQuestion, text.Truncate(q, 40))
		}
	}
	for _, a := range e.Answers {
		if utf8.RuneCountInString(a) > maxAnswer {
			return core.Errorf(core.CodeTooLarge, "an answer has at most %d characters; this one is longer: %s", maxAnswer, text.Truncate(a, 40))
		}
	}
	own := map[string]bool{}
	for _, q := range e.Questions() {
		own[text.Key(q)] = true
	}
	for _, n := range e.Negative {
		if own[text.Key(n)] {
			return core.Errorf(core.CodeInvalid, "the question %q is both a question of the entry and a negative one", n)
		}
	}
	return nil
}

// oneLine puts a question on one line.
func oneLine(s string) string {
	return strings.Join(strings.Fields(cleanText(s)), " ")
}

func tidyAnswer(s string) string { return strings.TrimSpace(cleanText(s)) }

// cleanText takes out what a text cannot hold: broken UTF-8 and control
// characters other than line breaks and tabs.
func cleanText(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, s)
}

// distinct tidies texts and drops those that are empty, come twice or equal
// one of the others, by text.Key.
func distinct(list []string, tidy func(string) string, others ...string) []string {
	seen := map[string]bool{"": true}
	for _, o := range others {
		seen[text.Key(o)] = true
	}
	var kept []string
	for _, s := range list {
		s = tidy(s)
		key := text.Key(s)
		if key == "" {
			key = s // signs alone are an answer too
		}
		if !seen[key] {
			seen[key] = true
			kept = append(kept, s)
		}
	}
	return kept
}

// tidyTags trims, sorts and checks names of tags.
func tidyTags(tags []string) ([]string, error) {
	kept := []string{}
	for _, t := range tags {
		if t = oneLine(t); t != "" {
			kept = append(kept, t)
		}
		if utf8.RuneCountInString(t) > maxName {
			return nil, core.Errorf(core.CodeInvalid, "the name of a tag has at most %d characters", maxName)
		}
	}
	slices.Sort(kept)
	kept = slices.Compact(kept)
	if len(kept) > maxTags {
		return nil, core.Errorf(core.CodeTooLarge, "there are at most %d tags", maxTags)
	}
	return kept, nil
}

// checkKind refuses documents in bases that hold something else.
func checkKind(b core.KnowledgeBase) error {
	switch b.Kind {
	case core.BaseWiki:
		return core.Errorf(core.CodeConflict, "the knowledge base %q is a wiki; write pages at %s, or add the document to another base and have pages made of it",
			b.Name, fmt.Sprintf("/api/v1/knowledge-bases/%s/wiki/pages", b.ID))
	case core.BaseFAQ:
		return core.Errorf(core.CodeConflict, "the knowledge base %q holds FAQ entries; import them at %s, or add the document to another base",
			b.Name, fmt.Sprintf("/api/v1/knowledge-bases/%s/faq/import", b.ID))
	}
	return nil
}
