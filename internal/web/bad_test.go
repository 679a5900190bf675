package web_test

import (
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"kaoju/internal/config"
	"kaoju/internal/llm/llmtest"
)

const hostile = "# Hello <b>bold</b>\n\n<script>window.pwned = 1</script>\n<img src=x onerror=\"window.pwned = 2\">\n\n" +
	"[click](javascript:window.pwned=3) and [data](data:text/html,<script>window.pwned=4</script>) and ![picture](https://elsewhere.test/x.png)\n\n" +
	"<iframe src=\"javascript:window.pwned=5\"></iframe> <a href=\"javascript:window.pwned=6\">a</a>\n\n" +
	"| a | b |\n|---|--:|\n| `x|y` | 1 |\n| <td onclick=alert(1)> | 2 |\n\n" +
	"```html\n<script>window.pwned = 7</script>\n```\n\n- [x] done\n- one\n  1. nested **strong** and *em* and ~~gone~~\n\n> quote with $E = mc^2$\n\n" +
	"$$\\int_0^\\infty e^{-x^2}\\,dx = \\frac{\\sqrt{\\pi}}{2} \\quad \\begin{pmatrix} a & b \\\\ c & d \\end{pmatrix}$$\n\n" +
	"A safe link: https://example.org/a_(b). It costs $5 or $10. [99] is no mark.\n"

// TestHostileMarkdown has a model write HTML, scripts and links that run: all
// of it is text, and nothing is loaded.
func TestHostileMarkdown(t *testing.T) {
	model := llmtest.StartTCP(t, says(hostile, ` <ref id="c1"/>`))
	w := serve(t, slow(model))
	w.add("default", "leave.md", handbook)
	for _, l := range []look{{lang: "en"}, {lang: "zh", dark: true, width: 320, height: 640}} {
		tb := openTab(t, w.url, l)
		tb.open("/")
		tb.ask("How many days of annual leave do staff have?")
		tb.wait("document.querySelector('.answer .badge, .answer .notice:not([hidden])')")
		tb.see(".prose td", "x|y")
		tb.see(".prose math", "π")
		tb.see(".prose li.task", "done")
		if got := eval[int](tb, "document.querySelectorAll('.prose :is(script, img, iframe, object, embed, style, link, form)').length"); got != 0 {
			t.Errorf("%d elements were made from the model's text", got)
		}
		if got := eval[[]string](tb, "[...document.querySelectorAll('.prose a')].map((a) => a.protocol)"); strings.Join(got, " ") != "https: https:" {
			t.Errorf("links lead to %v", got)
		}
		if eval[bool](tb, "'pwned' in window") {
			t.Error("a script ran")
		}
		if got := eval[[]string](tb, "performance.getEntriesByType('resource').map((e) => new URL(e.name).host).filter((h) => h !== location.host)"); len(got) > 0 {
			t.Errorf("requests went to %v", got)
		}
		if l.width == 320 {
			tb.noOverflow()
		}
		tb.shot("markdown")
		tb.axe(t)
	}
}

// TestVeryLongAnswer has a model write 5 MB: all of it arrives, and the page
// answers to a key all the while.
func TestVeryLongAnswer(t *testing.T) {
	paragraph := strings.Repeat("A long sentence about nothing in particular. ", 22) + "\n\n"
	block := strings.Repeat(paragraph, 100) + "\n```\n" + strings.Repeat("code line\n", 5000) + "```\n\n"
	var parts []string
	size := 0
	for size < 5<<20 {
		parts = append(parts, block)
		size += len(block)
	}
	model := llmtest.StartTCP(t, says(append(parts, "The very end.")...))
	w := serve(t, slow(model))
	w.add("default", "leave.md", handbook)
	tb := openTab(t, w.url, look{})
	tb.open("/")
	tb.ask("How many days of annual leave do staff have?")
	tb.wait("[...document.querySelector('.answer:not(.running) .prose').children].slice(-4).some((e) => e.textContent.includes('The very end.'))")
	if got := eval[int](tb, "document.querySelector('.prose').textContent.length"); got < 4<<20 {
		t.Errorf("%d characters of %d are shown", got, size)
	}
	// The page is still usable.
	eval[bool](tb, "document.querySelector('.composer textarea').focus() ?? true")
	tb.write("next")
	tb.wait("document.querySelector('.composer textarea').value === 'next'")
}

// gate is a way to a server that can be shut.
type gate struct {
	listener net.Listener
	to       string

	mu    sync.Mutex
	shut  bool
	conns map[net.Conn]bool
	done  sync.WaitGroup
}

func newGate(t *testing.T, url string) *gate {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	must(t, err)
	g := &gate{listener: listener, to: strings.TrimPrefix(url, "http://"), conns: map[net.Conn]bool{}}
	g.done.Go(g.accept)
	t.Cleanup(func() {
		_ = listener.Close()
		g.set(true)
		g.done.Wait()
	})
	return g
}

func (g *gate) url() string { return "http://" + g.listener.Addr().String() }

func (g *gate) accept() {
	for {
		conn, err := g.listener.Accept()
		if err != nil {
			return
		}
		g.done.Go(func() { g.pass(conn) })
	}
}

// keep notes a connection; false where the gate is shut.
func (g *gate) keep(conn net.Conn) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.shut {
		_ = conn.Close()
		return false
	}
	g.conns[conn] = true
	return true
}

func (g *gate) pass(conn net.Conn) {
	defer conn.Close()
	if !g.keep(conn) {
		return
	}
	server, err := net.Dial("tcp", g.to)
	if err != nil {
		return
	}
	defer server.Close()
	if !g.keep(server) {
		return
	}
	g.done.Go(func() { _, _ = io.Copy(server, conn); _ = server.Close() })
	_, _ = io.Copy(conn, server)
}

// set shuts the gate, which breaks every connection, or opens it.
func (g *gate) set(shut bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.shut = shut
	if shut {
		for conn := range g.conns {
			_ = conn.Close()
		}
		g.conns = map[net.Conn]bool{}
	}
}

// TestServerGoesAwayAndComesBack breaks the connection while an answer is
// written: the page says so, comes back, and no character is lost or doubled.
// A question that cannot be sent is kept.
func TestServerGoesAwayAndComesBack(t *testing.T) {
	model := llmtest.StartTCP(t, says("Staff have 15 days", " of annual leave", "@gate more", " a year, and unused", "@gate end", ` days expire <ref id="c1"/>.`))
	w := serve(t, slow(model))
	w.add("default", "leave.md", handbook)
	g := newGate(t, w.url)
	tb := openTab(t, g.url(), look{})
	tb.allow("ERR_CONNECTION", "ERR_EMPTY_RESPONSE", "ERR_INCOMPLETE", "ERR_SOCKET", "net::ERR")
	tb.open("/")
	tb.ask("How many days of annual leave do staff have?")
	tb.see(".answer .prose", "Staff have 15 days")
	g.set(true)
	tb.see(".status", "Reconnecting")
	tb.shot("reconnecting")
	model.Open("more")
	g.set(false)
	tb.see(".answer .prose", "a year, and")
	model.Open("end")
	tb.see(".answer .badge", "ure")
	const whole = "Staff have 15 days of annual leave a year, and unused days expire 1."
	if got := eval[string](tb, "document.querySelector('.answer .prose').textContent"); got != whole {
		t.Errorf("the answer is %q, not %q", got, whole)
	}

	g.set(true)
	tb.ask("And sick leave?")
	tb.see(".notice", "did not reach the server")
	tb.wait("document.querySelector('.composer textarea').value === 'And sick leave?'")
	tb.shot("unsent")
	tb.axe(t)
	g.set(false)
	tb.press(enterKey)
	tb.wait("document.querySelectorAll('.answer .badge').length === 2")
}

// TestExpiredSession has a server that wants a key: the page asks for it, and
// again when it no longer opens the server; what was typed is asked then.
func TestExpiredSession(t *testing.T) {
	const key = "a key of sixteen characters"
	w := serve(t, func(cfg *config.Config) { cfg.Auth.APIKey = key })
	w.add("default", "leave.md", handbook)
	tb := openTab(t, w.url, look{})
	tb.allow("401 (Unauthorized)")
	if resp, err := http.Get(w.url + "/"); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("the page without a key: %v, %v", resp, err)
	}
	tb.open("/")
	tb.see("dialog h2", "Sign in")
	tb.shot("signin")
	tb.axe(t)
	tb.write("a key that is not known")
	tb.press(enterKey)
	tb.see("dialog .field-error", "does not know this key")
	tb.write(key)
	tb.press(enterKey)
	tb.see("h1", "What would you like to know?")
	eval[bool](tb, "sessionStorage.setItem('kaoju.key', 'no longer known') ?? true")
	tb.ask("How many days of annual leave do staff have?")
	tb.see("dialog .field-error", "does not know this key")
	tb.write(key)
	tb.press(enterKey)
	tb.see(".answer .prose", "15 days")
	tb.wait("document.querySelectorAll('.question').length === 1")
}
