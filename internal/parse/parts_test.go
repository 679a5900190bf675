package parse

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding/simplifiedchinese"

	"kaoju/internal/core"
)

// testPart is the size of a part here.
const testPart = 64 << 10

// inParts gives a parser that reads texts in small parts.
func inParts(lim Limits) *Parser {
	p := New(nil).WithLimits(lim)
	p.part = testPart
	return p
}

// partsOf reads a file in parts and gives the parts.
func partsOf(t *testing.T, name string, data []byte) []Document {
	t.Helper()
	var out []Document
	src := Source{Name: name, Bytes: bytes.NewReader(data), Size: int64(len(data))}
	err := inParts(Limits{}).ParseParts(t.Context(), src, func(d Document) error { out = append(out, d); return nil })
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// manual is a plain text of at least size bytes.
func manual(size int) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		if i%50 == 0 {
			fmt.Fprintf(&b, "第%d章 管理规定\n\n", i/50+1)
		}
		fmt.Fprintf(&b, "第 %d 条的内容：员工应当按照规定的流程办理，\n并在三个工作日内答复。\n\n", i)
	}
	return b.String()
}

// TestTextInPartsIsTheText reads a large text whole and in parts, in several
// encodings and with both line breaks: the blocks are the same.
func TestTextInPartsIsTheText(t *testing.T) {
	text := manual(2*testPart + testPart/2)
	gbk, err := simplifiedchinese.GB18030.NewEncoder().String(text)
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string]string{
		"utf-8": text, "crlf": strings.ReplaceAll(text, "\n", "\r\n"), "gb18030": gbk,
	} {
		t.Run(name, func(t *testing.T) {
			whole, err := New(nil).Parse(t.Context(), Input{Name: "a.txt", Data: []byte(data)})
			if err != nil {
				t.Fatal(err)
			}
			parts := partsOf(t, "a.txt", []byte(data))
			if len(parts) < 2 {
				t.Fatalf("%d parts of %d bytes", len(parts), len(data))
			}
			var texts []string
			for _, p := range parts {
				texts = append(texts, p.Text())
			}
			if got := strings.Join(texts, BlockGap); got != whole.Text() {
				t.Errorf("the parts hold %d bytes of text, the whole %d, or they differ", len(got), len(whole.Text()))
			}
			if parts[0].Title != whole.Title || parts[1].Title != "" || parts[1].Format != FormatText {
				t.Errorf("titles %q and %q, format %q; the whole has %q", parts[0].Title, parts[1].Title, parts[1].Format, whole.Title)
			}
		})
	}
}

// TestTableInPartsIsTheTable has cells with line breaks and quotes, and an inch
// mark that opens no cell.
func TestTableInPartsIsTheTable(t *testing.T) {
	var b strings.Builder
	b.WriteString("编号,名称,说明\n")
	for i := 1; b.Len() < 2*testPart; i++ {
		fmt.Fprintf(&b, "%d,显示器 27\" 款,\"第一行\n说\"\"明\"\"，第 %d 行\"\n", i, i)
	}
	whole, err := New(nil).Parse(t.Context(), Input{Name: "a.csv", Data: []byte(b.String())})
	if err != nil {
		t.Fatal(err)
	}
	want := whole.Blocks[0]
	rows := want.Rows[:want.Header]
	parts := partsOf(t, "a.csv", []byte(b.String()))
	for i, p := range parts {
		block := p.Blocks[0]
		if !slices.EqualFunc(block.Rows[:block.Header], want.Rows[:want.Header], slices.Equal) {
			t.Fatalf("part %d has the header %q", i, block.Rows[:block.Header])
		}
		if row := block.RowAt + block.Header; row != want.RowAt+len(rows) {
			t.Errorf("part %d says that its first row is %d; it is %d", i, row, want.RowAt+len(rows))
		}
		rows = append(rows, block.Rows[block.Header:]...)
	}
	if len(parts) < 2 || !slices.EqualFunc(rows, want.Rows, slices.Equal) {
		t.Errorf("%d parts give %d rows, the whole has %d, or they differ", len(parts), len(rows), len(want.Rows))
	}
}

func TestLastRow(t *testing.T) {
	long := strings.Repeat("x", maxCell+1)
	for _, c := range []struct {
		piece string
		want  int
	}{
		{"a,b\nc,d\ne", 8}, {"a,\"b\nc", 0}, {"a\n\"b\nc\",d\n", 10}, {"a\n\"b\"\"\nc\",d\ne", 12},
		{"27\" x\nb\n", 8}, {"no end", 0}, {"a\n\"" + long + "\nb\n", len(long) + 6},
	} {
		if got := lastRow([]byte(c.piece)); got != c.want {
			t.Errorf("lastRow of %.20q… = %d, want %d", c.piece, got, c.want)
		}
	}
}

func TestPartsErrors(t *testing.T) {
	read := func(p *Parser, data []byte, each func(Document) error) error {
		return p.ParseParts(t.Context(), Source{Name: "a.txt", Bytes: bytes.NewReader(data), Size: int64(len(data))}, each)
	}
	nothing := func(Document) error { return nil }
	mine := errors.New("the disk is full")
	big := []byte(manual(2 * testPart))
	line := bytes.Repeat([]byte("字"), 3*testPart)
	for _, c := range []struct {
		name string
		err  error
		want core.Code
	}{
		{"too large", read(inParts(Limits{MaxBytes: testPart}), big, nothing), core.CodeTooLarge},
		{"too many blocks", read(inParts(Limits{MaxBlocks: 100}), big, nothing), core.CodeTooLarge},
		{"one endless line", read(inParts(Limits{MaxText: testPart}), line, nothing), core.CodeTooLarge},
		{"blanks", read(inParts(Limits{}), bytes.Repeat([]byte(" \n"), testPart), nothing), core.CodeEmpty},
		{"zeros", read(inParts(Limits{}), make([]byte, 2*testPart), nothing), core.CodeUnsupportedFormat},
		{"small", read(inParts(Limits{}), nil, nothing), core.CodeEmpty},
	} {
		if core.CodeOf(c.err) != c.want {
			t.Errorf("%s: got %v, want %s", c.name, c.err, c.want)
		}
	}
	if err := read(inParts(Limits{}), big, func(Document) error { return mine }); !errors.Is(err, mine) {
		t.Errorf("the error of the receiver came back as %v", err)
	}
}
