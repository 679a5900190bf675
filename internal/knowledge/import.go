package knowledge

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
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
