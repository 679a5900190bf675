// Package charset turns the bytes of a text file into valid UTF-8, whatever
// encoding they are in. It is the only decoder of the product, so a text
// reads the same however it came in.
//
// Decode looks, in this order, for a byte order mark, for the shift sequences
// of ISO-2022-JP, for valid UTF-8, for the habits of UTF-16, for the encoding
// that the content declares, and then decodes by every likely
// East Asian and Western encoding and keeps what reads most like language.
package charset

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
)

// sampleSize is how much of a long text is read to choose its encoding.
const sampleSize = 64 << 10

// Result is a decoded text.
type Result struct {
	Text     string // valid UTF-8 without a byte order mark
	Encoding string // IANA name in lower case, such as "utf-8" or "gb18030"
}

// Decode turns data into text. Declared is the encoding that the content
// claims for itself, such as an HTML meta element's; it may be "" and is
// believed only where the bytes agree.
func Decode(data []byte, declared string) Result {
	if enc, name, size := byMark(data); enc != nil {
		return Result{decodeWith(enc, data[size:]), name}
	}
	if escapesJapanese(data) {
		return Result{decodeWith(japanese.ISO2022JP, data), "iso-2022-jp"}
	}
	manyZeros := bytes.Count(data, []byte{0}) > len(data)/5
	if !manyZeros && mostlyUTF8(data) && !chanceUTF8(data) {
		return Result{strings.ToValidUTF8(string(data), "\uFFFD"), "utf-8"}
	}
	if enc, name := bySixteen(data); enc != nil {
		return Result{decodeWith(enc, data), name}
	}
	if manyZeros && mostlyUTF8(data) {
		return Result{strings.ToValidUTF8(string(data), "\uFFFD"), "utf-8"}
	}
	if enc, name := byClaim(data, declared); enc != nil {
		return Result{decodeWith(enc, data), name}
	}
	enc, name := byLanguage(sample(data))
	return Result{decodeWith(enc, data), name}
}

// byMark knows the byte order marks and gives their length.
func byMark(data []byte) (enc encoding.Encoding, name string, size int) {
	switch {
	case bytes.HasPrefix(data, []byte{0xEF, 0xBB, 0xBF}):
		return encoding.Nop, "utf-8", 3
	case bytes.HasPrefix(data, []byte{0xFF, 0xFE, 0, 0}):
		return utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM), "utf-32le", 4
	case bytes.HasPrefix(data, []byte{0, 0, 0xFE, 0xFF}):
		return utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM), "utf-32be", 4
	case bytes.HasPrefix(data, []byte{0xFF, 0xFE}):
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), "utf-16le", 2
	case bytes.HasPrefix(data, []byte{0xFE, 0xFF}):
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), "utf-16be", 2
	}
	return nil, "", 0
}

// mostlyUTF8 accepts a few broken bytes in a text that otherwise is UTF-8:
// logs and joined files have them, and no other encoding explains a text
// whose other characters all happen to be well formed.
func mostlyUTF8(data []byte) bool {
	if utf8.Valid(data) {
		return true
	}
	good, bad := 0, 0
	for i := 0; i < len(data); {
		if data[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			bad++
		} else {
			good++
		}
		i += size
	}
	return good > 20*bad
}

// chanceUTF8 reports whether a short text is UTF-8 by chance only: some pairs
// of GB18030 bytes are well formed and read as Cyrillic or Arabic letters.
func chanceUTF8(data []byte) bool {
	if len(data) > 200 || !utf8.Valid(data) {
		return false
	}
	high := 0
	for _, r := range string(data) {
		if r >= utf8.RuneSelf {
			high++
		}
		if r > 0x7FF {
			return false // three well formed bytes are no chance
		}
	}
	return high > 0 && high <= 8 && score(string(data), false) < 0 &&
		score(decodeWith(simplifiedchinese.GB18030, data), false) > 1
}

// escapesJapanese looks for the shift sequences of ISO-2022-JP, whose bytes
// are plain ASCII.
func escapesJapanese(data []byte) bool {
	if bytes.ContainsFunc(data, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return false
	}
	for _, seq := range []string{"\x1b$B", "\x1b$@"} {
		if bytes.Contains(data, []byte(seq)) {
			return true
		}
	}
	return false
}

// byClaim believes a declared encoding if the bytes decode by it without
// error. Claims of UTF-8 and UTF-16 have been refuted by now.
func byClaim(data []byte, declared string) (encoding.Encoding, string) {
	enc, err := htmlindex.Get(strings.TrimSpace(declared))
	if err != nil {
		return nil, ""
	}
	name, err := htmlindex.Name(enc)
	if err != nil || strings.HasPrefix(name, "utf-") {
		return nil, ""
	}
	if strings.HasPrefix(name, "gb") {
		name = "gb18030" // what claims the smaller sets often holds the larger one
		enc, _ = htmlindex.Get(name)
	}
	if strings.Contains(decodeWith(enc, data), "\uFFFD") {
		return nil, ""
	}
	return enc, name
}

// decodeWith never fails: what cannot be decoded becomes U+FFFD.
func decodeWith(enc encoding.Encoding, data []byte) string {
	if enc == encoding.Nop {
		return strings.ToValidUTF8(string(data), "\uFFFD")
	}
	out, err := enc.NewDecoder().Bytes(data)
	if err != nil {
		return strings.ToValidUTF8(string(data), "\uFFFD")
	}
	return string(out)
}

// sample takes the beginning of a long text, up to the end of a line, so that
// no character is cut.
func sample(data []byte) []byte {
	if len(data) <= sampleSize {
		return data
	}
	data = data[:sampleSize]
	if i := bytes.LastIndexByte(data, '\n'); i > 0 {
		return data[:i]
	}
	return data
}

// Marked reports whether data starts with a byte order mark.
func Marked(data []byte) bool {
	enc, _, _ := byMark(data)
	return enc != nil
}

// IsSixteen reports whether data reads like UTF-16 without a mark. Data may
// be cut anywhere.
func IsSixteen(data []byte) bool {
	if !bytes.Contains(data, []byte{0}) {
		return false
	}
	enc, _ := bySixteen(data[:len(data)&^1])
	return enc != nil
}
