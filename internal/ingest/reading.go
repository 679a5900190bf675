package ingest

import (
	"context"
	"io"
	"strings"

	"kaoju/internal/chunk"
	"kaoju/internal/core"
	"kaoju/internal/parse"
	"kaoju/internal/store"
)

// reading is a document on its way from the parser into the store, part by
// part. The newest part is held back until it is known whether it is the
// last, because that one also stores what the document is.
type reading struct {
	w       *Worker
	it      *work
	cutter  *chunk.Cutter
	all     []core.Chunk // of the newest part
	indexed []core.Chunk // those of them that are indexed
	count   int          // of all parts that are indexed
	parts   int
	stored  bool  // earlier parts are in the store
	ours    error // of the store and not of the file
}

// parse reads the file, or has a model read it where it is all pictures, and
// keeps what it reads.
func (r *reading) parse(ctx context.Context, src io.ReaderAt) error {
	k := &keeper{w: r.w}
	err := r.w.deps.Parser.ParseParts(ctx, parse.Source{Name: r.it.doc.Name, Bytes: src, Size: r.it.doc.Size}, func(part parse.Document) error {
		k.take(ctx, part)
		return r.add(ctx, part)
	})
	if r.w.pictured(src, err) {
		err = r.recognise(ctx, k, err)
	}
	k.end(ctx, r.it.doc.ContentHash, err)
	return err
}

// add cuts the next part.
func (r *reading) add(ctx context.Context, part parse.Document) error {
	doc := &r.it.doc
	if r.parts == 0 {
		r.w.enter(doc.ID, core.StepChunk)
		r.it.job.Step = core.StepChunk
		doc.Format, doc.Warnings = part.Format, part.Warnings
		// A title that was given when the document was added stays.
		if title := strings.TrimSpace(part.Title); title != "" && doc.Title == doc.DefaultTitle() {
			doc.Title = title
		}
	} else if err := r.store(ctx, false); err != nil {
		return err
	}
	r.parts++
	r.all, r.indexed = cut(r.cutter, *doc, part)
	r.count += len(r.indexed)
	return nil
}

// finish stores the last part.
func (r *reading) finish(ctx context.Context) error {
	if r.count == 0 {
		return core.Errorf(core.CodeEmpty, "no text was found in the file")
	}
	r.it.doc.Chunks = r.count
	r.w.probe("chunk")
	return r.store(ctx, true)
}

func (r *reading) store(ctx context.Context, last bool) error {
	r.ours = r.w.deps.Store.SaveChunks(ctx, r.it.job.ID, r.it.doc, store.Part{Chunks: r.all, First: !r.stored, Last: last})
	if !last {
		r.stored = true
		r.w.probe("part")
	}
	return r.ours
}

// explain tells failures that may pass from those of the file.
func (r *reading) explain(err error) error {
	if r.ours != nil {
		return r.ours
	}
	switch core.CodeOf(err) {
	case core.CodeUnavailable, core.CodeBusy, core.CodeDiskFull, core.CodeCanceled:
		return err // of the reader, not of the file
	}
	return &permanent{err}
}

// cut splits a part of a document and names its chunks. It gives all of them,
// and those that are indexed.
func cut(cutter *chunk.Cutter, doc core.Document, part parse.Document) (all, indexed []core.Chunk) {
	pieces := cutter.Cut(part)
	parents := make([]string, len(pieces.Parents))
	for i, c := range pieces.Parents {
		c.ID, c.BaseID, c.DocumentID = core.NewID(), doc.BaseID, doc.ID
		parents[i] = c.ID
		all = append(all, c)
	}
	for _, p := range pieces.Children {
		c := p.Chunk
		c.ID, c.BaseID, c.DocumentID = core.NewID(), doc.BaseID, doc.ID
		if p.Parent >= 0 && p.Parent < len(parents) {
			c.ParentID = parents[p.Parent]
		}
		indexed = append(indexed, c)
	}
	return append(all, indexed...), indexed
}
