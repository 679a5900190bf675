package native

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"kaoju/internal/core"
	"kaoju/internal/knowledge"
)

// FAQFiles takes FAQ entries in and out as files.
type FAQFiles interface {
	ImportFAQ(ctx context.Context, scope core.Scope, base string, in knowledge.FAQImport) (knowledge.FAQReport, error)
	ExportFAQ(ctx context.Context, scope core.Scope, base, format string, w io.Writer) error
}

// maxFAQFile is the largest file of entries, in bytes.
const maxFAQFile = 64 << 20

// ImportFAQInput is a file of entries: in a form, as its part named file, or
// as the body itself.
type ImportFAQInput struct {
	ByID
	Mode   string `query:"mode" enum:"append,replace" default:"append"`
	DryRun bool   `query:"dry_run" doc:"say what would happen, and do nothing"`
	form   upload
}

// Resolve keeps the request, whose body huma need not know.
func (in *ImportFAQInput) Resolve(ctx huma.Context) []error {
	in.form.r, in.form.w = humago.Unwrap(ctx)
	return nil
}

// ImportFAQ takes the entries of a file into an FAQ base.
func (h *Handlers) ImportFAQ(ctx context.Context, in *ImportFAQInput) (*Reply[knowledge.FAQReport], error) {
	b, err := h.Library.Base(ctx, scopeOf(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	_ = http.NewResponseController(in.form.w).SetReadDeadline(time.Time{}) // a large file takes longer than a request otherwise may
	name, data, err := in.form.file(maxFAQFile)
	if err != nil {
		return nil, err
	}
	return reply(h.FAQFiles.ImportFAQ(ctx, scopeOf(ctx), b.ID, knowledge.FAQImport{
		Name: name, Data: data, Mode: knowledge.ImportMode(in.Mode), DryRun: in.DryRun,
	}))
}

// file reads the one file of a request.
func (u upload) file(limit int64) (name string, data []byte, err error) {
	var body io.Reader = u.r.Body
	if strings.HasPrefix(u.r.Header.Get("Content-Type"), "multipart/") {
		form, err := u.r.MultipartReader()
		if err != nil {
			return "", nil, core.Wrap(err, core.CodeInvalid, "the form cannot be read")
		}
		for body = nil; body == nil; {
			part, err := form.NextPart()
			if errors.Is(err, io.EOF) {
				return "", nil, core.Errorf(core.CodeInvalid, "the form has no part named file")
			}
			if err != nil {
				return "", nil, core.Wrap(err, core.CodeInvalid, "the upload broke off")
			}
			if part.FormName() == "file" {
				name, body = part.FileName(), part
			}
		}
	}
	data, err = io.ReadAll(io.LimitReader(body, limit+1))
	if err != nil {
		return "", nil, core.Wrap(err, core.CodeInvalid, "the upload broke off")
	}
	if int64(len(data)) > limit {
		return "", nil, core.Errorf(core.CodeTooLarge, "the file is larger than the limit of %d MiB", limit>>20)
	}
	return name, data, nil
}

// ExportFAQInput names a base and a format.
type ExportFAQInput struct {
	ByID
	Format string `query:"format" enum:"csv,xlsx,json" default:"csv"`
}

// ExportFAQ sends all entries of a base as a file that ImportFAQ takes.
func (h *Handlers) ExportFAQ(ctx context.Context, in *ExportFAQInput) (*huma.StreamResponse, error) {
	b, err := h.Library.Base(ctx, scopeOf(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	var file bytes.Buffer
	if err := h.FAQFiles.ExportFAQ(ctx, scopeOf(ctx), b.ID, in.Format, &file); err != nil {
		return nil, err
	}
	return sendFile(b.Name+"-faq."+in.Format, file.Bytes()), nil
}

// TemplateFAQInput names a format.
type TemplateFAQInput struct {
	Format string `query:"format" enum:"csv,xlsx,json" default:"csv"`
}

// TemplateFAQ sends a file of entries to fill in.
func (h *Handlers) TemplateFAQ(_ context.Context, in *TemplateFAQInput) (*huma.StreamResponse, error) {
	var file bytes.Buffer
	if err := knowledge.FAQTemplate(in.Format, &file); err != nil {
		return nil, err
	}
	return sendFile("faq-template."+in.Format, file.Bytes()), nil
}
