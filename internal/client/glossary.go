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

// Glossary gives the glossary of a base, by id or name.
func (c *Client) Glossary(ctx context.Context, base string) (core.Glossary, error) {
	var g core.Glossary
	err := c.call(ctx, http.MethodGet, glossaryPath(base), nil, &g)
	return g, err
}

// GlossaryTable writes the glossary of a base as CSV.
func (c *Client) GlossaryTable(ctx context.Context, base string, w io.Writer) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base+glossaryPath(base), nil)
	if err != nil {
		return fmt.Errorf("make a request for the glossary: %w", err)
	}
	req.Header.Set("Accept", "text/csv")
	resp, err := c.send(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(w, io.LimitReader(resp.Body, maxReply)); err != nil {
		return fmt.Errorf("read the glossary: %w", err)
	}
	return nil
}

// SetGlossary replaces the glossary of a base by a table in CSV.
func (c *Client) SetGlossary(ctx context.Context, base string, table io.Reader) (core.Glossary, error) {
	var g core.Glossary
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, c.base+glossaryPath(base), table)
	if err != nil {
		return g, fmt.Errorf("make a request for the glossary: %w", err)
	}
	req.Header.Set("Content-Type", "text/csv")
	resp, err := c.send(req)
	if err != nil {
		return g, err
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxReply)).Decode(&g); err != nil {
		return g, fmt.Errorf("read the stored glossary: %w", err)
	}
	return g, nil
}

func glossaryPath(base string) string {
	return "/api/v1/knowledge-bases/" + url.PathEscape(base) + "/glossary"
}
