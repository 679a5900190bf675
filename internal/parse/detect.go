package parse

import (
	"archive/zip"
	"bytes"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/gabriel-vasile/mimetype"

	"kaoju/internal/core"
)

// headSize is how much of a file is looked at to tell what it is.
const headSize = 16 << 10

// Detect says which format the content is. Its errors tell the person what to
// do about a file that cannot be read.
func (p *Parser) Detect(in Input) (string, error) {
	if int64(len(in.Data)) > p.limits.MaxBytes {
		return "", core.Errorf(core.CodeTooLarge, "the file has %s; the limit is %s",
			sizeText(int64(len(in.Data))), sizeText(p.limits.MaxBytes))
	}
	format, err := detect(in)
	if err != nil {
		return "", err
	}
	switch {
	case p.readers[format] != nil:
		return format, nil
	case format == FormatDOC:
		return "", unsupported("an old Word document (.doc)", "save it as .docx")
	case format == FormatXLS:
		return "", unsupported("an old Excel workbook (.xls)", "save it as .xlsx")
	case format == FormatPPT:
		return "", unsupported("an old PowerPoint presentation (.ppt)", "save it as .pptx")
	default:
		return "", core.Errorf(core.CodeUnsupportedFormat, "%s files cannot be read here", strings.ToUpper(format))
	}
}

func detect(in Input) (string, error) {
	data := in.Data
	switch {
	case len(data) == 0:
		return "", core.Errorf(core.CodeEmpty, "the file is empty (0 bytes)")
	case bytes.HasPrefix(data, []byte("PK\x03\x04")), bytes.HasPrefix(data, []byte("PK\x05\x06")):
		return detectZip(data)
	case bytes.HasPrefix(data, []byte("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1")):
		return detectOLE(data)
	case bytes.Contains(data[:min(len(data), 1024)], []byte("%PDF-")):
		return FormatPDF, nil
	case bytes.HasPrefix(bytes.TrimLeft(data[:min(len(data), 64)], "\xEF\xBB\xBF \r\n\t"), []byte(`{\rtf`)):
		return "", unsupported("a rich text (RTF) document", "save it as .docx")
	}
	if !looksLikeText(data) {
		return "", unsupported(binaryName(data), "only documents that hold text can be added")
	}
	return detectText(in)
}

func unsupported(what, advice string) error {
	return core.Errorf(core.CodeUnsupportedFormat, "this is %s; %s", what, advice)
}

// detectZip tells the office formats from other archives by their parts.
func detectZip(data []byte) (string, error) {
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return "", core.Wrap(err, core.CodeCorrupt, "the file is cut off or damaged (a broken zip container); get a fresh copy")
	}
	has := func(prefix string) bool {
		for _, f := range r.File {
			if strings.HasPrefix(strings.ReplaceAll(f.Name, `\`, "/"), prefix) {
				return true
			}
		}
		return false
	}
	switch {
	case has("xl/workbook.bin"):
		return "", unsupported("a binary Excel workbook (.xlsb)", "save it as .xlsx")
	case has("word/document.xml"), has("word/") && has("[Content_Types].xml"):
		return FormatDOCX, nil
	case has("xl/workbook.xml"), has("xl/") && has("[Content_Types].xml"):
		return FormatXLSX, nil
	case has("ppt/presentation.xml"), has("ppt/") && has("[Content_Types].xml"):
		return FormatPPTX, nil
	case has("META-INF/container.xml") && hasPackage(r.File):
		return FormatEPUB, nil
	case has("mimetype") && has("content.xml"):
		return "", unsupported("an OpenDocument file", "save it as .docx, .xlsx or PDF")
	}
	return FormatZIP, nil
}

// hasPackage looks for the list of a book's chapters. Other formats have a
// container file, too.
func hasPackage(files []*zip.File) bool {
	for _, f := range files {
		if strings.EqualFold(path.Ext(f.Name), ".opf") {
			return true
		}
	}
	return false
}

// detectOLE says which of the old Microsoft containers a file is, by the names
// of its streams, which stand in it as UTF-16.
func detectOLE(data []byte) (string, error) {
	has := func(stream string) bool {
		wide := make([]byte, 0, 2*len(stream))
		for i := range len(stream) {
			wide = append(wide, stream[i], 0)
		}
		return bytes.Contains(data, wide)
	}
	switch {
	case has("EncryptedPackage"):
		return "", core.Errorf(core.CodeEncrypted, "the file is protected by a password; remove the protection and save it again")
	case has("WordDocument"):
		return FormatDOC, nil
	case has("PowerPoint Document"):
		return FormatPPT, nil
	case has("Workbook"), has("Book"):
		return FormatXLS, nil
	case has("__properties_version1.0"):
		return "", unsupported("an Outlook message (.msg)", "save its text as .html or .txt")
	}
	return "", unsupported("an old Microsoft Office file", "save it in a current format (.docx or .xlsx) or as PDF")
}

// looksLikeText allows a few control characters, since real texts have some,
// and the zero bytes of UTF-16.
func looksLikeText(data []byte) bool {
	head := data[:min(len(data), headSize)]
	if hasMark(head) || isSixteen(head) {
		return true
	}
	controls := 0
	for _, c := range head {
		if c < ' ' && c != '\n' && c != '\r' && c != '\t' && c != '\f' && c != '\v' && c != 0x1B || c == 0x7F {
			controls++
		}
	}
	if controls == 0 {
		return true
	}
	if utf8.Valid(trimPartial(head)) {
		return controls*10 <= len(head)
	}
	return controls*100 <= len(head) && isTextType(mimetype.Detect(head))
}

// trimPartial cuts a character that the end of the sample broke.
func trimPartial(head []byte) []byte {
	for i := 1; i < utf8.UTFMax && i <= len(head); i++ {
		if utf8.RuneStart(head[len(head)-i]) {
			if !utf8.FullRune(head[len(head)-i:]) {
				return head[:len(head)-i]
			}
			break
		}
	}
	return head
}

func isTextType(m *mimetype.MIME) bool {
	for ; m != nil; m = m.Parent() {
		if m.Is("text/plain") {
			return true
		}
	}
	return false
}

// binaryName names what was recognised, for the message.
func binaryName(data []byte) string {
	m := mimetype.Detect(data)
	if m.Is("application/octet-stream") {
		return "a binary file"
	}
	if ext := strings.TrimPrefix(m.Extension(), "."); ext != "" {
		return fmt.Sprintf("a binary file of type %s (%s)", ext, m.String())
	}
	return fmt.Sprintf("a binary file of type %s", m.String())
}

// sizeText writes a size in the unit that a person would use.
func sizeText(n int64) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%.4g MiB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.4g KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d bytes", n)
}

func fileExtension(name string) string {
	return strings.ToLower(path.Ext(strings.ReplaceAll(name, `\`, "/")))
}
