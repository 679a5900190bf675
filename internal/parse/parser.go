package parse

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"kaoju/internal/core"
)

// Formats that Detect tells apart and that a Reader may be registered for.
const (
	FormatText     = "text"
	FormatMarkdown = "markdown"
	FormatHTML     = "html"
	FormatCSV      = "csv"
	FormatXLSX     = "xlsx"
	FormatDOCX     = "docx"
	FormatDOC      = "doc" // of Word before 2007
	FormatXLS      = "xls" // of Excel before 2007
	FormatPPT      = "ppt" // of PowerPoint before 2007
	FormatPPTX     = "pptx"
	FormatEPUB     = "epub"
	FormatEML      = "eml"
	FormatJSON     = "json"
	FormatZIP      = "zip"
	FormatPDF      = "pdf"
)

// Limits bound what one file may cost. A zero field means its default.
type Limits struct {
	MaxBytes  int64         // size of the file; 100 MiB
	MaxText   int           // bytes of extracted text; 64 MiB
	MaxBlocks int           // blocks, and rows of all tables together; 1,000,000
	MaxDepth  int           // nesting of lists, quotes and elements; 100
	Timeout   time.Duration // 2 minutes
	Pictures  int           // pages without text that are drawn; none
}

// DefaultLimits gives the limits that zero fields stand for.
func DefaultLimits() Limits {
	return Limits{
		MaxBytes: 100 << 20, MaxText: 64 << 20, MaxBlocks: 1_000_000, MaxDepth: 100, Timeout: 2 * time.Minute,
	}
}

// WithDefaults fills the zero fields.
func (l Limits) WithDefaults() Limits {
	d := DefaultLimits()
	if l.MaxBytes <= 0 {
		l.MaxBytes = d.MaxBytes
	}
	if l.MaxText <= 0 {
		l.MaxText = d.MaxText
	}
	if l.MaxBlocks <= 0 {
		l.MaxBlocks = d.MaxBlocks
	}
	if l.MaxDepth <= 0 {
		l.MaxDepth = d.MaxDepth
	}
	if l.Timeout <= 0 {
		l.Timeout = d.Timeout
	}
	return l
}

// Input is a file. Name is a hint only: detection is by content.
type Input struct {
	Name string
	Data []byte

	nest *nest // nil until a Parser reads it
}

// Reader reads one format. Limits have no zero fields. A Reader is used by
// many goroutines at once and returns a *core.Error for what is wrong with
// the file. It need not clean the text of its blocks: the Parser does.
type Reader interface {
	Read(ctx context.Context, in Input, lim Limits) (Document, error)
}

// Parser is the front door: it detects, reads and cleans. It is safe for
// concurrent use.
type Parser struct {
	readers map[string]Reader
	limits  Limits
	part    int // bytes of a text that are read at once
}

// New makes a Parser with the default limits, the readers of this package and
// those given by format name; a given one replaces ours.
func New(readers map[string]Reader) *Parser {
	all := map[string]Reader{
		FormatText:     textReader{},
		FormatMarkdown: markdownReader{},
		FormatHTML:     htmlReader{},
		FormatCSV:      csvReader{},
		FormatJSON:     jsonReader{},
		FormatZIP:      zipReader{},
	}
	maps.Copy(all, readers)
	return &Parser{readers: all, limits: DefaultLimits(), part: partSize}
}

// WithLimits gives a Parser with the same readers and other limits.
func (p *Parser) WithLimits(lim Limits) *Parser {
	return &Parser{readers: p.readers, limits: lim.WithDefaults(), part: p.part}
}

// Parse reads a file. Errors carry one of the codes empty, too_large,
// unsupported_format, corrupt, encrypted, no_text_layer, garbled, timeout,
// canceled.
func (p *Parser) Parse(ctx context.Context, in Input) (Document, error) {
	format, err := p.Detect(in)
	if err != nil {
		return Document{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, p.limits.Timeout)
	defer cancel()
	doc, err := p.read(ctx, format, in)
	if err != nil {
		return Document{}, p.explain(ctx, err)
	}
	doc.Format = format
	return finish(doc, p.limits)
}

// ReadAs reads a file whose format is known, and leaves its blocks as the
// Reader made them. It is for the child's side of a sandbox, whose parent has
// detected the format and cleans what comes out.
func (p *Parser) ReadAs(ctx context.Context, format string, in Input) (Document, error) {
	if p.readers[format] == nil {
		return Document{}, core.Errorf(core.CodeUnsupportedFormat, "%s files cannot be read here", format)
	}
	return p.read(ctx, format, in)
}

// read calls the format's reader. Readers stand on libraries that meet
// hostile bytes, so a panic in one is a damaged file, not the end of the
// server.
func (p *Parser) read(ctx context.Context, format string, in Input) (doc Document, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = core.Wrap(fmt.Errorf("the %s reader panicked: %v", format, r),
				core.CodeCorrupt, "the file is damaged and cannot be read as %s", format)
		}
	}()
	return p.readers[format].Read(ctx, in.within(p), p.limits)
}

// explain gives an error that is ours a code, and one that came from the
// clock the right one.
func (p *Parser) explain(ctx context.Context, err error) error {
	var known *core.Error
	switch {
	case errors.As(err, &known):
		return err
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return core.Wrap(err, core.CodeTimeout, "reading the file took longer than %s", p.limits.Timeout)
	case ctx.Err() != nil:
		return core.Wrap(err, core.CodeCanceled, "reading the file was stopped")
	}
	return core.Wrap(err, core.CodeCorrupt, "the file is damaged and cannot be read")
}
