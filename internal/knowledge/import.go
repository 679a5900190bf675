package knowledge

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/google/uuid"

	"kaoju/internal/core"
	"kaoju/internal/index"
	"kaoju/internal/knowledge/archive"
	"kaoju/internal/store"
)

// BaseImport is a file of ExportBase to import.
type BaseImport struct {
	Content io.Reader // read once, to its end
	Name    string    // of the new base; empty means that of the file, with a number where it is taken
	DryRun  bool      // check the whole file and store nothing
}

// BaseReport is what an import made, or would make.
type BaseReport struct {
	Base   core.KnowledgeBase `json:"knowledge_base"`
	DryRun bool               `json:"dry_run"`
	archive.Counts
	// Embedding is "kept", or "anew" where the vectors are of another model and
	// are made again in the background; the base is found by keywords meanwhile.
	Embedding string   `json:"embedding"`
	Notes     []string `json:"notes,omitempty"`
}

// ImportBase makes a new base of a file of ExportBase, with new ids for all
// that is in it: it may stand beside the one that it came from. Nobody sees
// anything of it before all was read, checked and stored; where something is
// wrong, nothing stays. Memory does not grow with the file.
func (s *Service) ImportBase(ctx context.Context, scope core.Scope, in BaseImport) (BaseReport, error) {
	im := &importer{ctx: ctx, s: s, scope: scope, in: in, folders: map[string]string{}}
	if _, err := rand.Read(im.seed[:]); err != nil {
		return BaseReport{}, fmt.Errorf("make new ids: %w", err)
	}
	counts, err := archive.Read(in.Content, s.limit, im)
	if err == nil {
		err = ctx.Err()
	}
	if err == nil && !in.DryRun {
		err = im.finish()
	}
	im.blob.Discard()
	if err != nil {
		if im.begun {
			err = im.abort(err)
		}
		return BaseReport{}, err
	}
	r := BaseReport{Base: im.base, DryRun: in.DryRun, Counts: counts, Embedding: "kept", Notes: im.notes}
	if !im.keep {
		r.Embedding = "anew"
	}
	return r, nil
}

// importer takes a file in. It is an archive.Sink.
type importer struct {
	ctx   context.Context //nolint:containedctx // a sink belongs to one call
	s     *Service
	scope core.Scope
	in    BaseImport
	seed  [16]byte

	base    core.KnowledgeBase
	model   string // of the vectors in the file
	keep    bool   // they are of our model
	size    int    // of each
	begun   bool
	folders map[string]string // new ids by old
	doc     core.Document     // whose passages come
	blob    store.Blob        // the original of the next document
	notes   []string
}

func wrongFile(format string, args ...any) error {
	return core.Errorf(core.CodeCorrupt, "the file of the knowledge base cannot be taken: %s", fmt.Sprintf(format, args...))
}

// id gives the new id of an old one. It begins like the old one, so that ids
// keep their order, and with it equal scores theirs.
func (im *importer) id(old string) (string, error) {
	if old == "" {
		return "", nil
	}
	u, err := uuid.Parse(old)
	if err != nil || len(old) != 36 {
		return "", wrongFile("%q is no id", old)
	}
	sum := sha256.Sum256(append(slices.Clone(im.seed[:]), u[:]...))
	copy(u[8:], sum[:8])
	u[8] = u[8]&0x3f | 0x80
	return u.String(), nil
}

// Begin makes the base.
func (im *importer) Begin(m archive.Manifest) error {
	b := m.Base
	name, err := cleanName("knowledge base", or(im.in.Name, b.Name))
	if err != nil {
		return err
	}
	switch {
	case b.Kind != core.BaseDocument && b.Kind != core.BaseFAQ:
		return wrongFile("it holds a base of kind %q", b.Kind)
	case b.Visibility != core.VisibilityPublic && b.Visibility != core.VisibilityInternal && b.Visibility != core.VisibilityPrivate:
		return wrongFile("it holds a base with the visibility %q", b.Visibility)
	}
	if b.Chunking != nil {
		if err := checkChunking(*b.Chunking); err != nil {
			return err
		}
	}
	im.base = core.KnowledgeBase{
		ID: core.NewID(), TenantID: im.scope.TenantID, DatasetID: or(b.DatasetID, core.DefaultDatasetID), Name: name,
		Description: cleanText(b.Description), Kind: b.Kind, Visibility: b.Visibility, Roles: b.Roles, Chunking: b.Chunking,
	}
	if !im.scope.Sees(im.base) {
		return core.Errorf(core.CodeForbidden, "you would not see the knowledge base that you import")
	}
	if im.base.Name, err = im.freeName(name); err != nil {
		return err
	}
	if err := im.space(m); err != nil {
		return err
	}
	if m.LeftOut > 0 {
		im.notes = append(im.notes, fmt.Sprintf("%d documents were not ready when the file was written, and are not in it", m.LeftOut))
	}
	if im.in.DryRun {
		return nil
	}
	im.begun = true
	return im.s.db.BeginImport(im.ctx, im.base)
}

// space decides about the vectors.
func (im *importer) space(m archive.Manifest) error {
	ours := im.s.indexer.Model()
	im.model, im.size = m.Model, m.VectorBytes
	im.keep = ours == "" || ours == m.Model
	if im.keep && ours != "" && m.VectorBytes > 0 && m.VectorBytes != len(index.EncodeVector(make([]float32, im.s.indexer.Embedder.Dim()))) {
		return wrongFile("its vectors are called those of %s, and have another length", ours)
	}
	if !im.keep {
		im.notes = append(im.notes, fmt.Sprintf("the vectors are of the model %q and this server has %q: they are made anew in the background, "+
			"and the base is searched by keywords until then", m.Model, ours))
	}
	return nil
}

// freeName gives a name that the tenant does not use yet. One that was asked
// for is taken or refused as it is.
func (im *importer) freeName(name string) (string, error) {
	for n := 1; ; n++ {
		try := name
		if n > 1 {
			try = fmt.Sprintf("%s (%d)", name, n)
		}
		_, err := im.s.db.Base(im.ctx, im.scope, try)
		switch {
		case core.CodeOf(err) == core.CodeNotFound:
			return try, nil
		case err != nil:
			return "", err
		case im.in.Name != "" || n > 1000:
			return "", core.Errorf(core.CodeConflict, "there is already a knowledge base named %q", try)
		}
	}
}

// Place stores folders and words.
func (im *importer) Place(folders []core.Folder, words []core.GlossaryEntry) error {
	if len(words) > 0 {
		if err := index.CheckGlossary(words); err != nil {
			return err
		}
		after := index.NewGlossary(words)
		if im.in.DryRun {
			return nil
		}
		return im.s.db.SetGlossary(im.ctx, im.base.ID, words, func(before []core.GlossaryEntry) bool {
			return !index.NewGlossary(before).CutsAs(after)
		})
	}
	list, err := im.places(folders)
	if err != nil || im.in.DryRun {
		return err
	}
	return im.s.db.ImportFolders(im.ctx, list)
}

// places gives folders their new ids; each must lead to the top.
func (im *importer) places(folders []core.Folder) ([]core.Folder, error) {
	parents := map[string]string{}
	for _, f := range folders {
		parents[f.ID] = f.ParentID
	}
	list := make([]core.Folder, len(folders))
	safe := map[string]bool{"": true}
	for i, f := range folders {
		var way []string
		for at := f.ID; !safe[at]; at = parents[at] {
			if _, known := parents[at]; !known || len(way) > len(folders) {
				return nil, wrongFile("the folder %q stands nowhere", f.Name)
			}
			way = append(way, at)
		}
		for _, at := range way {
			safe[at] = true
		}
		name, err := cleanName("folder", f.Name)
		if err != nil {
			return nil, err
		}
		id, err := im.id(f.ID)
		if err != nil {
			return nil, err
		}
		parent, err := im.id(f.ParentID)
		if err != nil {
			return nil, err
		}
		im.folders[f.ID] = id
		list[i] = core.Folder{ID: id, BaseID: im.base.ID, ParentID: parent, Name: name}
	}
	return list, nil
}

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

// finish shows the base and lets the engine read it.
func (im *importer) finish() error {
	model := ""
	if !im.keep {
		model = or(im.model, "none")
	}
	if err := im.s.db.FinishImport(im.ctx, im.base, model); err != nil {
		return err
	}
	im.begun = false
	b, err := im.s.db.Base(im.ctx, im.scope, im.base.ID)
	if err != nil {
		return err
	}
	im.base = b
	_ = im.s.index.Refresh(context.WithoutCancel(im.ctx), b.ID) // saves the next search the wait
	if !im.keep {
		im.s.work.Reembed()
	}
	return nil
}

// abort takes back what was stored, whoever asked and left.
func (im *importer) abort(why error) error {
	if err := im.s.db.AbortImport(context.WithoutCancel(im.ctx), im.base.ID); err != nil {
		return fmt.Errorf("%w; what was stored so far goes at the next start: %w", why, err)
	}
	return why
}
