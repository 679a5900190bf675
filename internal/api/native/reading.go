package native

import (
	"context"
	"mime"
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"kaoju/internal/core"
)

// Reading gives what a document holds, within the caller's scope.
type Reading interface {
	// DocumentChunks gives a page of a document's passages, in order.
	DocumentChunks(ctx context.Context, scope core.Scope, documentID string, offset, limit int) ([]core.Chunk, error)
	// Original gives the bytes of a document as they were added.
	Original(ctx context.Context, scope core.Scope, id string) (core.Document, []byte, error)
}

// ListChunksInput names a document and a page of its passages.
type ListChunksInput struct {
	ByID
	Page
}

// ListChunks gives the passages of a document, in order.
func (h *Handlers) ListChunks(ctx context.Context, in *ListChunksInput) (*Reply[List[core.Chunk]], error) {
	d, err := h.Library.Document(ctx, scopeOf(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	chunks, err := h.Reading.DocumentChunks(ctx, scopeOf(ctx), in.ID, in.Offset, in.Limit)
	return list(chunks, d.Chunks, err)
}

// Original sends a document as it was added, always as a file to keep: a
// browser must not show a foreign page under this server's name.
func (h *Handlers) Original(ctx context.Context, in *ByID) (*huma.StreamResponse, error) {
	d, data, err := h.Reading.Original(ctx, scopeOf(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	return sendFile(d.Name, data), nil
}

// sendFile answers with a file to keep.
func sendFile(name string, data []byte) *huma.StreamResponse {
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		_, w := humago.Unwrap(hc)
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Header().Set("Content-Disposition", attachment(name))
		w.Header().Set("Content-Length", strconv.Itoa(len(data)))
		w.WriteHeader(http.StatusOK)
		_, _ = w.Write(data) // a caller that left is all that can go wrong
	}}
}

// attachment names a file in a header, where a name may be in any script.
func attachment(name string) string {
	if value := mime.FormatMediaType("attachment", map[string]string{"filename": name}); value != "" {
		return value
	}
	return "attachment"
}
