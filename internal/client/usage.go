package client

import (
	"context"
	"fmt"
	"net/http"

	"kaoju/internal/core"
)

// Usage tells what the calls of models cost in the last days, the newest first.
func (c *Client) Usage(ctx context.Context, days int) ([]core.DayUsage, error) {
	var out struct {
		Items []core.DayUsage `json:"items"`
	}
	err := c.call(ctx, http.MethodGet, fmt.Sprintf("/api/v1/usage?days=%d", days), nil, &out)
	return out.Items, err
}
