package answer

import (
	"bytes"
	"strconv"
	"strings"
)

// mark is what the head of a text turned out to be: open when more bytes are
// needed to tell, no mark when size is 0, else a mark of size bytes that
// stands for numbers. Number 0 is a source that does not exist.
type mark struct {
	open    bool
	size    int
	numbers []int
}

// tagNames are the tags that never stay in an answer.
var tagNames = [...]string{"ref", "kb", "web"}

// tagMark reads <ref id="c1"/>, in the forms that models write (single or no
// quotes, <ref …></ref>, upper case), and the <kb …> and <web …> tags that
// they make up.
func tagMark(b []byte) mark {
	name, open := tagName(b)
	if name == "" {
		return mark{open: open}
	}
	end := bytes.IndexAny(b[1:min(len(b), maxSpan)], "<>\n")
	if end < 0 {
		return mark{open: len(b) < maxSpan}
	}
	if b[1+end] != '>' {
		return mark{}
	}
	m := mark{size: end + 2}
	if name == "ref" && b[1] != '/' {
		m.numbers = []int{handleNumber(tagID(b[1 : 1+end]))}
	}
	return m
}

// tagName gives which of tagNames the tag at the head of b has; open means
// that it may still become one.
func tagName(b []byte) (name string, open bool) {
	rest := b[1:]
	if len(rest) > 0 && rest[0] == '/' {
		rest = rest[1:]
	}
	for _, name := range tagNames {
		n := min(len(rest), len(name))
		if !bytes.EqualFold(rest[:n], []byte(name[:n])) {
			continue
		}
		if len(rest) <= len(name) {
			open = true
			continue
		}
		if bytes.IndexByte([]byte(" \t/>"), rest[len(name)]) >= 0 {
			return name, false
		}
	}
	return "", open
}

// tagID gives the value of the id attribute of a tag.
func tagID(tag []byte) []byte {
	at := bytes.Index(tag, []byte("id"))
	if at < 0 {
		return nil
	}
	value, ok := bytes.CutPrefix(bytes.TrimLeft(tag[at+2:], " "), []byte("="))
	if !ok {
		return nil
	}
	return bytes.Trim(value, " \t/\"'")
}

// handleNumber gives the number of a handle, 0 for what is none.
func handleNumber(handle []byte) int {
	digits := bytes.TrimLeft(handle, "cw")
	if len(digits)+1 != len(handle) {
		return 0
	}
	n, err := strconv.ParseUint(string(digits), 10, 31)
	if err != nil {
		return 0
	}
	return int(n)
}

// maxBracket is the length of the longest list of numbers that is read as a
// mark.
const maxBracket = 64

// bracketMark reads [1], [c1], [w2], [c003], [1, 2] and [c1、c2].
//
// Two things in brackets are not marks: a number of four or more digits (a
// year, a document number such as 国发[2024]12号: no prompt holds a thousand
// sources), and a list with a zero in it (the interval [0, 1]).
func bracketMark(b []byte) mark {
	end := bytes.IndexByte(b[:min(len(b), maxBracket)], ']')
	inner := b[1:]
	if end > 0 {
		inner = b[1:end]
	}
	items, ok := bracketItems(inner)
	if !ok {
		return mark{}
	}
	if end < 0 {
		return mark{open: len(b) < maxBracket}
	}
	if len(items) == 0 {
		return mark{}
	}
	m := mark{size: end + 1}
	for _, item := range items {
		n, isMark := bracketNumber(item)
		if !isMark || n == 0 && len(items) > 1 {
			return mark{}
		}
		m.numbers = append(m.numbers, n)
	}
	return m
}

// bracketItems splits the inside of brackets at separators. ok is false when
// a byte shows that it is no list of marks.
func bracketItems(inner []byte) (items [][]byte, ok bool) {
	const separators = " ,;\t，、；"
	for _, c := range inner {
		digit := c >= '0' && c <= '9' || c == 'c' || c == 'w'
		if !digit && bytes.IndexByte([]byte(separators), c) < 0 {
			return nil, false
		}
	}
	split := func(r rune) bool { return strings.ContainsRune(separators, r) }
	return bytes.FieldsFunc(inner, split), true
}

// bracketNumber reads one item of a list. isMark is false for what is text;
// number 0 is a mark of no source.
func bracketNumber(item []byte) (number int, isMark bool) {
	digits := item
	named := item[0] == 'c' || item[0] == 'w'
	if named {
		digits = item[1:]
	}
	if len(digits) == 0 || len(digits) > 9 || len(digits) > 3 && !named {
		return 0, false
	}
	n, err := strconv.Atoi(string(digits))
	if err != nil {
		return 0, false
	}
	return n, true
}
