package text

import (
	"slices"
	"strings"
	"testing"
)

func termTexts(s string) []string {
	var out []string
	for _, term := range Terms(s) {
		out = append(out, term.Text)
	}
	return out
}

// wholeTerms leaves the parts out.
func wholeTerms(s string) []string {
	var out []string
	for _, term := range Terms(s) {
		if !term.Part {
			out = append(out, term.Text)
		}
	}
	return out
}

// TestTermsMeet checks that a query reaches what a document says: all terms
// listed are among the document's.
func TestTermsMeet(t *testing.T) {
	for _, tt := range []struct{ document, query string }{
		// A01, A02: codes, whole and in part.
		{"型号 XK-2417-B 额定电压 220V", "XK-2417-B"},
		{"型号 XK-2417-B 额定电压 220V", "xk2417b"},
		{"型号 XK-2417-B 额定电压 220V", "XK-2417"},
		{"设备QTR-7310停机", "QTR-7310"},
		{"设备QTR-7310停机", "qtr 7310"},
		{"设备QTR-7310停机", "QTR7310"},
		{"设备QTR-7310停机", "7310"},
		{"设备 QTR 7310 停机", "QTR-7310"},
		{"符合GB/T 28181-2016标准", "GB/T 28181"},
		{"符合GB/T28181-2016标准", "GB/T 28181-2016"},
		{"符合GB/T 28181-2016标准", "28181"},
		{"iPhone15Pro发布", "iPhone 15 Pro"},
		{"iPhone 15 Pro发布", "iPhone15"},
		{"罚款5000元", "5000"},
		{"罚款5,000元", "5000元"},
		{"共计1,234,567", "1234567"},
		{"自2023年5月1日起", "2023 年 5 月 1 日"},
		{"the bge-m3 model", "m3"},
		// A04: a name torn by the segmenter.
		{"珠海洋桐测试基金公司", "珠海 基金"},
		{"珠海洋桐测试基金公司", "洋桐"},
		// A11: nothing is syntax.
		{"O'Reilly published it", "o'reilly"},
		{"Written in C++ and C#", "C++"},
		{"用C#编写", "c#"},
		{"node.js server", "nodejs"},
		{"get_user_name(x)", "getUserName"},
		{"getUserName(x)", "user name"},
		{"see https://www.example.com/docs/", "example.com/docs"},
		{"state-of-the-art results", "art"},
		{"send e-mails", "email"},
		{"the café's menu", "cafe menu"},
		{"companies were planning", "company plans"},
		{"電腦軟體", "电脑"},
		{"ひらがなカタカナ", "カタ"},
		{"나는학생입니다", "학생"},
	} {
		have := termTexts(tt.document)
		for _, want := range wholeTerms(tt.query) {
			if !slices.Contains(have, want) {
				t.Errorf("%q does not reach %q: no %q in %q", tt.query, tt.document, want, have)
			}
		}
	}
}

// TestTermsWholeName is case A03: a full name is one term, and what it
// shares with others is marked as part.
func TestTermsWholeName(t *testing.T) {
	terms := Terms("北京工业大学")
	if terms[0].Text != "北京工业大学" || terms[0].Part {
		t.Fatalf("the first term is %+v", terms[0])
	}
	for _, term := range terms[1:] {
		if !term.Part {
			t.Errorf("%+v is no part", term)
		}
	}
	for _, part := range []string{"北京", "工业", "大学"} {
		if !slices.Contains(termTexts("北京工业大学"), part) {
			t.Errorf("no term %s", part)
		}
	}
}

// TestTermsJoined checks what is written apart on one side only.
func TestTermsJoined(t *testing.T) {
	for apart, want := range map[string]string{
		"220 V": "220v", "qtr 7310": "qtr7310", "iPhone 15": "iphone15", "in 2005": "", "a 12": "", "x\n5": "",
		"T恤": "t恤", "维生素C": "维生素c", "维生素B12": "维生素b12", "用Go": "",
		"unbelievable 5": "", "5 apples": "",
	} {
		joined := ""
		for _, term := range Terms(apart) {
			if term.Part && len(term.Text) > len(joined) {
				joined = term.Text
			}
		}
		if joined != want {
			t.Errorf("%q also gives %q, want %q", apart, joined, want)
		}
	}
}

// TestTermsFirstIsWhole holds for codes of any length too.
func TestTermsFirstIsWhole(t *testing.T) {
	long := strings.Repeat("ab-é1_", 60)
	for _, s := range []string{long, "珠海" + long, "_", "x", "http://www.", "'s", "a's b"} {
		seen := -1
		for _, term := range Terms(s) {
			if term.Pos != seen && term.Part {
				t.Errorf("%.20q: position %d begins with the part %q", s, term.Pos, term.Text)
			}
			if seen = term.Pos; len(term.Text) > maxCode {
				t.Errorf("a term of %d bytes", len(term.Text))
			}
		}
	}
}

func TestRarity(t *testing.T) {
	if common, usual, rare := Rarity("的"), Rarity("经济"), Rarity("洋桐"); common >= usual || usual >= rare {
		t.Errorf("的 %v, 经济 %v, 洋桐 %v", common, usual, rare)
	}
	if Rarity("經濟") != Rarity("经济") || Rarity("") < 10 || Rarity("的x") < 10 || Rarity("\xff") < 10 {
		t.Error("traditional form, or what is no word")
	}
}

func TestTermsCodesDiffer(t *testing.T) {
	for _, pair := range [][2]string{
		{"QTR-7310", "QTR-1204"}, {"v2.3.1", "v23.1"}, {"C++", "C"}, {".NET", "net"}, {"3.5mm", "35mm"}, {"10:30", "1030"},
	} {
		if a, b := Terms(pair[0])[0].Text, Terms(pair[1])[0].Text; a == b {
			t.Errorf("%s and %s are both %s", pair[0], pair[1], a)
		}
	}
}

func TestTermsOrderAndPlace(t *testing.T) {
	const s = "设备QTR-7310，停机3天"
	want := []Term{
		{Text: "设备", Start: 0, End: 6, Pos: 0, Kind: Han},
		{Text: "qtr7310", Start: 6, End: 14, Pos: 1, Kind: Code},
		{Text: "qtr", Start: 6, End: 9, Pos: 1, Kind: Code, Part: true},
		{Text: "7310", Start: 10, End: 14, Pos: 1, Kind: Code, Part: true},
		{Text: "停机", Start: 17, End: 23, Pos: 2, Kind: Han},
		{Text: "3天", Start: 23, End: 27, Pos: 3, Kind: Code},
	}
	if got := Terms(s); !slices.Equal(got, want) {
		t.Errorf("got %+v", got)
	}
}

func TestTerminology(t *testing.T) {
	count := func(change func(*Terminology)) int {
		choice := DefaultTerminology()
		change(&choice)
		return len(choice.Terms("我来到北京清华大学，QTR 7310 companies，珠海洋桐基金"))
	}
	all := count(func(*Terminology) {})
	for name, fewer := range map[string]int{
		"bigrams":  count(func(c *Terminology) { c.Bigrams = Nowhere }),
		"unsure":   count(func(c *Terminology) { c.Bigrams = Unsure }),
		"subwords": count(func(c *Terminology) { c.Subwords, c.Bigrams = false, Nowhere }),
		"joins":    count(func(c *Terminology) { c.Joins = false }),
	} {
		if fewer >= all {
			t.Errorf("without %s there are %d terms, with it %d", name, fewer, all)
		}
	}
	if more := count(func(c *Terminology) { c.Unigrams = Everywhere }); more <= all {
		t.Errorf("single characters add nothing: %d, %d", more, all)
	}
}

func TestStopWords(t *testing.T) {
	for _, s := range []string{"the", "what", "how", "请问", "怎么", "什么", "的", "吗", "多少"} {
		if !IsStop(s) {
			t.Errorf("%s carries no topic", s)
		}
	}
	for _, s := range []string{"不", "没有", "us", "it部", "退款", "password", "", "非"} {
		if IsStop(s) {
			t.Errorf("%s carries a topic", s)
		}
	}
	for _, word := range []string{"does", "this", "was", "during", "having", "us"} {
		if got := Terms(word)[0].Text; got != word {
			t.Errorf("%s was stemmed to %s and is no stop word any more", word, got)
		}
	}
}
