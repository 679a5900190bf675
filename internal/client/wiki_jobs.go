package client

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"kaoju/internal/core"
)

// WriteWiki has a model write pages of a wiki from the documents of a base.
func (c *Client) WriteWiki(ctx context.Context, base, source string, share bool) (core.WikiJob, error) {
	var j core.WikiJob
	err := c.call(ctx, http.MethodPost, wikiPath(base, "jobs"), map[string]any{"source_knowledge_base_id": source, "share": share}, &j)
	return j, err
}

// FollowWikiJob hands on how far a job is, whenever that changes, until it has
// ended, and gives it as it ended.
func (c *Client) FollowWikiJob(ctx context.Context, base, id string, yield func(core.WikiJob)) (core.WikiJob, error) {
	var last core.WikiJob
	resp, err := c.stream(ctx, http.MethodGet, wikiPath(base, "jobs", id, "stream"), nil)
	if err != nil {
		return last, err
	}
	defer resp.Body.Close()
	err = readEvents(resp.Body, func(e sse) error {
		if err := json.Unmarshal([]byte(e.data), &last); err != nil {
			return fmt.Errorf("read how far the job is: %w", err)
		}
		yield(last)
		if last.State == core.JobDone || last.State == core.JobFailed {
			return errDone
		}
		return nil
	})
	return last, err
}
