package builtin

import (
	"slices"
	"strings"
)

// asking is a phrase that asks, and what it asks for.
type asking struct {
	phrase string
	want   wanted
}

// chineseAsking is tried in order: what is more special stands first.
var chineseAsking = []asking{
	{"为什么", wantReason}, {"为何", wantReason}, {"为啥", wantReason}, {"因何", wantReason}, {"何以", wantReason},
	{"什么原因", wantReason}, {"原因是什么", wantReason}, {"何种原因", wantReason},
	{"什么时候", wantTime}, {"什么时间", wantTime}, {"何时", wantTime}, {"哪一年", wantTime}, {"哪年", wantTime}, {"哪几年", wantTime},
	{"哪一天", wantTime}, {"哪天", wantTime}, {"何年", wantTime}, {"几月", wantTime}, {"几号", wantTime}, {"几年几月", wantTime},
	{"哪个月", wantTime}, {"哪一个世纪", wantTime}, {"哪个世纪", wantTime}, {"几世纪", wantTime}, {"几点", wantTime}, {"何日", wantTime},
	{"什么年代", wantTime}, {"哪个年代", wantTime}, {"哪个朝代", wantTime}, {"哪一个年代", wantTime}, {"哪一日", wantTime},
	{"哪个时期", wantTime}, {"什么时期", wantTime}, {"何月", wantTime}, {"哪一个月", wantTime},
	{"什么人", wantPerson}, {"哪个人", wantPerson}, {"哪一个人", wantPerson}, {"哪位", wantPerson}, {"哪一位", wantPerson},
	{"哪些人", wantPerson}, {"何人", wantPerson}, {"谁", wantPerson},
	{"哪里", wantPlace}, {"哪儿", wantPlace}, {"什么地方", wantPlace}, {"哪个地方", wantPlace}, {"哪一个地方", wantPlace},
	{"何处", wantPlace}, {"何地", wantPlace}, {"什么位置", wantPlace}, {"哪个城市", wantPlace}, {"哪座城市", wantPlace},
	{"哪一个城市", wantPlace}, {"哪个国家", wantPlace}, {"哪一个国家", wantPlace}, {"哪国", wantPlace}, {"哪一国", wantPlace},
	{"哪个省", wantPlace}, {"哪个地区", wantPlace}, {"哪一个地区", wantPlace}, {"哪一地区", wantPlace}, {"哪个州", wantPlace}, {"何国", wantPlace},
	{"百分之多少", wantNumber}, {"百分之几", wantNumber}, {"多少", wantNumber}, {"多高", wantNumber}, {"多长", wantNumber}, {"多久", wantNumber},
	{"多大", wantNumber}, {"多远", wantNumber}, {"多重", wantNumber}, {"多宽", wantNumber}, {"多深", wantNumber}, {"多快", wantNumber}, {"第几", wantNumber},
	{"哪些", wantList}, {"哪几", wantList}, {"哪两", wantList}, {"哪三", wantList}, {"哪四", wantList}, {"哪二", wantList},
	{"叫什么", wantName}, {"叫做什么", wantName}, {"称为什么", wantName}, {"称作什么", wantName}, {"称之为什么", wantName},
	{"名称是什么", wantName}, {"名字是什么", wantName}, {"什么名字", wantName}, {"什么名称", wantName}, {"简称什么", wantName},
	{"怎么", wantManner}, {"怎样", wantManner}, {"如何", wantManner}, {"什么方式", wantManner}, {"什么方法", wantManner}, {"何种方式", wantManner},
	{"什么是", wantMeaning}, {"指什么", wantMeaning}, {"指的是什么", wantMeaning}, {"何谓", wantMeaning}, {"什么意思", wantMeaning},
	{"几", wantNumber},
	{"哪一个", wantAnything}, {"哪一种", wantAnything}, {"哪一", wantAnything}, {"哪个", wantAnything}, {"哪种", wantAnything},
	{"哪", wantAnything}, {"什么", wantAnything}, {"何种", wantAnything}, {"何", wantAnything}, {"啥", wantAnything},
}

// englishHeads says what "what …" and "which …" ask for by the noun that
// follows, as stems.
var englishHeads = []asking{
	{"year years date dates day days month century centuries decade era period time times", wantTime},
	{"country countries city cities place location region area state states county river continent town island province street nation", wantPlace},
	{"person people president king queen emperor actor author player scientist philosopher leader man woman composer writer general", wantPerson},
	{"percentage percent number amount fraction proportion population temperature size length distance cost price", wantNumber},
	{"name nickname title term", wantName},
	{"reason cause", wantReason},
}

// englishMeasures follow "how" where it asks for a number.
const englishMeasures = " many much far long tall old often large big high deep fast wide heavy frequently "

// findGap finds the phrase that asks.
func (q *inquiry) findGap() {
	if !q.chinese {
		q.findEnglishGap()
		return
	}
	for _, a := range chineseAsking {
		at := strings.LastIndex(q.text, a.phrase)
		if at < 0 || a.phrase == "几" && strings.HasPrefix(q.text[at:], "几乎") {
			continue
		}
		q.want = a.want
		q.gap, q.gapEnd = q.glyphRange(at, at+len(a.phrase))
		return
	}
}

// glyphRange gives the glyphs that lie in a byte range.
func (q *inquiry) glyphRange(start, end int) (first, last int) {
	first = slices.IndexFunc(q.glyphs, func(g glyph) bool { return int(g.start) >= start })
	if first < 0 {
		return 0, 0
	}
	last = first
	for last < len(q.glyphs) && int(q.glyphs[last].end) <= end {
		last++
	}
	return first, last
}

func (q *inquiry) findEnglishGap() {
	word := func(i int) string {
		if i < 0 || i >= len(q.glyphs) {
			return ""
		}
		return strings.ToLower(q.text[q.glyphs[i].start:q.glyphs[i].end])
	}
	for i := range q.glyphs {
		size := 1
		switch word(i) {
		case "who", "whom", "whose":
			q.want = wantPerson
		case "when":
			q.want = wantTime
		case "where":
			q.want = wantPlace
		case "why":
			q.want = wantReason
		case "how":
			q.want = wantManner
			if strings.Contains(englishMeasures, " "+word(i+1)+" ") {
				q.want, size = wantNumber, 2
			}
		case "what", "which":
			q.want = englishHead(word(i+1), word(i+2))
		default:
			continue
		}
		q.gap, q.gapEnd = i, i+size
		return
	}
}

// englishHead reads what stands behind "what" or "which".
func englishHead(next, second string) wanted {
	for _, head := range englishHeads {
		for noun := range strings.FieldsSeq(head.phrase) {
			if next == noun || second == noun && !isVerbToBe(next) {
				return head.want
			}
		}
	}
	return wantAnything
}

func isVerbToBe(w string) bool {
	return w == "is" || w == "was" || w == "are" || w == "were" || w == "did" || w == "does" || w == "do"
}
