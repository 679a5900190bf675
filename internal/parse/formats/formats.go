// Package formats is the list of the readers that run in a child process: the
// ones that stand on heavy libraries, or read formats in which a small file
// can ask for much. The child process builds them with Open; the server only
// needs their Names.
package formats

import (
	"maps"
	"slices"

	"kaoju/internal/parse"
	"kaoju/internal/parse/legacy"
	"kaoju/internal/parse/mail"
	"kaoju/internal/parse/office"
	"kaoju/internal/parse/pdf"
)

// Open gives the readers by their format. close frees what they hold once no
// file is read any more. cacheDir keeps what is slow to prepare; empty keeps
// nothing.
func Open(cacheDir string) (readers map[string]parse.Reader, close func() error) {
	pages := pdf.New(cacheDir)
	readers = light()
	readers[parse.FormatPDF] = pages
	return readers, pages.Close
}

// Names gives the formats that Open has readers for, sorted.
func Names() []string {
	names := append(slices.Collect(maps.Keys(light())), parse.FormatPDF)
	slices.Sort(names)
	return names
}

// light gives the readers that need nothing prepared.
func light() map[string]parse.Reader {
	return map[string]parse.Reader{
		parse.FormatDOCX: office.DOCX{},
		parse.FormatPPTX: office.PPTX{},
		parse.FormatXLSX: office.XLSX{},
		parse.FormatDOC:  office.DOC{},
		parse.FormatPPT:  legacy.PPT{},
		parse.FormatXLS:  legacy.XLS{Workbook: office.XLSX{}},
		parse.FormatEPUB: office.EPUB{},
		parse.FormatEML:  mail.Reader{},
	}
}
