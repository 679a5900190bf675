package enrich

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"kaoju/internal/core"
	"kaoju/internal/llm"
	"kaoju/internal/prompt"
	"kaoju/internal/store"
	"kaoju/internal/text"
)

// What models are shown, and what is taken of their words, in characters.
const (
	shownDocument = 12_000
	shownTable    = 4_000
	shortestAsked = 40 // a shorter passage answers no question
	longestLine   = 200
	longestText   = 2_000
	longestTag    = 20
	mostTags      = 5
	mostTables    = 20
	replyTokens   = 1024
	heat          = .3
)

// subject is a document with the passages that it is searched by.
type subject struct {
	e      *Enricher
	d      core.Document
	row    *core.Enriched
	chunks []core.Chunk
	done   map[string]string // what was said about its parts before
}

// found is what a step came to.
type found struct {
	add   []core.Chunk
	close []string
	tags  []string
	count int
}

// step does one step and stores its end.
func (e *Enricher) step(ctx context.Context, d store.Enriching, row *core.Enriched) error {
	doc, err := e.Store.Document(ctx, core.OwnerScope(), d.DocumentID)
	if err != nil {
		return err
	}
	s := &subject{e: e, d: doc, row: row}
	if s.chunks, err = e.live(ctx, doc.ID); err != nil {
		return err
	}
	if s.done, err = e.Store.EnrichmentParts(ctx, doc.ID, row.Step); err != nil {
		return err
	}
	var out found
	switch row.Step {
	case core.EnrichPictures:
		out, err = s.pictures(ctx)
	case core.EnrichSummary:
		out, err = s.summary(ctx)
	case core.EnrichTables:
		out, err = s.tables(ctx)
	case core.EnrichTags:
		out, err = s.tags(ctx)
	case core.EnrichQuestions:
		out, err = s.questions(ctx)
	}
	if err != nil {
		return err
	}
	e.probe("answered")
	return s.finish(ctx, d, out)
}

// live gives the passages of a document in the last version.
func (e *Enricher) live(ctx context.Context, id string) ([]core.Chunk, error) {
	const page = 500
	var all []core.Chunk
	for {
		some, err := e.Store.LiveChunks(ctx, id, len(all), page)
		if err != nil {
			return nil, err
		}
		if all = append(all, some...); len(some) < page {
			return all, nil
		}
	}
}

// finish publishes what a step came to, with the end of the step. What the same
// step had added before leaves.
func (s *subject) finish(ctx context.Context, d store.Enriching, out found) error {
	for i := range out.add {
		c := &out.add[i]
		c.ID, c.BaseID, c.DocumentID = core.NewID(), s.d.BaseID, s.d.ID
	}
	for _, c := range s.chunks {
		if slices.Contains(typesOf(s.row.Step), c.Type) {
			out.close = append(out.close, c.ID)
		}
	}
	model := s.e.Indexer.Model()
	entries, err := s.e.Indexer.Entries(ctx, s.d, out.add)
	if err != nil {
		return err
	}
	was := *s.row
	s.row.State, s.row.Reason, s.row.Added = core.EnrichDone, "", out.count
	if out.count == 0 {
		s.row.State, s.row.Reason = core.EnrichSkipped, nothing(s.row.Step)
	}
	version, err := s.e.Store.FinishEnrichment(ctx, store.EnrichmentResult{
		Document: s.d, Step: s.row.Step, Steps: d.Steps, Add: out.add, Close: out.close, Tags: out.tags,
		Index: entries, Model: model,
	})
	if err != nil {
		*s.row = was
		return err
	}
	s.e.probe("stored")
	if version > 0 {
		_ = s.e.Index.Refresh(context.WithoutCancel(ctx), s.d.BaseID) // saves the next search the wait
	}
	return nil
}

// typesOf are the types of the passages that a step adds.
func typesOf(s core.EnrichStep) []core.ChunkType {
	switch s {
	case core.EnrichPictures:
		return []core.ChunkType{core.ChunkImageCaption, core.ChunkImageOCR}
	case core.EnrichSummary:
		return []core.ChunkType{core.ChunkSummary}
	case core.EnrichTables:
		return []core.ChunkType{core.ChunkTableSummary, core.ChunkTableColumn}
	}
	return nil
}

// nothing says why a step added nothing.
func nothing(s core.EnrichStep) string {
	switch s {
	case core.EnrichPictures:
		return "the document has no pictures that say anything"
	case core.EnrichTables:
		return "the document has no tables"
	case core.EnrichQuestions:
		return "the document has no passages that are long enough"
	}
	return "the model had nothing to add"
}

// own reports whether a passage is of the document itself and not a model's.
func own(c core.Chunk) bool {
	return c.Type == core.ChunkText || c.Type == core.ChunkTableRow || c.Type == core.ChunkWikiPage
}

// words gives the document's own text: its beginning, and of a long one also
// its end.
func (s *subject) words() string {
	var all strings.Builder
	for _, c := range s.chunks {
		if own(c) {
			all.WriteString(c.Content + "\n")
		}
	}
	r := []rune(all.String())
	if len(r) <= shownDocument {
		return string(r)
	}
	return string(r[:shownDocument*3/4]) + "\n…\n" + string(r[len(r)-shownDocument/4:])
}

// ask has the chat model say something about a part of the document, once: what
// it said before is taken.
func (s *subject) ask(ctx context.Context, part string, t prompt.Template, content string) (string, error) {
	if said, ok := s.done[part]; ok {
		return said, nil
	}
	chat := s.e.chat()
	if chat == nil {
		return "", core.Errorf(core.CodeConflict, "no chat model is set (chat_model)")
	}
	own, err := s.e.Store.Enrichment(ctx, s.d.BaseID)
	if err != nil {
		return "", err
	}
	system, user := t.Render(text.DetectLanguage(content), prompt.Values{DocName: or(s.d.Title, s.d.Name), Content: content, QuestionCount: max(own.Questions, 3)})
	said, err := llm.Say(ctx, chat, llm.ChatRequest{
		Messages: []llm.Message{{Role: "system", Content: system}, {Role: "user", Content: user}}, Question: content, Temperature: heat, MaxTokens: replyTokens, Final: true,
	})
	if err != nil {
		return "", err
	}
	return said, s.keep(ctx, part, said)
}

func (s *subject) keep(ctx context.Context, part, said string) error {
	err := s.e.Store.SaveEnrichmentPart(ctx, s.d.ID, s.row.Step, part, said)
	s.e.probe("part")
	return err
}

func (s *subject) template(g prompt.Group, id string) prompt.Template {
	return s.e.Prompts.Get(g, id)
}

// last is the highest position of the document's passages.
func (s *subject) last() int {
	last := -1
	for _, c := range s.chunks {
		last = max(last, c.Index)
	}
	return last
}

func (s *subject) summary(ctx context.Context) (found, error) {
	words := s.words()
	if strings.TrimSpace(words) == "" {
		return found{}, nil
	}
	said, err := s.ask(ctx, "document", s.template(prompt.GroupSummary, ""), words)
	if err != nil {
		return found{}, err
	}
	said = text.Truncate(strings.TrimSpace(unfenced(said)), longestText)
	if said == "" {
		return found{}, core.Errorf(core.CodeUnavailable, "the model said nothing")
	}
	return found{add: []core.Chunk{{Type: core.ChunkSummary, Index: s.last() + 1, Content: said}}, count: 1}, nil
}

func (s *subject) tags(ctx context.Context) (found, error) {
	words := s.words()
	if strings.TrimSpace(words) == "" {
		return found{}, nil
	}
	said, err := s.ask(ctx, "document", s.template(prompt.GroupSummary, "document_tags"), words)
	if err != nil {
		return found{}, err
	}
	var tags []string
	for _, line := range lines(said) {
		line = strings.Trim(line, "#,，。.;； ")
		if line != "" && utf8.RuneCountInString(line) <= longestTag && !slices.Contains(tags, line) && len(tags) < mostTags {
			tags = append(tags, line)
		}
	}
	return found{tags: tags, count: len(tags)}, nil
}

func (s *subject) questions(ctx context.Context) (found, error) {
	own, err := s.e.Store.Enrichment(ctx, s.d.BaseID)
	if err != nil {
		return found{}, err
	}
	var asked []core.Chunk
	for _, c := range s.chunks {
		if c.Type == core.ChunkText && utf8.RuneCountInString(c.Content) >= shortestAsked {
			asked = append(asked, c)
		}
	}
	said := make([]string, len(asked))
	err = each(ctx, len(asked), func(ctx context.Context, i int) (err error) {
		said[i], err = s.ask(ctx, asked[i].ID, s.template(prompt.GroupQuestions, ""), asked[i].Content)
		return err
	})
	if err != nil {
		return found{}, err
	}
	var out found
	for i, c := range asked {
		list := lines(said[i])
		if list = list[:min(len(list), max(own.Questions, 3))]; len(list) == 0 {
			continue
		}
		out.close = append(out.close, c.ID)
		c.Questions = list
		out.add = append(out.add, c)
	}
	out.count = len(out.add)
	return out, nil
}

// table is the rows of one table.
type table struct {
	sheet    string
	headings []string
	rows     []core.Chunk
}

func (s *subject) tables(ctx context.Context) (found, error) {
	list := tablesOf(s.chunks)
	said := make([]string, len(list))
	err := each(ctx, len(list), func(ctx context.Context, i int) (err error) {
		said[i], err = s.ask(ctx, fmt.Sprintf("table %d", i), s.template(prompt.GroupSummary, "table_summary"), list[i].shown())
		return err
	})
	if err != nil {
		return found{}, err
	}
	var out found
	at := s.last()
	for i, t := range list {
		about, columns := tableReply(said[i])
		for _, c := range []core.Chunk{{Type: core.ChunkTableSummary, Content: about}, {Type: core.ChunkTableColumn, Content: columns}} {
			if c.Content == "" {
				continue
			}
			at++
			c.Index, c.Sheet, c.Headings, c.Page = at, t.sheet, t.headings, t.rows[0].Page
			out.add = append(out.add, c)
		}
	}
	out.count = len(out.add)
	return out, nil
}

func tablesOf(chunks []core.Chunk) []table {
	var list []table
	for _, c := range chunks {
		if c.Type != core.ChunkTableRow {
			continue
		}
		at := slices.IndexFunc(list, func(t table) bool { return t.sheet == c.Sheet && slices.Equal(t.headings, c.Headings) })
		if at < 0 {
			if len(list) == mostTables {
				continue
			}
			list, at = append(list, table{sheet: c.Sheet, headings: c.Headings}), len(list)
		}
		list[at].rows = append(list[at].rows, c)
	}
	return list
}

// shown gives the first rows of a table, and how many there are.
func (t table) shown() string {
	var b strings.Builder
	for _, c := range t.rows {
		if b.Len() > shownTable {
			break
		}
		b.WriteString(c.Content + "\n\n")
	}
	return text.Truncate(b.String(), shownTable) + fmt.Sprintf("\n(%d rows)", len(t.rows))
}
