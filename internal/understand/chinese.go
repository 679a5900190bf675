package understand

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"kaoju/internal/text"
)

var (
	// otherZh is a question that only names another thing: "那病假呢".
	otherZh = regexp.MustCompile(`^(?:那么|那|还有|以及|至于|另外|而|和|跟|换成|如果是|要是|对于|关于)?[，, ]*([^，,。？?！!；;]{1,24}?)(?:的话)?[，, ]*(呢|怎么样|又如何|如何)$`)
	// leadZh is the same without a sign at the end: "那病假", "换成病假".
	leadZh = regexp.MustCompile(`^(?:那么|那|还有|以及|至于|换成|如果是|要是)[，, ]*([^，,。？?！!；;]{1,24})$`)
	// moreZh asks for more of the same.
	moreZh = regexp.MustCompile(`^(?:还有呢|还有吗|还有别的吗|还有其他的?吗|然后呢|接着呢|继续(?:说)?|(?:请)?(?:再)?(?:说|讲|介绍)?(?:得)?(?:详细|具体)(?:一)?(?:点|些|说说|说明|介绍)?(?:一下)?|(?:能|可以)?(?:再)?(?:详细|具体)(?:说说|讲讲|介绍|说明)(?:一下)?(?:吗)?|(?:多|再)(?:说|讲)(?:一)?(?:点|些)|展开(?:说说|讲讲)?)$`)
	// whyZh asks about what was just said.
	whyZh = regexp.MustCompile(`^(?:那)?(为什么|为何|怎么回事|真的吗|是吗|确定吗|依据是什么|出处是什么|有什么依据)(?:呢|啊)?$`)
	// pointers are words that point back; what follows a determiner is its noun.
	thingZh  = setOf("它 它们 这 那 这个 那个 这些 那些 这种 那种 此 该 上述 前者 后者 其")
	personZh = setOf("他 她 他们 她们")
)

// completeChinese gives a Chinese question with what it leaves out.
func (m *memory) completeChinese(question string) (whole, reason string) {
	q := strings.Trim(strings.TrimSpace(question), "。？?！! ")
	switch {
	case moreZh.MatchString(q):
		return m.question + "（请详细说明）", "asks for more of the last question"
	case whyZh.MatchString(q):
		return m.question + "（" + q + "）", "asks about the last answer"
	}
	for _, pattern := range []*regexp.Regexp{otherZh, leadZh} {
		if g := pattern.FindStringSubmatch(q); g != nil && onlyNames(g[1]) {
			return m.instead(strings.TrimSpace(g[1])), "names another thing"
		}
	}
	if whole, ok := m.pointed(question); ok {
		return whole, "a word points back"
	}
	if s := m.theme(); s != "" && onlyRelations(question) {
		return s + strings.TrimLeft(trimLead(question), "，, "), "the subject is missing"
	}
	return question, ""
}

// trimLead takes off the word that ties a question to the one before.
func trimLead(q string) string {
	q = strings.TrimSpace(q)
	for _, lead := range []string{"那么", "那", "还有", "另外", "然后"} {
		if rest, ok := strings.CutPrefix(q, lead); ok && !strings.HasPrefix(rest, "个") && !strings.HasPrefix(rest, "些") {
			return rest
		}
	}
	return q
}

// onlyNames reports whether a stretch names something and asks nothing.
func onlyNames(s string) bool {
	named := false
	for _, t := range text.Tokenize(s) {
		if asking[t.Text] || thingZh[t.Text] || personZh[t.Text] {
			return false
		}
		named = named || !emptyChinese[t.Text]
	}
	return named
}

var asking = setOf("怎么 怎么办 怎样 如何 为什么 为何 什么 什么时候 哪 哪个 哪些 哪里 谁 多少 几 多久 几天 几个 吗 是否 能否 能不能 可以 需要 支持 有")

// onlyRelations reports whether nothing in a question names a thing of its
// own.
func onlyRelations(q string) bool {
	tokens := text.Tokenize(q)
	for _, t := range tokens {
		if t.Kind == text.Code || !emptyChinese[t.Text] && !relationalChinese[t.Text] && !text.IsStop(t.Text) {
			return false
		}
	}
	return len(tokens) > 0
}

// instead puts another thing in the place of the one that the last question
// was about: of what it resembles most, else before the question.
func (m *memory) instead(other string) string {
	other = strings.TrimSuffix(other, "的")
	best, shared := "", 0
	for _, p := range m.subject {
		if n := likeness(p.text, other); n > shared {
			best, shared = p.text, n
		}
	}
	last := strings.TrimRight(m.question, "。？?！! ")
	if best != "" {
		return strings.Replace(last, best, other, 1)
	}
	if isEnglish(last) {
		return other + ": " + m.question
	}
	if part := personIn(last); part != "" && isPerson(other) {
		return strings.Replace(last, part, other, 1)
	}
	return other + last
}

// likeness is how many characters two names share at their ends: 年假 and 病假
// one, 甲产品 and 乙产品 two. Two kinds of people are alike.
func likeness(a, b string) int {
	if isEnglish(a) && isEnglish(b) {
		return likeEnglish(a, b)
	}
	x, y := []rune(a), []rune(b)
	n := 0
	for n < min(len(x), len(y)) && x[len(x)-1-n] == y[len(y)-1-n] {
		n++
	}
	head := 0
	for head < min(len(x), len(y)) && x[head] == y[head] {
		head++
	}
	if n == 0 && head >= 2 {
		return head
	}
	if n == 0 && isPerson(a) && isPerson(b) {
		return 1
	}
	return n
}

func isPerson(s string) bool {
	for _, p := range peopleChinese {
		if strings.HasSuffix(s, p) {
			return true
		}
	}
	return false
}

// personIn gives the words for people with which a question begins.
func personIn(question string) string {
	end := 0
	for _, t := range text.Tokenize(question) {
		if emptyChinese[t.Text] {
			break
		}
		if isPerson(t.Text) {
			end = t.End
			break
		}
	}
	return question[:end]
}

// pointed puts what is meant in the place of the first word that points back.
func (m *memory) pointed(question string) (string, bool) {
	tokens := text.Tokenize(question)
	for i, t := range tokens {
		if i > 0 && named(tokens[:i]) {
			break // it points to something in the question itself
		}
		switch {
		case personZh[t.Text]:
			if who := m.person(); who != "" {
				return question[:t.Start] + who + question[t.End:], true
			}
		case thingZh[t.Text]:
			if whole, ok := m.meant(question, tokens, i); ok {
				return whole, true
			}
		}
	}
	return question, false
}

func named(tokens []text.Token) bool {
	for _, t := range tokens {
		if !emptyChinese[t.Text] && !relationalChinese[t.Text] && !text.IsStop(t.Text) {
			return true
		}
	}
	return false
}

// meant completes "它…", "其…", "这个产品…" at token i.
func (m *memory) meant(question string, tokens []text.Token, i int) (string, bool) {
	t, theme := tokens[i], m.theme()
	next := i + 1
	if theme == "" {
		return question, false
	}
	if t.Text == "那" || t.Text == "这" {
		if next == len(tokens) || tokens[next].Start > t.End {
			return question, false
		}
		if emptyChinese[tokens[next].Text] && t.Text == "那" {
			return question, false // "那怎么办": a lead, no pointer
		}
	}
	noun := next < len(tokens) && tokens[next].Start == t.End && !emptyChinese[tokens[next].Text] && t.Text != "它" && t.Text != "它们"
	switch {
	case t.Text == "其":
		return question[:t.Start] + theme + "的" + question[t.End:], true
	case noun && strings.HasSuffix(theme, tokens[next].Text):
		return question[:t.Start] + theme + question[tokens[next].End:], true
	case noun && relationalChinese[tokens[next].Text]:
		return question[:t.Start] + theme + "的" + question[t.End:], true
	case noun:
		if p, ok := m.ending(tokens[next].Text); ok {
			return question[:t.Start] + p + question[tokens[next].End:], true
		}
		return question[:t.Start] + theme + question[t.Start:], true
	}
	return question[:t.Start] + theme + question[t.End:], true
}

// ending finds what was spoken of by its last word.
func (m *memory) ending(noun string) (string, bool) {
	for _, list := range [][]phrase{m.names, m.things} {
		for _, p := range list {
			if strings.HasSuffix(p.text, noun) && p.text != noun {
				return p.text, true
			}
		}
	}
	return "", false
}

// theme is what the last question was about: what it names first.
func (m *memory) theme() string {
	if len(m.subject) == 0 {
		return ""
	}
	return m.subject[0].text
}

// person is who was spoken of last.
func (m *memory) person() string {
	for _, p := range m.subject {
		if isPerson(p.text) {
			return p.text
		}
	}
	return m.theme()
}

// chinesePhrases gives what a Chinese question names, in order: runs of words
// that are no frame, tied by 的.
func chinesePhrases(question string) []phrase {
	tokens := text.Tokenize(question)
	var out []phrase
	from, to := -1, 0
	flush := func() {
		if from >= 0 {
			if s := strings.TrimSpace(question[from:to]); meansSomething(s) {
				out = append(out, phrase{text: s})
			}
		}
		from = -1
	}
	for i, t := range tokens {
		named := !emptyChinese[t.Text] && !text.IsStop(t.Text) && !relationalChinese[t.Text]
		apart := from >= 0 && strings.TrimSpace(question[to:t.Start]) != ""
		switch {
		case from >= 0 && !apart && (named || tied(tokens, i)):
			to = t.End
		case named:
			flush()
			from, to = t.Start, t.End
		default:
			flush()
		}
	}
	flush()
	return out
}

// tied reports whether token i is a 的 between two words that name something.
func tied(tokens []text.Token, i int) bool {
	if tokens[i].Text != "的" || i == 0 || i+1 == len(tokens) {
		return false
	}
	next := tokens[i+1]
	return tokens[i-1].End == tokens[i].Start && next.Start == tokens[i].End &&
		!emptyChinese[next.Text] && !relationalChinese[next.Text]
}

// meansSomething leaves out single characters, which mostly are what is left
// of a word.
func meansSomething(s string) bool {
	n := utf8.RuneCountInString(s)
	return n > 1 || n == 1 && len(s) == 1
}
