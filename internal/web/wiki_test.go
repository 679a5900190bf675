package web_test

import (
	"fmt"
	"testing"

	"kaoju/internal/llm/llmtest"
)

// TestWiki writes pages, follows links between them, edits with a preview,
// brings a revision back, meets a change that somebody else made, and deletes.
func TestWiki(t *testing.T) {
	for _, l := range []look{{lang: "zh", dark: true}, {lang: "en", width: 320, height: 700}} {
		t.Run(fmt.Sprintf("%s-%d", l.lang, l.width), func(t *testing.T) { wikiPages(t, l) })
	}
}

func wikiPages(t *testing.T, l look) {
	word := func(en, chinese string) string { return map[string]string{"en": en, "zh": chinese}[l.lang] }
	w := serve(t, nil)
	tb := openTab(t, w.url, l)
	tb.open("/knowledge")
	tb.click("button", word("New base", "新建知识库"))
	tb.wait("document.activeElement.matches('dialog input[type=text]')")
	tb.write("员工手册")
	tb.click("dialog .choice", word("Wiki", "维基"))
	tb.click("dialog button", word("Create", "创建"))
	tb.see(".wiki-body h2", word("No page yet", "还没有页面"))
	tb.shot("wiki-empty")
	tb.axe(t)

	// A page with a link to one that is not there yet, which is then written.
	tb.click("a", word("New page", "新建页面"))
	tb.wait("document.activeElement.matches('.wiki-form input[type=text]')")
	tb.write("休假/年假")
	eval[bool](tb, "document.querySelector('.wiki-source').focus() ?? true")
	tb.write("# 年假\n\n员工每年有 **15 天**年假，参见[[病假|病假规定]]。\n\n| 工龄 | 天数 |\n| --- | --- |\n| 1 年 | 5 |\n\n`[[代码]]`")
	tb.see(".wiki-preview strong", "15 天")
	tb.see(".wiki-preview .wiki-link", "病假规定")
	tb.shot("wiki-editor")
	tb.axe(t)
	tb.click("button", word("Save", "保存"))
	tb.see(".wiki-page .prose strong", "15 天")
	tb.see(".wiki-page code", "[[代码]]")
	tb.click(".wiki-link.broken", "病假规定")
	tb.wait("document.activeElement.matches('.wiki-source')")
	tb.write("病假须有证明，另见 [[休假/年假]]。")
	tb.click("button", word("Save", "保存"))
	tb.see(".wiki-title", "病假")
	tb.shot("wiki-page")
	tb.axe(t)
	if l.width == 320 {
		tb.noOverflow()
	}
	tb.click(".wiki-page .prose .wiki-link", "休假/年假")
	tb.see(".wiki-title", "休假/年假")
	tb.see(".wiki-page .wiki-link:not(.broken)", "病假规定")
	tb.see(".wiki-backlinks a", "病假")

	// An edit, and what it replaced brought back.
	tb.click("button", word("Edit", "编辑"))
	tb.wait("document.querySelector('.wiki-source')?.value.includes('15 天')")
	eval[bool](tb, "{ const s = document.querySelector('.wiki-source'); s.focus(); s.select(); } true")
	tb.write("改为 20 天。")
	tb.pressWith(key{"s", "KeyS", "", 83}, 2)
	tb.see(".wiki-page .prose", "改为 20 天")
	tb.click("button", word("History", "历史"))
	tb.wait("document.querySelectorAll('dialog .found').length === 2")
	tb.click("dialog details summary", word("Revision 1", "第 1 版"))
	tb.see("dialog .wiki-old", "15 天")
	tb.shot("wiki-history")
	tb.axe(t)
	tb.click("dialog button", word("Bring back", "恢复"))
	tb.see(".wiki-page .prose strong", "15 天")

	// Somebody else was faster: nothing that was typed is lost.
	tb.click("button", word("Edit", "编辑"))
	tb.wait("document.querySelector('.wiki-source')")
	id := eval[string](tb, "location.pathname.split('/').at(-1)")
	base := eval[string](tb, "location.pathname.split('/')[2]")
	eval[bool](tb, fmt.Sprintf("fetch('/api/v1/knowledge-bases/%s/wiki/pages/%s', { method: 'PATCH', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ revision: 3, content: 'x' }) }).then((r) => r.ok)", base, id))
	tb.allow("409")
	eval[bool](tb, "document.querySelector('.wiki-source').focus() ?? true")
	tb.write("我的内容")
	tb.click("button", word("Save", "保存"))
	tb.see(".wiki-form .field-error", word("Somebody changed the page", "刚被他人修改"))
	tb.wait("document.querySelector('.wiki-source').value.includes('我的内容')")
	tb.shot("wiki-conflict")
	tb.axe(t)

	// What was typed is not left unasked: not by a link, and not by going back.
	leave := word("Discard the changes", "放弃修改")
	tb.click("a.back", "")
	tb.see("dialog h2", leave)
	tb.press(escapeKey)
	tb.wait("!document.querySelector('dialog[open]') && document.querySelector('.wiki-source').value.includes('我的内容')")
	at := eval[string](tb, "location.pathname")
	eval[bool](tb, "history.back() ?? true")
	tb.see("dialog h2", leave)
	tb.press(escapeKey)
	tb.wait("!document.querySelector('dialog[open]') && location.pathname === " + quote(at))
	tb.wait("document.querySelector('.wiki-source').value.includes('我的内容')")
	tb.click("a.back", "")
	tb.click("dialog .danger", leave)
	tb.wait("location.pathname !== " + quote(at) + " && !document.querySelector('.wiki-source')")

	// The answer cites the page; the page is deleted.
	tb.open("/")
	tb.ask("病假须有什么？")
	tb.see(".answer .prose", "证明")
	tb.see(".source-name", "病假")
	tb.click(".cite", "1")
	tb.click(".evidence a", word("All of it", "查看全文"))
	tb.see(".wiki-title", "病假")
	tb.open("/knowledge/" + base)
	tb.see(".wiki-tree a", "病假")
	tb.shot("wiki")
	tb.axe(t)
	tb.click(".wiki-tree a", "病假")
	tb.see(".wiki-title", "病假")
	tb.click("button", word("Actions for the page", "页面操作"))
	tb.click("[role=menuitem]", word("Delete the page", "删除页面"))
	tb.click("dialog .danger", word("Delete", "删除"))
	tb.see(".counts", word("1 page", "1 个页面"))
}

// TestWikiWrittenByAModel begins the writing from the page, follows it, reads a
// page with its sources, and takes what the model proposes for a page that a
// person wrote.
func TestWikiWrittenByAModel(t *testing.T) {
	for _, l := range []look{{lang: "en"}, {lang: "zh", dark: true, width: 320, height: 700}} {
		t.Run(fmt.Sprintf("%s-%d", l.lang, l.width), func(t *testing.T) { wikiWritten(t, l) })
	}
}

func wikiWritten(t *testing.T, l look) {
	word := func(en, chinese string) string { return map[string]string{"en": en, "zh": chinese}[l.lang] }
	words := `{"summary": "Rules of leave.", "content": "Staff have 15 days [p1].", "points": [{"text": "Staff have 15 days", "passages": ["p1"]}],
		"topics": [{"name": "Annual leave", "type": "concept", "passages": ["p1"]}, {"name": "Certificate", "type": "concept", "passages": ["p1"]}]}`
	e := llmtest.StartTCP(t, says("@gate read", words))
	w := serve(t, slow(e))
	w.add("default", "leave.md", handbook)
	base := w.send("POST", "/api/v1/knowledge-bases", "application/json", body(`{"name":"wiki","kind":"wiki"}`))["id"].(string)
	w.send("POST", "/api/v1/knowledge-bases/"+base+"/wiki/pages", "application/json", body(`{"slug":"concept/annual-leave","title":"Annual leave","content":"Ask Lin."}`))
	tb := openTab(t, w.url, l)
	tb.open("/knowledge/" + base)
	tb.see(".wiki-tree a", "Annual leave") // what stands below it moves when it comes
	tb.click("button", word("Write pages from documents", "由文档生成页面"))
	tb.see("dialog select", word("Main base", "主知识库"))
	tb.shot("wiki-write")
	tb.axe(t)
	tb.click("dialog button", word("Begin", "开始"))
	tb.see(".wiki-job", word("Reading the documents", "正在阅读文档"))
	tb.shot("wiki-writing")
	tb.axe(t)
	e.Open("read")
	tb.see(".wiki-job", word("3 pages added, 0 changed, 1 proposed", "新增 3 页，更新 0 页，待确认 1 页"))
	tb.see(".wiki-tree a", "Certificate")
	tb.click(".wiki-tree a", "Certificate")
	tb.see(".wiki-page .cite", "1")
	tb.click(".wiki-sources summary", "Leave")
	tb.see(".wiki-sources .chunk-text", "15 days")
	tb.shot("wiki-sources")
	tb.axe(t)
	tb.open("/knowledge/" + base)
	tb.click(".wiki-tree a", "Annual leave")
	tb.see(".wiki-page .notice", word("A model proposes", "模型为此页提出了"))
	tb.see(".wiki-page .prose", "Ask Lin.")
	tb.shot("wiki-proposed")
	tb.axe(t)
	tb.click(".wiki-page .notice button", word("History", "历史"))
	tb.click("dialog button", word("Take it", "采用"))
	tb.see(".wiki-page .prose", "Staff have 15 days")
	tb.wait("!document.querySelector('.wiki-page .notice')")
}
