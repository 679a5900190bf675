package retrieve_test

import (
	"fmt"
	"testing"

	"kaoju/internal/core"
	"kaoju/internal/retrieve"
)

// parents makes 50 passages of 1,600 characters, which is what a turn merges.
func parents() []retrieve.Found {
	words := []rune("员工请假应当提前两个工作日提交申请经过部门经理批准后生效逾期不予受理差旅住宿标准按照城市级别执行超出部分由个人承担设备型号额定电压电流触点寿命说明")
	var out []retrieve.Found
	for i := range 50 {
		body := make([]rune, 1600)
		for k := range body {
			body[k] = words[(k*(i+3)+k/7*i)%len(words)]
		}
		c := core.Chunk{ID: fmt.Sprint("c", i), DocumentID: fmt.Sprint("d", i%7), Type: core.ChunkText, Index: i, Content: string(body)}
		out = append(out, retrieve.Found{Chunk: c, Text: c.Content, Score: 1 / float64(i+1)})
	}
	return out
}

// BenchmarkMerge is the part of a turn that compares passages with each
// other.
func BenchmarkMerge(b *testing.B) {
	items := parents()
	sketches := retrieve.NewSketches(16 << 20)
	b.Run("dedup", func(b *testing.B) {
		for b.Loop() {
			sketches.Dedup(items)
		}
	})
	b.Run("contained", func(b *testing.B) {
		for b.Loop() {
			sketches.DropContained(items)
		}
	})
	b.Run("mmr", func(b *testing.B) {
		for b.Loop() {
			sketches.MMR(items, 10, retrieve.DefaultLambda)
		}
	})
}
