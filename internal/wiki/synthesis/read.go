package synthesis

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

// A document is read in parts of so many characters, so many at most: what is
// behind them does not count, and the page says so.
const (
	partChars = 8000
	maxParts  = 8
	pageSize  = 256 // passages that are taken from the store at once
)

// readOne reads a document and keeps what the model says of it.
func (r *run) readOne(ctx context.Context, i *store.WikiItem) error {
	parts, cut, err := r.parts(ctx, i.Ref)
	if err != nil {
		return err
	}
	var doc document
	var usable int
	for _, part := range parts {
		said, err := r.readPart(ctx, i.Name, part)
		if err == errUseless { //nolint:errorlint // ask gives it as it is
			continue
		}
		if err != nil {
			return err
		}
		usable++
		doc.add(said)
	}
	if usable == 0 {
		return errUseless
	}
	if cut {
		doc.Summary += cutNote(doc.Summary)
	}
	i.Result, err = encode(doc)
	return err
}

// cutNote says that a document is longer than what was read.
func cutNote(summary string) string {
	if text.DetectLanguage(summary) == text.English {
		return " (Only the beginning of the document was read.)"
	}
	return "（只读了文件的前面部分。）"
}

// parts gives the passages of a document that is still there, in parts.
func (r *run) parts(ctx context.Context, id string) (parts [][]core.Chunk, cut bool, err error) {
	size := partChars // the first passage begins a part
	for offset := 0; ; offset += pageSize {
		some, err := r.w.deps.Store.LiveChunks(ctx, id, offset, pageSize)
		if err != nil {
			return nil, false, err
		}
		for _, c := range some {
			n := utf8.RuneCountInString(c.Content)
			if size+n > partChars {
				if len(parts) == maxParts {
					return parts, true, nil
				}
				parts, size = append(parts, nil), 0
			}
			size += n
			parts[len(parts)-1] = append(parts[len(parts)-1], c)
		}
		if len(some) < pageSize {
			break
		}
	}
	if len(parts) == 0 {
		return nil, false, core.Errorf(core.CodeNotFound, "the document is not there any more, or holds no text")
	}
	return parts, false, nil
}

func (r *run) readPart(ctx context.Context, title string, chunks []core.Chunk) (said read, err error) {
	system, user := r.w.deps.Prompts.Get(prompt.GroupWiki, "wiki_document").Render(languageOf(chunks), prompt.Values{
		DocName: title, Contexts: prompt.Sources(evidence(chunks, title)),
	})
	err = r.w.ask(ctx, system, user, func(words string) error {
		said = read{}
		if err := object(words, &said); err != nil {
			return err
		}
		return said.tidy(chunks)
	})
	return said, err
}

// evidence names passages as a model is told of them: p1, p2 …
func evidence(chunks []core.Chunk, title string) []llm.Evidence {
	list := make([]llm.Evidence, len(chunks))
	for i, c := range chunks {
		list[i] = llm.Evidence{Handle: fmt.Sprintf("p%d", i+1), Type: string(c.Type), Title: title, Headings: c.Headings, Sheet: c.Sheet, Row: c.Row, Text: c.Content}
	}
	return list
}

// languageOf is the language of most of the first passages.
func languageOf(chunks []core.Chunk) text.Language {
	var b strings.Builder
	for _, c := range chunks[:min(len(chunks), 5)] {
		b.WriteString(c.Content)
		b.WriteByte('\n')
	}
	return text.DetectLanguage(b.String())
}

// tidy bounds what a model says, and leaves out what rests on no passage that
// it was shown. Nothing left is errUseless.
func (s *read) tidy(chunks []core.Chunk) error {
	s.Summary = line(s.Summary, maxText)
	var points []point
	for _, p := range s.Points {
		p.Text, p.Chunks, p.Passages = line(p.Text, maxText), chunksOf(p.Passages, chunks), nil
		if p.Text != "" && len(p.Chunks) > 0 && len(points) < maxPoints {
			points = append(points, p)
		}
	}
	var topics []topic
	for _, t := range s.Topics {
		t.Name, t.About, t.Chunks, t.Passages = line(t.Name, maxName), line(t.About, maxText), chunksOf(t.Passages, chunks), nil
		for i, a := range t.Aliases {
			t.Aliases[i] = line(a, maxName)
		}
		t.Aliases = t.Aliases[:min(len(t.Aliases), maxNames)]
		if t.Name != "" && len(t.Chunks) > 0 && len(topics) < maxTopics {
			topics = append(topics, t)
		}
	}
	s.Points, s.Topics = points, topics
	if s.Summary == "" || len(points) == 0 {
		return errUseless
	}
	return nil
}

// chunksOf gives the passages that numbers name, each once.
func chunksOf(numbers handles, chunks []core.Chunk) []chunk {
	var list []chunk
	for _, n := range numbers {
		if n < 1 || n > len(chunks) {
			continue
		}
		c := chunk{chunks[n-1].DocumentID, chunks[n-1].ID}
		if !slices.Contains(list, c) {
			list = append(list, c)
		}
	}
	return list
}

// add joins what was said of another part.
func (d *document) add(s read) {
	if d.Summary == "" {
		d.Summary = s.Summary
	}
	d.Points = append(d.Points, s.Points...)
	d.Topics = append(d.Topics, s.Topics...)
}
