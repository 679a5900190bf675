package knowledge

import (
	"errors"
	"io"
	"slices"

	"kaoju/internal/core"
	"kaoju/internal/index"
	"kaoju/internal/knowledge/archive"
	"kaoju/internal/store"
)

// Original stores a file that no document names yet.
func (im *importer) Original(_ int64, r io.Reader) (err error) {
	if im.in.DryRun {
		_, err = io.Copy(io.Discard, r)
		return err
	}
	im.blob, err = im.s.db.StageBlob(im.ctx, r, im.s.limit)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return wrongFile("it ends in the middle of an original")
	}
	return err
}

// Document stores a document.
func (im *importer) Document(in archive.Document) error {
	d := in.Document
	if err := im.describe(&d); err != nil {
		return err
	}
	im.doc = d
	if im.in.DryRun {
		return nil
	}
	if in.Original && (im.blob.Hash != d.ContentHash || im.blob.Size != d.Size) {
		return wrongFile("the original of %q is another one", d.Name)
	}
	err := im.s.db.ImportDocument(im.ctx, d, im.blob)
	im.blob.Discard()
	im.blob = store.Blob{}
	return err
}

// describe gives a document its new ids and checks the rest.
func (im *importer) describe(d *core.Document) (err error) {
	folder, known := im.folders[d.FolderID]
	if !known && d.FolderID != "" {
		return wrongFile("the document %q stands in a folder that it has not got", d.Name)
	}
	if d.State != core.DocumentReady && d.State != core.DocumentDisabled {
		return wrongFile("the document %q is %q", d.Name, d.State)
	}
	if (d.Source == store.SourceFAQ) != (im.base.Kind == core.BaseFAQ) {
		return wrongFile("the document %q does not belong in a base of kind %s", d.Name, im.base.Kind)
	}
	d.FolderID, d.BaseID, d.Title = folder, im.base.ID, titleOf(d.Title, d.Name)
	if d.ID == "" {
		return wrongFile("a document has no id")
	}
	if d.ID, err = im.id(d.ID); err != nil {
		return err
	}
	if d.Source != store.SourceFAQ {
		if d.Name, err = fileName(d.Name); err != nil {
			return err
		}
	}
	d.Tags, err = tidyTags(d.Tags)
	return err
}

// Passages stores passages of the document that came last.
func (im *importer) Passages(list []archive.Passage) error {
	var out []store.ExportedPassage
	var chunks []core.Chunk
	var vectors [][]byte
	for _, p := range list {
		e, err := im.passage(p)
		if err != nil {
			return err
		}
		out = append(out, e)
		if p.Type.Indexed() {
			chunks, vectors = append(chunks, e.Chunk), append(vectors, e.Vector)
		}
	}
	if im.in.DryRun {
		return nil
	}
	entries, model, err := im.entries(chunks, vectors)
	if err != nil {
		return err
	}
	return im.s.db.ImportPassages(im.ctx, im.doc, out, model, entries)
}

func (im *importer) passage(p archive.Passage) (e store.ExportedPassage, err error) {
	known := []core.ChunkType{core.ChunkText, core.ChunkParentText, core.ChunkTableRow, core.ChunkTableSummary, core.ChunkTableColumn,
		core.ChunkImageOCR, core.ChunkImageCaption, core.ChunkSummary, core.ChunkFAQ, core.ChunkFAQQuestion}
	if !slices.Contains(known, p.Type) || p.Index < 0 || p.Live && !p.Type.Indexed() || (p.FAQ != nil) != (p.Type == core.ChunkFAQ) {
		return e, wrongFile("a passage of %q is of no kind that can be", im.doc.Name)
	}
	if p.FAQ != nil {
		if err := tidyFAQ(&core.FAQ{FAQEntry: *p.FAQ}); err != nil {
			return e, err
		}
	}
	if _, err := index.SplitVector(p.Vector); err != nil {
		return e, wrongFile("a vector of %q is damaged", im.doc.Name)
	}
	e = store.ExportedPassage{Chunk: p.Chunk, Live: p.Live, Vector: p.Vector}
	e.BaseID, e.DocumentID = im.base.ID, im.doc.ID
	if e.ID, err = im.id(p.ID); err != nil {
		return e, err
	}
	if e.ParentID, err = im.id(p.ParentID); err != nil {
		return e, err
	}
	if p.Revision != nil {
		e.UserID, e.RevisedAt = p.Revision.UserID, p.Revision.CreatedAt
		e.RootID, err = im.id(p.Revision.RootID)
	}
	return e, err
}

// entries makes what the index keeps: terms by our reading, vectors from the
// file where they are of our model. One that is missing there is made.
func (im *importer) entries(chunks []core.Chunk, vectors [][]byte) ([]store.Indexing, string, error) {
	glossary, segmentation, err := im.s.indexer.glossary(im.ctx, im.base.ID)
	if err != nil {
		return nil, "", err
	}
	entries := make([]store.Indexing, len(chunks))
	for i, c := range chunks {
		entries[i] = store.Indexing{ChunkID: c.ID, Terms: Terms(glossary, im.doc.Title, c), Segmentation: segmentation}
		if !im.keep {
			continue
		}
		if entries[i].Vector = vectors[i]; vectors[i] == nil {
			made, err := im.s.indexer.Vectors(im.ctx, []string{im.doc.Title}, []core.Chunk{c})
			if err != nil {
				return nil, "", err
			}
			entries[i].Vector = made[0].Vector
		}
	}
	return entries, im.model, nil
}
