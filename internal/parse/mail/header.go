package mail

import (
	"encoding/base64"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"kaoju/internal/parse"
	"kaoju/internal/parse/charset"
)

var encodedWord = regexp.MustCompile(`=\?([^?\s]+)\?([bBqQ])\?([^?]*)\?=`)

// headerText gives the value of a header as people read it. Encoded words
// that follow each other in one encoding are decoded together, because mail
// programs cut long values between the bytes of a character; a value that is
// not encoded at all, against the standard, is decoded by its language.
func headerText(value string) string {
	if !utf8.ValidString(value) {
		value = charset.Decode([]byte(value), "").Text
	}
	var out strings.Builder
	var run []byte // bytes of the words that follow each other
	name := ""
	flush := func() {
		out.WriteString(charset.Decode(run, name).Text)
		run, name = nil, ""
	}
	at := 0
	for _, m := range encodedWord.FindAllStringSubmatchIndex(value, -1) {
		label, _, _ := strings.Cut(strings.ToLower(value[m[2]:m[3]]), "*")
		between := value[at:m[0]]
		if len(run) > 0 && (strings.TrimSpace(between) != "" || label != name) {
			flush()
		}
		if strings.TrimSpace(between) != "" || at == 0 {
			out.WriteString(between)
		}
		name = label
		run = append(run, wordBytes(value[m[4]], value[m[6]:m[7]])...)
		at = m[1]
	}
	flush()
	out.WriteString(value[at:])
	return strings.Join(strings.Fields(parse.CleanText(out.String())), " ")
}

// wordBytes decodes what stands in an encoded word. What is malformed stays
// as it is written.
func wordBytes(encoding byte, text string) []byte {
	if encoding == 'b' || encoding == 'B' {
		data, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(text, "="))
		if err != nil && len(data) == 0 {
			return []byte(text)
		}
		return data
	}
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '_':
			out = append(out, ' ')
			continue
		case text[i] == '=' && i+2 < len(text):
			if n, err := strconv.ParseUint(text[i+1:i+3], 16, 8); err == nil {
				out = append(out, byte(n))
				i += 2
				continue
			}
		}
		out = append(out, text[i])
	}
	return out
}
