package sandbox

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"kaoju/internal/core"
	"kaoju/internal/parse"
)

// Serve is the child's side: it reads files from in, hands each to the reader
// of its format, and writes what came of it to out, until in ends (nil) or
// the two sides do not understand each other. Files inside files are read in
// the same child. It takes the memory limit of
// the first file for the whole process. Nothing else may write to out.
//
// A cancelled ctx stops the file being read; Serve itself returns when the
// parent closes in.
func Serve(ctx context.Context, in io.Reader, out io.Writer, readers map[string]parse.Reader) error {
	r, w := bufio.NewReaderSize(in, 64<<10), bufio.NewWriterSize(out, 64<<10)
	var limit sync.Once
	for {
		h, data, err := readRequest(r)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading a request from the parent: %w", err)
		}
		limit.Do(func() { limitMemory(h.Memory) })
		if err := writeReply(w, answer(ctx, h, data, readers)); err != nil {
			return err
		}
		if err := w.Flush(); err != nil {
			return fmt.Errorf("answering the parent: %w", err)
		}
	}
}

// answer reads one file.
func answer(ctx context.Context, h header, data []byte, readers map[string]parse.Reader) (rep reply) {
	defer func() {
		if p := recover(); p != nil {
			rep = reply{Code: core.CodeCorrupt, Message: "the file is damaged and cannot be read as " + h.Format}
		}
	}()
	if readers[h.Format] == nil {
		return reply{Code: core.CodeInternal, Message: "the parse worker has no reader for " + h.Format}
	}
	lim := h.limits().WithDefaults()
	ctx, cancel := context.WithTimeout(ctx, lim.Timeout)
	defer cancel()
	doc, err := parse.New(readers).WithLimits(lim).ReadAs(ctx, h.Format, parse.Input{Name: h.Name, Data: data})
	if err == nil {
		return reply{Document: &doc}
	}
	var known *core.Error
	switch {
	case errors.As(err, &known):
		return reply{Code: known.Code, Message: known.Message}
	case ctx.Err() != nil:
		return reply{Code: core.CodeTimeout, Message: "reading the file took too long"}
	}
	return reply{Code: core.CodeCorrupt, Message: "the file is damaged and cannot be read"}
}
