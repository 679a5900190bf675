package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"path/filepath"

	"kaoju/internal/core"
)

// Result is what became of one uploaded file.
type Result struct {
	Name     string         `json:"name"`
	Added    bool           `json:"added"` // false: the same content was there
	Document *core.Document `json:"document,omitempty"`
	Code     core.Code      `json:"code,omitempty"`
	Error    string         `json:"error,omitempty"`
}

// Upload sends one file to a knowledge base. The file is streamed, never held
// in memory. A file that the server refuses is a Result with a code, and no
// error. Bulk says that it is one of many, which let others go first.
func (c *Client) Upload(ctx context.Context, baseID, path string, bulk bool) (Result, error) {
	f, err := os.Open(path)
	if err != nil {
		return Result{Name: path, Code: core.CodeInvalid, Error: fmt.Sprintf("it cannot be opened: %s", pathCause(err))}, nil
	}
	defer f.Close()
	read, write := io.Pipe()
	form := multipart.NewWriter(write)
	done := make(chan struct{})
	go func() {
		defer close(done)
		write.CloseWithError(writeForm(form, f, path, bulk))
	}()
	defer func() {
		read.Close()
		<-done
	}()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+"/api/v1/knowledge-bases/"+url.PathEscape(baseID)+"/documents", read)
	if err != nil {
		return Result{}, fmt.Errorf("make an upload: %w", err)
	}
	req.Header.Set("Content-Type", form.FormDataContentType())
	return c.upload(req, path)
}

// Fetch has the server fetch an address for a knowledge base. One that it
// refuses, or that does not answer, is a Result with a code, and no error.
func (c *Client) Fetch(ctx context.Context, baseID, address string) (Result, error) {
	var r Result
	err := c.call(ctx, http.MethodPost, "/api/v1/knowledge-bases/"+url.PathEscape(baseID)+"/documents/url", map[string]string{"url": address}, &r)
	var refused *core.Error
	if errors.As(err, &refused) && ctx.Err() == nil && refused.Code != core.CodeUnauthorized {
		return Result{Name: address, Code: refused.Code, Error: refused.Message}, nil
	}
	return r, err
}

func (c *Client) upload(req *http.Request, path string) (Result, error) {
	resp, err := c.send(req)
	if err != nil {
		return Result{}, err
	}
	defer resp.Body.Close()
	var reply struct {
		Results []Result `json:"results"`
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxReply)).Decode(&reply); err != nil {
		return Result{}, fmt.Errorf("read the reply to the upload of %s: %w", path, err)
	}
	if len(reply.Results) != 1 {
		return Result{}, core.Errorf(core.CodeInternal, "the server answered the upload of %s with %d results", path, len(reply.Results))
	}
	reply.Results[0].Name = path
	return reply.Results[0], nil
}

// writeForm writes a form of one file; where it came from stands before it.
func writeForm(form *multipart.Writer, f io.Reader, path string, bulk bool) error {
	source, err := filepath.Abs(path)
	if err != nil {
		source = path
	}
	if err := form.WriteField("source", source); err != nil {
		return err
	}
	if bulk {
		if err := form.WriteField("bulk", "true"); err != nil {
			return err
		}
	}
	part, err := form.CreateFormFile("file", filepath.Base(path))
	if err != nil {
		return err
	}
	if _, err := io.Copy(part, f); err != nil {
		return err
	}
	return form.Close()
}

func pathCause(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// Progress counts documents by state.
type Progress struct {
	Queued     int `json:"queued"`
	Processing int `json:"processing"`
	Ready      int `json:"ready"`
	Failed     int `json:"failed"`
}

// Running is how many documents are not done.
func (p Progress) Running() int { return p.Queued + p.Processing }

// Follow gives the progress of a base to on, at once and after every change,
// until nothing is running any more.
func (c *Client) Follow(ctx context.Context, baseID string, on func(Progress)) error {
	resp, err := c.stream(ctx, http.MethodGet, "/api/v1/ingest/progress/stream?knowledge_base_id="+url.QueryEscape(baseID), nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	err = readEvents(resp.Body, func(e sse) error {
		var p Progress
		if err := json.Unmarshal([]byte(e.data), &p); err != nil {
			return fmt.Errorf("read the progress: %w", err)
		}
		on(p)
		if p.Running() == 0 {
			return errDone
		}
		return nil
	})
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return c.broken(ctx, baseID)
	}
	return err
}

// broken says why the progress of a base is told no more: the server has the
// reason, a full disk for one, or is gone itself.
func (c *Client) broken(ctx context.Context, baseID string) error {
	err := c.call(ctx, http.MethodGet, "/api/v1/ingest/progress?knowledge_base_id="+url.QueryEscape(baseID), nil, nil)
	if err == nil {
		err = core.Errorf(core.CodeUnavailable, "the progress broke off; run the command again")
	}
	return err
}

// Document gives a document.
func (c *Client) Document(ctx context.Context, id string) (core.Document, error) {
	var d core.Document
	err := c.call(ctx, http.MethodGet, "/api/v1/documents/"+url.PathEscape(id), nil, &d)
	return d, err
}
