package pdf

import (
	"bytes"
	"context"
	"crypto/md5" //nolint:gosec // what old PDF encryption is made of
	"crypto/rc4" //nolint:gosec // the same
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"kaoju/internal/core"
	"kaoju/internal/parse"
)

// shared is one Reader for all tests: starting pdfium is what takes time. It
// keeps its compiled code between runs of the tests.
var shared *Reader

func TestMain(m *testing.M) {
	dir, err := os.UserCacheDir()
	if err != nil {
		dir = os.TempDir()
	}
	dir = filepath.Join(dir, "kaoju-test-pdfium")
	if raceDetector {
		compileWithout(dir)
	}
	shared = New(dir)
	code := m.Run()
	if err := shared.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// compileWithout fills an empty cache by a run of one test without the race
// detector, under which compiling pdfium takes minutes instead of seconds. If
// that cannot be done, the tests are only slow.
func compileWithout(dir string) {
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return
	}
	cmd := exec.CommandContext(context.Background(), "go", "test", "-count=1", "-run=^TestNoText$", ".")
	cmd.Env = append(os.Environ(), "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "compiling pdfium ahead: %v\n%s", err, out)
	}
}

// builder writes a PDF by hand.
type builder struct {
	objects []string
	trailer string
}

func (b *builder) add(object string) int {
	b.objects = append(b.objects, object)
	return len(b.objects)
}

func stream(content string) string {
	return fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(content), content)
}

// withPages makes a PDF of the contents of pages, with the fonts F1
// (Helvetica) and F2 (Helvetica-Bold). extra goes into each page.
func withPages(extra string, contents ...string) *builder {
	b := &builder{}
	b.add("<< /Type /Catalog /Pages 2 0 R >>")
	b.add("") // pages
	b.add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
	b.add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>")
	var kids []string
	for _, content := range contents {
		body := b.add(stream(content))
		page := b.add(fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R %s "+
			"/Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> >>", body, extra))
		kids = append(kids, fmt.Sprintf("%d 0 R", page))
	}
	b.objects[1] = fmt.Sprintf("<< /Type /Pages /Count %d /Kids [%s] >>", len(kids), strings.Join(kids, " "))
	return b
}

func (b *builder) bytes() []byte {
	var out bytes.Buffer
	out.WriteString("%PDF-1.4\n")
	var offsets []int
	for i, o := range b.objects {
		offsets = append(offsets, out.Len())
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	xref := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", len(b.objects)+1)
	for _, o := range offsets {
		fmt.Fprintf(&out, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&out, "trailer\n<< /Size %d /Root 1 0 R %s >>\nstartxref\n%d\n%%%%EOF\n", len(b.objects)+1, b.trailer, xref)
	return out.Bytes()
}

// at writes text at a place.
func at(font string, size, x, y float64, text string) string {
	return fmt.Sprintf("BT /%s %g Tf %g %g Td (%s) Tj ET\n", font, size, x, y, text)
}

// lorem makes n lines of running text from a word, below each other.
func lorem(word string, x, y float64, n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(at("F1", 10, x, y-12*float64(i), fmt.Sprintf("%s%d %s words that fill the line %s", word, i, word, word)))
	}
	return b.String()
}

func readPDF(t testing.TB, data []byte) (parse.Document, error) {
	t.Helper()
	return shared.Read(context.Background(), parse.Input{Data: data}, parse.Limits{})
}

func mustRead(t testing.TB, data []byte) parse.Document {
	t.Helper()
	doc, err := readPDF(t, data)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func allText(doc parse.Document) string {
	var parts []string
	for _, b := range doc.Blocks {
		parts = append(parts, b.Text)
	}
	return strings.Join(parts, "\n")
}

func TestHeadingsParagraphsAndPages(t *testing.T) {
	one := at("F1", 20, 72, 720, "The Title") +
		at("F1", 10, 72, 690, "The first paragraph runs over the end of its line and is divi-") +
		at("F1", 10, 72, 678, "ded there, but it goes on.") +
		at("F2", 10, 72, 650, "A bold heading") +
		at("F1", 10, 72, 630, "Second paragraph.")
	doc := mustRead(t, withPages("", one, at("F1", 10, 72, 720, "On the next page.")).bytes())
	want := []parse.Block{
		{Kind: parse.Heading, Level: 1, Text: "The Title", Page: 1},
		{Kind: parse.Paragraph, Text: "The first paragraph runs over the end of its line and is divided there, but it goes on.", Page: 1},
		{Kind: parse.Heading, Level: 2, Text: "A bold heading", Page: 1},
		{Kind: parse.Paragraph, Text: "Second paragraph.", Page: 1},
		{Kind: parse.Paragraph, Text: "On the next page.", Page: 2},
	}
	if got, want := fmt.Sprint(doc.Blocks), fmt.Sprint(want); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if doc.Title != "The Title" || doc.Format != parse.FormatPDF {
		t.Errorf("title %q, format %q", doc.Title, doc.Format)
	}
}

// The columns of a page are drawn line by line across, as some programs do.
func TestColumnsDoNotInterleave(t *testing.T) {
	var page strings.Builder
	page.WriteString(at("F1", 18, 150, 750, "A title across both columns of it"))
	left, right := lorem("left", 50, 700, 12), lorem("right", 320, 700, 12)
	l, r := strings.SplitAfter(left, "ET\n"), strings.SplitAfter(right, "ET\n")
	for i := range l {
		page.WriteString(l[i] + r[i])
	}
	text := allText(mustRead(t, withPages("", page.String()).bytes()))
	if strings.Index(text, "left11") > strings.Index(text, "right0") || !strings.HasPrefix(text, "A title") {
		t.Errorf("the columns are mixed: %q", text)
	}
}

func TestRowsOfATableStayTogether(t *testing.T) {
	var page strings.Builder
	for i, row := range [][]string{{"Code", "Place", "Status"}, {"SKU-1", "A-12", "OK"}, {"SKU-2", "B-07", "LOW"}, {"SKU-3", "C-15", "OK"}} {
		for j, cell := range row {
			page.WriteString(at("F1", 10, 72+float64(j)*150, 700-float64(i)*16, cell))
		}
	}
	doc := mustRead(t, withPages("", page.String()).bytes())
	if len(doc.Blocks) != 1 || doc.Blocks[0].Kind != parse.Table || doc.Blocks[0].Header != 1 ||
		!strings.Contains(doc.Blocks[0].Text, "| SKU-2 | B-07 | LOW |") {
		t.Errorf("got %+v", doc.Blocks)
	}
}

func TestHeadersFootersAndPageNumbersAreDropped(t *testing.T) {
	var pages []string
	for i := range 4 {
		pages = append(pages, at("F1", 9, 72, 770, "ACME confidential")+lorem(fmt.Sprintf("body%c", 'a'+i), 72, 700, 5)+
			at("F1", 9, 300, 30, fmt.Sprintf("Page %d of 4", i+1)))
	}
	text := allText(mustRead(t, withPages("", pages...).bytes()))
	if strings.Contains(text, "ACME") || strings.Contains(text, "Page") || !strings.Contains(text, "bodyd4") {
		t.Errorf("got %q", text)
	}
}

func TestTurnedPageAndDoubleDrawing(t *testing.T) {
	turned := "BT /F1 12 Tf 0 1 -1 0 300 100 Tm (Turned by a quarter) Tj ET\nBT /F1 12 Tf 0 1 -1 0 316 100 Tm (and its second line.) Tj ET\n"
	if got := allText(mustRead(t, withPages("/Rotate 90", turned).bytes())); got != "Turned by a quarter and its second line." {
		t.Errorf("turned: %q", got)
	}
	twice := at("F1", 12, 72, 700, "Hello fake bold") + at("F1", 12, 72.3, 700, "Hello fake bold")
	if got := allText(mustRead(t, withPages("", twice).bytes())); got != "Hello fake bold" {
		t.Errorf("drawn twice: %q", got)
	}
	letters := ""
	for i, c := range "bound" { // each letter twice in a row
		x := 72 + 6.67*float64(i)
		letters += at("F1", 12, x, 700, string(c)) + at("F1", 12, x+.3, 700, string(c))
	}
	if got := allText(mustRead(t, withPages("", letters).bytes())); got != "bound" {
		t.Errorf("letters drawn twice: %q", got)
	}
}

// A56: a scan says that recognition is needed, an empty page that it is empty.
func TestNoText(t *testing.T) {
	image := withPages("", "q 500 0 0 700 50 50 cm BI /W 1 /H 1 /CS /G /BPC 8 ID \x80 EI Q").bytes()
	if _, err := readPDF(t, image); core.CodeOf(err) != core.CodeNoTextLayer || !strings.Contains(core.PublicMessage(err), "OCR") {
		t.Errorf("image only: %v", err)
	}
	if _, err := readPDF(t, withPages("", "").bytes()); core.CodeOf(err) != core.CodeEmpty {
		t.Errorf("empty page: %v", err)
	}
	mixed := withPages("", "q 500 0 0 700 50 50 cm BI /W 1 /H 1 /CS /G /BPC 8 ID \x80 EI Q", at("F1", 12, 72, 700, "Some text."))
	if doc := mustRead(t, mixed.bytes()); len(doc.Warnings) != 1 || !strings.Contains(doc.Warnings[0], "OCR") {
		t.Errorf("one scanned page: warnings %q", doc.Warnings)
	}
}

// A form object is a picture only if it shows one; its text is text.
func TestFormObjects(t *testing.T) {
	form := func(content string) []byte {
		b := withPages("", "")
		inner := b.add("<< /Type /XObject /Subtype /Form /BBox [0 0 600 700] /Resources << /Font << /F1 3 0 R >> >> " + stream(content)[2:])
		outer := b.add(fmt.Sprintf("<< /Type /XObject /Subtype /Form /BBox [0 0 600 700] /Resources << /XObject << /In %d 0 R >> >> %s", inner, stream("/In Do")[2:]))
		body := b.add(stream("q /Out Do Q"))
		b.objects[1] = fmt.Sprintf("<< /Type /Pages /Count 1 /Kids [%d 0 R] >>", b.add(fmt.Sprintf(
			"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R /Resources << /XObject << /Out %d 0 R >> >> >>", body, outer)))
		return b.bytes()
	}
	if _, err := readPDF(t, form("0 0 m 100 100 l S")); core.CodeOf(err) != core.CodeEmpty {
		t.Errorf("a drawing: %v", err)
	}
	if _, err := readPDF(t, form("q 500 0 0 700 50 50 cm BI /W 1 /H 1 /CS /G /BPC 8 ID \x80 EI Q")); core.CodeOf(err) != core.CodeNoTextLayer {
		t.Errorf("an image: %v", err)
	}
	if got := allText(mustRead(t, form(at("F1", 12, 72, 600, "Text in a form.")))); got != "Text in a form." {
		t.Errorf("text: %q", got)
	}
}

// lock encrypts the file with a user password (RC4, 40 bits).
func (b *builder) lock(password string) {
	pad := "\x28\xBF\x4E\x5E\x4E\x75\x8A\x41\x64\x00\x4E\x56\xFF\xFA\x01\x08\x2E\x2E\x00\xB6\xD0\x68\x3E\x80\x2F\x0C\xA9\xFE\x64\x53\x69\x7A"
	padded := []byte((password + pad)[:32])
	sum := md5.Sum(padded) //nolint:gosec // see above
	owner := make([]byte, 32)
	cipher, _ := rc4.NewCipher(sum[:5]) //nolint:gosec // see above
	cipher.XORKeyStream(owner, padded)
	id := "0123456789abcdef"
	key := md5.Sum([]byte(string(padded) + string(owner) + "\xfc\xff\xff\xff" + id)) //nolint:gosec // see above
	user := make([]byte, 32)
	cipher, _ = rc4.NewCipher(key[:5]) //nolint:gosec // see above
	cipher.XORKeyStream(user, []byte(pad))
	n := b.add(fmt.Sprintf("<< /Filter /Standard /V 1 /R 2 /O <%x> /U <%x> /P -4 >>", owner, user))
	b.trailer = fmt.Sprintf("/Encrypt %d 0 R /ID [<%x> <%x>]", n, id, id)
}

func TestDamagedAndLocked(t *testing.T) {
	b := withPages("", at("F1", 12, 72, 700, "Secret."))
	b.lock("open sesame")
	if _, err := readPDF(t, b.bytes()); core.CodeOf(err) != core.CodeEncrypted {
		t.Errorf("with a password: %v", err)
	}
	whole := withPages("", at("F1", 12, 72, 700, "Still here.")).bytes()
	repaired := bytes.Replace(whole, []byte("startxref"), []byte("startxxxx"), 1)
	if got := allText(mustRead(t, repaired)); got != "Still here." {
		t.Errorf("without a cross-reference: %q", got)
	}
	for name, data := range map[string][]byte{"nothing": {}, "noise": []byte("%PDF-1.7\nnoise"), "cut": whole[:60]} {
		if _, err := readPDF(t, data); core.CodeOf(err) != core.CodeCorrupt {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestLimitsAndCancelling(t *testing.T) {
	data := withPages("", lorem("x", 72, 700, 20)).bytes()
	if _, err := shared.Read(t.Context(), parse.Input{Data: data}, parse.Limits{MaxText: 100}); core.CodeOf(err) != core.CodeTooLarge {
		t.Errorf("over the limit of text: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := shared.Read(ctx, parse.Input{Data: data}, parse.Limits{}); core.CodeOf(err) != core.CodeCanceled {
		t.Errorf("canceled: %v", err)
	}
	closed := New("")
	if err := closed.Close(); err != nil {
		t.Error(err)
	}
	if _, err := closed.Read(t.Context(), parse.Input{Data: data}, parse.Limits{}); core.CodeOf(err) != core.CodeInternal {
		t.Errorf("after Close: %v", err)
	}
}
