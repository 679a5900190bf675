package web_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
)

// tabTo presses Tab until what has the focus fits a selector.
func (tb *tab) tabTo(selector string) {
	tb.t.Helper()
	for range 60 {
		if eval[bool](tb, fmt.Sprintf("document.activeElement?.matches(%s) ?? false", quote(selector))) {
			if !eval[bool](tb, "document.activeElement.matches(':focus-visible')") {
				tb.t.Errorf("the focus on %s cannot be seen", selector)
			}
			return
		}
		tb.press(tabKey)
	}
	tb.fail(fmt.Errorf("Tab does not come to %s", selector))
}

// TestKeyboardOnly does all of a conversation without a mouse.
func TestKeyboardOnly(t *testing.T) {
	w := serve(t, nil)
	w.add("default", "leave.md", handbook)
	tb := openTab(t, w.url, look{})
	tb.open("/")
	tb.see("h1", "What would you like to know?")
	// The composer has the focus; @ chooses the base.
	tb.wait("document.activeElement.matches('.composer textarea')")
	tb.write("@leave")
	tb.see(".mentions [aria-selected=true]", "leave.md")
	tb.shot("mention")
	tb.axe(t)
	tb.press(enterKey)
	tb.see(".chip", "leave.md")
	tb.write("How many days of annual leave do staff have?")
	tb.press(enterKey)
	tb.see(".answer .badge", "")
	tb.tabTo(".badge")
	tb.press(enterKey)
	tb.wait("document.querySelector('.popover:popover-open')")
	tb.press(escapeKey)
	eval[bool](tb, "document.querySelector('.skip').focus() ?? true")
	tb.press(enterKey)
	tb.wait("document.activeElement.matches('main')")
	tb.tabTo(".cite")
	tb.press(enterKey)
	tb.wait("document.activeElement.closest('.evidence')")
	tb.see(".evidence mark", "15 days")
	tb.press(escapeKey)
	tb.wait("document.activeElement.matches('.cite')")
	// The menu of the conversation, at the side.
	eval[bool](tb, "document.querySelector('.skip').focus() ?? true")
	tb.tabTo(".session-menu")
	tb.press(enterKey)
	tb.wait("document.activeElement.matches('[role=menuitem]')")
	tb.press(enterKey)
	tb.see(".session .pinned", "Pinned")
	eval[bool](tb, "document.querySelector('.skip').focus() ?? true")
	tb.tabTo(".session-menu")
	tb.press(spaceKey)
	tb.wait("document.activeElement.matches('[role=menuitem]')")
	tb.press(downKey)
	tb.press(downKey)
	tb.wait("document.activeElement.matches('.danger')")
	tb.press(enterKey)
	tb.wait("document.activeElement.closest('dialog')")
	tb.press(tabKey)
	tb.wait("document.activeElement.matches('dialog .danger')")
	tb.press(enterKey)
	tb.wait("!document.querySelector('.session')")
}

// TestLanguageKeepsWhatWasTyped changes the language in the middle of a
// question.
func TestLanguageKeepsWhatWasTyped(t *testing.T) {
	w := serve(t, nil)
	tb := openTab(t, w.url, look{})
	tb.open("/")
	tb.see("h1", "Answers from your own documents")
	tb.wait("document.activeElement.matches('.composer textarea')")
	tb.write("half a question")
	tb.click(".side-foot button", "中文")
	tb.see("h1", "从你自己的文档里找答案")
	tb.wait("document.documentElement.lang === 'zh-CN' && document.querySelector('.composer textarea').value === 'half a question'")
	tb.click(".side-foot button", "配色")
	tb.click("[role=menuitemradio]", "深色")
	tb.wait("document.documentElement.dataset.theme === 'dark'")
	tb.shot("dark-by-choice")
	tb.do(chromedp.Reload())
	tb.see("h1", "从你自己的文档里找答案")
	tb.wait("document.documentElement.dataset.theme === 'dark'")
}
