package native

import (
	"context"

	"kaoju/internal/core"
	"kaoju/internal/knowledge"
)

// Desk changes documents that are there.
type Desk interface {
	ChangeDocument(ctx context.Context, scope core.Scope, id string, c knowledge.DocumentChange) (core.Document, error)
	Copy(ctx context.Context, scope core.Scope, id, base, folderID string) (core.Document, error)
	Retry(ctx context.Context, scope core.Scope, id string) (core.Document, error)
	Stop(ctx context.Context, scope core.Scope, id string) error
}

// Anew reads and cuts documents again.
type Anew interface {
	Reparse(ctx context.Context, scope core.Scope, id string, discardEdits bool) (core.Document, error)
	Rechunk(ctx context.Context, scope core.Scope, id string, discardEdits bool) (core.Document, error)
	RechunkBase(ctx context.Context, scope core.Scope, base string, discardEdits bool) (knowledge.Rechunked, error)
}

// Names find documents of all bases.
type Names interface {
	// SearchDocuments gives the newest whose names hold every word.
	SearchDocuments(ctx context.Context, scope core.Scope, query string, limit int) ([]core.Document, error)
}

// Shelves order the documents of a base.
type Shelves interface {
	FilteredDocuments(ctx context.Context, scope core.Scope, base string, p knowledge.DocumentPage) ([]core.Document, int, error)
	TaggedDocument(ctx context.Context, scope core.Scope, id string) (core.Document, error)
	Tags(ctx context.Context, scope core.Scope, base string) ([]core.Tag, error)
	SetEnabled(ctx context.Context, scope core.Scope, base string, ids []string, enabled bool) error
	DeleteMany(ctx context.Context, scope core.Scope, base string, ids []string) error
}

// Folders are the places inside of a base.
type Folders interface {
	Folders(ctx context.Context, scope core.Scope, base string) ([]core.Folder, error)
	CreateFolder(ctx context.Context, scope core.Scope, base, parentID, name string) (core.Folder, error)
	ChangeFolder(ctx context.Context, scope core.Scope, base, id string, c knowledge.FolderChange) (core.Folder, error)
	DeleteFolder(ctx context.Context, scope core.Scope, base, id string) error
	// FoldersBelow gives folders with all below them; unknown ones stay.
	FoldersBelow(ctx context.Context, ids []string) ([]string, error)
}

// ChangeDocumentInput changes a document; fields left out stay.
type ChangeDocumentInput struct {
	ByID
	Body struct {
		Name     *string   `json:"name,omitempty"`
		Title    *string   `json:"title,omitempty"`
		FolderID *string   `json:"folder_id,omitempty" doc:"empty means the top"`
		Tags     *[]string `json:"tags,omitempty" doc:"names; those the base does not know are made"`
	}
}

// ChangeDocument renames, moves and tags a document.
func (h *Handlers) ChangeDocument(ctx context.Context, in *ChangeDocumentInput) (*Reply[core.Document], error) {
	return reply(h.Desk.ChangeDocument(ctx, scopeOf(ctx), in.ID, knowledge.DocumentChange(in.Body)))
}

// CopyDocumentInput says where a copy goes.
type CopyDocumentInput struct {
	ByID
	Body struct {
		Base     string `json:"knowledge_base_id" minLength:"1"`
		FolderID string `json:"folder_id,omitempty"`
	}
}

// CopyDocument adds a document to another base.
func (h *Handlers) CopyDocument(ctx context.Context, in *CopyDocumentInput) (*Reply[core.Document], error) {
	return reply(h.Desk.Copy(ctx, scopeOf(ctx), in.ID, in.Body.Base, in.Body.FolderID))
}

// AgainInput names what is read or cut again.
type AgainInput struct {
	ByID
	DiscardEdits bool `query:"discard_edits" doc:"take back what was changed by hand"`
}

// ReparseDocument reads a document's original again.
func (h *Handlers) ReparseDocument(ctx context.Context, in *AgainInput) (*Reply[core.Document], error) {
	return reply(h.Anew.Reparse(ctx, scopeOf(ctx), in.ID, in.DiscardEdits))
}

// RechunkDocument cuts a document anew, by the settings of its base.
func (h *Handlers) RechunkDocument(ctx context.Context, in *AgainInput) (*Reply[core.Document], error) {
	return reply(h.Anew.Rechunk(ctx, scopeOf(ctx), in.ID, in.DiscardEdits))
}

// RechunkBase cuts all documents of a base anew.
func (h *Handlers) RechunkBase(ctx context.Context, in *AgainInput) (*Reply[knowledge.Rechunked], error) {
	return reply(h.Anew.RechunkBase(ctx, scopeOf(ctx), in.ID, in.DiscardEdits))
}

// RetryDocument queues a document that failed again.
func (h *Handlers) RetryDocument(ctx context.Context, in *ByID) (*Reply[core.Document], error) {
	return reply(h.Desk.Retry(ctx, scopeOf(ctx), in.ID))
}

// StopDocument ends the work on a document.
func (h *Handlers) StopDocument(ctx context.Context, in *ByID) (*Empty, error) {
	return &Empty{}, h.Desk.Stop(ctx, scopeOf(ctx), in.ID)
}

// BatchInput does the same to many documents of a base.
type BatchInput struct {
	ByID
	Body struct {
		Action   string    `json:"action" enum:"delete,enable,disable,move,tag,reparse,rechunk"`
		IDs      []string  `json:"ids" minItems:"1" maxItems:"1000"`
		FolderID *string   `json:"folder_id,omitempty" doc:"of move"`
		Tags     *[]string `json:"tags,omitempty" doc:"of tag; they take the place of those there are"`
		Discard  bool      `json:"discard_edits,omitempty" doc:"of reparse and rechunk: take back what was changed by hand"`
	}
}

// BatchDocuments does the same to many documents of a base. Deleting, enabling
// and disabling are for all or none.
func (h *Handlers) BatchDocuments(ctx context.Context, in *BatchInput) (*Empty, error) {
	scope := scopeOf(ctx)
	b, err := h.Library.Base(ctx, scope, in.ID)
	if err != nil {
		return nil, err
	}
	switch in.Body.Action {
	case "delete":
		return &Empty{}, h.Shelves.DeleteMany(ctx, scope, b.ID, in.Body.IDs)
	case "enable", "disable":
		return &Empty{}, h.Shelves.SetEnabled(ctx, scope, b.ID, in.Body.IDs, in.Body.Action == "enable")
	}
	for _, id := range in.Body.IDs {
		if _, err := h.documentIn(ctx, &InBase{ByID: ByID{b.ID}, DocumentID: id}); err != nil {
			return nil, err
		}
	}
	for _, id := range in.Body.IDs {
		if err := h.batchOne(ctx, in, id); err != nil {
			return nil, err
		}
	}
	return &Empty{}, nil
}

func (h *Handlers) batchOne(ctx context.Context, in *BatchInput, id string) error {
	change := knowledge.DocumentChange{}
	switch {
	case in.Body.Action == "reparse":
		_, err := h.Anew.Reparse(ctx, scopeOf(ctx), id, in.Body.Discard)
		return err
	case in.Body.Action == "rechunk":
		_, err := h.Anew.Rechunk(ctx, scopeOf(ctx), id, in.Body.Discard)
		return err
	case in.Body.Action == "move" && in.Body.FolderID != nil:
		change.FolderID = in.Body.FolderID
	case in.Body.Action == "tag" && in.Body.Tags != nil:
		change.Tags = in.Body.Tags
	default:
		return core.Errorf(core.CodeInvalid, "move needs folder_id, tag needs tags")
	}
	_, err := h.Desk.ChangeDocument(ctx, scopeOf(ctx), id, change)
	return err
}

// ListTags gives the tags of a base that are in use.
func (h *Handlers) ListTags(ctx context.Context, in *ByID) (*Reply[List[core.Tag]], error) {
	tags, err := h.Shelves.Tags(ctx, scopeOf(ctx), in.ID)
	return list(tags, len(tags), err)
}

// ListFolders gives the folders of a base, by name.
func (h *Handlers) ListFolders(ctx context.Context, in *ByID) (*Reply[List[core.Folder]], error) {
	folders, err := h.Folders.Folders(ctx, scopeOf(ctx), in.ID)
	return list(folders, len(folders), err)
}

// CreateFolderInput makes a folder.
type CreateFolderInput struct {
	ByID
	Body struct {
		Name     string `json:"name"`
		ParentID string `json:"parent_id,omitempty"`
	}
}

// CreateFolder makes a folder in a base.
func (h *Handlers) CreateFolder(ctx context.Context, in *CreateFolderInput) (*Reply[core.Folder], error) {
	return reply(h.Folders.CreateFolder(ctx, scopeOf(ctx), in.ID, in.Body.ParentID, in.Body.Name))
}

// FolderInBase names a folder of a base.
type FolderInBase struct {
	ByID
	FolderID string `path:"folder_id"`
}

// ChangeFolderInput renames or moves a folder; fields left out stay.
type ChangeFolderInput struct {
	FolderInBase
	Body struct {
		Name     *string `json:"name,omitempty"`
		ParentID *string `json:"parent_id,omitempty" doc:"empty means the top"`
	}
}

// ChangeFolder renames or moves a folder.
func (h *Handlers) ChangeFolder(ctx context.Context, in *ChangeFolderInput) (*Reply[core.Folder], error) {
	return reply(h.Folders.ChangeFolder(ctx, scopeOf(ctx), in.ID, in.FolderID, knowledge.FolderChange(in.Body)))
}

// DeleteFolder removes a folder that holds nothing.
func (h *Handlers) DeleteFolder(ctx context.Context, in *FolderInBase) (*Empty, error) {
	return &Empty{}, h.Folders.DeleteFolder(ctx, scopeOf(ctx), in.ID, in.FolderID)
}
