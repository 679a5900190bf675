package web_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// patience is how long a condition may take to come true. The machine may be
// busy; a test that passes does not wait for it.
const patience = 75 * time.Second

// look is how a tab shows the pages.
type look struct {
	lang          string // zh or en
	dark          bool
	width, height int64
}

// tab is a page in a profile of its own, and what it complained of.
type tab struct {
	t    testing.TB
	ctx  context.Context
	base string
	look look

	mu       sync.Mutex
	problems []string
	allowed  []string // parts of complaints that a test expects
}

// openTab opens a tab over a server.
func openTab(t testing.TB, base string, l look) *tab {
	t.Helper()
	if l.lang == "" {
		l.lang = "en"
	}
	if l.width == 0 {
		l.width, l.height = 1280, 860
	}
	ctx, cancel := chromedp.NewContext(chromium, chromedp.WithNewBrowserContext())
	tb := &tab{t: t, ctx: ctx, base: base, look: l}
	t.Cleanup(func() {
		tb.complain()
		cancel()
	})
	must(t, chromedp.Listen(ctx, tb.hear))
	tb.do(chromedp.EmulateViewport(l.width, l.height))
	scheme := "light"
	if l.dark {
		scheme = "dark"
	}
	call(tb, func() error {
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
			{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
		}})
		return err
	})
	call(tb, func() error {
		_, err := chromedp.Call(ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
			Source: fmt.Sprintf("if (!localStorage.getItem('kaoju.lang')) localStorage.setItem('kaoju.lang', %q)", l.lang),
		})
		return err
	})
	return tb
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func call(tb *tab, f func() error) {
	tb.t.Helper()
	must(tb.t, f())
}

// hear notes what the page complains of.
func (tb *tab) hear(ev any) {
	var text string
	switch e := ev.(type) {
	case *runtime.EventExceptionThrown:
		text = "exception: " + e.ExceptionDetails.Text
		if e.ExceptionDetails.Exception != nil {
			text += " " + e.ExceptionDetails.Exception.Description
		}
	case *runtime.EventConsoleAPICalled:
		if e.Type != "error" && e.Type != "warning" && e.Type != "assert" {
			return
		}
		text = "console"
		for _, a := range e.Args {
			text += " " + string(a.Value) + a.Description
		}
	case *cdplog.EventEntryAdded:
		if e.Entry.Level != "error" && e.Entry.Level != "warning" {
			return
		}
		text = string(e.Entry.Source) + ": " + e.Entry.Text + " " + e.Entry.URL
	}
	if text == "" {
		return
	}
	tb.mu.Lock()
	defer tb.mu.Unlock()
	tb.problems = append(tb.problems, text)
}

// complain fails the test where the page complained of what it should not.
func (tb *tab) complain() {
	tb.mu.Lock()
	defer tb.mu.Unlock()
next:
	for _, p := range tb.problems {
		for _, part := range tb.allowed {
			if strings.Contains(p, part) {
				continue next
			}
		}
		tb.t.Errorf("the page complained: %s", p)
	}
	tb.problems = nil
}

// allow expects complaints that hold a part, such as a refused request.
func (tb *tab) allow(parts ...string) { tb.allowed = append(tb.allowed, parts...) }

func (tb *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	tb.t.Helper()
	if err := chromedp.Do(tb.ctx, steps...); err != nil {
		tb.fail(err)
	}
}

// fail ends the test with what the page shows.
func (tb *tab) fail(err error) {
	tb.t.Helper()
	text, _ := chromedp.Run(tb.ctx, chromedp.Evaluate[string]("document.body?.innerText ?? ''"))
	if picture, shotErr := chromedp.Run(tb.ctx, chromedp.CaptureScreenshot()); shotErr == nil && *shots != "" {
		_ = os.WriteFile(filepath.Join(*shots, "failed-"+strings.ReplaceAll(tb.t.Name(), "/", "-")+".png"), picture, 0o600)
	}
	tb.mu.Lock()
	problems := strings.Join(tb.problems, "\n")
	tb.mu.Unlock()
	tb.t.Fatalf("%v\ncomplaints: %s\nthe page shows:\n%s", err, problems, text)
}

// open goes to an address of the server.
func (tb *tab) open(path string) {
	tb.t.Helper()
	tb.do(chromedp.Navigate(tb.base + path))
}

// eval runs an expression, or a promise, in the page.
func eval[T any](tb *tab, expression string) T {
	tb.t.Helper()
	v, err := chromedp.Run(tb.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		tb.fail(fmt.Errorf("%s: %w", expression, err))
	}
	return v
}

// wait waits until an expression is true: it is looked at whenever the page
// changes.
func (tb *tab) wait(condition string) {
	tb.t.Helper()
	script := fmt.Sprintf(`new Promise((ok) => {
	const look = () => { try { if (%s) { seen.disconnect(); events.forEach((e) => removeEventListener(e, look, true)); ok(true); } } catch (e) { if (!(e instanceof TypeError)) throw e; } };
	const seen = new MutationObserver(look);
	const events = ['scroll', 'toggle', 'focusin', 'resize', 'load', 'input', 'transitionend', 'popstate'];
	seen.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
	events.forEach((e) => addEventListener(e, look, true));
	look();
})`, condition)
	deadline := time.Now().Add(patience)
	for {
		ctx, cancel := context.WithDeadline(tb.ctx, deadline)
		_, err := chromedp.Run(ctx, chromedp.Evaluate[bool](script, chromedp.EvalAwaitPromise))
		cancel()
		switch {
		case err == nil:
			return
		case time.Now().After(deadline) || errors.Is(err, context.DeadlineExceeded):
			tb.fail(fmt.Errorf("waited for %s", condition))
		case !gone(err):
			tb.fail(fmt.Errorf("%s: %w", condition, err))
		}
	}
}

// gone reports whether the page went away under a script, as in a reload.
func gone(err error) bool {
	text := err.Error()
	return strings.Contains(text, "context was destroyed") || strings.Contains(text, "navigated or closed") || strings.Contains(text, "Promise was collected")
}

// see waits until an element that fits the selector holds the text, and is
// shown.
func (tb *tab) see(selector, text string) {
	tb.t.Helper()
	tb.wait(fmt.Sprintf("[...document.querySelectorAll(%s)].some((e) => e.checkVisibility() && e.textContent.includes(%s))", quote(selector), quote(text)))
}

// click presses the first shown element that fits the selector and holds the
// text, with a real mouse where it stands.
func (tb *tab) click(selector, text string) {
	tb.t.Helper()
	tb.wait(fmt.Sprintf("!!window.__find?.(%s, %s) || (window.__find = %s, !!window.__find(%s, %s))", quote(selector), quote(text), finder, quote(selector), quote(text)))
	at := eval[[]float64](tb, fmt.Sprintf("window.__at(%s, %s)", quote(selector), quote(text)))
	tb.do(chromedp.MouseClickXY(at[0], at[1]))
}

// finder finds what can be clicked, and installs __at, which tells where.
const finder = `(() => {
	const find = (selector, text) => [...document.querySelectorAll(selector)].find((e) => e.checkVisibility({ visibilityProperty: true }) && !e.disabled && !e.closest('[inert]') && (e.textContent.includes(text) || (e.getAttribute('aria-label') ?? '').includes(text)));
	window.__at = (selector, text) => {
		const e = find(selector, text);
		e.scrollIntoView({ block: 'nearest', behavior: 'instant' });
		const r = e.getClientRects()[0] ?? e.getBoundingClientRect();
		return [r.x + r.width / 2, r.y + r.height / 2];
	};
	return find;
})()`

// write types text into what has the focus, as an input method does.
func (tb *tab) write(text string) {
	tb.t.Helper()
	call(tb, func() error {
		_, err := chromedp.Call(tb.ctx, input.InsertText, input.InsertTextParams{Text: text})
		return err
	})
}

// key is what a keyboard sends for one key.
type key struct {
	name, code, text string
	number           int64
}

var (
	enterKey  = key{"Enter", "Enter", "\r", 13}
	tabKey    = key{"Tab", "Tab", "", 9}
	escapeKey = key{"Escape", "Escape", "", 27}
	downKey   = key{"ArrowDown", "ArrowDown", "", 40}
	spaceKey  = key{" ", "Space", " ", 32}
)

// press sends a key, down and up; a page that stops the first has no text of it.
func (tb *tab) press(k key) { tb.t.Helper(); tb.pressWith(k, 0) }

func (tb *tab) pressWith(k key, modifiers int64) {
	tb.t.Helper()
	down := input.DispatchKeyEventParams{
		Type: "rawKeyDown", Key: k.name, Code: k.code, WindowsVirtualKeyCode: k.number, NativeVirtualKeyCode: k.number, Modifiers: modifiers,
	}
	up := down
	up.Type = "keyUp"
	if k.text != "" {
		down.Type, down.Text, down.UnmodifiedText = "keyDown", k.text, k.text
	}
	for _, p := range []input.DispatchKeyEventParams{down, up} {
		call(tb, func() error {
			_, err := chromedp.Call(tb.ctx, input.DispatchKeyEvent, p)
			return err
		})
	}
}

// paste puts what was copied where the focus is.
func (tb *tab) paste() {
	tb.t.Helper()
	call(tb, func() error {
		_, err := chromedp.Call(tb.ctx, input.DispatchKeyEvent, input.DispatchKeyEventParams{
			Type: "rawKeyDown", Key: "v", Code: "KeyV", WindowsVirtualKeyCode: 86, Modifiers: 2, Commands: []string{"paste"},
		})
		return err
	})
}

// ask asks a question by the composer.
func (tb *tab) ask(question string) {
	tb.t.Helper()
	tb.wait("document.querySelector('.composer textarea')")
	eval[bool](tb, "document.querySelector('.composer textarea').focus() ?? true")
	tb.write(question)
	tb.wait("!document.querySelector('.send:not(.stop)').disabled")
	tb.press(enterKey)
}

// shot takes a picture, where pictures are asked for.
func (tb *tab) shot(name string) {
	tb.t.Helper()
	if *shots == "" {
		return
	}
	must(tb.t, os.MkdirAll(*shots, 0o700))
	picture, err := chromedp.Run(tb.ctx, chromedp.CaptureScreenshot())
	must(tb.t, err)
	scheme := "light"
	if tb.look.dark {
		scheme = "dark"
	}
	file := fmt.Sprintf("%s-%s-%s-%d.png", name, tb.look.lang, scheme, tb.look.width)
	must(tb.t, os.WriteFile(filepath.Join(*shots, file), picture, 0o600))
}

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}
