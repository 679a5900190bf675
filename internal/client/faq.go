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

// FAQReport is what an import of FAQ entries did, or would do.
type FAQReport struct {
	DryRun    bool `json:"dry_run"`
	Rows      int  `json:"rows"`
	Added     int  `json:"added"`
	Changed   int  `json:"changed"`
	Unchanged int  `json:"unchanged"`
	Removed   int  `json:"removed"`
	Failed    int  `json:"failed"`
	Skipped   int  `json:"skipped"`
	Problems  []struct {
		Row       int       `json:"row"`
		Question  string    `json:"question"`
		Duplicate bool      `json:"duplicate"`
		Code      core.Code `json:"code"`
		Message   string    `json:"message"`
	} `json:"problems"`
	Truncated bool `json:"truncated"`
}

// EnsureFAQBase gives the FAQ base with the name and makes it where there is
// none.
func (c *Client) EnsureFAQBase(ctx context.Context, name string) (core.KnowledgeBase, error) {
	b, err := c.Base(ctx, name)
	if core.CodeOf(err) != core.CodeNotFound {
		return b, err
	}
	body := map[string]string{"name": name, "kind": string(core.BaseFAQ)}
	err = c.call(ctx, http.MethodPost, "/api/v1/knowledge-bases", body, &b)
	return b, err
}

// ImportFAQ sends a file of entries (CSV, XLSX or JSON) to an FAQ base. Mode
// is append or replace.
func (c *Client) ImportFAQ(ctx context.Context, base, mode string, dryRun bool, file io.Reader) (FAQReport, error) {
	var report FAQReport
	query := url.Values{"mode": {mode}, "dry_run": {fmt.Sprint(dryRun)}}
	path := "/api/v1/knowledge-bases/" + url.PathEscape(base) + "/faq/import?" + query.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+path, file)
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

// ExportFAQ writes the entries of an FAQ base as csv, xlsx or json.
func (c *Client) ExportFAQ(ctx context.Context, base, format string, w io.Writer) error {
	return c.download(ctx, "/api/v1/knowledge-bases/"+url.PathEscape(base)+"/faq/export?format="+url.QueryEscape(format), w)
}

// FAQTemplate writes a file of entries to fill in, as csv, xlsx or json.
func (c *Client) FAQTemplate(ctx context.Context, format string, w io.Writer) error {
	return c.download(ctx, "/api/v1/faq/template?format="+url.QueryEscape(format), w)
}

// download writes what a path answers with.
func (c *Client) download(ctx context.Context, path string, w io.Writer) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base+path, http.NoBody)
	if err != nil {
		return fmt.Errorf("make a request for %s: %w", path, err)
	}
	resp, err := c.send(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(w, resp.Body); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	return nil
}
