package pdf

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"

	pdfium "github.com/klippa-app/go-pdfium"
	pdfiumerrors "github.com/klippa-app/go-pdfium/errors"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"kaoju/internal/core"
	"kaoju/internal/parse"
)

const (
	// maxMemoryPages bounds pdfium's memory: 64 KiB each, 768 MiB together.
	maxMemoryPages = 12 << 10
	// maxPages bounds how many pages are read; a file with more is refused
	// rather than read in part.
	maxPages = 20_000
)

// Reader reads PDF files. It is safe for concurrent use; pdfium is started by
// the first file and kept until Close.
type Reader struct {
	cacheDir string
	once     sync.Once
	cache    wazero.CompilationCache
	pool     pdfium.Pool
	err      error
}

// New makes a Reader that keeps compiled code in cacheDir; with "" it is
// compiled anew in every process. Nothing is done until the first Read.
func New(cacheDir string) *Reader { return &Reader{cacheDir: cacheDir} }

// Close frees pdfium. No Read may be running or follow.
func (r *Reader) Close() error {
	r.once.Do(func() { r.err = errClosed })
	if r.pool == nil {
		return nil
	}
	err := r.pool.Close()
	if r.cache != nil {
		err = errors.Join(err, r.cache.Close(context.Background()))
	}
	return err
}

var errClosed = errors.New("the PDF reader is closed")

// Read reads a PDF. Blocks carry their page. A file that needs a password is
// core.CodeEncrypted, one whose pages are pictures core.CodeNoTextLayer, one
// whose characters cannot be told core.CodeGarbled, one that pdfium cannot
// repair core.CodeCorrupt.
//
// ctx is looked at between characters. A loop inside pdfium is not ended by
// it, because the checks would double the time of every file: that is the
// sandbox's part.
func (r *Reader) Read(ctx context.Context, in parse.Input, lim parse.Limits) (parse.Document, error) {
	lim = lim.WithDefaults()
	if r.once.Do(r.start); r.err != nil {
		return parse.Document{}, core.Wrap(r.err, core.CodeInternal, "the PDF reader could not be started")
	}
	instance, err := r.pool.GetInstanceWithContext(ctx)
	if err != nil {
		return parse.Document{}, stopped(ctx, err)
	}
	defer instance.Close() //nolint:errcheck // the instance is thrown away
	doc, err := read(ctx, instance, in.Data, lim)
	if err != nil {
		return parse.Document{}, stopped(ctx, err)
	}
	return doc, nil
}

// start compiles pdfium, or takes it from the cache. It mounts no directory.
func (r *Reader) start() {
	config := wazero.NewRuntimeConfig().
		WithCoreFeatures(api.CoreFeaturesV2 | experimental.CoreFeaturesExceptionHandling).
		WithMemoryLimitPages(maxMemoryPages)
	if r.cacheDir != "" {
		cache, err := wazero.NewCompilationCacheWithDir(r.cacheDir)
		if err == nil { // a cache that cannot be written only costs time
			r.cache = cache
			config = config.WithCompilationCache(cache)
		}
	}
	r.pool, r.err = webassembly.Init(webassembly.Config{
		MinIdle: 0, MaxIdle: 1, MaxTotal: 4,
		FSConfig: wazero.NewFSConfig(), RuntimeConfig: config, Stdout: io.Discard, Stderr: io.Discard,
	})
}

// stopped gives an error its code.
func stopped(ctx context.Context, err error) error {
	var known *core.Error
	switch {
	case errors.As(err, &known):
		return known
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return core.Wrap(err, core.CodeTimeout, "reading the PDF took too long")
	case ctx.Err() != nil:
		return core.Wrap(err, core.CodeCanceled, "reading the PDF was stopped")
	}
	return core.Wrap(err, core.CodeCorrupt, "the PDF is damaged beyond repair")
}

// read reads an opened instance's one document.
func read(ctx context.Context, instance pdfium.Pdfium, data []byte, lim parse.Limits) (parse.Document, error) {
	opened, err := instance.OpenDocument(&requests.OpenDocument{File: &data})
	switch {
	case errors.Is(err, pdfiumerrors.ErrPassword), errors.Is(err, pdfiumerrors.ErrSecurity):
		return parse.Document{}, core.Wrap(err, core.CodeEncrypted,
			"the PDF needs a password; save it without one and add it again")
	case err != nil:
		return parse.Document{}, err
	}
	count, err := instance.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: opened.Document})
	if err != nil {
		return parse.Document{}, err
	}
	if count.PageCount > maxPages {
		return parse.Document{}, core.Errorf(core.CodeTooLarge, "the PDF has %d pages; the limit is %d", count.PageCount, maxPages)
	}
	d := &document{ctx: ctx, pdf: instance, ref: opened.Document, lim: lim}
	if err := d.readPages(count.PageCount); err != nil {
		return parse.Document{}, err
	}
	if lim.Pictures > 0 {
		pictures, err := d.render(lim.Pictures)
		return parse.Document{Format: parse.FormatPDF, Pictures: pictures}, err
	}
	return d.build(count.PageCount)
}

// build makes the document of the pages that were read.
func (d *document) build(count int) (parse.Document, error) {
	if d.chars == 0 {
		return parse.Document{}, d.noText(count)
	}
	decodeMojibake(d.pages)
	if garbled(d.pages) {
		return parse.Document{}, core.Errorf(core.CodeGarbled,
			"the PDF does not say which characters its fonts show, so its text cannot be read; recognise the text (OCR) first")
	}
	dropMargins(d.pages)
	doc := parse.Document{Format: parse.FormatPDF, Blocks: blocksOf(d.pages), Warnings: d.warnings()}
	if len(doc.Blocks) == 0 {
		return parse.Document{}, d.noText(count)
	}
	if len(doc.Blocks) > d.lim.MaxBlocks {
		return parse.Document{}, core.Errorf(core.CodeTooLarge, "the PDF has more than %d paragraphs", d.lim.MaxBlocks)
	}
	doc.Title = d.title(doc.Blocks)
	return doc, nil
}

// noText says why there is no text.
func (d *document) noText(count int) error {
	switch {
	case d.pictures > 0:
		return core.Errorf(core.CodeNoTextLayer, "the pages are images; recognise the text (OCR) first")
	case d.broken > 0 || count == 0:
		return core.Errorf(core.CodeCorrupt, "the PDF is damaged beyond repair")
	}
	return core.Errorf(core.CodeEmpty, "the PDF holds no text")
}

// title gives the title of the file's properties, unless a program made it
// up, else the first heading of the first page.
func (d *document) title(blocks []parse.Block) string {
	meta, err := d.pdf.FPDF_GetMetaText(&requests.FPDF_GetMetaText{Document: d.ref, Tag: "Title"})
	if err == nil {
		if t := strings.Join(strings.Fields(meta.Value), " "); parse.IsTitle(t) {
			return t
		}
	}
	for _, b := range blocks {
		if b.Kind == parse.Heading && b.Page == 1 {
			return b.Text
		}
	}
	return ""
}
