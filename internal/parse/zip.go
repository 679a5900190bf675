package parse

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"path"
	"strings"

	"kaoju/internal/core"
	"kaoju/internal/parse/charset"
)

// zipReader reads archives: one document with a section a file, headed by the
// file's name. Files are unpacked in memory, one after the other, and read by
// the Parser that reads the archive; one that cannot be read is named in a
// warning.
type zipReader struct{}

const (
	// maxZipEntries is how many entries an archive may list, folders and all.
	maxZipEntries = 20_000
	// maxZipRatio is above what documents reach; what packs better, once it is
	// larger than zipRatioFloor, was made to fill memory.
	maxZipRatio   = 200
	zipRatioFloor = 32 << 20
)

// Read implements Reader.
func (zipReader) Read(ctx context.Context, in Input, lim Limits) (Document, error) {
	r, err := zip.NewReader(bytes.NewReader(in.Data), int64(len(in.Data)))
	if err != nil {
		return Document{}, core.Wrap(err, core.CodeCorrupt, "the archive is cut off or damaged; get a fresh copy")
	}
	if len(r.File) > maxZipEntries {
		return Document{}, core.Errorf(core.CodeTooLarge, "the archive lists %d files; the limit is %d", len(r.File), maxZipEntries)
	}
	z := zipScan{ctx: ctx, in: in, lim: lim, out: newCollector(ctx, lim)}
	names := entryNames(r.File)
	for i, f := range r.File {
		if isClutter(f, names[i]) {
			continue
		}
		if err := z.entry(f, names[i]); err != nil {
			return Document{}, err
		}
	}
	return z.document()
}

// zipScan is one archive being read.
type zipScan struct {
	ctx      context.Context //nolint:containedctx // lives as long as one Read call
	in       Input
	lim      Limits
	out      *collector
	warnings []string
	failed   error // of the first file that could not be read
	locked   int
}

// document gives what was read, or why nothing was.
func (z *zipScan) document() (Document, error) {
	switch {
	case z.out.err != nil:
		return Document{}, z.out.err
	case len(z.out.blocks) > 0:
		return Document{Blocks: z.out.blocks, Warnings: z.warnings}, nil
	case len(z.warnings) > 0 && z.locked == len(z.warnings):
		return Document{}, core.Errorf(core.CodeEncrypted, "the files in the archive are protected by a password; unpack it and add the files inside")
	case len(z.warnings) > 0:
		return Document{}, core.Wrap(z.failed, core.CodeEmpty, "no file in the archive could be read: %s", strings.Join(z.warnings[:min(len(z.warnings), 3)], "; "))
	}
	return Document{}, core.Errorf(core.CodeEmpty, "the archive holds no files")
}

// entry reads one file. An error ends the whole archive.
func (z *zipScan) entry(f *zip.File, name string) error {
	data, err := z.unpack(f)
	var doc Document
	if err == nil {
		doc, err = z.in.Open(z.ctx, Input{Name: path.Base(name), Data: data})
	}
	switch {
	case z.ctx.Err() != nil:
		return z.ctx.Err()
	case err != nil && z.in.Spent():
		return err
	case err != nil:
		z.leaveOut(name, err)
		return nil
	}
	for _, w := range doc.Warnings {
		z.warnings = append(z.warnings, name+": "+w)
	}
	for _, b := range Section(name, 1, doc) {
		z.out.add(b)
	}
	return z.out.err
}

// leaveOut says why a file is missing.
func (z *zipScan) leaveOut(name string, err error) {
	if z.failed == nil {
		z.failed = err
	}
	if core.CodeOf(err) == core.CodeEncrypted {
		z.locked++
	}
	why := "it is damaged"
	var known *core.Error
	if errors.As(err, &known) {
		why = known.Message
	}
	z.warnings = append(z.warnings, name+" was left out: "+why)
}

// unpack inflates a file, but not beyond the limits.
func (z *zipScan) unpack(f *zip.File) ([]byte, error) {
	if f.Flags&1 != 0 {
		return nil, core.Errorf(core.CodeEncrypted, "it is protected by a password")
	}
	limit := z.lim.MaxBytes
	if packed := int64(f.CompressedSize64); limit > zipRatioFloor { //nolint:gosec // a size beyond int64 becomes negative and gives the floor
		limit = min(limit, max(maxZipRatio*min(packed, limit), zipRatioFloor))
	}
	rc, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer rc.Close() //nolint:errcheck // reading only
	data, err := io.ReadAll(io.LimitReader(rc, limit+1))
	if int64(len(data)) > limit {
		return nil, core.Errorf(core.CodeTooLarge, "it unpacks to more than %s", sizeText(limit))
	}
	return data, err
}

// entryNames gives the names of the entries as harmless paths: relative,
// without drives and without steps upward. Nothing is ever written under
// them. Old archivers wrote names in the encoding of their country and did not
// say which; that is judged by all such names together, since one alone is
// short.
func entryNames(files []*zip.File) []string {
	names := make([]string, len(files))
	var raw []string
	for i, f := range files {
		names[i] = f.Name
		if f.NonUTF8 {
			raw = append(raw, strings.ReplaceAll(f.Name, "\n", " "))
		}
	}
	decoded := strings.Split(charset.Decode([]byte(strings.Join(raw, "\n")), "").Text, "\n")
	at := 0
	for i, f := range files {
		if f.NonUTF8 && len(decoded) == len(raw) {
			names[i] = decoded[at]
			at++
		}
		names[i] = harmless(names[i])
	}
	return names
}

func harmless(name string) string {
	name = strings.Join(strings.Fields(CleanText(name)), " ")
	name = strings.ReplaceAll(name, `\`, "/")
	if len(name) > 1 && name[1] == ':' {
		name = name[2:]
	}
	name = strings.TrimPrefix(path.Clean("/"+name), "/")
	if name == "" {
		return "file"
	}
	return name
}

// isClutter reports whether an entry is no file of the author's: a folder, or
// what operating systems leave behind.
func isClutter(f *zip.File, name string) bool {
	base := path.Base(name)
	return f.FileInfo().IsDir() || strings.HasPrefix(name, "__MACOSX/") || strings.HasPrefix(base, "._") ||
		base == ".DS_Store" || base == "Thumbs.db" || base == "desktop.ini"
}
