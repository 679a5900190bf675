package web_test

import "testing"

// TestFolders makes a folder, uploads into it, moves a document out of it and
// switches it off.
func TestFolders(t *testing.T) {
	w := serve(t, nil)
	tb := openTab(t, w.url, look{})
	tb.open("/knowledge/default")
	tb.click(".folders button", "New folder")
	tb.wait("document.activeElement.matches('dialog input')")
	tb.write("Handbooks")
	tb.press(enterKey)
	tb.see(".crumbs [aria-current]", "Handbooks")
	tb.choose(map[string]string{"leave.md": handbook})
	tb.see(".virtual-row .state-ready", "Ready")
	tb.noOverflow()
	tb.shot("folder")
	tb.axe(t)
	tb.click(".virtual-row .icon-button", "leave.md")
	tb.click("[role=menuitem]", "Move")
	tb.click("dialog .primary", "Move")
	tb.see(".virtual-row", "leave.md") // where it was
	tb.click(".virtual-row .icon-button", "leave.md")
	tb.click("[role=menuitem]", "Switch off")
	tb.see(".virtual-row", "Switched off")
	tb.click(".crumbs button", "All documents")
	tb.see(".virtual-row", "leave.md")
	tb.see(".folder-list", "Handbooks")
}
