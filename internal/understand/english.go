package understand

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

var (
	// leadEn is what people say before they ask.
	leadEn = regexp.MustCompile(`(?i)^(?:(?:ok(?:ay)?|oh|yes|no|well|wow|so|interesting|great|nice|cool|good|sorry|thanks?(?: you)?|i see|got it|hmm+|btw|by the way|that's interesting|really)\b[,.!]*\s+)+`)
	// otherEn is a question that only names another thing.
	otherEn = regexp.MustCompile(`(?i)^(?:(and|but|or|then|so),? )?(?:(what|how) about |what of )?((?:for|in|with|to|at|from|on|during|by|after|before|without|if) )?(?:(?:the same )?(?:for|with) )?([^,.;:?!]{1,60}?)(?: then| instead| too| as well)?[?.! ]*$`)
	moreEn  = regexp.MustCompile(`(?i)^(?:(?:can|could) you )?(?:please )?(?:tell me more|(?:any |some )?more (?:details?|information|info)|go on|continue|elaborate|say more|give me (?:more )?details|what else|anything else)(?: (?:about|on) (?:it|this|that|them))?(?: please)?[?.! ]*$`)
	bareEn  = regexp.MustCompile(`(?i)^(?:(?:and|but) )?(why|why not|how|how so|how come|when|where|who|really|since when|how much|how many|how long|how often|which one|which ones|are you sure|in what way|says who)[?.! ]*$`)
	// whoEn asks for a person.
	whoEn = regexp.MustCompile(`(?i)^(?:and )?(?:who|name the)\b`)
	// idleEn is an "it" that stands for nothing.
	idleEn = regexp.MustCompile(`(?i)\b(?:does it (?:take|cost to|matter|make sense)|is it (?:possible|necessary|true|legal|illegal|safe|ok|okay|better|best|allowed|mandatory|required|important|common|normal|worth|hard|easy|difficult|a good idea)|it(?: is| was|['’]s) (?:possible|necessary|true|better|best|important|good|bad|hard|easy|not|too|also)|it possible|it take|make it)\b`)

	personEn   = setOf("he she him her his hers")
	thingEn    = setOf("it they them this that these those its their theirs one ones")
	ownEn      = setOf("his her its their hers theirs")
	determiner = setOf("this that these those the such")
	// vagueEn are nouns that are no thing of the conversation.
	vagueEn  = setOf("article section point time year case context matter regard day moment week month information page passage sense")
	clauseEn = setOf("and or if when because that so but who which while after before since as than to")
)

// completeEnglish gives an English question with what it leaves out.
func (m *memory) completeEnglish(question string) (whole, reason string) {
	q := strings.TrimSpace(leadEn.ReplaceAllString(strings.TrimSpace(question), ""))
	switch {
	case moreEn.MatchString(q):
		return "Tell me more: " + m.question, "asks for more of the last question"
	case bareEn.MatchString(q):
		return strings.TrimRight(q, "?.! ") + ": " + m.question, "asks about the last answer"
	}
	if whole, ok := m.insteadEnglish(q); ok {
		return whole, "names another thing"
	}
	full, expanded := m.fullNames(question)
	if whole, ok := m.pointedEnglish(full); ok {
		return whole, "a word points back"
	}
	if expanded {
		return full, "a name was given in full before"
	}
	if s := m.themeEnglish(); s != "" && onlyRelationsEnglish(question) {
		return strings.TrimRight(question, "?.! ") + " of " + s + "?", "the subject is missing"
	}
	return question, ""
}

// insteadEnglish completes "and for interns?" and "what about sick leave?".
func (m *memory) insteadEnglish(q string) (string, bool) {
	g := otherEn.FindStringSubmatch(q)
	if g == nil || g[1]+g[2]+g[3] == "" {
		return "", false
	}
	preposition, other := strings.ToLower(strings.TrimSpace(g[3])), strings.TrimSpace(g[4])
	if !namesOnly(other, g[2] != "") {
		return "", false
	}
	last := strings.TrimRight(m.question, "?.! ")
	if preposition != "" {
		if whole, ok := sameFrame(last, preposition, other); ok {
			return whole, true
		}
		if who := m.people(other); who != "" {
			return strings.Replace(last, who, other, 1) + "?", true
		}
	}
	best := m.likest(other)
	switch {
	case best != "":
		return strings.Replace(last, best, withoutArticle(other), 1) + "?", true
	case preposition != "":
		return last + " " + preposition + " " + other + "?", true
	}
	return "What about " + other + ": " + last + "?", true
}

// likest is the part of what the last question named that is most like other:
// of "days of annual leave", for "sick leave", what stands behind "of".
func (m *memory) likest(other string) string {
	best, shared := "", 0
	for _, p := range m.subject {
		parts := append(strings.Split(p.text, " of "), p.text)
		for _, part := range parts {
			if n := likeEnglish(part, other); n > shared {
				best, shared = part, n
			}
		}
	}
	return withoutArticle(best)
}

// people is whom the last question was about, where other names people too.
func (m *memory) people(other string) string {
	if !isPeople(other) {
		return ""
	}
	for _, p := range m.subject {
		if isPeople(p.text) {
			return p.text
		}
	}
	return ""
}

func isPeople(s string) bool {
	words := wordsOf(s)
	return len(words) > 0 && peopleEn[singular(words[len(words)-1].low)]
}

// namesOnly reports whether a stretch names something and asks nothing. After
// "what about" anything short is a name.
func namesOnly(s string, about bool) bool {
	words := wordsOf(s)
	content := 0
	for _, w := range words {
		if personEn[w.low] || thingEn[w.low] || asksEn[w.low] {
			return false
		}
		if !emptyEnglish[w.low] {
			content++
		}
	}
	return content > 0 && (about || len(words) <= 5)
}

var asksEn = setOf(`what which who whom whose when where why how is are was were do does did can could will would should has have had may might must am
tell explain show give list describe name compare find get need want know`)

// sameFrame puts other behind the preposition in the last question, where it
// has one: "… leave for staff?" and "for interns?".
func sameFrame(last, preposition, other string) (string, bool) {
	at := strings.LastIndex(strings.ToLower(last), " "+preposition+" ")
	if at < 0 || at > len(last) {
		return "", false
	}
	rest := last[at+len(preposition)+2:]
	if len(strings.Fields(rest)) > 4 {
		return "", false
	}
	return last[:at] + " " + preposition + " " + other + "?", true
}

func withoutArticle(s string) string {
	for _, a := range []string{"the ", "a ", "an ", "The ", "A ", "An "} {
		if rest, ok := strings.CutPrefix(s, a); ok {
			return rest
		}
	}
	return s
}

// likeEnglish says how alike two phrases are: by the words that they end
// with, or by both being names.
func likeEnglish(a, b string) int {
	x, y := strings.Fields(strings.ToLower(a)), strings.Fields(strings.ToLower(withoutArticle(b)))
	n := 0
	for n < min(len(x), len(y)) && x[len(x)-1-n] == y[len(y)-1-n] {
		n += 1
	}
	if n > 0 {
		return 2 * n
	}
	if len(x) > 0 && len(y) > 0 && x[0] == y[0] {
		return 2 // product A, product B
	}
	if capital(a) && capital(withoutArticle(b)) {
		return 1
	}
	return 0
}

func capital(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsUpper(r)
}

// pointedEnglish puts what is meant in the place of the words that point back.
func (m *memory) pointedEnglish(question string) (string, bool) {
	words := wordsOf(question)
	idle := idleEn.FindStringIndex(question)
	for i, w := range words {
		if idle != nil && w.low == "it" && w.start >= idle[0] && w.end <= idle[1] {
			continue
		}
		if !personEn[w.low] && !thingEn[w.low] && w.low != "there" {
			if whole, ok := m.theNoun(question, words, i); ok {
				return whole, true
			}
			continue
		}
		if local(words[:i], w) {
			continue
		}
		if whole, ok := m.meantEnglish(question, words, i); ok {
			return whole, true
		}
	}
	return question, false
}

// local reports whether a pronoun can point to something in the question
// before it: a thing that was named, and a clause or an "own" between them.
func local(before []wordIn, w wordIn) bool {
	named, clause := false, ownEn[w.low]
	for _, b := range before {
		if !emptyEnglish[b.low] && !relationalEnglish[b.low] {
			named = true
		} else if named && clauseEn[b.low] {
			clause = true
		}
	}
	return named && clause
}

// meantEnglish completes the question at the pronoun words[i].
func (m *memory) meantEnglish(question string, words []wordIn, i int) (string, bool) {
	w, theme := words[i], m.themeEnglish()
	next := ""
	if i+1 < len(words) {
		next = words[i+1].low
	}
	switch {
	case personEn[w.low]:
		return put(question, m.possessor(w.low, next), w.start, w.end)
	case determiner[w.low] && next != "" && !emptyEnglish[next]:
		return m.determined(question, words, i)
	case w.low == "one" || w.low == "ones":
		return m.oneOf(question, words, i, theme)
	case w.low == "there":
		return question, false
	case w.low == "that" && i > 0 && next != "":
		return question, false // a conjunction
	case theme != "" && (w.low == "its" || w.low == "their"):
		theme += "'s"
	}
	return put(question, theme, w.start, w.end)
}

// put puts what is meant in the place of question[from:to], unless it is not
// known or stands in the question already.
func put(question, meant string, from, to int) (string, bool) {
	if meant == "" || strings.Contains(strings.ToLower(question), strings.ToLower(meant)) {
		return question, false
	}
	return question[:from] + meant + question[to:], true
}

// possessor is who a word for a person means, in its form: "her" owns what
// follows it, or nothing.
func (m *memory) possessor(word, next string) string {
	who := m.personEnglish()
	if who != "" && ownEn[word] && (word != "her" || next != "" && !emptyEnglish[next]) {
		who += "'s"
	}
	return who
}

// determined completes "this plan" and "those rules" at words[i].
func (m *memory) determined(question string, words []wordIn, i int) (string, bool) {
	next := words[i+1]
	if p, ok := m.endingEnglish(next.low); ok {
		return put(question, p, words[i].start, next.end)
	}
	theme := m.themeEnglish()
	if theme == "" || words[i].low == "that" && i > 0 || vagueEn[next.low] {
		return question, false
	}
	return strings.TrimRight(question, "?.! ") + " (" + theme + ")?", true
}

// oneOf completes "a new one".
func (m *memory) oneOf(question string, words []wordIn, i int, theme string) (string, bool) {
	if i == 0 || theme == "" {
		return question, false
	}
	switch words[i-1].low {
	case "which", "no", "any", "some", "every", "each", "the":
		return strings.TrimRight(question, "?.! ") + " (" + theme + ")?", true
	}
	return question[:words[i].start] + theme + question[words[i].end:], true
}

// theNoun completes "the movement" after "the quit india movement".
func (m *memory) theNoun(question string, words []wordIn, i int) (string, bool) {
	if words[i].low != "the" || i+1 >= len(words) || emptyEnglish[words[i+1].low] {
		return question, false
	}
	if i+2 < len(words) && (words[i+2].low == "of" || !emptyEnglish[words[i+2].low]) {
		return question, false
	}
	if len(englishPhrases(question)) > 1 {
		return question, false // it names enough
	}
	p, ok := m.endingEnglish(words[i+1].low)
	if !ok || strings.Contains(strings.ToLower(question), strings.ToLower(p)) {
		return question, false
	}
	return question[:words[i+1].start] + p + question[words[i+1].end:], true
}

func (m *memory) endingEnglish(noun string) (string, bool) {
	for _, list := range [][]phrase{m.names, m.things} {
		for _, p := range list {
			parts := strings.Fields(strings.ToLower(p.text))
			if len(parts) > 1 && len(parts) < 6 && singular(parts[len(parts)-1]) == singular(noun) {
				return p.text, true
			}
		}
	}
	return "", false
}

func singular(s string) string {
	if len(s) > 3 && !strings.HasSuffix(s, "ss") {
		return strings.TrimSuffix(s, "s")
	}
	return s
}

// themeEnglish is what the last question that named something was about: a
// name, else what it names first. Counting how often the whole conversation
// spoke of each thing chooses no better.
func (m *memory) themeEnglish() string {
	for _, p := range m.subject {
		if p.name {
			return p.text
		}
	}
	if len(m.subject) > 0 {
		return m.subject[0].text
	}
	return ""
}

// personEnglish is who was spoken of last: the last name, else the theme.
func (m *memory) personEnglish() string {
	for _, list := range [][]phrase{m.subject, m.names} {
		for _, p := range list {
			if p.name && !p.site {
				return p.text
			}
		}
	}
	return m.themeEnglish()
}

// onlyRelationsEnglish reports whether nothing in a question names a thing of
// its own: "what are the requirements?".
func onlyRelationsEnglish(q string) bool {
	relations := 0
	for _, w := range wordsOf(q) {
		if w.low == "of" || w.low == "for" || w.low == "i" && relations > 0 {
			return false
		}
		if relationalEnglish[w.low] {
			relations++
		} else if !emptyEnglish[w.low] {
			return false
		}
	}
	return relations > 0
}
