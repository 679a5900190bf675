package parse

import "strings"

// IsTitle tells a title that somebody wrote from what a program put into a
// file's properties: a file name, or the name of a new and nameless document.
func IsTitle(t string) bool {
	low := strings.ToLower(strings.TrimSpace(t))
	if len(low) <= 2 || strings.ContainsRune(low, '\ufffd') {
		return false
	}
	for _, prefix := range []string{"microsoft word - ", "microsoft powerpoint - ", "microsoft excel - "} {
		if strings.HasPrefix(low, prefix) {
			return false
		}
	}
	for _, suffix := range []string{".doc", ".docx", ".ppt", ".pptx", ".xls", ".xlsx", ".pdf", ".dvi", ".tex", ".indd", ".wps", ".ps", ".html", ".txt"} {
		if strings.HasSuffix(low, suffix) {
			return false
		}
	}
	return !isNameless(low)
}

// isNameless tells the name that a program gives a new document, numbered or
// not. Longer titles that begin with the same word are titles.
func isNameless(low string) bool {
	low = strings.TrimRight(low, "0123456789 -_()（）")
	switch strings.TrimPrefix(low, "新建 ") {
	case "", "untitled", "untitled document", "(anonymous", "document", "word document", "microsoft word", "microsoft word document",
		"microsoft word 文档", "presentation", "powerpoint presentation", "powerpoint 演示文稿", "slide", "book", "workbook", "sheet",
		"新建", "新建文档", "新建文本文档", "无标题", "无标题文档", "文档", "演示文稿", "幻灯片", "工作簿":
		return true
	}
	return false
}
