// Package client speaks Kaoju's HTTP API: what the command line uses, and what
// a Go program may use too.
//
//	c := client.New("http://127.0.0.1:8420", "")
//	answer, err := c.Ask(ctx, client.Question{Text: "how many days of leave?"}, nil)
//
// Problem documents come back as *core.Error with the server's code. A Client
// is safe for use from several goroutines.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"kaoju/internal/core"
)

// maxReply bounds the JSON replies that are read whole.
const maxReply = 64 << 20

// Client calls one server.
type Client struct {
	base string
	key  string
	http *http.Client
}

// New makes a client for the server at base. An empty key sends none.
func New(base, key string) *Client {
	return NewWith(base, key, http.DefaultTransport)
}

// NewWith is New over a transport of the caller's, such as one that reaches a
// server in the same process.
func NewWith(base, key string, transport http.RoundTripper) *Client {
	return &Client{base: strings.TrimRight(base, "/"), key: key, http: &http.Client{Transport: transport}}
}

// Base gives the knowledge base with the id or name.
func (c *Client) Base(ctx context.Context, idOrName string) (core.KnowledgeBase, error) {
	var b core.KnowledgeBase
	err := c.call(ctx, http.MethodGet, "/api/v1/knowledge-bases/"+url.PathEscape(idOrName), nil, &b)
	return b, err
}

// EnsureBase gives the knowledge base with the name and makes it where there
// is none.
func (c *Client) EnsureBase(ctx context.Context, name string) (core.KnowledgeBase, error) {
	b, err := c.Base(ctx, name)
	if core.CodeOf(err) != core.CodeNotFound {
		return b, err
	}
	err = c.call(ctx, http.MethodPost, "/api/v1/knowledge-bases", map[string]string{"name": name}, &b)
	return b, err
}

// call sends a JSON request and decodes the reply into out, if out is not nil.
func (c *Client) call(ctx context.Context, method, path string, body, out any) error {
	var reader io.Reader
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			return fmt.Errorf("encode the request for %s: %w", path, err)
		}
		reader = bytes.NewReader(encoded)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, reader)
	if err != nil {
		return fmt.Errorf("make a request for %s: %w", path, err)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.send(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if out == nil || resp.StatusCode == http.StatusNoContent {
		return nil
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxReply)).Decode(out); err != nil {
		return fmt.Errorf("read the reply of %s: %w", path, err)
	}
	return nil
}

// send sends a request and turns failures into *core.Error. The caller closes
// the body of the response.
func (c *Client) send(req *http.Request) (*http.Response, error) {
	if c.key != "" {
		req.Header.Set("Authorization", "Bearer "+c.key)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		if ctxErr := req.Context().Err(); ctxErr != nil {
			return nil, core.Wrap(ctxErr, core.CodeCanceled, "interrupted")
		}
		return nil, core.Wrap(cause(err), core.CodeUnavailable, "the server at %s does not answer", c.base)
	}
	if resp.StatusCode < 400 {
		return resp, nil
	}
	defer resp.Body.Close()
	return nil, problem(resp)
}

// cause takes the method and address, which the message already names, off a
// transport error.
func cause(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

func problem(resp *http.Response) error {
	var p struct {
		Code   core.Code `json:"code"`
		Detail string    `json:"detail"`
		Errors []struct {
			Location string `json:"location"`
			Message  string `json:"message"`
		} `json:"errors"`
	}
	body, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err := json.Unmarshal(body, &p); err != nil || p.Code == "" {
		return core.Errorf(core.CodeUnavailable, "%s answered %s and no problem document: is it a Kaoju server?", resp.Request.URL, resp.Status)
	}
	for _, e := range p.Errors {
		p.Detail += fmt.Sprintf("; %s: %s", e.Location, e.Message)
	}
	return &core.Error{Code: p.Code, Message: p.Detail}
}
