package understand

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"kaoju/internal/pipeline"
	"kaoju/internal/text"
)

// longestImage bounds the description of a picture, in characters.
const longestImage = 1000

// The names under which models put what they were asked for.
var (
	rewriteKeys = []string{"rewrite_query", "rewritten_query", "rewrite", "query", "question"}
	imageKeys   = []string{"image_description", "image_desc", "description", "caption"}
	ocrKeys     = []string{"image_text", "ocr_text", "ocr"}
)

// read takes the rewrite, the intent and the picture's description out of a
// model's words. What is missing or of no use is as the rules have it; nothing
// of use at all is errUseless.
func read(words, question string, said []pipeline.Round, ruled pipeline.Understanding) (pipeline.Understanding, error) {
	object := firstObject(words)
	if object == nil {
		return ruled, errUseless
	}
	u, taken := ruled, false
	rewrite := oneOf(object, rewriteKeys)
	switch {
	case rewrite == strings.TrimSpace(question):
		u.Question, u.Rewritten, u.Reason, taken = question, false, "by the model: the question stands alone", true
	case usable(rewrite, question) && grounded(rewrite, question, said):
		u.Question, u.Rewritten, u.Reason, taken = rewrite, true, "by the model", true
	}
	if intent, known := intentNamed(oneOf(object, []string{"intent"})); known {
		u.Unsure = intent.Talks() // the rules took it for a question
		u.Intent, taken = intent, true
	}
	if image := picture(object); image != "" {
		u.Image, taken = image, true
	}
	if !taken {
		return ruled, errUseless
	}
	if u.Reason == ruled.Reason {
		u.Reason += "; the model adds nothing"
	}
	return u, nil
}

// firstObject gives the first JSON object in words, whatever stands around it:
// fences, prose, further objects.
func firstObject(words string) map[string]json.RawMessage {
	for at := strings.IndexByte(words, '{'); at >= 0; {
		var object map[string]json.RawMessage
		if json.NewDecoder(strings.NewReader(words[at:])).Decode(&object) == nil {
			return object
		}
		next := strings.IndexByte(words[at+1:], '{')
		if next < 0 {
			return nil
		}
		at += 1 + next
	}
	return nil
}

// oneOf gives the first of the keys that holds a text, without blanks around.
func oneOf(object map[string]json.RawMessage, keys []string) string {
	for _, k := range keys {
		var s string
		if json.Unmarshal(object[k], &s) == nil {
			if s = strings.TrimSpace(s); s != "" {
				return s
			}
		}
	}
	return ""
}

// picture joins what a model saw with what it read there.
func picture(object map[string]json.RawMessage) string {
	seen, written := oneOf(object, imageKeys), oneOf(object, ocrKeys)
	if isNothing(seen) {
		seen = ""
	}
	if isNothing(written) || strings.Contains(seen, written) {
		written = ""
	}
	return text.Truncate(strings.TrimSpace(seen+"\n"+written), longestImage)
}

func isNothing(s string) bool {
	switch strings.ToLower(strings.Trim(s, `."'。 `)) {
	case "", "null", "none", "nil", "n/a", "undefined", "无", "没有":
		return true
	}
	return false
}

// usable reports whether a rewrite can stand for the question: one short line
// in its language that is a question and no excuse.
func usable(rewrite, question string) bool {
	n := utf8.RuneCountInString(rewrite)
	if isNothing(rewrite) || n > max(longestQuestion, 2*utf8.RuneCountInString(question)) || strings.ContainsAny(rewrite, "\n\x00") {
		return false
	}
	if apologetic(rewrite) && !apologetic(question) {
		return false
	}
	was, is := text.DetectLanguage(question), text.DetectLanguage(rewrite)
	return was == is || was == text.Mixed || is == text.Mixed || was == text.None
}

// grounded reports whether a rewrite asks for what was asked for: it keeps
// every code and number of the question, and has a word of the question or, if
// that has none of its own, of the conversation.
func grounded(rewrite, question string, said []pipeline.Round) bool {
	has := carried(rewrite)
	asked := carried(question)
	for word := range asked {
		if strings.ContainsAny(word, "0123456789") && !has[word] {
			return false
		}
	}
	if len(asked) == 0 {
		for _, r := range said {
			for word := range carried(r.Question) {
				asked[word] = true
			}
		}
	}
	for word := range asked {
		if has[word] {
			return true
		}
	}
	return len(asked) == 0
}

// carried are the words that carry a topic, and their parts: Chinese may be
// cut elsewhere in a longer sentence.
func carried(s string) map[string]bool {
	words := map[string]bool{}
	for _, t := range text.Terms(s) {
		if !text.IsStop(t.Text) {
			words[t.Text] = true
		}
	}
	return words
}

// apologetic reports whether words are an excuse, as a model's refusal is.
func apologetic(s string) bool {
	s = text.Normalize(s)
	for _, mark := range []string{"抱歉", "对不起", "无法改写", "作为一个", "作为ai", "sorry", "i cannot", "i can't", "unable to", "as an ai", "i apologize"} {
		if strings.Contains(s, mark) {
			return true
		}
	}
	return false
}

// intentNamed gives the intent that a word names, and whether it names one.
func intentNamed(word string) (pipeline.Intent, bool) {
	i := pipeline.Intent(strings.ToLower(word))
	switch i {
	case pipeline.IntentSearch, pipeline.IntentWebSearch, pipeline.IntentGreeting, pipeline.IntentChitchat, pipeline.IntentFollowUp,
		pipeline.IntentImage, pipeline.IntentDocument, pipeline.IntentSummarize, pipeline.IntentClarification:
		return i, true
	}
	return pipeline.IntentSearch, false
}
