package client

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"kaoju/internal/core"
)

// BaseReport is what an import of a base made, or would make.
type BaseReport struct {
	Base      core.KnowledgeBase `json:"knowledge_base"`
	DryRun    bool               `json:"dry_run"`
	Folders   int                `json:"folders"`
	Glossary  int                `json:"glossary_entries"`
	Documents int                `json:"documents"`
	Passages  int                `json:"passages"`
	Vectors   int                `json:"vectors"`
	Originals int                `json:"originals"`
	Embedding string             `json:"embedding"`
	Notes     []string           `json:"notes"`
}

// ExportBase writes a whole base as one file. A base that could not be written
// to its end is an error.
func (c *Client) ExportBase(ctx context.Context, base string, w io.Writer) error {
	return c.download(ctx, "/api/v1/knowledge-bases/"+url.PathEscape(base)+"/export", w)
}

// ImportBase makes a new base of a file of ExportBase; an empty name means
// that of the file.
func (c *Client) ImportBase(ctx context.Context, name string, dryRun bool, file io.Reader) (BaseReport, error) {
	var report BaseReport
	query := url.Values{"name": {name}, "dry_run": {fmt.Sprint(dryRun)}}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+"/api/v1/knowledge-bases/import?"+query.Encode(), file)
	if err != nil {
		return report, fmt.Errorf("make a request for the import: %w", err)
	}
	req.Header.Set("Content-Type", "application/octet-stream")
	resp, err := c.send(req)
	if err != nil {
		return report, err
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxReply)).Decode(&report); err != nil {
		return report, fmt.Errorf("read the report of the import: %w", err)
	}
	return report, nil
}

// Rechunked says how many documents are cut anew, and how many stay as they
// are because people changed them.
type Rechunked struct {
	Documents int `json:"documents"`
	Kept      int `json:"kept"`
}

// RechunkBase has all documents of a base cut anew by its present settings.
func (c *Client) RechunkBase(ctx context.Context, base string, discardEdits bool) (Rechunked, error) {
	var r Rechunked
	path := fmt.Sprintf("/api/v1/knowledge-bases/%s/rechunk?discard_edits=%t", url.PathEscape(base), discardEdits)
	err := c.call(ctx, http.MethodPost, path, nil, &r)
	return r, err
}
