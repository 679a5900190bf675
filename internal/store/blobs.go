package store

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"kaoju/internal/core"
)

const blobFolder = "blobs"

// Blob is an original on its way into the store: written to disk, not yet
// named by any document. Commit or Discard it.
type Blob struct {
	Hash string // SHA-256, hexadecimal
	Size int64
	temp string
}

// StageBlob reads an original to the end, to disk and not to memory. More
// than limit bytes is a core.CodeTooLarge that names the limit.
func (db *DB) StageBlob(ctx context.Context, r io.Reader, limit int64) (Blob, error) {
	f, err := os.CreateTemp(filepath.Join(db.dir, blobFolder), "incoming-*")
	if err != nil {
		return Blob{}, failure(ctx, err, "store the original")
	}
	b := Blob{temp: f.Name()}
	if err := b.fill(f, r, limit); err != nil {
		_ = f.Close()
		b.Discard()
		return Blob{}, failure(ctx, err, "store the original")
	}
	if err := f.Close(); err != nil {
		b.Discard()
		return Blob{}, failure(ctx, err, "store the original")
	}
	return b, nil
}

func (b *Blob) fill(f *os.File, r io.Reader, limit int64) error {
	h := sha256.New()
	w := bufio.NewWriterSize(io.MultiWriter(f, h), 1<<16)
	n, err := io.Copy(w, io.LimitReader(r, limit+1))
	if err != nil {
		return fmt.Errorf("read the original: %w", err)
	}
	if n > limit {
		return core.Errorf(core.CodeTooLarge, "the file is larger than the limit of %s", size(limit))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	b.Hash, b.Size = hex.EncodeToString(h.Sum(nil)), n
	return f.Sync()
}

// Discard removes a staged original that is not wanted. It does nothing after
// the original was kept.
func (b Blob) Discard() { _ = os.Remove(b.temp) }

// keepBlob gives a staged original its lasting name. The caller holds blobMu.
func (db *DB) keepBlob(b Blob) error {
	path := db.blobPath(b.Hash)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := os.Rename(b.temp, path); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}

func syncFolder(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

func (db *DB) blobPath(hash string) string {
	return filepath.Join(db.dir, blobFolder, hash[:2], hash)
}

// OpenBlob opens an original by its hash. The caller closes it.
func (db *DB) OpenBlob(ctx context.Context, hash string) (*os.File, error) {
	if len(hash) != sha256.Size*2 {
		return nil, core.Errorf(core.CodeNotFound, "there is no original %q", hash)
	}
	f, err := os.Open(db.blobPath(hash))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, core.Errorf(core.CodeNotFound, "the original %q is missing from the data folder", hash)
	}
	if err != nil {
		return nil, failure(ctx, err, "read the original")
	}
	return f, nil
}

// ReadBlob gives the whole of an original by its hash.
func (db *DB) ReadBlob(ctx context.Context, hash string) ([]byte, error) {
	f, err := db.OpenBlob(ctx, hash)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil {
		return nil, failure(ctx, err, "read the original")
	}
	return b, nil
}

// dropBlobs removes the originals that no document names any more.
func (db *DB) dropBlobs(ctx context.Context, hashes []string) error {
	db.blobMu.Lock()
	defer db.blobMu.Unlock()
	for _, hash := range hashes {
		n, err := db.count(ctx, "SELECT COUNT(*) FROM documents WHERE content_hash = ? AND state <> 'deleted'", hash)
		if err != nil {
			return err
		}
		if n > 0 || len(hash) < 2 {
			continue
		}
		for _, path := range []string{db.blobPath(hash), db.blobPath(hash) + readingSuffix} {
			if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("remove an original: %w", err)
			}
		}
	}
	return nil
}

// SweepBlobs removes what a process that died left beside the documents:
// originals that no document names, and uploads that never ended. It works
// through the folder in small steps, between which documents can be added.
func (db *DB) SweepBlobs(ctx context.Context) error {
	entries, err := os.ReadDir(filepath.Join(db.dir, blobFolder))
	if err != nil {
		return failure(ctx, err, "look through the originals")
	}
	for _, e := range entries {
		path := filepath.Join(db.dir, blobFolder, e.Name())
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case e.IsDir():
			err = db.sweepFolder(ctx, path)
		default:
			if info, infoErr := e.Info(); infoErr == nil && info.ModTime().Before(db.opened.Add(-time.Second)) {
				err = os.Remove(path)
			}
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return failure(ctx, err, "look through the originals")
		}
	}
	return nil
}

func (db *DB) sweepFolder(ctx context.Context, path string) error {
	db.blobMu.Lock()
	defer db.blobMu.Unlock()
	prefix := filepath.Base(path)
	named := map[string]bool{}
	err := each(ctx, db, func(s scanner) error {
		var hash string
		err := s.Scan(&hash)
		named[hash] = true
		return err
	}, "SELECT content_hash FROM documents WHERE content_hash >= ? AND content_hash < ? AND state <> 'deleted'",
		prefix, prefix+"g") // after every hexadecimal digit
	if err != nil {
		return err
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !named[strings.TrimSuffix(e.Name(), readingSuffix)] {
			if err := os.Remove(filepath.Join(path, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// size gives a number of bytes as people write it.
func size(n int64) string {
	if n >= 1<<20 && n%(1<<20) == 0 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d bytes", n)
}
