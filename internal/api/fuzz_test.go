package api_test

import (
	"net/http/httptest"
	"strings"
	"testing"
)

// FuzzBodies sends any bytes to the routes that take a body. None may be a
// fault of ours, and every error is a problem document.
func FuzzBodies(f *testing.F) {
	w := open(f)
	session := w.session(f)
	for _, seed := range []string{
		`{"query":"q"}`, `{"query":"a\u0000b","top_k":1e9}`, `{"title":"` + "\xff\xfe" + `"}`, `{"name":"\ud800","content":""}`,
		`{"query":"q","knowledge_base_ids":["default",""]}`, `[[[[`, "\x00", `{"message_id":"'; --"}`,
	} {
		f.Add(seed, uint8(0), "application/json")
		f.Add(seed, uint8(3), "multipart/form-data; boundary=x")
	}
	f.Add("--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.md\"\r\n\r\ntext\r\n--x--\r\n", uint8(3), "multipart/form-data; boundary=x")
	paths := []string{
		"/api/v1/sessions/" + session + "/knowledge-qa", "/api/v1/sessions", "/api/v1/knowledge-bases",
		"/api/v1/knowledge-bases/default/documents", "/api/v1/knowledge-bases/default/documents/text",
		"/api/v1/knowledge-search", "/api/v1/sessions/" + session + "/stop",
	}
	f.Fuzz(func(t *testing.T, body string, route uint8, contentType string) {
		if strings.Contains(body, "hang") || strings.Contains(body, "wait") {
			t.Skip("the script would wait")
		}
		r := httptest.NewRequest("POST", "http://127.0.0.1"+paths[int(route)%len(paths)], strings.NewReader(body))
		r.RemoteAddr = "127.0.0.1:1"
		r.Header.Set("Content-Type", contentType)
		rec := httptest.NewRecorder()
		w.handler.ServeHTTP(rec, r)
		if rec.Code >= 500 {
			t.Fatalf("%d %s", rec.Code, rec.Body)
		}
		if ct := rec.Header().Get("Content-Type"); rec.Code >= 400 && ct != "application/problem+json" {
			t.Fatalf("%d %s: %s", rec.Code, ct, rec.Body)
		}
	})
}
