package api_test

import (
	"strings"
	"testing"

	"kaoju/internal/core"
)

func TestReadADocument(t *testing.T) {
	w := open(t)
	base := get[core.KnowledgeBase](t, w, "POST", "/api/v1/knowledge-bases", `{"name":"b"}`)
	document, chunk := w.passage(t, base.ID)
	type page struct {
		Items []core.Chunk `json:"items"`
	}
	got := get[page](t, w, "GET", "/api/v1/documents/"+document+"/chunks", "")
	if len(got.Items) != 1 || got.Items[0].ID != chunk {
		t.Errorf("the passages are %+v", got.Items)
	}
	resp, body := w.send(t, "GET", "/api/v1/documents/"+document+"/original", "")
	if body != "original" || !strings.HasPrefix(resp.Header.Get("Content-Disposition"), "attachment; filename") ||
		resp.Header.Get("Content-Type") != "application/octet-stream" {
		t.Errorf("the original came as %q with %v", body, resp.Header)
	}
}
