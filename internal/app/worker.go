package app

import (
	"context"
	"io"

	"kaoju/internal/parse"
	"kaoju/internal/parse/mail"
	"kaoju/internal/parse/office"
	"kaoju/internal/parse/pdf"
	"kaoju/internal/parse/sandbox"
)

// WorkerCommand is the hidden subcommand under which our own binary reads
// files in a child process.
const WorkerCommand = "parse-worker"

// sandboxed are the formats that are read in a child process.
var sandboxed = []string{parse.FormatDOCX, parse.FormatDOC, parse.FormatPPTX, parse.FormatXLSX, parse.FormatEPUB, parse.FormatEML, parse.FormatPDF}

// ServeWorker reads files for the parent at the other end of in and out until
// in ends. cacheDir keeps what is slow to prepare; empty keeps nothing.
func ServeWorker(ctx context.Context, in io.Reader, out io.Writer, cacheDir string) error {
	reader := pdf.New(cacheDir)
	defer reader.Close()
	return sandbox.Serve(ctx, in, out, map[string]parse.Reader{
		parse.FormatDOCX: office.DOCX{},
		parse.FormatDOC:  office.DOC{},
		parse.FormatPPTX: office.PPTX{},
		parse.FormatXLSX: office.XLSX{},
		parse.FormatEPUB: office.EPUB{},
		parse.FormatEML:  mail.Reader{},
		parse.FormatPDF:  reader,
	})
}
