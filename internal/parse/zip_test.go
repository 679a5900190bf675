package parse_test

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/text/encoding/simplifiedchinese"

	"kaoju/internal/core"
	"kaoju/internal/parse"
)

// packed is a file to go into an archive.
type packed struct {
	name, content string
	foreign       bool // the name is not UTF-8
}

func archiveOf(t testing.TB, files ...packed) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range files {
		out, err := w.CreateHeader(&zip.FileHeader{Name: f.name, NonUTF8: f.foreign, Method: zip.Deflate})
		if err == nil {
			_, err = out.Write([]byte(f.content))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func gbk(t testing.TB, s string) string {
	t.Helper()
	out, err := simplifiedchinese.GBK.NewEncoder().String(s)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestZIP(t *testing.T) {
	doc := parseFile(t, "a.bin", string(archiveOf(t,
		packed{name: "手册/安装.md", content: "# 安装\n\n先断电。\n"},
		packed{name: "__MACOSX/._x.md", content: "no"},
		packed{name: "empty/"},
		packed{name: "价目.csv", content: "品名,价\n苹果,5\n"},
		packed{name: "../../etc/evil.txt", content: "无害"},
		packed{name: `C:\Temp\b.txt`, content: "也无害"},
		packed{name: "x.png", content: "\x89PNG\r\n\x1a\n\x00\x00"},
		packed{name: "in.zip", content: string(archiveOf(t, packed{name: "deep.txt", content: "深处"}))},
	)))
	want := "h1: 手册/安装.md\nh2: 安装\nparagraph: 先断电。\nh1: 价目.csv\ntable/1: | 品名 | 价 |⏎| --- | --- |⏎| 苹果 | 5 |\n" +
		"h1: etc/evil.txt\nparagraph: 无害\nh1: Temp/b.txt\nparagraph: 也无害\nh1: in.zip\nh2: deep.txt\nparagraph: 深处\n"
	if got := sketch(doc); got != want {
		t.Errorf("got\n%s", got)
	}
	if doc.Format != "zip" || len(doc.Warnings) != 1 || !strings.HasPrefix(doc.Warnings[0], "x.png was left out: ") {
		t.Errorf("format %q, warnings %q", doc.Format, doc.Warnings)
	}
	if table := doc.Blocks[4]; table.Sheet != "价目.csv" {
		t.Errorf("the rows of a table belong to %q", table.Sheet)
	}
}

// Names that an old archiver wrote are decoded together.
func TestZIPForeignNames(t *testing.T) {
	doc := parseFile(t, "a.zip", string(archiveOf(t,
		packed{gbk(t, "集团邮件/审计系统.txt"), "一", true}, packed{gbk(t, "集团邮件/需求文档.txt"), "二", true}, packed{"中文.txt", "三", false})))
	if got := sketch(doc); !strings.Contains(got, "h1: 集团邮件/审计系统.txt\nparagraph: 一\nh1: 集团邮件/需求文档.txt\n") || !strings.Contains(got, "h1: 中文.txt") {
		t.Errorf("got\n%s", got)
	}
}

func TestZIPLimits(t *testing.T) {
	nested := archiveOf(t, packed{name: "core.txt", content: "核"})
	for range 5 {
		nested = archiveOf(t, packed{name: "in.zip", content: string(nested)}, packed{name: "a.txt", content: "层"})
	}
	doc := parseFile(t, "a.zip", string(nested))
	if strings.Count(doc.Text(), "层") != 3 || strings.Contains(doc.Text(), "核") || len(doc.Warnings) != 1 || !strings.Contains(doc.Warnings[0], "deep") {
		t.Errorf("the depth is not bounded: %q with %q", doc.Text(), doc.Warnings)
	}
	var many []packed
	for i := range 2_100 {
		many = append(many, packed{name: fmt.Sprint(i, ".txt"), content: "字"})
	}
	zeros := strings.Repeat("0\n", 1<<19)
	for name, c := range map[string]struct {
		data []byte
		lim  parse.Limits
		code core.Code
	}{
		"too many files":           {archiveOf(t, many...), parse.Limits{}, core.CodeTooLarge},
		"one that is too big":      {archiveOf(t, packed{name: "a", content: zeros}), parse.Limits{MaxBytes: 1 << 19}, core.CodeEmpty},
		"together too big":         {archiveOf(t, packed{name: "a", content: zeros[:5000]}, packed{name: "b", content: zeros[:5000]}, packed{name: "c", content: zeros[:5000]}), parse.Limits{MaxBytes: 5000, MaxText: 12_000}, core.CodeTooLarge},
		"nothing":                  {archiveOf(t), parse.Limits{}, core.CodeEmpty},
		"nothing that can be read": {archiveOf(t, packed{name: "a", content: "\x7fELF\x02\x01\x01\x00\x00\x00\x00"}), parse.Limits{}, core.CodeEmpty},
		"cut off":                  {nested[:len(nested)-30], parse.Limits{}, core.CodeCorrupt},
	} {
		_, err := parse.New(nil).WithLimits(c.lim).Parse(t.Context(), parse.Input{Name: "a.zip", Data: c.data})
		if core.CodeOf(err) != c.code {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// One file's damage does not harm the others, and neither does a reader that
// panics on one; a person who stops the job does.
func TestZIPFailures(t *testing.T) {
	data := archiveOf(t, packed{name: "bad.txt", content: strings.Repeat("乱七八糟", 100)}, packed{name: "good.txt", content: "好"})
	data[60] ^= 0xFF // inside the first file's data
	doc := parseFile(t, "a.zip", string(data))
	if !strings.Contains(doc.Text(), "好") || len(doc.Warnings) != 1 || !strings.Contains(doc.Warnings[0], "bad.txt") {
		t.Errorf("got %q with %q", doc.Text(), doc.Warnings)
	}
	locked := archiveOf(t, packed{name: "a.txt", content: "x"})
	for _, sign := range []string{"PK\x03\x04", "PK\x01\x02"} {
		at := bytes.Index(locked, []byte(sign)) + len(sign) + 2
		if sign == "PK\x01\x02" {
			at += 2
		}
		locked[at] |= 1
	}
	if _, err := parse.New(nil).Parse(t.Context(), parse.Input{Data: locked}); core.CodeOf(err) != core.CodeEncrypted {
		t.Errorf("a password: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	p := parse.New(map[string]parse.Reader{parse.FormatText: readerFunc(func(ctx context.Context, in parse.Input, _ parse.Limits) (parse.Document, error) {
		if in.Name == "panic.txt" {
			panic("damaged")
		}
		cancel()
		return parse.Document{}, ctx.Err()
	})})
	_, err := p.Parse(ctx, parse.Input{Data: archiveOf(t, packed{name: "panic.txt", content: "a"}, packed{name: "b.txt", content: "b"})})
	if core.CodeOf(err) != core.CodeCanceled {
		t.Errorf("cancelled: %v", err)
	}
}

func FuzzZIP(f *testing.F) {
	f.Add(archiveOf(f, packed{name: "a.md", content: "# x"}, packed{name: "b.zip", content: string(archiveOf(f, packed{name: "c.json", content: "{}"}))}))
	p := parse.New(nil).WithLimits(parse.Limits{MaxText: 1 << 20, MaxBytes: 1 << 20})
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := p.ReadAs(t.Context(), parse.FormatZIP, parse.Input{Data: data}); err != nil && core.CodeOf(err) == core.CodeInternal {
			t.Errorf("an error without a code: %v", err)
		}
	})
}
