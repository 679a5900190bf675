package knowledge

import (
	"context"
	"strings"

	"kaoju/internal/core"
	"kaoju/internal/index"
	"kaoju/internal/llm"
	"kaoju/internal/store"
)

// Indexer derives from chunks what the search engine keeps of them: terms,
// and a vector where there is an embedder. Edits and ingestion share it, so
// that a passage is found the same way however it came in.
type Indexer struct {
	Embedder   llm.Embedder // nil: keywords only
	Glossaries Glossary     // nil: no base has words of its own
}

// Glossary gives the words that a base cuts its passages by, nil where it has
// none, and the number of its segmentation.
type Glossary interface {
	Of(ctx context.Context, baseID string) (*index.Glossary, int64, error)
}

// Now is the indexer with the model of this moment.
func (x Indexer) Now() Indexer {
	x.Embedder = llm.Now(x.Embedder)
	return x
}

// Model names the embedding space; "" without an embedder. The model may change
// (llm.Switching): who stores vectors asks for its name before them, and the
// store refuses them where another embeds meanwhile.
func (x Indexer) Model() string {
	if x.Embedder == nil {
		return ""
	}
	return x.Embedder.Model()
}

// Entries gives one entry for each chunk of a document, in order. The
// document's title counts in each, but for the questions of an FAQ entry,
// which stand for themselves. An embedder that does not keep to its declared
// dimension is a core.CodeInvalid, which does not pass by itself.
func (x Indexer) Entries(ctx context.Context, doc core.Document, chunks []core.Chunk) ([]store.Indexing, error) {
	glossary, segmentation, err := x.glossary(ctx, doc.BaseID)
	if err != nil {
		return nil, err
	}
	entries := make([]store.Indexing, len(chunks))
	texts := make([]string, len(chunks))
	for i, c := range chunks {
		texts[i] = passage(titleFor(doc.Title, c), c)
		entries[i] = store.Indexing{ChunkID: c.ID, Terms: Terms(glossary, doc.Title, c), Segmentation: segmentation}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return entries, x.embed(llm.WithBase(ctx, doc.BaseID), texts, entries)
}

// Vectors gives the vectors alone, for passages of one base whose terms are up to date;
// titles are those of their documents.
func (x Indexer) Vectors(ctx context.Context, titles []string, chunks []core.Chunk) ([]store.Indexing, error) {
	entries := make([]store.Indexing, len(chunks))
	texts := make([]string, len(chunks))
	for i, c := range chunks {
		texts[i] = passage(titleFor(titles[i], c), c)
		entries[i] = store.Indexing{ChunkID: c.ID}
	}
	if len(chunks) > 0 {
		ctx = llm.WithBase(ctx, chunks[0].BaseID)
	}
	return entries, x.embed(ctx, texts, entries)
}

func (x Indexer) glossary(ctx context.Context, baseID string) (*index.Glossary, int64, error) {
	if x.Glossaries == nil {
		return nil, 0, nil
	}
	return x.Glossaries.Of(ctx, baseID)
}

// Terms are what the index keeps of a passage of a document with the title;
// nothing of an FAQ entry that is disabled. It is never nil: "has none" is
// stored too, so that the chunk counts as done.
func Terms(g *index.Glossary, title string, c core.Chunk) []byte {
	if c.FAQ != nil && c.FAQ.Disabled {
		return []byte{}
	}
	encoded := index.EncodeTerms(g.Analyze(titleFor(title, c), c.Headings, searched(c)))
	if encoded == nil {
		return []byte{}
	}
	return encoded
}

// titleFor is the title that counts in a chunk.
func titleFor(title string, c core.Chunk) string {
	if c.Type == core.ChunkFAQQuestion {
		return ""
	}
	return title
}

// embed fills in the vectors.
func (x Indexer) embed(ctx context.Context, texts []string, entries []store.Indexing) error {
	x = x.Now()
	if x.Embedder == nil || len(texts) == 0 {
		return nil
	}
	vectors, err := x.Embedder.Embed(ctx, llm.ForPassage, texts)
	if err != nil {
		return err
	}
	if len(vectors) != len(texts) {
		return core.Errorf(core.CodeInvalid, "the embedding model gave %d vectors for %d passages", len(vectors), len(texts))
	}
	for i, v := range vectors {
		if len(v) != x.Embedder.Dim() {
			return core.Errorf(core.CodeInvalid, "the embedding model gave a vector of %d values; it was declared with %d", len(v), x.Embedder.Dim())
		}
		entries[i].Vector = index.EncodeVector(v)
	}
	return nil
}

// passage is the text that is embedded for a chunk: where it stands, then what
// it says.
func passage(title string, c core.Chunk) string {
	var b strings.Builder
	for _, line := range append([]string{title}, c.Headings...) {
		if line != "" && !strings.HasPrefix(c.Content, line) {
			b.WriteString(line)
			b.WriteByte('\n')
		}
	}
	b.WriteString(searched(c))
	return b.String()
}

// searched is what a chunk is found by beside where it stands: its text, and
// the questions that it answers.
func searched(c core.Chunk) string {
	if len(c.Questions) == 0 {
		return c.Content
	}
	return c.Content + "\n" + strings.Join(c.Questions, "\n")
}
