package client

import (
	"context"
	"net/http"
)

// Demo is the example that comes with the server.
type Demo struct {
	AssistantID string         `json:"assistant_id"`
	BaseIDs     []string       `json:"knowledge_base_ids"`
	Questions   []DemoQuestion `json:"questions"`
}

// DemoQuestion is something to try, and what it shows.
type DemoQuestion struct {
	Text  string `json:"text"`
	Shows string `json:"shows"`
	Base  string `json:"knowledge_base"` // narrows the question to this base; "" for most
	After string `json:"after"`          // goes on from this question; "" for most
}

// LoadDemo has the server load its example. Follow its bases to know when the
// documents are read.
func (c *Client) LoadDemo(ctx context.Context) (Demo, error) {
	var d Demo
	err := c.call(ctx, http.MethodPost, "/api/v1/demo", nil, &d)
	return d, err
}
