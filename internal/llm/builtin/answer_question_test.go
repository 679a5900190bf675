package builtin

import (
	"strings"
	"testing"
)

func TestWhatAQuestionWants(t *testing.T) {
	tests := []struct {
		question string
		want     wanted
		gap      string // the phrase that asks
	}{
		{"谁发明了造纸术？", wantPerson, "谁"},
		{"該書是由哪一位作者寫的?", wantPerson, "哪一位"},
		{"广茂铁路全长多少公里？", wantNumber, "多少"},
		{"实际管辖几个区？", wantNumber, "几"},
		{"他在哪一年出生？", wantTime, "哪一年"},
		{"为什么天空是蓝的？", wantReason, "为什么"},
		{"大莱龙铁路位于哪里？", wantPlace, "哪里"},
		{"神医又叫什么？", wantName, "叫什么"},
		{"锣鼓经的演奏方法是怎样的？", wantManner, "怎样"},
		{"有哪些症状？", wantList, "哪些"},
		{"什么是锣鼓经？", wantMeaning, "什么是"},
		{"《战国无双3》是什么游戏？", wantAnything, "什么"},
		{"它几乎没有变化", wantAnything, ""},
		{"Who designed it?", wantPerson, "Who"},
		{"In which year did it end?", wantTime, "which"},
		{"What city is it in?", wantPlace, "What"},
		{"How many people live there?", wantNumber, "How many"},
		{"How does it work?", wantManner, "How"},
		{"Why did it fail?", wantReason, "Why"},
		{"Name the river.", wantAnything, ""},
		{"", wantAnything, ""},
	}
	for _, tt := range tests {
		t.Run(tt.question, func(t *testing.T) {
			q := ask(tt.question)
			gap := ""
			if q.gapEnd > q.gap {
				gap = q.text[q.glyphs[q.gap].start:q.glyphs[q.gapEnd-1].end]
			}
			if q.want != tt.want || gap != tt.gap {
				t.Errorf("wants %d by %q, not %d by %q", q.want, gap, tt.want, tt.gap)
			}
		})
	}
}

func TestLongQuestionsAreBounded(t *testing.T) {
	q := ask(strings.Repeat("杭州市西湖区文三路的电车厂在2014年生产QTR7310打印机吗", 500) + "？")
	for _, it := range []items{q.single, q.pairs, q.words} {
		if len(it.at) > maxItems {
			t.Errorf("%d items", len(it.at))
		}
	}
}

func TestGlyphsMeet(t *testing.T) {
	tests := []struct {
		a, b string
		meet bool
	}{
		{"interceptions", "Intercepted", true},
		{"naturalise", "naturalized", true},
		{"cities", "city", true},
		{"died", "death", true},
		{"ＡＢＣ", "abc", true},
		{"1,200", "1200", true},
		{"Maastrich", "Maastricht", true},
		{"bus", "but", false},
		{"king", "kin", false},
		{"12", "1.2", false},
	}
	for _, tt := range tests {
		a, b := readGlyphs(nil, tt.a), readGlyphs(nil, tt.b)
		if len(a) != 1 || len(b) != 1 || (a[0].key == b[0].key) != tt.meet {
			t.Errorf("%s and %s: %+v %+v, should meet: %v", tt.a, tt.b, a, b, tt.meet)
		}
	}
}

func TestSpots(t *testing.T) {
	tests := []struct {
		want     wanted
		sentence string
		spot     string // the first one; empty for none
	}{
		{wantTime, "公司成立于2009年3月", "2009年"},
		{wantTime, "It opened in 1817 in Warsaw", "1817"},
		{wantTime, "公司有2009人", ""},
		{wantNumber, "共有三十二个区", "三十二个"},
		{wantNumber, "about twelve people", "twelve people"},
		{wantNumber, "有很多人", ""},
		{wantPerson, "该书由威廉·琼斯撰写", "廉"},
		{wantPerson, "designed by Alice Brown there", "Alice Brown"},
		{wantPlace, "总部设于杭州市", "杭州市"},
		{wantReason, "so it failed because rust grew", "rust"},
		{wantManner, "通过考试选拔", "考"},
		{wantName, "又称打击乐谱", "打"},
		{wantMeaning, "锣鼓经是记谱法", "记"},
		{wantList, "包括红、黄、蓝", "黄"},
		{wantAnything, "公司成立于2009年", ""},
	}
	for _, tt := range tests {
		glyphs := readGlyphs(nil, tt.sentence)
		found := false
		list := spots(tt.want, tt.sentence, glyphs)
		for _, s := range list {
			text := tt.sentence[glyphs[s.from].start:glyphs[s.to-1].end]
			found = found || strings.HasPrefix(text, tt.spot)
		}
		if tt.spot == "" && len(list) > 0 || tt.spot != "" && !found {
			t.Errorf("%q for %d: %v", tt.sentence, tt.want, list)
		}
	}
}
