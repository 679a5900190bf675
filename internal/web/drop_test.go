package web_test

import (
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// drop lets files fall on the middle of the page, as from a file manager.
func (tb *tab) drop(paths []string) {
	tb.t.Helper()
	at := eval[[]float64](tb, "[innerWidth / 2, innerHeight / 2]")
	for _, kind := range []input.DispatchDragEventType{"dragEnter", "dragOver", "drop"} {
		call(tb, func() error {
			_, err := chromedp.Call(tb.ctx, input.DispatchDragEvent, input.DispatchDragEventParams{
				Type: kind, X: at[0], Y: at[1], Data: &input.DragData{Items: []*input.DragDataItem{}, Files: paths, DragOperationsMask: 1},
			})
			return err
		})
		if kind == "dragOver" {
			tb.wait("document.querySelector('.dropping')")
			tb.shot("dropping")
		}
	}
}

// TestFilesAreDropped drops several files of which one cannot be read: each
// says how it went, and the one that failed can be tried again.
func TestFilesAreDropped(t *testing.T) {
	w := serve(t, nil)
	tb := openTab(t, w.url, look{lang: "zh"})
	tb.open("/knowledge/default")
	tb.see(".drop", "")
	tb.drop(writeFiles(t, map[string]string{"leave.md": handbook, "travel.md": "# Travel\n\nTrains are second class.\n", "nothing.txt": ""}))
	tb.wait("document.querySelectorAll('.upload.done, .upload.failed').length === 3 && !document.querySelector('.dropping')")
	tb.see(".upload.failed", "nothing.txt")
	tb.see(".upload.failed .upload-state", "文件里没有文字")
	tb.see(".upload-summary", "3")
	tb.wait("document.querySelectorAll('.virtual-row .state-ready').length === 2")
	tb.shot("dropped")
	tb.axe(t)
	tb.click(".upload.failed button", "nothing.txt")
	tb.wait("document.querySelectorAll('.upload.failed').length === 1")
	tb.click("button", "清除已完成")
	tb.wait("!document.querySelector('.upload')")
}
