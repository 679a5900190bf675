package client

import (
	"context"
	"net/http"
	"net/url"

	"kaoju/internal/core"
)

// PutAssistant makes the assistant, or gives the one with its id these values.
func (c *Client) PutAssistant(ctx context.Context, a core.Assistant) (core.Assistant, error) {
	var out core.Assistant
	err := c.call(ctx, http.MethodPost, "/api/v1/assistants", a, &out)
	if core.CodeOf(err) != core.CodeConflict {
		return out, err
	}
	err = c.call(ctx, http.MethodPatch, "/api/v1/assistants/"+url.PathEscape(a.ID), a, &out)
	return out, err
}
