package ingest

import (
	"fmt"
	"testing"
)

// BenchmarkIngest is the throughput of the whole way with a model that costs
// nothing: documents of 20 chunks of about 380 characters.
func BenchmarkIngest(b *testing.B) {
	const documents, chunks = 50, 20
	text := long(chunks)
	for range b.N {
		b.StopTimer()
		r := newRig(b, b.TempDir())
		for i := range documents {
			r.add(fmt.Sprint(i), fmt.Sprintln("文件", i)+text)
		}
		b.StartTimer()
		r.start()
		r.settled()
		b.StopTimer()
		r.Close()
	}
	b.ReportMetric(float64(b.N*documents*chunks)/b.Elapsed().Seconds(), "chunks/s")
}
