package store

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"kaoju/internal/core"
)

// readingSuffix is what the name of a reading has behind that of its original.
const readingSuffix = ".read"

// Reading is what a reader made of an original, on its way into the folder.
// Write it, then Keep or Discard it.
type Reading struct {
	db *DB
	f  *os.File
	w  *bufio.Writer
}

// NewReading begins to keep beside an original what its reader made of it, so
// that it can be cut anew without being read again.
func (db *DB) NewReading(ctx context.Context) (*Reading, error) {
	f, err := os.CreateTemp(filepath.Join(db.dir, blobFolder), "incoming-*")
	if err != nil {
		return nil, failure(ctx, err, "keep what was read")
	}
	return &Reading{db: db, f: f, w: bufio.NewWriterSize(f, 1<<16)}, nil
}

// Write appends to the reading.
func (r *Reading) Write(b []byte) (int, error) { return r.w.Write(b) }

// Keep puts the reading beside its original, in the place of an earlier one. It
// goes with the original. An original that is gone is a core.CodeNotFound.
func (r *Reading) Keep(ctx context.Context, hash string) error {
	err := errors.Join(r.w.Flush(), r.f.Close())
	if err == nil {
		err = r.db.placeReading(hash, r.f.Name())
	}
	if err != nil {
		_ = os.Remove(r.f.Name())
	}
	return failure(ctx, err, "keep what was read")
}

// Discard forgets a reading that is not kept.
func (r *Reading) Discard() {
	_ = r.f.Close()
	_ = os.Remove(r.f.Name())
}

// placeReading gives a file that was written its name, unless the original went
// meanwhile.
func (db *DB) placeReading(hash, file string) error {
	db.blobMu.RLock()
	defer db.blobMu.RUnlock()
	if len(hash) < 2 {
		return core.Errorf(core.CodeNotFound, "there is no original %q", hash)
	}
	if _, err := os.Stat(db.blobPath(hash)); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return core.Errorf(core.CodeNotFound, "the original %q is gone", hash)
		}
		return err
	}
	return os.Rename(file, db.blobPath(hash)+readingSuffix)
}

// OpenReading opens what was kept of an original. The caller closes it. Where there is
// none, it is a core.CodeNotFound.
func (db *DB) OpenReading(ctx context.Context, hash string) (io.ReadCloser, error) {
	missing := core.Errorf(core.CodeNotFound, "no reading of the original was kept")
	if len(hash) < 2 {
		return nil, missing
	}
	f, err := os.Open(db.blobPath(hash) + readingSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, missing
	}
	if err != nil {
		return nil, failure(ctx, err, "open what was read")
	}
	return f, nil
}

// DropReading forgets what was kept of an original, so that the original is read
// again.
func (db *DB) DropReading(ctx context.Context, hash string) error {
	if len(hash) < 2 {
		return nil
	}
	if err := os.Remove(db.blobPath(hash) + readingSuffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return failure(ctx, err, "forget what was read")
	}
	return nil
}
