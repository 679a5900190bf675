package main

import (
	"fmt"
	"io"
	"os"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// meter shows progress: a bar on a terminal, plain lines elsewhere. A file
// counts twice, once when it was sent and once when it was worked on.
type meter struct {
	out   io.Writer
	bar   *progressbar.ProgressBar // nil without a terminal
	total int
	up    int
	ended int
	said  int // tenths that a plain line was printed for
}

func newMeter(out io.Writer, files int) *meter {
	m := &meter{out: out, total: files}
	if f, ok := out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		m.bar = progressbar.NewOptions(2*files, progressbar.OptionSetWriter(out), progressbar.OptionSetDescription("sending"),
			progressbar.OptionShowCount(), progressbar.OptionClearOnFinish(), progressbar.OptionSetWidth(40))
	}
	return m
}

// sent counts a file that the server has.
func (m *meter) sent() {
	m.up++
	m.show("sending")
}

// done says how many files have been worked on.
func (m *meter) done(n int) {
	m.ended = max(m.ended, n)
	m.show("reading")
}

func (m *meter) show(what string) {
	if m.bar != nil {
		m.bar.Describe(what)
		_ = m.bar.Set(m.up + m.ended) // a bar that cannot be drawn stops nothing
		return
	}
	if tenth := 10 * (m.up + m.ended) / (2 * m.total); tenth > m.said {
		m.said = tenth
		fmt.Fprintf(m.out, "%s: %d sent, %d of %d done\n", what, m.up, m.ended, m.total)
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
