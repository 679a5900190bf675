package parse

import (
	"context"
	"regexp"
	"strings"
	"unicode/utf8"

	"kaoju/internal/parse/charset"
)

// textReader reads plain text: paragraphs, which blank lines divide, and what
// people write into plain text to give it form: headings (also Markdown's),
// lists and fenced code.
type textReader struct{}

// Read implements Reader.
func (textReader) Read(ctx context.Context, in Input, lim Limits) (Document, error) {
	return ReadText(ctx, in.Data, "", lim)
}

// ReadText reads plain text that lies in another file, such as the body of a
// message. Declared is the encoding that the file around it names; it may be
// "".
func ReadText(ctx context.Context, data []byte, declared string, lim Limits) (Document, error) {
	text := CleanText(charset.Decode(data, declared).Text)
	c := newCollector(ctx, lim)
	t := textScan{lines: strings.Split(text, "\n"), out: c}
	t.run()
	if c.err != nil {
		return Document{}, c.err
	}
	return Document{Title: firstTitle(c.blocks), Blocks: c.blocks}, nil
}

// textScan walks over the lines of a text and gathers those of one paragraph
// or list.
type textScan struct {
	lines  []string
	at     int
	out    *collector
	buffer []string
	inList bool
}

func (t *textScan) run() {
	for t.at < len(t.lines) && !t.out.stopped() {
		line := t.lines[t.at]
		switch level, title, used := t.headingAt(t.at); {
		case isBlank(line):
			t.blank()
		case used > 0:
			t.flush()
			t.out.heading(level, title)
			t.at += used
			continue
		case fenceOf(line) != "":
			t.code()
			continue
		default:
			t.line(line)
		}
		t.at++
	}
	t.flush()
}

// blank ends a paragraph. A list goes on if its next line is an item, too.
func (t *textScan) blank() {
	if t.inList && t.at+1 < len(t.lines) && isItem(t.lines[t.at+1]) {
		return
	}
	t.flush()
}

// line adds to the paragraph or list. The first item after other text starts
// a list; a line without a marker right below an item continues it.
func (t *textScan) line(line string) {
	if isItem(line) && !t.inList {
		t.flush()
		t.inList = true
	}
	t.buffer = append(t.buffer, strings.TrimRight(line, " \t"))
}

func (t *textScan) flush() {
	kind := Paragraph
	if t.inList {
		kind = List
	}
	if len(t.buffer) > 0 {
		t.out.add(Block{Kind: kind, Text: unwrap(t.buffer)})
	}
	t.buffer, t.inList = nil, false
}

// code takes a fenced block; one that is never closed reaches to the end.
func (t *textScan) code() {
	t.flush()
	fence := fenceOf(t.lines[t.at])
	language := strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(t.lines[t.at]), "`~"))
	start := t.at + 1
	end := start
	for end < len(t.lines) && strings.TrimSpace(t.lines[end]) != fence {
		end++
	}
	t.out.add(Block{Kind: Code, Text: strings.Join(t.lines[start:end], "\n"), Language: language})
	t.at = end + 1
}

var (
	fenceLine    = regexp.MustCompile("^ {0,3}(```+|~~~+)[^`]*$")
	itemLine     = regexp.MustCompile(`^\s*(?:[-*+•·●○■◆▪]\s+\S|\d{1,3}[.)、．]\s*[^\d\s.]|[(（]\d{1,3}[)）]|[①-⑳]|[a-zA-Z][.)]\s+\S)`)
	hashHeading  = regexp.MustCompile(`^(#{1,6})[ \t]+(\S.*?)[ \t]*#*$`)
	underline    = regexp.MustCompile(`^(?:=+|-{3,})\s*$`)
	chapter      = regexp.MustCompile(`^\s*第\s*[一二三四五六七八九十百千零〇\d]+\s*(?:([章节節])(?:[\s：:、.]|$|\p{Han})|[篇部卷编編](?:[\s：:、.]|$))`)
	chineseNum   = regexp.MustCompile(`^\s*[一二三四五六七八九十]{1,3}、\s*\S`)
	chineseParen = regexp.MustCompile(`^\s*[（(][一二三四五六七八九十]{1,3}[)）]\s*\S`)
	dotted       = regexp.MustCompile(`^\s*(\d{1,2}(?:\.\d{1,2}){1,4})\.?\s+\p{L}`)
	english      = regexp.MustCompile(`^(?:(CHAPTER|Chapter|PART|Part)|SECTION|Section|APPENDIX|Appendix)\s+(?:\d+|[IVXLC]+|[A-Z])\b`)
)

func fenceOf(line string) string {
	if m := fenceLine.FindStringSubmatch(line); m != nil {
		return m[1]
	}
	return ""
}

func isItem(line string) bool { return itemLine.MatchString(line) }

// headingAt reports whether a heading starts at line i, and how many lines it
// takes.
func (t *textScan) headingAt(i int) (level int, title string, used int) {
	line := t.lines[i]
	if m := hashHeading.FindStringSubmatch(line); m != nil && t.standsFree(i) {
		return len(m[1]), m[2], 1
	}
	if !t.opens() || utf8.RuneCountInString(line) > 60 || isBlank(line) {
		return 0, "", 0
	}
	if i+1 < len(t.lines) && underline.MatchString(t.lines[i+1]) && !isItem(line) {
		if strings.HasPrefix(t.lines[i+1], "=") {
			return 1, line, 2
		}
		return 2, line, 2
	}
	level = numberedLevel(line)
	if level == 0 || endsSentence(line) || i+1 < len(t.lines) && numberedLevel(t.lines[i+1]) == level {
		return 0, "", 0
	}
	return level, strings.TrimSpace(line), 1
}

// numberedLevel gives the level of a numbered heading, 0 for other lines.
func numberedLevel(line string) int {
	if m := chapter.FindStringSubmatch(line); m != nil {
		if strings.ContainsAny(m[1], "节節") {
			return 2
		}
		return 1
	}
	if m := english.FindStringSubmatch(line); m != nil {
		if m[1] != "" {
			return 1
		}
		return 2
	}
	switch {
	case chineseNum.MatchString(line):
		return 2
	case chineseParen.MatchString(line):
		return 3
	}
	if m := dotted.FindStringSubmatch(line); m != nil {
		return min(1+strings.Count(m[1], "."), 6)
	}
	return 0
}

// opens reports whether the next line opens a paragraph.
func (t *textScan) opens() bool { return len(t.buffer) == 0 && !t.inList }

// standsFree reports whether a line has no text right above it, or none right
// below: a # in the middle of a paragraph is a comment or a tag.
func (t *textScan) standsFree(i int) bool {
	return t.opens() || i+1 >= len(t.lines) || isBlank(t.lines[i+1])
}

func endsSentence(line string) bool {
	return strings.ContainsAny(line, "。！？；!?;") || strings.HasSuffix(strings.TrimSpace(line), ".") ||
		strings.HasSuffix(strings.TrimSpace(line), "，") || strings.HasSuffix(strings.TrimSpace(line), ",")
}
