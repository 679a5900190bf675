package api_test

import (
	"net/http"
	"strings"
	"testing"

	"kaoju/internal/api/native"
	"kaoju/internal/core"
	"kaoju/internal/wiki"
)

// wikiOwnership are the calls with another user's wiki.
func wikiOwnership(base string) map[string]access {
	const routes = "/api/v1/knowledge-bases/{id}/wiki/"
	own := "/api/v1/knowledge-bases/" + base + "/wiki/"
	mine := func(path, body string) access { return access{path: own + path, body: body, personal: true} }
	return map[string]access{
		"GET " + routes + "pages":                                   mine("pages", ""),
		"POST " + routes + "pages":                                  mine("pages", `{"title":"stolen"}`),
		"GET " + routes + "pages/{page}":                            mine("pages/secret", ""),
		"PATCH " + routes + "pages/{page}":                          mine("pages/secret", `{"revision":1,"content":"stolen"}`),
		"DELETE " + routes + "pages/{page}":                         mine("pages/secret", ""),
		"GET " + routes + "pages/{page}/links":                      mine("pages/secret/links", ""),
		"GET " + routes + "pages/{page}/revisions":                  mine("pages/secret/revisions", ""),
		"GET " + routes + "pages/{page}/revisions/{number}":         mine("pages/secret/revisions/1", ""),
		"DELETE " + routes + "pages/{page}/revisions/{number}":      mine("pages/secret/revisions/1", ""),
		"POST " + routes + "pages/{page}/revisions/{number}/revert": mine("pages/secret/revisions/1/revert", `{"revision":1}`),
		"GET " + routes + "jobs":                                    mine("jobs", ""),
		"POST " + routes + "jobs":                                   mine("jobs", `{"source_knowledge_base_id":"private"}`),
		"GET " + routes + "jobs/{job}":                              mine("jobs/job", ""),
		"GET " + routes + "jobs/{job}/stream":                       mine("jobs/job/stream", ""),
		"POST " + routes + "jobs/{job}/stop":                        mine("jobs/job/stop", ""),
		"POST " + routes + "jobs/{job}/resume":                      mine("jobs/job/resume", ""),
		"GET " + routes + "broken-links":                            mine("broken-links", ""),
		"PUT " + routes + "files":                                   mine("files", `{"name":"a.md","content":"x"}`),
		"GET " + routes + "export":                                  mine("export", ""),
	}
}

// A page over HTTP: written, read by a slug with a slash, changed, refused when
// the revision is old, reverted, linked, exported and deleted.
func TestWikiPagesOverHTTP(t *testing.T) {
	w := open(t)
	get[core.KnowledgeBase](t, w, "POST", "/api/v1/knowledge-bases", `{"name":"notes","kind":"wiki"}`)
	const pages = "/api/v1/knowledge-bases/notes/wiki/pages"
	p := get[core.WikiPage](t, w, "POST", pages, `{"slug":"hr/leave","title":"Leave","content":"Five days. [[hr/sick]]"}`)
	if p.Revision != 1 || p.Slug != "hr/leave" {
		t.Fatalf("made %+v", p)
	}
	if read := get[core.WikiPage](t, w, "GET", pages+"/hr%2Fleave", ""); read.ID != p.ID || read.Content != "Five days. [[hr/sick]]" {
		t.Errorf("read %+v", read)
	}
	p = get[core.WikiPage](t, w, "PATCH", pages+"/"+p.ID, `{"revision":1,"content":"Six days."}`)
	resp, body := w.send(t, "PATCH", pages+"/"+p.ID, `{"revision":1,"content":"Seven days."}`)
	if resp.StatusCode != http.StatusConflict || !strings.Contains(body, "read it again") {
		t.Errorf("an old revision: %d %s", resp.StatusCode, body)
	}
	if p = get[core.WikiPage](t, w, "POST", pages+"/"+p.ID+"/revisions/1/revert", `{"revision":2}`); p.Content != "Five days. [[hr/sick]]" {
		t.Errorf("reverted to %+v", p)
	}
	if l := get[wiki.Links](t, w, "GET", pages+"/"+p.ID+"/links", ""); len(l.Out) != 1 || l.Out[0].PageID != "" {
		t.Errorf("links %+v", l)
	}
	put := get[native.WikiFileResult](t, w, "PUT", "/api/v1/knowledge-bases/notes/wiki/files", `{"name":"hr/sick.md","content":"Sick leave."}`)
	if put.Did != "added" || put.Page.Slug != "hr/sick" {
		t.Errorf("put %+v", put)
	}
	if list := get[native.List[core.WikiPage]](t, w, "GET", pages+"?query=days", ""); list.Total != 1 || list.Items[0].Slug != "hr/leave" {
		t.Errorf("list %+v", list)
	}
	if resp, _ := w.send(t, "GET", "/api/v1/knowledge-bases/notes/wiki/export", ""); resp.StatusCode != http.StatusOK {
		t.Errorf("export: %d", resp.StatusCode)
	}
	if resp, _ := w.send(t, "DELETE", pages+"/hr%2Fleave", ""); resp.StatusCode != http.StatusNoContent {
		t.Errorf("delete: %d", resp.StatusCode)
	}
	if resp, _ := w.send(t, "GET", pages+"/"+p.ID, ""); resp.StatusCode != http.StatusNotFound {
		t.Errorf("after the deletion: %d", resp.StatusCode)
	}
}

// Without a chat model a job is refused with what to configure; a job can be
// followed to its end.
func TestWikiJobsOverHTTP(t *testing.T) {
	w := open(t)
	b := get[core.KnowledgeBase](t, w, "POST", "/api/v1/knowledge-bases", `{"name":"notes","kind":"wiki"}`)
	const jobs = "/api/v1/knowledge-bases/notes/wiki/jobs"
	resp, body := w.send(t, "POST", jobs, `{"source_knowledge_base_id":"default"}`)
	if resp.StatusCode != http.StatusServiceUnavailable || !strings.Contains(body, "chat_model.base_url") {
		t.Errorf("without a model: %d %s", resp.StatusCode, body)
	}
	if err := w.db.AddWikiJob(t.Context(), core.WikiJob{ID: "job", BaseID: b.ID, SourceID: core.DefaultBaseName}, nil); err != nil {
		t.Fatal(err)
	}
	if list := get[native.List[core.WikiJob]](t, w, "GET", jobs, ""); list.Total != 1 || list.Items[0].State != core.JobQueued {
		t.Errorf("jobs %+v", list)
	}
	if j := get[core.WikiJob](t, w, "POST", jobs+"/job/stop", ""); j.State != core.JobFailed || j.ErrorCode != core.CodeCanceled {
		t.Errorf("stopped %+v", j)
	}
	if _, stream := w.send(t, "GET", jobs+"/job/stream", ""); !strings.Contains(stream, "event: job\ndata: {\"id\":\"job\"") {
		t.Errorf("stream %s", stream)
	}
	if resp, _ := w.send(t, "POST", jobs+"/job/resume", ""); resp.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("resumed without a model: %d", resp.StatusCode)
	}
}
