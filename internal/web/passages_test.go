package web_test

import "testing"

// TestPassagesByHand changes a passage, asks for what it says now, brings the
// text of the file back, and looks at another cut.
func TestPassagesByHand(t *testing.T) {
	w := serve(t, nil)
	id := w.add("default", "leave.md", handbook)
	tb := openTab(t, w.url, look{lang: "zh"})
	tb.open("/knowledge/default/documents/" + id)
	tb.see(".chunk-text", "15 days")
	tb.click(".chunk-menu", "1")
	tb.click("[role=menuitem]", "编辑段落")
	tb.wait("document.activeElement.matches('dialog textarea')")
	eval[bool](tb, "document.querySelector('dialog textarea').select() ?? true")
	tb.write("Annual leave\n\nStaff have 25 days of annual leave a year.")
	tb.shot("passage-edit")
	tb.axe(t)
	tb.click("dialog .primary", "保存")
	tb.see(".chunk-text", "25 days")
	tb.wait("![...document.querySelectorAll('.chunk-text')].some((e) => e.textContent.includes('15 days'))")
	tb.click(".chunk-menu", "1")
	tb.click("[role=menuitem]", "修订记录")
	tb.see("dialog .found", "15 days")
	tb.shot("revisions")
	tb.axe(t)
	tb.click("dialog .found .button", "恢复")
	tb.wait("!document.querySelector('dialog')")
	tb.see(".chunk-list .chunk-text", "15 days")
	tb.click("button", "切分方式")
	tb.see(".cut-preview .chunk-text", "15 days")
	tb.wait("document.activeElement.matches('dialog input')")
	tb.write("60")
	tb.wait("document.querySelectorAll('.cut-preview .chunk-open').length > 2")
	tb.shot("cut")
	tb.axe(t)
}
