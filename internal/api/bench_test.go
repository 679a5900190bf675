package api_test

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// BenchmarkFirstToken is what stands between a question and its first answer
// event beside the pipeline: HTTP, the checks, the stored round, the log.
func BenchmarkFirstToken(b *testing.B) {
	w := open(b)
	session := w.session(b)
	var first []time.Duration
	for b.Loop() {
		begun := time.Now()
		resp := w.begin(b.Context(), b, "POST", "/api/v1/sessions/"+session+"/knowledge-qa", `{"query":"q"}`)
		readThrough(b, resp.Body, `"response_type":"answer"`)
		first = append(first, time.Since(begun))
		_, _ = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
	slices.Sort(first)
	b.ReportMetric(float64(first[len(first)/2].Microseconds()), "µs/first-p50")
	b.ReportMetric(float64(first[len(first)*99/100].Microseconds()), "µs/first-p99")
}

// BenchmarkAnswers is the same from 32 clients at once, to the end.
func BenchmarkAnswers(b *testing.B) {
	w := open(b)
	session := w.session(b)
	b.SetParallelism(16) // a processor
	b.RunParallel(func(pb *testing.PB) {
		client := &http.Client{Transport: &http.Transport{}}
		for pb.Next() {
			resp, err := client.Post(w.url+"/api/v1/sessions/"+session+"/knowledge-qa", "application/json", strings.NewReader(`{"query":"q"}`))
			if err != nil {
				b.Error(err)
				return
			}
			_, _ = io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		}
	})
}

// BenchmarkResume reads a finished answer again.
func BenchmarkResume(b *testing.B) {
	w := open(b)
	session := w.session(b)
	message := parse(b, w.ask(b, session, "q"))[0].data.MessageID
	for b.Loop() {
		w.send(b, "GET", continuePath(session, message), "")
	}
}

func readThrough(t testing.TB, r io.Reader, marker string) {
	t.Helper()
	var seen []byte
	buf := make([]byte, 4096)
	for !bytes.Contains(seen, []byte(marker)) {
		n, err := r.Read(buf)
		seen = append(seen, buf[:n]...)
		if err != nil && !bytes.Contains(seen, []byte(marker)) {
			t.Fatalf("waiting for %q after %q: %v", marker, seen, err)
		}
	}
}
