package office

import (
	"reflect"
	"strings"
	"testing"

	"kaoju/internal/core"
	"kaoju/internal/parse"
)

// epubWith makes a book of two chapters, which the spine names in the reverse
// order of the list, and further parts.
func epubWith(t testing.TB, first, second string, parts map[string]string) []byte {
	t.Helper()
	all := map[string]string{
		"mimetype":               "application/epub+zip",
		"META-INF/container.xml": `<container><rootfiles><rootfile full-path="OEBPS/content.opf"/></rootfiles></container>`,
		"OEBPS/content.opf": `<package xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata><dc:title> 山海经
 </dc:title><dc:title>another</dc:title></metadata><manifest>` +
			`<item id="b" href="text/b.xhtml" media-type="application/xhtml+xml"/><item id="a" href="text/a%20b.xhtml" media-type="application/xhtml+xml"/>` +
			`<item id="n" href="toc.ncx" media-type="application/x-dtbncx+xml"/><item id="p" href="p.png" media-type="image/png"/>` +
			`</manifest><spine><itemref idref="a"/><itemref idref="p"/><itemref idref="b"/><itemref idref="a"/></spine></package>`,
		"OEBPS/text/a b.xhtml": first, "OEBPS/text/b.xhtml": second,
	}
	for name, content := range parts {
		all[name] = content
	}
	return zipOf(t, all)
}

func xhtml(body string) string {
	return `<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body>` + body + `</body></html>`
}

func readEPUB(t testing.TB, data []byte) parse.Document {
	t.Helper()
	doc, err := EPUB{}.Read(t.Context(), parse.Input{Name: "a.epub", Data: data}, parse.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestEPUB(t *testing.T) {
	data := epubWith(t, xhtml(`<h1>第一章</h1><a id="p1"/><p>南山经之首曰䧿山。</p>`), xhtml(`<nav>菜单</nav><p>西山经。</p><img src="x"/>`), map[string]string{
		"OEBPS/toc.ncx": `<ncx><navMap><navPoint><navLabel><text>卷 一</text></navLabel><content src="text/a%20b.xhtml#x"/></navPoint>` +
			`<navPoint><navLabel><text>卷 二</text></navLabel><content src="text/b.xhtml"/></navPoint></navMap></ncx>`,
	})
	doc := readEPUB(t, data)
	want := []string{"heading#: 第一章", "paragraph: 南山经之首曰䧿山。", "heading#: 卷 二", "paragraph: 西山经。"}
	if got := outline(doc.Blocks); !reflect.DeepEqual(got, want) || doc.Title != "山海经" {
		t.Errorf("title %q, got %q", doc.Title, got)
	}
	p := parse.New(map[string]parse.Reader{parse.FormatEPUB: EPUB{}})
	if doc, err := p.Parse(t.Context(), parse.Input{Name: "a.zip", Data: data}); err != nil || doc.Format != "epub" {
		t.Errorf("through the parser: %q, %v", doc.Format, err)
	}
}

// A navigation page names chapters as a table of the older form does.
func TestEPUBNavigationPage(t *testing.T) {
	data := epubWith(t, xhtml(`<p>甲</p>`), xhtml(`<p>乙</p>`), map[string]string{
		"OEBPS/content.opf": `<package><manifest><item id="a" href="text/b.xhtml" media-type="application/xhtml+xml"/>` +
			`<item id="n" href="nav/nav.xhtml" media-type="application/xhtml+xml" properties="nav"/></manifest><spine><itemref idref="a"/></spine></package>`,
		"OEBPS/nav/nav.xhtml": xhtml(`<nav><ol><li><a href="../text/b.xhtml">第<b>一</b>回</a></li></ol></nav>`),
	})
	if got := outline(readEPUB(t, data).Blocks); !reflect.DeepEqual(got, []string{"heading#: 第一回", "paragraph: 乙"}) {
		t.Errorf("got %q", got)
	}
}

func TestEPUBDamage(t *testing.T) {
	locked := map[string]string{"META-INF/encryption.xml": `<encryption><EncryptedData><CipherReference URI="OEBPS/text/b.xhtml"/></EncryptedData></encryption>`}
	doc := readEPUB(t, epubWith(t, xhtml("<p>甲</p>"), "\x00\x01", locked))
	if got := outline(doc.Blocks); len(got) != 1 || len(doc.Warnings) != 1 || !strings.Contains(doc.Warnings[0], "protected") {
		t.Errorf("got %q with %q", got, doc.Warnings)
	}
	for name, c := range map[string]struct {
		data []byte
		code core.Code
	}{
		"no package": {zipOf(t, map[string]string{"META-INF/container.xml": "<x/>", "a.opf": ""}), core.CodeCorrupt},
		"no text":    {epubWith(t, xhtml(""), xhtml("<img/>"), nil), core.CodeEmpty},
		"protected":  {epubWith(t, "", "x", locked), core.CodeEncrypted},
		"cut off":    {epubWith(t, "x", "y", nil)[:300], core.CodeCorrupt},
		"too much":   {epubWith(t, xhtml("<p>"+strings.Repeat("x", 2000)), "", nil), core.CodeTooLarge},
	} {
		_, err := EPUB{}.Read(t.Context(), parse.Input{Data: c.data}, parse.Limits{MaxText: 1000})
		if core.CodeOf(err) != c.code {
			t.Errorf("%s: %v", name, err)
		}
	}
	missing := epubWith(t, xhtml("<p>甲</p>"), "", map[string]string{
		"OEBPS/content.opf": `<package><manifest><item id="a" href="text/b.xhtml" media-type="application/xhtml+xml"/><item id="c" href="../../../etc/passwd.html" media-type="text/html"/>` +
			`<item id="b" href="text/a%20b.xhtml" media-type="text/html"/></manifest><spine><itemref idref="c"/><itemref idref="b"/></spine></package>`,
	})
	if doc := readEPUB(t, missing); len(doc.Blocks) != 1 || len(doc.Warnings) != 1 || !strings.Contains(doc.Warnings[0], "passwd.html") {
		t.Errorf("got %q with %q", outline(doc.Blocks), doc.Warnings)
	}
}

func FuzzEPUB(f *testing.F) {
	f.Add(xhtml("<p>x</p>"), "<ncx><text>a</text><content src='text/b.xhtml'/></ncx>", "<CipherReference URI='x'/>")
	f.Fuzz(func(t *testing.T, chapter, contents, locks string) {
		data := epubWith(t, chapter, chapter, map[string]string{"OEBPS/toc.ncx": contents, "META-INF/encryption.xml": locks})
		_, err := EPUB{}.Read(t.Context(), parse.Input{Data: data}, parse.Limits{MaxText: 1 << 20})
		if err != nil && core.CodeOf(err) == core.CodeInternal {
			t.Errorf("an error without a code: %v", err)
		}
	})
}
