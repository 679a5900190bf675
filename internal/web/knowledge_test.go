package web_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

// choose gives files to the field for uploads, as a file dialog does.
func (tb *tab) choose(files map[string]string) {
	tb.t.Helper()
	paths := writeFiles(tb.t, files)
	tb.wait("document.querySelector('.drop input[type=file]')")
	call(tb, func() error {
		return chromedp.Do(tb.ctx, chromedp.SetUploadFiles(chromedp.CSS(".drop input[type=file]"), paths, chromedp.NodeReady))
	})
}

// writeFiles writes files into a folder of their own and gives their paths.
func writeFiles(t testing.TB, files map[string]string) []string {
	t.Helper()
	dir := t.TempDir()
	var paths []string
	for name, content := range files {
		path := filepath.Join(dir, name)
		must(t, os.WriteFile(path, []byte(content), 0o600))
		paths = append(paths, path)
	}
	return paths
}

// TestUploadAskCite uploads files of which one is refused, asks about them
// from the page, and follows the answer's source to the document.
func TestUploadAskCite(t *testing.T) {
	for _, l := range []look{{lang: "en"}, {lang: "zh", dark: true}, {lang: "en", width: 320, height: 640}} {
		t.Run(fmt.Sprintf("%s-%d", l.lang, l.width), func(t *testing.T) { uploadAskCite(t, l) })
	}
}

func uploadAskCite(t *testing.T, l look) {
	w := serve(t, nil)
	tb := openTab(t, w.url, l)
	tb.open("/knowledge")
	tb.see(".card", map[string]string{"en": "Main base", "zh": "主知识库"}[l.lang])
	tb.shot("bases")
	tb.axe(t)
	tb.click(".card", "")
	tb.see(".virtual-empty", "")
	tb.shot("base-empty")
	tb.axe(t)
	tb.choose(map[string]string{"leave.md": handbook, "broken.docx": "PK\x03\x04 nothing of a document follows", "program.exe": "MZ\x90\x00\x03\x00\x00\x00\x04"})
	tb.wait("document.querySelectorAll('.upload.done, .upload.failed').length === 3")
	tb.see(".virtual-row .state-ready", "")
	tb.wait("document.querySelectorAll('.chip-state.state-failed, .upload.failed').length >= 1")
	tb.wait("!document.querySelector('.chip-state .pulse')")
	if eval[bool](tb, "[...document.querySelectorAll('.virtual-body .cell')].some((c) => c.checkVisibility() && c.scrollWidth > c.clientWidth + 1)") {
		t.Error("a cell's content is wider than its column")
	}
	tb.shot("base-uploaded")
	tb.axe(t)
	tb.click(".document-name", "leave.md")
	tb.click(".chunk-open", "Annual leave")
	tb.see(".document-text mark", "annual leave")
	tb.shot("document")
	tb.axe(t)
	if l.width == 320 {
		tb.noOverflow()
	}
	tb.open("/knowledge/default/search")
	tb.wait("document.activeElement?.type === 'search'")
	tb.write("annual leave")
	tb.press(enterKey)
	tb.see(".found", "15 days")
	tb.click(".stage-tab", map[string]string{"en": "Ranked", "zh": "重排"}[l.lang])
	tb.click(".found summary", "")
	tb.shot("search-test")
	tb.axe(t)
	tb.open("/")
	tb.ask("How many days of annual leave do staff have?")
	tb.see(".answer .badge", "")
	tb.click(".badge", "")
	tb.wait("document.querySelector('.popover:popover-open')")
	tb.shot("confidence")
	tb.axe(t)
	tb.press(escapeKey)
	tb.click(".cite", "1")
	tb.see(".evidence mark.span-now", "15 days")
	tb.shot("evidence-narrow")
	tb.axe(t)
	tb.press(escapeKey)
	tb.wait("document.querySelector('.evidence').hidden && document.activeElement.classList.contains('cite')")
	tb.click("a", map[string]string{"en": "Why this answer?", "zh": "为什么这样回答？"}[l.lang])
	tb.wait("document.querySelectorAll('.stage').length > 5")
	tb.shot("trace")
	tb.axe(t)
	tb.open("/reference")
	tb.wait("document.querySelectorAll('.route').length > 20")
	tb.click(".route summary", "knowledge-qa")
	tb.shot("reference")
	tb.axe(t)
}

// noOverflow fails where the page is wider than its window.
func (tb *tab) noOverflow() {
	tb.t.Helper()
	wide := eval[[]string](tb, `[...document.querySelectorAll('body *')].filter((e) => e.checkVisibility() && !e.closest('.side') && e.getBoundingClientRect().right > innerWidth + 1 && !e.closest('pre, .table, .import-problems, .tabs, .virtual, .math')).slice(0, 5).map((e) => e.tagName + '.' + e.className)`)
	if len(wide) > 0 || eval[bool](tb, "document.documentElement.scrollWidth > innerWidth") {
		tb.t.Errorf("wider than the window: %v", wide)
	}
}
