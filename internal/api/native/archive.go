package native

import (
	"context"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"kaoju/internal/core"
	"kaoju/internal/knowledge"
)

// BaseFiles takes whole knowledge bases in and out as files.
type BaseFiles interface {
	ExportBase(ctx context.Context, scope core.Scope, base string, out io.Writer) error
	ImportBase(ctx context.Context, scope core.Scope, in knowledge.BaseImport) (knowledge.BaseReport, error)
}

// ExportBase streams a base as a file. What goes wrong once it has begun
// breaks the connection, so that nobody takes the part for the whole.
func (h *Handlers) ExportBase(ctx context.Context, in *ByID) (*huma.StreamResponse, error) {
	scope := scopeOf(ctx)
	b, err := h.Library.Base(ctx, scope, in.ID)
	if err != nil {
		return nil, err
	}
	if b.Kind == core.BaseWiki {
		return nil, h.BaseFiles.ExportBase(ctx, scope, b.ID, io.Discard) // says what to do instead
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		_, w := humago.Unwrap(hc)
		_ = http.NewResponseController(w).SetWriteDeadline(time.Time{})
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Header().Set("Content-Disposition", attachment(b.Name+".kaoju.tar.gz"))
		w.WriteHeader(http.StatusOK)
		if h.BaseFiles.ExportBase(ctx, scope, b.ID, w) != nil {
			panic(http.ErrAbortHandler)
		}
	}}, nil
}

// ImportBaseInput is a file of a base: in a form, as its part named file, or
// as the body itself.
type ImportBaseInput struct {
	Name   string `query:"name" maxLength:"255" doc:"of the new base; empty means that of the file, with a number where it is taken"`
	DryRun bool   `query:"dry_run" doc:"check the whole file and store nothing"`
	form   upload
}

// Resolve keeps the request, whose body is read as a stream.
func (in *ImportBaseInput) Resolve(ctx huma.Context) []error {
	in.form.r, in.form.w = humago.Unwrap(ctx)
	return nil
}

// ImportBase makes a new base of a file of ExportBase.
func (h *Handlers) ImportBase(ctx context.Context, in *ImportBaseInput) (*Reply[knowledge.BaseReport], error) {
	_ = http.NewResponseController(in.form.w).SetReadDeadline(time.Time{}) // a large file takes longer than a request otherwise may
	_ = http.NewResponseController(in.form.w).SetWriteDeadline(time.Time{})
	body, err := in.form.stream()
	if err != nil {
		return nil, err
	}
	return reply(h.BaseFiles.ImportBase(ctx, scopeOf(ctx), knowledge.BaseImport{Content: body, Name: in.Name, DryRun: in.DryRun}))
}

// stream gives the one file of a request, unread.
func (u upload) stream() (io.Reader, error) {
	if !strings.HasPrefix(u.r.Header.Get("Content-Type"), "multipart/") {
		return u.r.Body, nil
	}
	form, err := u.r.MultipartReader()
	for err == nil {
		var part *multipart.Part
		if part, err = form.NextPart(); err == nil && part.FormName() == "file" {
			return part, nil
		}
	}
	if errors.Is(err, io.EOF) {
		return nil, core.Errorf(core.CodeInvalid, "the form has no part named file")
	}
	return nil, core.Wrap(err, core.CodeInvalid, "the form cannot be read")
}
