package native

import (
	"context"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"kaoju/internal/core"
)

// UploadInput is an upload whose files are read as they arrive, so that they
// are never in memory at once.
type UploadInput struct {
	ByID
	form upload
}

// upload is the request behind an UploadInput.
type upload struct {
	r *http.Request
	w http.ResponseWriter
}

// Resolve keeps the request, so that its body can be read as a stream.
func (in *UploadInput) Resolve(ctx huma.Context) []error {
	in.form.r, in.form.w = humago.Unwrap(ctx)
	return nil
}

// UploadResult is what became of one file.
type UploadResult struct {
	Name     string         `json:"name"`
	Added    bool           `json:"added" doc:"false: the same content was there, or the file failed"`
	Document *core.Document `json:"document,omitempty"`
	Code     core.Code      `json:"code,omitempty" doc:"why the file failed"`
	Error    string         `json:"error,omitempty"`
}

// UploadReport is what became of an upload, file by file, in order.
type UploadReport struct {
	Results   []UploadResult `json:"results"`
	Added     int            `json:"added"`
	Unchanged int            `json:"unchanged"`
	Failed    int            `json:"failed"`
}

// fewFiles is how many files of an upload are worked on like single ones; those
// behind them let others go first.
const fewFiles = 4

// maxField is the longest form field beside the files, in bytes.
const maxField = 4096

// Upload adds files to a base. A file that fails does not hold up the rest.
func (h *Handlers) Upload(ctx context.Context, in *UploadInput) (*Reply[UploadReport], error) {
	b, err := h.Library.Base(ctx, scopeOf(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	form, err := in.form.r.MultipartReader()
	if err != nil {
		return nil, core.Wrap(err, core.CodeInvalid, "send the files as multipart/form-data, each in a part named file")
	}
	// Large files take longer than a request otherwise may.
	_ = http.NewResponseController(in.form.w).SetReadDeadline(time.Time{})
	report, err := h.uploadParts(ctx, form, AddRequest{Base: b.ID, Source: "upload"})
	if err != nil {
		return nil, err
	}
	if len(report.Results) == 0 {
		return nil, core.Errorf(core.CodeInvalid, "the upload has no file; send each in a part named file")
	}
	return reply(report, nil)
}

// uploadParts reads a form: fields hold for the files that come after them.
func (h *Handlers) uploadParts(ctx context.Context, form *multipart.Reader, req AddRequest) (UploadReport, error) {
	var report UploadReport
	for {
		part, err := form.NextPart()
		if err == io.EOF { //nolint:errorlint // one that is wrapped is a form that broke off
			return report, nil
		}
		if err != nil {
			return report, core.Wrap(err, core.CodeInvalid, "the upload broke off after %d files", len(report.Results))
		}
		switch name := part.FormName(); name {
		case "file", "files":
			req.Name, req.Data = part.FileName(), part
			req.Bulk = req.Bulk || len(report.Results) >= fewFiles
			report.count(h.add(ctx, req))
		case "folder_id":
			req.FolderID, err = field(part)
		case "source":
			req.Source, err = field(part)
		case "bulk":
			var bulk string
			bulk, err = field(part)
			req.Bulk = bulk == "true"
		default:
			err = core.Errorf(core.CodeInvalid, "the form has a part named %q; file, folder_id, source and bulk are known", name)
		}
		if err != nil {
			return report, err
		}
	}
}

func (r *UploadReport) count(res UploadResult) {
	r.Results = append(r.Results, res)
	switch {
	case res.Code != "":
		r.Failed++
	case res.Added:
		r.Added++
	default:
		r.Unchanged++
	}
}

// add adds one file and turns its error into its result.
func (h *Handlers) add(ctx context.Context, req AddRequest) UploadResult {
	d, added, err := core.Document{}, false, checkName("file", req.Name)
	if err == nil {
		d, added, err = h.Documents.AddDocument(ctx, scopeOf(ctx), req)
	}
	if err != nil {
		return UploadResult{Name: req.Name, Code: core.CodeOf(err), Error: core.PublicMessage(err)}
	}
	return UploadResult{Name: req.Name, Added: added, Document: &d}
}

func field(part *multipart.Part) (string, error) {
	b, err := io.ReadAll(io.LimitReader(part, maxField+1))
	if err != nil {
		return "", core.Wrap(err, core.CodeInvalid, "the field %s could not be read", part.FormName())
	}
	if len(b) > maxField {
		return "", core.Errorf(core.CodeTooLarge, "the field %s is longer than %d bytes", part.FormName(), maxField)
	}
	return string(b), nil
}

// TextInput adds a document that is given as text.
type TextInput struct {
	ByID
	Body struct {
		Name     string `json:"name" doc:"as a file name: its ending says the format, like .md"`
		Content  string `json:"content"`
		FolderID string `json:"folder_id,omitempty"`
	}
}

// AddText adds a document that is given as text.
func (h *Handlers) AddText(ctx context.Context, in *TextInput) (*Reply[UploadResult], error) {
	b, err := h.Library.Base(ctx, scopeOf(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	if err := checkName("document", in.Body.Name); err != nil {
		return nil, err
	}
	d, added, err := h.Documents.AddDocument(ctx, scopeOf(ctx), AddRequest{
		Base: b.ID, FolderID: in.Body.FolderID, Name: in.Body.Name, Source: "text",
		Data: strings.NewReader(in.Body.Content),
	})
	return reply(UploadResult{Name: in.Body.Name, Added: added, Document: &d}, err)
}
