package office

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"path"
	"strings"

	"golang.org/x/net/html/charset"

	"kaoju/internal/core"
)

const (
	// maxEntries is far above what an office program writes.
	maxEntries = 20_000
	// maxInflated bounds all parts of one file together, as read.
	maxInflated = 512 << 20
	// ratioFloor is the size from which a part's compression is looked at:
	// small parts may well shrink a thousandfold.
	ratioFloor = 32 << 20
	// maxRatio is above what real XML reaches (10 to 60).
	maxRatio = 200
)

// archive is an office file opened as a zip. It counts what was inflated from
// it, so that a bomb in any number of parts meets one limit.
type archive struct {
	files map[string]*zip.File // by lower-case name without a leading slash
	left  int64                // bytes that may still be inflated
}

// openArchive opens an office file. The errors are meant for the user.
func openArchive(data []byte, kind string) (*archive, error) {
	if isOLE(data) {
		return nil, oleError(data, kind)
	}
	zr, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, core.Wrap(err, core.CodeCorrupt, "the %s file is cut off or damaged: its archive cannot be opened", kind)
	}
	if len(zr.File) > maxEntries {
		return nil, core.Errorf(core.CodeTooLarge, "the %s file has %d parts; the limit is %d", kind, len(zr.File), maxEntries)
	}
	a := &archive{files: make(map[string]*zip.File, len(zr.File)), left: maxInflated}
	for _, f := range zr.File {
		a.files[partKey(f.Name)] = f
	}
	return a, nil
}

func partKey(name string) string {
	return strings.ToLower(strings.TrimPrefix(strings.ReplaceAll(name, `\`, "/"), "/"))
}

func (a *archive) has(name string) bool { return a.files[partKey(name)] != nil }

// open starts to read a part. A missing part is errNoPart.
func (a *archive) open(name string) (io.ReadCloser, error) {
	f := a.files[partKey(name)]
	if f == nil {
		return nil, errNoPart
	}
	if f.Flags&1 != 0 {
		return nil, core.Errorf(core.CodeEncrypted, "the file is encrypted; save it without a password and add it again")
	}
	rc, err := f.Open()
	if err != nil {
		return nil, core.Wrap(err, core.CodeCorrupt, "the file is damaged: the part %s cannot be read", path.Base(name))
	}
	return &boundedPart{ReadCloser: rc, archive: a, packed: int64(f.CompressedSize64)}, nil
}

var errNoPart = errors.New("no such part")

// boundedPart is a part being inflated under the archive's limits.
type boundedPart struct {
	io.ReadCloser
	archive *archive
	packed  int64
	read    int64
}

// Read inflates some more, and fails with core.CodeTooLarge past a limit.
func (b *boundedPart) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.read += int64(n)
	b.archive.left -= int64(n)
	if b.archive.left < 0 || b.read > ratioFloor && b.read > maxRatio*max(b.packed, 1) {
		return 0, core.Errorf(core.CodeTooLarge, "the file unpacks to far more than its size allows and was not read")
	}
	return n, err
}

// decoder opens a part as XML. The decoder is lenient: entities that the file
// defines itself stay as they are written, so nothing expands and nothing is
// fetched.
func (a *archive) decoder(name string) (*xml.Decoder, io.Closer, error) {
	rc, err := a.open(name)
	if err != nil {
		return nil, nil, err
	}
	d := xml.NewDecoder(rc)
	d.Strict = false
	d.CharsetReader = charset.NewReaderLabel
	return d, rc, nil
}

// eachElement calls visit for every start element of a part. A part that is
// missing has none. What is wrong with the XML ends the walk without an
// error, because the parts read this way only decorate the text; limits are
// still errors.
func (a *archive) eachElement(name string, visit func(d *xml.Decoder, el xml.StartElement) error) error {
	d, closer, err := a.decoder(name)
	if errors.Is(err, errNoPart) {
		return nil
	}
	if err != nil {
		return err
	}
	defer closer.Close() //nolint:errcheck // reading only
	for {
		tok, err := d.Token()
		if err != nil {
			return limitOnly(err)
		}
		if el, ok := tok.(xml.StartElement); ok {
			if err := visit(d, el); err != nil {
				return limitOnly(err)
			}
		}
	}
}

// limitOnly keeps errors that carry a code of ours and drops the others.
func limitOnly(err error) error {
	var known *core.Error
	if errors.As(err, &known) {
		return known
	}
	return nil
}

// attr gives an attribute's value by its local name, "" if it is not there.
func attr(el xml.StartElement, local string) string {
	v, _ := attrOK(el, local)
	return v
}

func attrOK(el xml.StartElement, local string) (string, bool) {
	for _, a := range el.Attr {
		if a.Name.Local == local {
			return a.Value, true
		}
	}
	return "", false
}

// isOn reads an on/off property: present means on unless it says otherwise.
func isOn(el xml.StartElement) bool {
	switch attr(el, "val") {
	case "0", "false", "off", "none":
		return false
	}
	return true
}

// relation is one entry of a part's relationships.
type relation struct {
	id, kind, target string
	external         bool
}

// relations reads the relationships of a part, with targets as part names.
func (a *archive) relations(part string) ([]relation, error) {
	dir, base := path.Split(part)
	var out []relation
	err := a.eachElement(dir+"_rels/"+base+".rels", func(_ *xml.Decoder, el xml.StartElement) error {
		if el.Name.Local != "Relationship" {
			return nil
		}
		r := relation{id: attr(el, "Id"), kind: path.Base(attr(el, "Type")), target: attr(el, "Target")}
		r.external = attr(el, "TargetMode") == "External"
		if strings.HasPrefix(r.target, "/") {
			r.target = strings.TrimPrefix(r.target, "/")
		} else {
			r.target = path.Join(dir, r.target)
		}
		out = append(out, r)
		return nil
	})
	return out, err
}

// firstOfKind gives the target of the first relation of a kind.
func firstOfKind(rels []relation, kind string) (string, bool) {
	for _, r := range rels {
		if r.kind == kind && !r.external {
			return r.target, true
		}
	}
	return "", false
}
