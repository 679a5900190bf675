//go:build corpus

package corpustest

import (
	"os"
	"strings"
	"testing"

	"kaoju/internal/parse"
	"kaoju/internal/parse/mail"
	"kaoju/internal/parse/office"
	"kaoju/internal/parse/pdf"
)

// TestCorpus checks all readers over the corpus that KAOJU_CORPUS names.
// KAOJU_CORPUS_KINDS limits it to some folders ("txt md html").
func TestCorpus(t *testing.T) {
	dir := os.Getenv("KAOJU_CORPUS")
	if dir == "" {
		t.Fatal("KAOJU_CORPUS must name the folder of the corpus")
	}
	entries, err := ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	kinds := strings.Fields(os.Getenv("KAOJU_CORPUS_KINDS"))
	p := parse.New(map[string]parse.Reader{
		parse.FormatDOCX: office.DOCX{},
		parse.FormatDOC:  office.DOC{},
		parse.FormatPPTX: office.PPTX{},
		parse.FormatXLSX: office.XLSX{},
		parse.FormatEPUB: office.EPUB{},
		parse.FormatEML:  mail.Reader{},
		parse.FormatPDF:  pdf.New(t.TempDir()),
	})
	// What pdfium costs once a server is not the first file's.
	_, _ = p.Parse(t.Context(), parse.Input{Data: []byte("%PDF-1.4")})
	var outcomes []Outcome
	for _, e := range entries {
		if !wanted(e.File, kinds) {
			continue
		}
		o := Check(t.Context(), p, dir, e)
		if o.Problem != "" {
			t.Errorf("%s: %s (%s)", e.File, o.Problem, o.Message)
		}
		outcomes = append(outcomes, o)
	}
	Print(os.Stdout, outcomes)
	Summary(os.Stdout, outcomes)
}

func wanted(file string, kinds []string) bool {
	if len(kinds) == 0 {
		return true
	}
	for _, k := range kinds {
		if strings.HasPrefix(file, k+"/") {
			return true
		}
	}
	return false
}
