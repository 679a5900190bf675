package web_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"kaoju/internal/config"
	"kaoju/internal/core"
	"kaoju/internal/llm/llmtest"
	"kaoju/internal/store"
)

// corners are the looks that differ most. Every state is looked at in each of
// them where pictures are asked for, and in the first two always.
var corners = []look{
	{lang: "zh", width: 320, height: 700},
	{lang: "en", dark: true, width: 320, height: 700},
	{lang: "en", width: 1280, height: 860},
	{lang: "zh", dark: true, width: 1280, height: 860},
}

// gallery is a walk through the pages in one look.
type gallery struct {
	*tab
	w    *world
	test *testing.T
}

// word chooses by the language of the walk.
func (g *gallery) word(en, zh string) string {
	if g.look.lang == "zh" {
		return zh
	}
	return en
}

// picture checks the state that is shown, and keeps a picture of it.
func (g *gallery) picture(name string) {
	g.test.Helper()
	g.shot(name)
	g.axe(g.test)
	g.noOverflow()
	if g.test.Failed() {
		g.test.Fatalf("in %s", name)
	}
}

// menu opens what stands at the side, where the window is narrow.
func (g *gallery) menu() {
	g.test.Helper()
	if g.look.width == 320 {
		g.click(".topbar button", g.word("Menu", "菜单"))
		g.wait("document.activeElement.closest('.side')")
	}
}

// TestGallery shows every page and state in the looks that differ most: none
// breaks a rule of accessibility, is wider than its window, or complains.
func TestGallery(t *testing.T) {
	walks := map[string]func(*testing.T, look){
		"asking": galleryAsking, "writing": galleryWriting, "ends": galleryEnds,
		"documents": galleryDocuments, "faq": galleryFAQ, "wiki": galleryWiki, "signin": gallerySignIn,
	}
	looks := corners[:2]
	if *shots != "" {
		looks = corners
	}
	for name, walk := range walks {
		for _, l := range looks {
			t.Run(fmt.Sprintf("%s-%s-%d", name, l.lang, l.width), func(t *testing.T) { walk(t, l) })
		}
	}
}

func walkOver(t *testing.T, w *world, l look) *gallery {
	return &gallery{openTab(t, w.url, l), w, t}
}

// galleryAsking goes from the first start to an answer and all around it.
func galleryAsking(t *testing.T, l look) {
	g := walkOver(t, serve(t, nil), l)
	g.open("/")
	g.see("h1", "")
	g.picture("welcome")
	g.click("button", g.word("Try three samples", "用三份示例试一试"))
	g.see(".suggestion", g.word("annual leave", "年假"))
	g.picture("welcome-samples")
	g.write("@" + g.word("leave", "休假"))
	g.see(".mentions [aria-selected=true]", g.word("leave.md", "休假制度.md"))
	g.picture("mention")
	g.press(escapeKey)
	eval[bool](g.tab, "(document.querySelector('.composer textarea').value = '', true)")
	g.click(".suggestion", g.word("annual leave", "年假"))
	g.see(".answer .badge", "")
	g.see(".cite", "1")
	g.picture("answered")
	g.click(".badge", "")
	g.wait("document.querySelector('.popover:popover-open')")
	if !eval[bool](g.tab, "(() => { const r = document.querySelector('.popover:popover-open').getBoundingClientRect(); return r.top >= 0 && r.bottom <= innerHeight && r.left >= 0 && r.right <= innerWidth; })()") {
		t.Error("what explains the confidence does not fit the window")
	}
	g.picture("confidence")
	g.press(escapeKey)
	g.click(".cite", "1")
	g.see(".evidence mark.span-now", "10")
	g.picture("evidence")
	g.press(escapeKey)
	g.click(".answer .quiet", g.word("Not useful", "没用"))
	g.wait("document.activeElement.matches('.feedback input')")
	g.picture("feedback")
	g.ask(g.word("Who painted the ceiling of the Sistine Chapel?", "月球基地的食堂几点开门？"))
	g.see(".notice.insufficient", "")
	g.wait("!document.querySelector('.answer.running')")
	g.picture("insufficient")
	galleryAround(g)
}

// galleryAround shows what leads away from an answer.
func galleryAround(g *gallery) {
	g.open("/")
	g.see(".sessions .session", "")
	for _, title := range []string{"Alpha", "Beta"} {
		g.w.send("POST", "/api/v1/sessions", "application/json", body(fmt.Sprintf(`{"title": %q}`, title)))
	}
	g.open("/")
	g.menu()
	g.see(".session", "Beta")
	g.picture("sessions")
	g.click(".session-menu", "Alpha")
	g.wait("document.querySelector('[role=menuitem]')?.checkVisibility()")
	g.picture("session-menu")
	g.click("[role=menuitem]", g.word("Rename", "重命名"))
	g.wait("document.querySelector('dialog input')?.value === 'Alpha'")
	g.picture("session-rename")
	g.press(escapeKey)
	g.wait("!document.querySelector('dialog[open]')")
	g.click(".sessions button", g.word("Select", "选择"))
	g.click(".session label", "Alpha")
	g.click(".session label", "Beta")
	g.picture("session-select")
	g.click(".select-bar .danger", "2")
	g.see("dialog", "2")
	g.picture("session-delete")
	g.press(escapeKey)
	message := eval[string](g.tab, `fetch('/api/v1/sessions').then((r) => r.json()).then(async ({ items }) => {
		for (const s of items) {
			const { items: said } = await fetch('/api/v1/sessions/' + s.id + '/messages').then((r) => r.json());
			if (said?.length > 1) return said[1].id;
		}
	})`)
	g.open("/answers/" + message)
	g.wait("document.querySelectorAll('.stage').length > 5")
	g.picture("trace")
	g.open("/reference")
	g.wait("document.querySelectorAll('.route').length > 20")
	g.picture("reference")
	g.see(".routes h2", g.word("Conversations", "对话"))
	g.click(".route-groups a", g.word("Models", "模型"))
	g.wait("document.activeElement.id === 'group-models' || location.hash === '#group-models'")
	g.wait("document.querySelector('#group-models').getBoundingClientRect().top < innerHeight")
	g.click(".route summary", "knowledge-qa")
	g.see(".route-body h3", "")
	eval[bool](g.tab, "(document.querySelector('.route[open]').scrollIntoView(), true)")
	g.picture("reference-open")
	g.allow("404 (Not Found)")
	g.open("/chat/nothing")
	g.see("h1", g.word("This conversation is gone", "这个对话已经不在了"))
	g.picture("chat-gone")
	eval[bool](g.tab, "history.pushState(null, '', '/nowhere'), dispatchEvent(new PopStateEvent('popstate'))")
	g.see("h1", g.word("There is no such page", "没有这个页面"))
	g.picture("missing")
}

// galleryWriting watches a model think and write, the server go away, and the
// reader press stop.
func galleryWriting(t *testing.T, l look) {
	model := llmtest.StartTCP(t, says("<think>The question is about leave; the handbook has a section on it.", "@gate thought", "</think>Staff have 15 days of annual leave", ` <ref id="c1"/>.`, " In Peru they have 47 days", "@gate away", ` <ref id="c1"/>.`, " And", "@gate more", " so on."))
	w := serve(t, slow(model))
	w.add("default", "leave.md", handbook)
	way := newGate(t, w.url)
	g := &gallery{openTab(t, way.url(), l), w, t}
	g.allow("ERR_CONNECTION", "ERR_EMPTY_RESPONSE", "ERR_INCOMPLETE", "ERR_SOCKET", "net::ERR")
	g.open("/")
	g.ask("How many days of annual leave do staff have?")
	g.see(".status", g.word("Thinking", "思考"))
	g.click(".thinking summary", "")
	g.see(".thought", "The question is about leave")
	g.picture("thinking")
	model.Open("thought")
	g.see(".answer .prose", "Staff have 15 days")
	g.see(".status", g.word("Writing", "正在"))
	g.picture("writing")
	way.set(true)
	g.see(".status", g.word("Reconnecting", "重新连接"))
	g.picture("reconnecting")
	way.set(false)
	model.Open("away")
	g.see(".answer .prose", "47 days")
	g.wait("!document.querySelector('.status').textContent.includes(" + quote(g.word("Reconnecting", "重新连接")) + ")")
	g.click("button", g.word("Stop", "停止"))
	g.see(".notice", g.word("Stopped", "已停止"))
	g.picture("stopped")
	model.Open("more")
	g.ask("How many days of annual leave do staff have?")
	g.wait("document.querySelectorAll('.answer .badge').length === 1")
	g.do(chromedp.Reload())
	// What was thought is there after a reload, folded.
	g.wait("[...document.querySelectorAll('.thinking')].filter((e) => e.checkVisibility() && !e.open).length === 2")
	// By script: what opens moves what a mouse would aim at, since the end stays in sight.
	eval[bool](g.tab, "(document.querySelector('.round:last-child .thinking summary').click(), true)")
	g.see(".round:last-child .thought", "the handbook has a section on it.")
	g.see(".round:last-child .claims summary", "1")
	eval[bool](g.tab, "(document.querySelector('.round:last-child .claims summary').click(), true)")
	g.see(".claims li", "47")
	g.picture("claims-thinking-open")
	way.set(true)
	g.ask("And sick leave?")
	g.see(".notice.unsent", "")
	g.picture("unsent")
	way.set(false)
}

// galleryEnds shows answers that came to no good end.
func galleryEnds(t *testing.T, l look) {
	s := core.Session{ID: core.NewID(), TenantID: core.DefaultTenantID, UserID: core.OwnerUserID, AssistantID: core.DefaultAssistantID, Title: "ends"}
	var said []core.Message
	for _, end := range []core.Message{
		{State: core.MessageInterrupted, ErrorCode: core.CodeInterrupted, Content: "Staff have 15"},
		{State: core.MessageFailed, ErrorCode: core.CodeTimeout},
		{State: core.MessageFailed, ErrorCode: core.CodeUnavailable, Content: "Staff have"},
		{State: core.MessageComplete, HitType: core.HitRAG, Content: strings.Repeat("A_word_without_an_end", 12) + "\n\n| a | b | c | d | e | f | g |\n|---|---|---|---|---|---|---|\n| a cell of words | a cell of words | a cell of words | a cell of words | a cell of words | a cell of words | 1 |\n\n```go\nfunc main() { fmt.Println(\"a line that is longer than a narrow window is wide\") }\n```\n"},
	} {
		end.ID, end.RequestID, end.Role = core.NewID(), core.NewID(), core.RoleAssistant
		said = append(said, core.Message{ID: core.NewID(), RequestID: end.RequestID, Role: core.RoleUser, Content: "How many days of annual leave?"}, end)
	}
	w := serveWith(t, nil, func(db *store.DB) {
		must(t, db.OpenHidden(t.Context(), s, said))
		file, err := sql.Open("sqlite", filepath.Join(db.Dir(), "kaoju.db"))
		must(t, err)
		defer file.Close()
		for _, m := range said { // what is told of earlier is complete
			_, err := file.ExecContext(t.Context(), "UPDATE messages SET state = ?, error_code = ? WHERE id = ? AND role = 'assistant'", m.State, m.ErrorCode, m.ID)
			must(t, err)
		}
	})
	g := walkOver(t, w, l)
	g.open("/chat/" + s.ID)
	g.see(".answer .prose", "A_word")
	g.picture("ends-last")
	eval[bool](g.tab, "(document.querySelector('.thread-scroll').scrollTop = 0, true)")
	g.see(".notice.interrupted", "")
	g.see(".notice.failed", g.word("This took too long", "用时过长")) // the reason is known after a reload, too
	g.picture("ends-first")
}

// gallerySignIn shows a server that wants a key, and one that takes no longer
// the key that is there.
func gallerySignIn(t *testing.T, l look) {
	const key = "a key of sixteen characters"
	g := walkOver(t, serve(t, func(cfg *config.Config) { cfg.Auth.APIKey = key }), l)
	g.allow("401 (Unauthorized)")
	g.open("/")
	g.wait("document.querySelector('dialog input') === document.activeElement")
	g.picture("signin")
	g.write("a key that is not known")
	g.press(enterKey)
	g.see("dialog .field-error", g.word("does not know this key", "密钥"))
	g.picture("signin-expired")
}
