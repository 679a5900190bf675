package main

import (
	"fmt"
	"io"
	"os"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// meter shows how far a long command is: a bar on a terminal, a plain line a
// tenth elsewhere.
type meter struct {
	out  io.Writer
	bar  *progressbar.ProgressBar // nil without a terminal
	name string                   // of what is worked on
	said int                      // tenths that a plain line was printed for
}

func newMeter(out io.Writer, total int) *meter {
	m := &meter{out: out}
	if f, ok := out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		m.bar = progressbar.NewOptions(total, progressbar.OptionSetWriter(out), progressbar.OptionShowCount(),
			progressbar.OptionClearOnFinish(), progressbar.OptionSetWidth(40))
	}
	return m
}

// show says that done of total are done.
func (m *meter) show(done, total int) {
	if m.bar != nil {
		m.bar.Describe(m.name)
		_ = m.bar.Set(done) // a bar that cannot be drawn stops nothing
		return
	}
	if tenth := 10 * done / max(total, 1); tenth > m.said {
		m.said = tenth
		fmt.Fprintf(m.out, "%s: %d of %d\n", m.name, done, total)
	}
}

// line prints a line above the bar.
func (m *meter) line(format string, args ...any) {
	if m.bar != nil {
		_ = m.bar.Clear()
	}
	fmt.Fprintf(m.out, format+"\n", args...)
}

func (m *meter) close() {
	if m.bar != nil {
		_ = m.bar.Finish()
	}
}
