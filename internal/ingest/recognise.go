package ingest

import (
	"context"
	"io"

	"kaoju/internal/core"
	"kaoju/internal/parse"
)

// pictured reports whether a file could not be read because it is a picture,
// or its pages are, and somebody may read those.
func (w *Worker) pictured(src io.ReaderAt, err error) bool {
	if err == nil || w.deps.Recognise == nil {
		return false
	}
	if core.CodeOf(err) == core.CodeNoTextLayer {
		return true
	}
	head := make([]byte, 512)
	n, _ := src.ReadAt(head, 0)
	return core.CodeOf(err) == core.CodeUnsupportedFormat && parse.IsPicture(head[:n])
}

// recognise has a model read the file. Without one the reader's reason stands.
// What goes wrong with the model is not the file's fault.
func (r *reading) recognise(ctx context.Context, k *keeper, reason error) error {
	doc, ok, err := r.w.deps.Recognise(ctx, r.it.doc)
	if err == nil && !ok {
		return reason
	}
	if err == nil {
		k.take(ctx, doc)
		err = r.add(ctx, doc)
	}
	if core.CodeOf(err) != core.CodeEmpty {
		r.ours = err
	}
	return err
}
