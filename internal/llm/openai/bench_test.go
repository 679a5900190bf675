package openai_test

import (
	"runtime"
	"strings"
	"sync"
	"testing"

	"kaoju/internal/llm"
	"kaoju/internal/llm/llmtest"
	"kaoju/internal/llm/openai"
)

// BenchmarkToken is the time that the client adds to a token: reading its
// event, dividing text from reasoning, passing it on.
func BenchmarkToken(b *testing.B) {
	const tokens = 1000
	event := `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":" 报销"},"finish_reason":null}]}` + "\n\n"
	e := llmtest.StartTCP(b, parse(b, "---\n"+strings.Repeat(event, tokens)+bye))
	m := newChat(b, e, openai.Options{}, openai.Env{})
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		if err := m.Stream(b.Context(), request(), func(llm.Delta) error { n++; return nil }); err != nil || n < tokens {
			b.Fatal(n, err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*tokens), "ns/token")
}

// TestMemoryOfAStream holds 200 streams open at once.
func TestMemoryOfAStream(t *testing.T) {
	const streams = 200
	e := llmtest.StartTCP(t, parse(t, "---\n"+hello+"@gate end\n"+bye))
	m := newChat(t, e, openai.Options{Limit: openai.Limits{Concurrent: streams}}, openai.Env{})
	before := heap()
	var open, ended sync.WaitGroup
	open.Add(streams)
	for range streams {
		ended.Go(func() {
			var once sync.Once
			if err := m.Stream(t.Context(), request(), func(llm.Delta) error { once.Do(open.Done); return nil }); err != nil {
				t.Error(err)
			}
		})
	}
	open.Wait()
	each := (heap() - before) / streams
	e.Open("end")
	ended.Wait()
	t.Logf("%d KiB a stream, the endpoint's half among them", each>>10)
	if each > 256<<10 {
		t.Errorf("%d bytes a stream", each)
	}
}

func heap() int64 {
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return int64(s.HeapInuse + s.StackInuse)
}
