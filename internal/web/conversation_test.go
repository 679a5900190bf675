package web_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"

	"kaoju/internal/llm/llmtest"
)

// TestScopeByFolder narrows a question to a folder, by mouse, and finds the
// choice again after a reload.
func TestScopeByFolder(t *testing.T) {
	w := serve(t, nil)
	w.add("default", "leave.md", handbook)
	folder := w.send("POST", "/api/v1/knowledge-bases/default/folders", "application/json", body(`{"name": "Cars"}`))["id"].(string)
	below := w.send("POST", "/api/v1/knowledge-bases/default/folders", "application/json", body(fmt.Sprintf(`{"name": "Rules", "parent_id": %q}`, folder)))["id"].(string)
	w.send("POST", "/api/v1/knowledge-bases/default/documents/text", "application/json",
		body(fmt.Sprintf(`{"name": "cars.md", "folder_id": %q, "content": "# Cars\n\nCompany cars are ordered by the fleet office for staff on leave.\n"}`, below)))
	w.settle("default")
	tb := openTab(t, w.url, look{})
	tb.open("/")
	tb.click(".composer .icon-button", "Choose bases")
	tb.write("Cars/R")
	tb.see(".mentions [aria-selected=true]", "Cars/Rules")
	tb.press(escapeKey)
	eval[bool](tb, "(document.querySelector('.composer textarea').value = '', true)")
	tb.write("@Cars")
	tb.see(".mentions [role=option]", "folder")
	tb.shot("mention-folder")
	tb.axe(t)
	tb.press(enterKey)
	tb.see(".chip", "Cars")
	tb.ask("Who has 15 days of annual leave?")
	tb.see(".answer .badge", "")
	tb.wait("![...document.querySelectorAll('.source-name')].some((e) => e.textContent === 'leave.md')")
	tb.ask("Who orders company cars?")
	tb.see(".answer .prose", "fleet office")
	tb.do(chromedp.Reload())
	tb.see(".chip", "Cars")
	tb.click(".chip button", "Cars")
	tb.wait("!document.querySelector('.chip')")
}

// TestAnswerActions copies, asks again, edits and rates, with a model that
// thinks aloud and says something that no source carries.
func TestAnswerActions(t *testing.T) {
	model := llmtest.StartTCP(t, says("<think>Let me see the handbook.</think>", "Staff have 15 days of annual leave", ` <ref id="c1"/>.`, " In Peru they have 47 days", ` <ref id="c1"/>.`))
	w := serve(t, slow(model))
	w.add("default", "leave.md", handbook)
	tb := openTab(t, w.url, look{})
	tb.open("/")
	tb.ask("How many days of annual leave do staff have?")
	tb.see(".answer .badge", "")
	tb.see(".claims summary", "1 claim")
	tb.see(".answer mark.unsupported", "47 days")

	// Thinking is folded away until it is asked for.
	tb.wait("document.querySelector('.thinking') && !document.querySelector('.thinking').open")
	tb.click(".thinking summary", "")
	tb.see(".thought", "Let me see the handbook.")
	tb.click(".claims summary", "1 claim")
	tb.see(".claims li", "47")
	tb.shot("claims")
	tb.axe(t)

	tb.click(".answer .quiet", "Copy")
	tb.see(".toast", "Copied")
	eval[bool](tb, "document.querySelector('.composer textarea').focus() ?? true")
	tb.paste()
	tb.wait("document.querySelector('.composer textarea').value.startsWith('Staff have 15 days of annual leave [1].')")
	eval[bool](tb, "(document.querySelector('.composer textarea').value = '', true)")
	tb.click(".answer .quiet", "Not useful")
	tb.wait("document.activeElement.matches('.feedback input')")
	tb.do(chromedp.Reload())
	tb.wait("document.querySelector('.feedback-buttons [aria-pressed=true]')?.getAttribute('aria-label') === 'Not useful'")
	tb.see(".claims summary", "1 claim") // as it was live
	tb.wait("[...document.querySelectorAll('.thinking')].some((e) => !e.open && e.textContent.includes('Let me see the handbook'))")

	tb.click(".answer .quiet", "Ask again")
	tb.wait("document.querySelectorAll('.answer .badge').length === 2")
	if n := eval[int](tb, "[...document.querySelectorAll('.question-text')].filter((e) => e.textContent === 'How many days of annual leave do staff have?').length"); n != 2 {
		t.Errorf("asked %d times", n)
	}
	tb.click(".question .quiet", "Edit")
	tb.wait("document.activeElement.matches('.composer textarea') && document.activeElement.value.startsWith('How many days')")
	tb.write(" A year?")
	tb.press(enterKey)
	tb.see(".question-text", "do staff have? A year?")
	tb.wait("document.querySelectorAll('.answer .badge').length === 3")
	tb.axe(t)
}

// TestInsufficientEvidence says plainly what was looked through.
func TestInsufficientEvidence(t *testing.T) {
	w := serve(t, nil)
	w.add("default", "leave.md", handbook)
	for _, lang := range []string{"en", "zh"} {
		tb := openTab(t, w.url, look{lang: lang, dark: lang == "zh"})
		tb.open("/")
		tb.ask(map[string]string{"en": "Who is the CEO?", "zh": "月球基地的食堂几点开门？"}[lang])
		tb.see(".notice.insufficient", "")
		tb.shot("insufficient")
		tb.axe(t)
	}
}

// TestSessionList searches, pins and deletes conversations.
func TestSessionList(t *testing.T) {
	w := serve(t, nil)
	w.add("default", "leave.md", handbook)
	for _, title := range []string{"Alpha", "Beta", "Gamma"} {
		w.send("POST", "/api/v1/sessions", "application/json", body(fmt.Sprintf(`{"title": %q}`, title)))
	}
	tb := openTab(t, w.url, look{})
	tb.open("/")
	tb.ask("When does unused leave expire?")
	tb.see(".answer .badge", "")
	tb.click(".session-menu", "Alpha")
	tb.click("[role=menuitem]", "Pin")
	tb.wait("document.querySelector('.session .session-link').textContent.includes('Alpha')")
	tb.see(".session .pinned", "")

	search := "document.querySelector('.sessions input[type=search]')"
	eval[bool](tb, search+".focus() ?? true")
	tb.write("Bet")
	tb.wait("document.querySelectorAll('.session').length === 1")
	eval[bool](tb, search+".select() ?? true")
	tb.write("31 March") // stands in an answer
	tb.see(".session-link.hit", "31 March")
	tb.shot("session-search")
	tb.axe(t)
	eval[bool](tb, "(() => { const s = "+search+"; s.value = ''; return s.dispatchEvent(new Event('input', { bubbles: true })); })()")

	tb.click("button", "Select")
	tb.click(".session label", "Beta")
	tb.click(".session label", "Gamma")
	tb.shot("session-select")
	tb.axe(t)
	tb.click(".select-bar .danger", "2")
	tb.click("dialog button.danger", "Delete")
	tb.see(".toast", "2")
	tb.wait("![...document.querySelectorAll('.session')].some((e) => /Beta|Gamma/.test(e.textContent))")
	tb.see(".session", "Alpha")
}
