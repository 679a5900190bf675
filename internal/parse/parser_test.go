package parse_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"kaoju/internal/core"
	"kaoju/internal/parse"
)

// readerFunc makes a function a Reader.
type readerFunc func(context.Context, parse.Input, parse.Limits) (parse.Document, error)

func (f readerFunc) Read(ctx context.Context, in parse.Input, lim parse.Limits) (parse.Document, error) {
	return f(ctx, in, lim)
}

// office stands for the readers that live elsewhere.
func office(text string) map[string]parse.Reader {
	r := readerFunc(func(context.Context, parse.Input, parse.Limits) (parse.Document, error) {
		return parse.Document{Blocks: []parse.Block{{Kind: parse.Paragraph, Text: text}}}, nil
	})
	return map[string]parse.Reader{"docx": r, "xlsx": r, "pdf": r}
}

func zipOf(t testing.TB, names ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range names {
		f, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte("<x/>")); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// ole is the head of an old Office file with a stream of the given name.
func ole(stream string) []byte {
	b := []byte("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1" + strings.Repeat("\x00", 64))
	for _, c := range []byte(stream) {
		b = append(b, c, 0)
	}
	return b
}

func wide(s string) []byte {
	var b []byte
	for _, r := range s {
		b = append(b, byte(r), byte(r>>8))
	}
	return b
}

// A50, A56: what a file is follows from its content, never from its name.
func TestDetect(t *testing.T) {
	docx := zipOf(t, "[Content_Types].xml", "word/document.xml")
	tests := []struct {
		name string
		data []byte
		want string
	}{
		{"a.docx", docx, "docx"},
		{"a.txt", docx, "docx"},
		{"a.docx", zipOf(t, "xl/workbook.xml"), "xlsx"},
		{"a.bin", []byte("junk\n%PDF-1.7\n"), "pdf"},
		{"a.txt", []byte("  <!DOCTYPE html><p>x</p>"), "html"},
		{"a.csv", []byte("<html><table><tr><td>1</td></tr></table></html>"), "html"},
		{"a", []byte("<?xml version=\"1.0\"?>\n<!-- c -->\n<html><body>x</body></html>"), "html"},
		{"a.htm", []byte("<p>no head</p>"), "html"},
		{"a.md", []byte("text"), "markdown"},
		{"a", []byte("# 标题\n\n正文"), "markdown"},
		{"a.txt", []byte("# 标题\n\n正文"), "text"},
		{"a.txt", []byte("# 标题\n\n**重点**\n\n## 小节\n\n正文"), "markdown"},
		{"a.csv", []byte("a,b\n1,2\n"), "csv"},
		{"a", []byte("a\tb\n1\t2\n3\t4\n"), "csv"},
		{"a", []byte("只是一句话，没有别的。"), "text"},
		{"a.txt", []byte("BM25 is a ranking function"), "text"}, // BM also begins a bitmap
		{"a.txt", []byte("From: a@b.c\nSubject: x\nMIME-Version: 1.0\n\nwords\n"), "eml"},
		{"a.eml", []byte("From: a@b.c\nSubject: x\n\nwords\n"), "eml"},
		{"a.txt", []byte("Subject: x\nDate: today\n\na note, no message\n"), "text"},
		{"a.txt", []byte("Title: x\nAuthor: y\n\nwords\n"), "text"},
		{"a.bin", zipOf(t, "ppt/presentation.xml"), "pptx"},
		{"a.zip", zipOf(t, "word/list.txt", "a.md"), "zip"}, // a folder's name says nothing
		{"a.bin", zipOf(t, "META-INF/container.xml", "OPS/package.opf"), "epub"},
		{"a.txt", []byte("MZ and ID3 are letters, too"), "text"},
		{"a.txt", wide("中文，没有标记的十六位编码。\n第二行。"), "text"},
	}
	known := office("")
	for _, format := range []string{parse.FormatPPTX, parse.FormatEPUB, parse.FormatEML} {
		known[format] = known[parse.FormatDOCX]
	}
	p := parse.New(known)
	for _, tt := range tests {
		got, err := p.Detect(parse.Input{Name: tt.name, Data: tt.data})
		if err != nil || got != tt.want {
			t.Errorf("%s %.30q: got %q, %v; want %s", tt.name, tt.data, got, err, tt.want)
		}
	}
}

// Every refusal has its own code and says what to do.
func TestRefusals(t *testing.T) {
	docx := zipOf(t, "word/document.xml")
	tests := []struct {
		name string
		data []byte
		code core.Code
		says string
	}{
		{"a.txt", nil, core.CodeEmpty, "0 bytes"},
		{"a.txt", []byte(" \n\t\u3000\n"), core.CodeEmpty, "blank"},
		{"a.txt", []byte("\xEF\xBB\xBF"), core.CodeEmpty, "blank"},
		{"a.md", []byte("<!-- nothing -->"), core.CodeEmpty, "no text"},
		{"a.docx", docx[:len(docx)/2], core.CodeCorrupt, "cut off"},
		{"a.docx", ole("WordDocument"), core.CodeUnsupportedFormat, "save it as .docx"},
		{"a.xlsx", ole("Workbook"), core.CodeUnsupportedFormat, "save it as .xlsx"},
		{"a.ppt", ole("PowerPoint Document"), core.CodeUnsupportedFormat, "save it as .pptx"},
		{"a.docx", ole("EncryptedPackage"), core.CodeEncrypted, "password"},
		{"a.docx", zipOf(t, "ppt/presentation.xml"), core.CodeUnsupportedFormat, "PPTX"},
		{"a.xlsx", zipOf(t, "xl/workbook.bin"), core.CodeUnsupportedFormat, "save it as .xlsx"},
		{"a.eml", []byte("From: a@b.c\nSubject: x\nMIME-Version: 1.0\nContent-Transfer-Encoding: base64\n\n5Lit5paH\n"), core.CodeUnsupportedFormat, "EML"},
		{"a.doc", []byte(`{\rtf1 x}`), core.CodeUnsupportedFormat, ".docx"},
		{"a.txt", []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00"), core.CodeUnsupportedFormat, "png"},
		{"a.txt", append([]byte("\x7fELF\x02\x01\x01"), make([]byte, 500)...), core.CodeUnsupportedFormat, "binary"},
		{"a.txt", bytes.Repeat([]byte{1, 2, 3, 0xfe, 0}, 100), core.CodeUnsupportedFormat, "binary"},
		{"a.json", bytes.Repeat([]byte("["), 100_000), core.CodeCorrupt, "nested more than 100 deep"},
		{"a.txt", []byte(strings.Repeat("\uFFFD乱", 200)), core.CodeGarbled, "UTF-8"},
		{"a.txt", bytes.Repeat([]byte("x"), 3000), core.CodeTooLarge, "2 KiB"},
	}
	p := parse.New(office("x")).WithLimits(parse.Limits{MaxBytes: 2 << 10})
	for _, tt := range tests {
		in := parse.Input{Name: tt.name, Data: tt.data}
		q := p
		if tt.code != core.CodeTooLarge {
			q = parse.New(office("x"))
		}
		doc, err := q.Parse(t.Context(), in)
		if core.CodeOf(err) != tt.code || !strings.Contains(core.PublicMessage(err), tt.says) {
			t.Errorf("%s %.20q: got %q %q; want %s … %s", tt.name, tt.data, core.CodeOf(err), core.PublicMessage(err), tt.code, tt.says)
		}
		if len(doc.Blocks) > 0 {
			t.Errorf("%s %.20q: blocks came with the error", tt.name, tt.data)
		}
	}
}

// What readers return is cleaned, and their failures get codes.
func TestParseCleansAndExplains(t *testing.T) {
	in := parse.Input{Name: "a.pdf", Data: []byte("%PDF-1.7")}
	doc, err := parse.New(office("甲\x00乙\u0085丙\r\n丁\ufeff\xff")).Parse(t.Context(), in)
	if err != nil || doc.Text() != "甲乙\n丙\n丁\uFFFD" || doc.Format != "pdf" {
		t.Errorf("got %q, %v", doc.Text(), err)
	}
	fail := func(err error) error {
		_, got := parse.New(map[string]parse.Reader{"pdf": readerFunc(
			func(context.Context, parse.Input, parse.Limits) (parse.Document, error) { return parse.Document{}, err },
		)}).Parse(t.Context(), in)
		return got
	}
	if err := fail(errors.New("odd")); core.CodeOf(err) != core.CodeCorrupt {
		t.Errorf("a plain error: %v", err)
	}
	if err := fail(core.Errorf(core.CodeNoTextLayer, "scan")); core.CodeOf(err) != core.CodeNoTextLayer {
		t.Errorf("an error of ours: %v", err)
	}
	panics := readerFunc(func(context.Context, parse.Input, parse.Limits) (parse.Document, error) { panic("odd") })
	if _, err := parse.New(map[string]parse.Reader{"pdf": panics}).Parse(t.Context(), in); core.CodeOf(err) != core.CodeCorrupt {
		t.Errorf("a panic: %v", err)
	}
	waits := readerFunc(func(ctx context.Context, _ parse.Input, _ parse.Limits) (parse.Document, error) {
		<-ctx.Done()
		return parse.Document{}, ctx.Err()
	})
	slow := parse.New(map[string]parse.Reader{"pdf": waits}).WithLimits(parse.Limits{Timeout: time.Millisecond})
	if _, err := slow.Parse(t.Context(), in); core.CodeOf(err) != core.CodeTimeout {
		t.Errorf("a timeout: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := parse.New(nil).Parse(ctx, parse.Input{Name: "a.txt", Data: []byte("text")}); core.CodeOf(err) != core.CodeCanceled {
		t.Errorf("a cancelled context: %v", err)
	}
	if _, err := parse.New(nil).Parse(t.Context(), in); core.CodeOf(err) != core.CodeUnsupportedFormat {
		t.Errorf("no reader: %v", err)
	}
}

// The limits of text and blocks hold in every reader.
func TestLimits(t *testing.T) {
	lim := parse.Limits{MaxText: 1000, MaxBlocks: 50}
	for name, content := range map[string]string{
		"a.txt":  strings.Repeat("一段文字。\n\n", 60),
		"b.txt":  strings.Repeat("很长的一段文字。", 200),
		"a.md":   strings.Repeat("# 标题\n\n文字\n\n", 30),
		"a.html": "<html>" + strings.Repeat("<p>文字</p>", 60),
		"a.csv":  strings.Repeat("甲,乙\n", 60),
	} {
		_, err := parse.New(nil).WithLimits(lim).Parse(t.Context(), parse.Input{Name: name, Data: []byte(content)})
		if core.CodeOf(err) != core.CodeTooLarge {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A49: NUL bytes and other control characters never come out.
func TestControlsAreRemoved(t *testing.T) {
	doc := parseFile(t, "a.txt", "正常开头\x00中间\x00 结尾\x07\ufeff零宽\u200b字符\n")
	if got := doc.Text(); got != "正常开头中间 结尾零宽字符" {
		t.Errorf("got %q", got)
	}
}

// Offsets are the places of the blocks in Text.
func TestOffsets(t *testing.T) {
	doc := parseFile(t, "a.md", "# 标题\n\n文字\n\n| a | b |\n|---|---|\n| 1 | 2 |\n")
	text := doc.Text()
	for i, at := range doc.Offsets() {
		if !strings.HasPrefix(text[at:], doc.Blocks[i].Text) {
			t.Errorf("block %d is not at %d", i, at)
		}
	}
}

func parseFile(t testing.TB, name, content string) parse.Document {
	t.Helper()
	doc, err := parse.New(nil).Parse(context.Background(), parse.Input{Name: name, Data: []byte(content)})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return doc
}

// checkClean checks what holds for every document.
func checkClean(t testing.TB, doc parse.Document) {
	t.Helper()
	text := doc.Text()
	if !utf8.ValidString(text) {
		t.Errorf("broken text %q", text)
	}
	for _, r := range text {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			t.Errorf("control character %U", r)
		}
	}
	for _, b := range doc.Blocks {
		if strings.TrimSpace(b.Text) == "" || b.Kind == parse.Table && b.Text != parse.TableText(b.Rows, b.Header) {
			t.Errorf("bad block %+v", b)
		}
	}
}

func FuzzParse(f *testing.F) {
	for name, content := range map[string]string{
		"a.md":   "---\ntitle: x\n---\n# a\n> - b\n>   1. c\n\n$$x$$\n<table><tr><td>1\n\n```go\nx\n```\n|a|\n|-|\n",
		"a.html": "<!doctype html><title>t</title><table><tr><th rowspan=2>a<td colspan=3>b<tr><td><ul><li>c<pre>d\ne</pre></table>",
		"a.csv":  "sep=;\na;\"b\"\"\n\"c\n\"d",
		"a.txt":  "第一章 开头\n===\n1. a\n  b\n```\nc",
		"a.bin":  "PK\x03\x04\x00",
	} {
		f.Add(name, []byte(content))
	}
	p := parse.New(nil).WithLimits(parse.Limits{Timeout: 10 * time.Second})
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		doc, err := p.Parse(context.Background(), parse.Input{Name: name, Data: data})
		if err != nil {
			if core.CodeOf(err) == core.CodeInternal || core.PublicMessage(err) == "" {
				t.Errorf("error without a code: %v", err)
			}
			return
		}
		checkClean(t, doc)
	})
}
