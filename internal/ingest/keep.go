package ingest

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"

	"kaoju/internal/core"
	"kaoju/internal/parse"
	"kaoju/internal/store"
)

// keeper takes what was read of an original down, so that it can be cut anew
// without being read again: the readers of PDF and Office files take their
// time, and a model that read pictures costs. Plain files are not worth it.
// A reading that cannot be kept is no failure of the document.
type keeper struct {
	w    *Worker
	file *store.Reading // nil: nothing is kept
	zip  *gzip.Writer
	out  *json.Encoder
	err  error
}

// keptHead opens a kept reading.
type keptHead struct {
	Reader string // the version of the program that read; another may read better
}

// take notes one part.
func (k *keeper) take(ctx context.Context, part parse.Document) {
	if k.err != nil || k.w.deps.Reader == "" || plain(part.Format) {
		return
	}
	if k.file == nil {
		if k.file, k.err = k.w.deps.Store.NewReading(ctx); k.err != nil {
			return
		}
		k.zip = gzip.NewWriter(k.file)
		k.out = json.NewEncoder(k.zip)
		k.err = k.out.Encode(keptHead{k.w.deps.Reader})
	}
	part.Pictures = nil
	k.err = errors.Join(k.err, k.out.Encode(part))
}

// end keeps what was taken down, or drops it where the reading failed.
func (k *keeper) end(ctx context.Context, hash string, failed error) {
	if k.file == nil {
		k.warn(k.err)
		return
	}
	if k.err = errors.Join(k.err, k.zip.Close()); failed != nil || k.err != nil {
		k.file.Discard()
		k.warn(k.err)
		return
	}
	k.warn(k.file.Keep(ctx, hash))
}

func (k *keeper) warn(err error) {
	if err != nil {
		k.w.deps.Log.Warn("what was read of a document could not be kept; to cut it anew, it is read again", "error", err)
	}
}

// plain tells whether files of a format are read about as fast as what was
// kept of them would be.
func plain(format string) bool {
	switch format {
	case parse.FormatText, parse.FormatMarkdown, parse.FormatHTML, parse.FormatCSV, parse.FormatJSON:
		return true
	}
	return false
}

// replay gives the parts of an original that were kept; not ok where there are
// none, or none that this program made. An error is one of each, or of the
// file.
func (w *Worker) replay(ctx context.Context, hash string, each func(parse.Document) error) (ok bool, err error) {
	if w.deps.Reader == "" {
		return false, nil
	}
	parts, err := w.kept(ctx, hash)
	if err != nil || len(parts) == 0 {
		return false, nil //nolint:nilerr // then it is read again
	}
	for _, part := range parts {
		if err := each(part); err != nil {
			return true, err
		}
	}
	return true, nil
}

// kept reads what was kept. All of it is read before any is used, for a file
// that breaks off must not leave half a document.
func (w *Worker) kept(ctx context.Context, hash string) ([]parse.Document, error) {
	f, err := w.deps.Store.OpenReading(ctx, hash)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // reading only
	zip, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	in := json.NewDecoder(zip)
	var head keptHead
	if err := in.Decode(&head); err != nil || head.Reader != w.deps.Reader {
		return nil, err
	}
	var parts []parse.Document
	for {
		var part parse.Document
		err := in.Decode(&part)
		if errors.Is(err, io.EOF) {
			return parts, nil
		}
		if err != nil {
			return nil, core.Wrap(err, core.CodeCorrupt, "what was kept of a document cannot be read")
		}
		parts = append(parts, part)
	}
}
