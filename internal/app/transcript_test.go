package app

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kaoju/internal/chat"
	"kaoju/internal/core"
	"kaoju/internal/knowledge"
)

var update = flag.Bool("update", false, "write the transcripts that come out to testdata")

// TestTranscripts holds conversations over testdata/library, a base a folder,
// and compares what is said with testdata/transcripts, so that a change of an
// answer shows as a diff:
//
//	go test ./internal/app -run Transcripts -update
//
// In a transcript "bases:" names what is asked, ">" opens a question, "=" is
// the question as it was completed, "#" how the answer was found, and "[1]"
// what a mark stands for.
func TestTranscripts(t *testing.T) {
	d := newDesk(t, nil)
	d.library("testdata/library")
	files, err := filepath.Glob("testdata/transcripts/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d transcripts, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := (desk{t, d.App}).replay(string(want))
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			if got != string(want) {
				t.Errorf("-update accepts what was said:\n%s\nwhere there was:\n%s", got, want)
			}
		})
	}
}

// library adds the folders of dir as bases.
func (d desk) library(dir string) {
	d.t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil {
		d.t.Fatal(err)
	}
	bases := map[string]core.KnowledgeBase{}
	for _, file := range files {
		name := filepath.Base(filepath.Dir(file))
		if _, ok := bases[name]; !ok {
			if bases[name], err = d.knowledge.CreateBase(d.t.Context(), core.OwnerScope(), knowledge.NewBase{Name: name}); err != nil {
				d.t.Fatal(err)
			}
		}
		content, err := os.ReadFile(file)
		if err != nil {
			d.t.Fatal(err)
		}
		_, _, err = d.knowledge.Add(d.t.Context(), core.OwnerScope(), knowledge.AddRequest{
			Base: name, Name: filepath.Base(file), Content: strings.NewReader(string(content))})
		if err != nil {
			d.t.Fatal(err)
		}
	}
	for _, b := range bases {
		d.published(b.ID)
	}
}

// published waits until no document of a base is on its way.
func (d desk) published(baseID string) {
	d.t.Helper()
	for {
		changed := d.worker.Changed()
		p, err := d.worker.Progress(d.t.Context(), baseID)
		if err != nil || p.Failed > 0 {
			d.t.Fatalf("%d documents failed, %v", p.Failed, err)
		}
		if p.Left() == 0 {
			return
		}
		<-changed
	}
}

// replay asks the questions of a transcript, in one session, and writes it
// anew.
func (d desk) replay(transcript string) string {
	d.t.Helper()
	var out strings.Builder
	session := ""
	for line := range strings.Lines(transcript) {
		line = strings.TrimSpace(line)
		if names, ok := strings.CutPrefix(line, "bases:"); ok {
			s, err := d.chat.CreateSession(d.t.Context(), core.OwnerScope(), "transcript", strings.Fields(strings.ReplaceAll(names, ",", " ")))
			if err != nil {
				d.t.Fatal(err)
			}
			session = s.ID
			fmt.Fprintln(&out, line)
		}
		if question, ok := strings.CutPrefix(line, "> "); ok {
			fmt.Fprintf(&out, "\n> %s\n", question)
			d.round(&out, session, question)
		}
	}
	return out.String()
}

// round asks one question and writes what was said.
func (d desk) round(out io.Writer, session, question string) {
	d.t.Helper()
	started, err := d.chat.Ask(d.t.Context(), core.OwnerScope(), chat.AskRequest{SessionID: session, Question: question})
	if err != nil {
		d.t.Fatal(err)
	}
	streamed := d.streamed(started.Events)
	m, err := d.chat.Message(d.t.Context(), core.OwnerScope(), started.AssistantMessage.ID)
	if err != nil {
		d.t.Fatal(err)
	}
	if m.Content != streamed {
		d.t.Errorf("%s: streamed %q, stored %q", question, streamed, m.Content)
	}
	trace, err := d.db.Trace(d.t.Context(), core.OwnerScope(), m.ID)
	if err != nil {
		d.t.Fatal(err)
	}
	for _, n := range trace.Notes {
		if n.Stage == "query_understand" && n.Key == "question" {
			fmt.Fprintln(out, "=", n.Value)
		}
	}
	fmt.Fprintln(out, m.Content)
	fmt.Fprintf(out, "# %s, %s\n", m.HitType, m.Confidence.Level)
	for _, c := range m.Citations {
		fmt.Fprintf(out, "[%d] %s: %s\n", c.Number, c.Document, c.Quote)
		chunk, err := d.db.Chunk(d.t.Context(), core.OwnerScope(), c.ChunkID)
		if err != nil || chunk.Content[c.SourceStart:c.SourceEnd] != c.Quote {
			d.t.Errorf("%s: citation %d does not stand in its passage: %v", question, c.Number, err)
		}
	}
}

// streamed reads a turn's answer to its end.
func (d desk) streamed(events *chat.Tail) string {
	d.t.Helper()
	var b strings.Builder
	for {
		list, err := events.Next(context.WithoutCancel(d.t.Context()))
		for _, e := range list {
			if e.Type == core.EventAnswer {
				b.WriteString(e.Content)
			}
		}
		if errors.Is(err, io.EOF) {
			return b.String()
		}
		if err != nil {
			d.t.Fatal(err)
		}
	}
}
