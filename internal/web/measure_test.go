//go:build measure

package web_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"kaoju/internal/config"
	"kaoju/internal/core"
	"kaoju/internal/llm/llmtest"
	"kaoju/internal/store"
)

// frames counts the frames of the page while an action runs in it: how many a
// second, and the longest one.
const frames = `(async (run) => {
	let last = performance.now(), longest = 0, n = 0, on = true;
	const start = last, gaps = [];
	const tick = (now) => { gaps.push(now - last); longest = Math.max(longest, now - last); last = now; n += 1; if (on) requestAnimationFrame(tick); };
	await new Promise((ok) => requestAnimationFrame((now) => { last = now; ok(); }));
	requestAnimationFrame(tick);
	await run();
	on = false;
	gaps.sort((a, b) => a - b);
	return [n * 1000 / (performance.now() - start), longest, gaps[Math.floor(gaps.length * .95)] ?? 0];
})`

func report(t *testing.T, name string, f []float64) {
	t.Helper()
	fmt.Printf("%-44s %5.1f frames/s, longest frame %4.0f ms, p95 %3.0f ms\n", name, f[0], f[1], f[2])
}

// TestMeasure prints the figures of docs/benchmarks.md:
//
//	go test ./internal/web -tags measure -run TestMeasure -v
func TestMeasure(t *testing.T) {
	t.Run("first load", measureLoad)
	t.Run("stream", measureStream)
	t.Run("messages", measureMessages)
	t.Run("documents", measureDocuments)
}

func measureLoad(t *testing.T) {
	w := serve(t, nil)
	var times, useful []float64
	for range 7 {
		tb := openTab(t, w.url, look{})
		tb.open("/")
		tb.wait("document.querySelector('.welcome h1')")
		useful = append(useful, eval[float64](tb, `performance.now()`))
		times = append(times, eval[float64](tb, `performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? performance.now()`))
		if len(times) == 1 {
			size := eval[[]float64](tb, `(() => { const all = performance.getEntriesByType('resource').filter((e) => !e.name.includes('/api/')); const page = performance.getEntriesByType('navigation')[0]; return [all.length + 1, all.reduce((n, e) => n + e.encodedBodySize, page.encodedBodySize), all.reduce((n, e) => n + e.decodedBodySize, page.decodedBodySize)]; })()`)
			fmt.Printf("first load: %.0f files, %.1f KB compressed, %.1f KB plain\n", size[0], size[1]/1024, size[2]/1024)
		}
	}
	fmt.Printf("first contentful paint, seven new profiles: %.0f ms\n", times)
	fmt.Printf("ready to ask, as the test sees it:          %.0f ms\n", useful)
}

func measureStream(t *testing.T) {
	var parts []string
	for i := range 1000 {
		parts = append(parts, fmt.Sprintf("word%d ", i), "")
		if i%40 == 39 {
			parts = append(parts, "\n\n")
		}
	}
	var script []string
	for _, p := range parts {
		if p != "" {
			script = append(script, p)
		}
	}
	model := llmtest.StartTCP(t, says(append([]string{"@gate go"}, paced(script)...)...))
	w := serve(t, slow(model))
	w.add("default", "leave.md", handbook)
	tb := openTab(t, w.url, look{})
	tb.open("/")
	tb.ask("How many days of annual leave do staff have?")
	tb.see(".status", "")
	done := make(chan struct{})
	go func() {
		defer close(done)
		model.Open("go")
		for i := range 1025/20 + 1 {
			time.Sleep(100 * time.Millisecond) // 200 tokens a second, as a fast model writes
			model.Open(fmt.Sprintf("p%d", i))
		}
	}()
	f := eval[[]float64](tb, frames+`(() => new Promise((ok) => { const end = () => document.querySelector('.answer.running') ? requestAnimationFrame(end) : ok(); end(); }))`)
	<-done
	report(t, "1,000 tokens at 200 a second", f)
}

// paced puts a gate behind every twenty pieces.
func paced(parts []string) []string {
	var out []string
	for i, p := range parts {
		out = append(out, p)
		if i%20 == 19 {
			out = append(out, fmt.Sprintf("@gate p%d", i/20))
		}
	}
	return out
}

const scrolling = `(async () => { const el = document.querySelector(%q); const step = %d; const until = performance.now() + 4000; while (performance.now() < until) { el.scrollTop += step; if (step > 0 ? el.scrollTop + el.clientHeight >= el.scrollHeight : el.scrollTop <= 0) await new Promise((ok) => setTimeout(ok, 5)); await new Promise(requestAnimationFrame); } })`

func measureMessages(t *testing.T) {
	var session string
	w := serveWith(t, nil, func(db *store.DB) { session = manyMessages(t, db, 5000) })
	tb := openTab(t, w.url, look{})
	begin := time.Now()
	tb.open("/chat/" + session)
	tb.see(".answer", "answer 4999")
	fmt.Printf("a conversation of 10,000 messages opens in %d ms\n", time.Since(begin).Milliseconds())
	report(t, "10,000 messages, scrolled up 40 px a frame", eval[[]float64](tb, frames+"("+fmt.Sprintf(scrolling, ".thread-scroll", -40)+")"))
	report(t, "10,000 messages, scrolled up 400 px a frame", eval[[]float64](tb, frames+"("+fmt.Sprintf(scrolling, ".thread-scroll", -400)+")"))
	fmt.Printf("messages in the document: %d\n", eval[int](tb, "document.querySelectorAll('.round').length"))
}

func measureDocuments(t *testing.T) {
	w := serveWith(t, nil, func(db *store.DB) { manyDocuments(t, db, 10_000) })
	tb := openTab(t, w.url, look{})
	tb.open("/knowledge/default")
	tb.see(".virtual-row", "document")
	report(t, "10,000 documents, scrolled 40 px a frame", eval[[]float64](tb, frames+"("+fmt.Sprintf(scrolling, ".virtual", 40)+")"))
	report(t, "10,000 documents, scrolled 4,000 px a frame", eval[[]float64](tb, frames+"("+fmt.Sprintf(scrolling, ".virtual", 4000)+")"))
	fmt.Printf("rows in the document: %d\n", eval[int](tb, "document.querySelectorAll('.virtual-body .virtual-row').length"))
}

var (
	_ = chromedp.Navigate
	_ = core.NewID
	_ = strings.Repeat
	_ config.Config
)
