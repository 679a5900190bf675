package web_test

import (
	"testing"

	"github.com/chromedp/chromedp"

	"kaoju/internal/llm/llmtest"
	"kaoju/internal/store"
)

// catchFiles has the page keep what it would write to the disk or the
// clipboard, where a test can read it.
const catchFiles = `(() => {
	window.saved = [];
	window.copied = [];
	const blobs = new Map(), make = URL.createObjectURL;
	URL.createObjectURL = (blob) => { const url = make.call(URL, blob); blobs.set(url, blob); return url; };
	const click = HTMLAnchorElement.prototype.click;
	HTMLAnchorElement.prototype.click = function () {
		if (!this.download) return click.call(this);
		blobs.get(this.href).text().then((text) => { window.saved.push({ name: this.download, text }); document.body.dataset.saved = window.saved.length; });
	};
	Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (text) => { window.copied.push(text); document.body.dataset.copied = window.copied.length; } } });
	return true;
})()`

// TestOriginalIsDownloaded opens the evidence of an answer and takes the file.
func TestOriginalIsDownloaded(t *testing.T) {
	model := llmtest.StartTCP(t, says("Staff have 15 days of annual leave a year", ` <ref id="c1"/>.`))
	w := serve(t, slow(model))
	w.add("default", "leave.md", handbook)
	tb := openTab(t, w.url, look{})
	tb.open("/")
	eval[bool](tb, catchFiles)
	tb.ask("How many days of annual leave do staff have?")
	tb.see(".answer .badge", "") // while it is written, what is aimed at moves
	tb.click(".cite", "1")
	tb.click(".evidence button", "Original")
	tb.wait("document.body.dataset.saved === '1'")
	if got := eval[[]string](tb, "[window.saved[0].name, window.saved[0].text]"); got[0] != "leave.md" || got[1] != handbook {
		t.Errorf("downloaded %q", got)
	}
}

// TestMentionsOfOneKind chooses a base, then a document: the one takes the
// place of the other, and what finds no answer says what was asked.
func TestMentionsOfOneKind(t *testing.T) {
	w := serve(t, nil)
	w.add("default", "leave.md", handbook)
	for _, l := range []look{{lang: "en"}, {lang: "zh", dark: true, width: 320, height: 640}} {
		tb := openTab(t, w.url, l)
		tb.open("/")
		tb.wait("document.activeElement.matches('.composer textarea')")
		base := map[string]string{"en": "Main base", "zh": "主知识库"}[l.lang]
		tb.write("@" + base[:3])
		tb.see(".mentions [aria-selected=true]", base)
		tb.press(enterKey)
		tb.see(".chip", base)
		tb.write("@leave")
		tb.see(".mentions [aria-selected=true]", "leave.md")
		if got := eval[string](tb, "document.getElementById(document.activeElement.getAttribute('aria-activedescendant')).querySelector('span').textContent"); got != "leave.md" {
			t.Errorf("a screen reader is told that %q is active", got)
		}
		tb.shot("mention")
		tb.press(enterKey)
		if got := eval[string](tb, "[...document.querySelectorAll('.chip')].map((e) => e.textContent).join('|')"); got != "leave.md" {
			t.Errorf("chosen %q", got)
		}
		tb.ask("Who painted the ceiling of the Sistine Chapel?")
		tb.see(".notice.insufficient p", map[string]string{"en": "Only this was asked: leave.md.", "zh": "只问了：leave.md。"}[l.lang])
		said := eval[string](tb, "document.querySelector('.notice.insufficient').textContent")
		tb.do(chromedp.Reload())
		tb.see(".notice.insufficient p", "leave.md")
		tb.wait("document.querySelector('.notice.insufficient').textContent === " + quote(said)) // as it was live
		tb.shot("insufficient-scope")
		tb.axe(t)
		tb.noOverflow()
	}
}

// TestMentionsOfAnyDocument finds a document of many by its name, which the
// server knows and the page does not.
func TestMentionsOfAnyDocument(t *testing.T) {
	w := serveWith(t, nil, func(db *store.DB) { manyDocuments(t, db, 1000) })
	tb := openTab(t, w.url, look{})
	tb.open("/")
	tb.wait("document.activeElement.matches('.composer textarea')")
	tb.write("@00007")
	tb.see(".mentions [aria-selected=true]", "document 00007.md")
	tb.press(enterKey)
	tb.see(".chip", "document 00007.md")
	tb.write("@no such name")
	tb.wait("document.querySelector('.mentions').hidden") // a space ends it
	tb.write(" @nosuchname")
	tb.see(".mentions .none", "Nothing of that name")
	tb.press(enterKey) // sends; nothing is offered for what is no longer there
	tb.wait("document.querySelector('.mentions').hidden && document.querySelector('.answer')")
}

// TestDrawer opens what stands at the side on a narrow screen.
func TestDrawer(t *testing.T) {
	tb := openTab(t, serve(t, nil).url, look{lang: "zh", dark: true, width: 320, height: 640})
	tb.open("/")
	tb.click("button", "菜单")
	tb.wait("document.activeElement.closest('.side')")
	tb.shot("drawer")
	tb.axe(t)
	tb.press(escapeKey)
	tb.wait("document.activeElement.matches('.topbar button')")
}
