package parse

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"image"
	_ "image/gif"  // measured
	_ "image/jpeg" // measured
	_ "image/png"  // measured
	"io"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Picture is a picture that stands in a file.
type Picture struct {
	Data []byte // PNG, JPEG, GIF or WebP
	Page int    // 1-based page or slide; 0 where it cannot be told
}

// Bounds of the pictures of one file. What is smaller is an icon or a line.
const (
	maxPictures     = 50
	maxPictureBytes = 10 << 20
	maxPicturesSize = 64 << 20
	minPictureBytes = 512
	minPictureSide  = 48
)

// IsPicture reports whether bytes are a picture that Pictures takes.
func IsPicture(data []byte) bool {
	switch http.DetectContentType(data) {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return true
	}
	return false
}

// Pictures gives the pictures of a file, each once, in the order in which they
// lie there: 50 at most and 64 MiB together. A file that is a picture is its
// only one; of a PDF they are the pages without a text layer, as pictures; of
// office files and books those in the archive; of HTML and Markdown those that
// are written into it. No address is followed.
func (p *Parser) Pictures(ctx context.Context, in Input) ([]Picture, error) {
	album := &album{seen: map[[32]byte]bool{}}
	if IsPicture(in.Data) {
		album.add(Picture{Data: in.Data})
		return album.list, nil
	}
	format, err := p.Detect(in)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, p.limits.Timeout)
	defer cancel()
	switch format {
	case FormatPDF:
		lim := p.limits
		lim.Pictures = maxPictures
		doc, err := (&Parser{readers: p.readers, limits: lim, part: p.part}).read(ctx, format, in)
		if err != nil {
			return nil, p.explain(ctx, err)
		}
		for _, picture := range doc.Pictures {
			album.add(picture)
		}
	case FormatDOCX, FormatPPTX, FormatXLSX, FormatEPUB:
		album.archive(ctx, in.Data)
	case FormatHTML, FormatMarkdown:
		album.inline(in.Data)
	}
	return album.list, nil
}

// album gathers pictures within the bounds.
type album struct {
	list []Picture
	seen map[[32]byte]bool
	size int
}

func (a *album) full() bool { return len(a.list) >= maxPictures || a.size >= maxPicturesSize }

// add takes a picture that is new and large enough to say something.
func (a *album) add(p Picture) {
	if a.full() || len(p.Data) < minPictureBytes || len(p.Data) > maxPictureBytes || a.size+len(p.Data) > maxPicturesSize || !IsPicture(p.Data) {
		return
	}
	if c, _, err := image.DecodeConfig(bytes.NewReader(p.Data)); err == nil && (c.Width < minPictureSide || c.Height < minPictureSide) {
		return
	}
	sum := sha256.Sum256(p.Data)
	if a.seen[sum] {
		return
	}
	a.seen[sum] = true
	a.size += len(p.Data)
	a.list = append(a.list, p)
}

// archive takes the pictures of an office file or a book. A part that is broken
// costs its own picture only.
func (a *album) archive(ctx context.Context, data []byte) {
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return
	}
	files := slices.Clone(r.File)
	slices.SortStableFunc(files, func(x, y *zip.File) int { return byNumber(x.Name, y.Name) })
	slides := slidesOf(files)
	for _, f := range files {
		if ctx.Err() != nil || a.full() {
			return
		}
		switch strings.ToLower(path.Ext(f.Name)) {
		case ".png", ".jpg", ".jpeg", ".gif", ".webp":
			if body := inflate(f, maxPictureBytes); body != nil {
				a.add(Picture{Data: body, Page: slides[path.Base(f.Name)]})
			}
		}
	}
}

// inflate reads a part of at most limit bytes; nil where it is longer or
// broken, whatever its header says.
func inflate(f *zip.File, limit int64) []byte {
	if f.UncompressedSize64 > uint64(limit) { //nolint:gosec // limits are positive
		return nil
	}
	rc, err := f.Open()
	if err != nil {
		return nil
	}
	defer rc.Close() //nolint:errcheck // reading only
	body, err := io.ReadAll(io.LimitReader(rc, limit+1))
	if err != nil || int64(len(body)) > limit {
		return nil
	}
	return body
}

var (
	digits     = regexp.MustCompile(`\d+`)
	slideRels  = regexp.MustCompile(`(?i)^ppt/slides/_rels/slide(\d+)\.xml\.rels$`)
	relTarget  = regexp.MustCompile(`Target="[^"]*/media/([^"/]+)"`)
	dataInText = regexp.MustCompile(`data:image/(?:png|jpe?g|gif|webp);base64,([A-Za-z0-9+/=\s]{16,})`)
)

// byNumber has image10 come after image9.
func byNumber(a, b string) int {
	cut := func(s string) (string, int) {
		n, _ := strconv.Atoi(digits.FindString(path.Base(s)))
		return digits.ReplaceAllString(s, ""), n
	}
	wordsA, numberA := cut(a)
	wordsB, numberB := cut(b)
	if wordsA != wordsB {
		return strings.Compare(wordsA, wordsB)
	}
	return numberA - numberB
}

// maxRels bounds the list of what a slide refers to.
const maxRels = 1 << 20

// slidesOf tells on which slide each picture of a presentation stands first.
func slidesOf(files []*zip.File) map[string]int {
	slides := map[string]int{}
	for _, f := range files {
		m := slideRels.FindStringSubmatch(f.Name)
		if m == nil {
			continue
		}
		number, _ := strconv.Atoi(m[1])
		for _, target := range relTarget.FindAllSubmatch(inflate(f, maxRels), -1) {
			if name := string(target[1]); slides[name] == 0 {
				slides[name] = number
			}
		}
	}
	return slides
}

// inline takes the pictures that are written into a text.
func (a *album) inline(data []byte) {
	for _, m := range dataInText.FindAllSubmatch(data, -1) {
		if a.full() {
			return
		}
		body, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(string(m[1])), ""))
		if err == nil {
			a.add(Picture{Data: body})
		}
	}
}
