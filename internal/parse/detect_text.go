package parse

import (
	"regexp"
	"strings"

	"kaoju/internal/core"
	"kaoju/internal/parse/charset"
)

func hasMark(head []byte) bool { return charset.Marked(head) }

func isSixteen(head []byte) bool { return charset.IsSixteen(head) }

// detectText tells the text formats apart. HTML is known by its content. For
// the others the name decides where the content allows it, since a list of
// lines with commas may be a table or a text.
func detectText(in Input) (string, error) {
	head := charset.Decode(in.Data[:min(len(in.Data), headSize)], "").Text
	head = CleanText(head)
	if len(in.Data) <= headSize && isBlank(head) {
		return "", core.Errorf(core.CodeEmpty, "the file holds only blanks")
	}
	if isMail(head, fileExtension(in.Name)) {
		return FormatEML, nil
	}
	if looksLikeJSON(head, len(in.Data) <= headSize) {
		return FormatJSON, nil
	}
	if looksLikeHTML(head) {
		return FormatHTML, nil
	}
	if format := formatByName(fileExtension(in.Name), head); format != "" {
		return format, nil
	}
	switch {
	case looksLikeMarkdown(head):
		return FormatMarkdown, nil
	case looksLikeCSV(head):
		return FormatCSV, nil
	}
	return FormatText, nil
}

// formatByName takes the name's word for what the content does not refute; ""
// where the name says nothing.
func formatByName(ext, head string) string {
	switch ext {
	case ".md", ".markdown", ".mdx":
		return FormatMarkdown
	case ".csv", ".tsv", ".tab":
		return FormatCSV
	case ".html", ".htm", ".xhtml":
		if hasTags(head) {
			return FormatHTML
		}
	case ".txt", ".text":
		if clearlyMarkdown(head) {
			return FormatMarkdown
		}
		return FormatText
	case ".json", ".jsonl", ".ndjson":
		return FormatJSON
	case ".log":
		return FormatText
	}
	return ""
}

var (
	htmlStart    = regexp.MustCompile(`(?i)^\s*(?:<\?xml[^>]*\?>\s*)?(?:<!--[\s\S]*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b`)
	htmlTag      = regexp.MustCompile(`(?i)</?(?:p|div|table|tr|td|h[1-6]|ul|ol|li|span|a|br|body|article|section|pre)\b[^<>]*>`)
	markdownHead = regexp.MustCompile(`(?m)^#{1,6} \S`)
	markdownForm = regexp.MustCompile("(?m)\\*\\*\\S[^*\n]*\\S\\*\\*|^```|\\]\\(https?://|^\\|[ :]*---")
	markdownMark = regexp.MustCompile("(?m)^(?:#{1,6} \\S|```|~~~|[-*+] \\S|\\d+\\. \\S|> \\S|\\|.*\\|$|\\|?[ :-]*---[ :|-]*$)")
)

var (
	mailHead = regexp.MustCompile(`^(?:From .*\n)?((?:[A-Za-z][\w-]*:(?:[ \t].*)?\n(?:[ \t]+.*\n)*){2,})`)
	mailLine = regexp.MustCompile(`(?mi)^(?:from|to|subject|date|cc|reply-to):`)
	mailMark = regexp.MustCompile(`(?mi)^(?:mime-version|message-id|received|return-path|delivered-to|content-type|content-transfer-encoding):`)
)

// isMail recognises a message by the lines at its head: several of those that
// every message has, and one at least that only programs write.
func isMail(head, ext string) bool {
	m := mailHead.FindStringSubmatch(head + "\n")
	if m == nil {
		return false
	}
	lines, marks := len(mailLine.FindAllString(m[1], 3)), len(mailMark.FindAllString(m[1], 3))
	return marks > 0 && lines+marks >= 2 || ext == ".eml" && lines > 0
}

func looksLikeHTML(head string) bool { return htmlStart.MatchString(head) }

func hasTags(head string) bool { return htmlTag.MatchString(head) }

// clearlyMarkdown overrules the name: several headings and some other form
// that plain text would not have.
func clearlyMarkdown(head string) bool {
	return len(markdownHead.FindAllString(head, 2)) == 2 && markdownForm.MatchString(head)
}

// looksLikeMarkdown wants a heading, or several other marks.
func looksLikeMarkdown(head string) bool {
	marks := markdownMark.FindAllString(head, 12)
	for _, m := range marks {
		if strings.HasPrefix(m, "#") || strings.HasPrefix(m, "```") {
			return true
		}
	}
	return len(marks) >= 3
}

// looksLikeCSV wants several lines that all have the same number of the same
// separator. It is asked only where the name says nothing.
func looksLikeCSV(head string) bool {
	lines := strings.Split(strings.TrimSpace(head), "\n")
	if len(lines) < 3 {
		return false
	}
	if len(lines) > 20 {
		lines = lines[:20]
	}
	for _, sep := range []string{"\t", ",", ";", "|"} {
		n := strings.Count(lines[0], sep)
		same := n > 0
		for _, line := range lines[:len(lines)-1] {
			same = same && strings.Count(line, sep) == n
		}
		if same {
			return true
		}
	}
	return false
}
