package text

import (
	"slices"
	"testing"
)

func TestTokenizeCodes(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want string
		kind Kind
	}{
		{"GB/T 28181-2016", "gb/t 28181-2016", Code},
		{"ISO 9001:2015", "iso 9001:2015", Code},
		{"QTR-7310", "qtr-7310", Code},
		{"XK-2417-B", "xk-2417-b", Code},
		{"iPhone15Pro", "iphone15pro", Code},
		{"bge-m3", "bge-m3", Code},
		{"v2.3.1", "v2.3.1", Code},
		{"5000元", "5000元", Code},
		{"2023 年", "2023 年", Code},
		{"3.5mm", "3.5mm", Code},
		{"100%", "100%", Code},
		{"10:30", "10:30", Code},
		{"2023-05-01", "2023-05-01", Code},
		{"user_name", "user_name", Code},
		{"C++", "c++", Code},
		{"C#", "c#", Code},
		{".NET", ".net", Code},
		{"https://example.com/a?b=1&c=2", "https://example.com/a?b=1&c=2", Code},
		{"www.example.com", "www.example.com", Code},
		{"li.lei@example.com", "li.lei@example.com", Code},
		{"550e8400-e29b-41d4-a716-446655440000", "550e8400-e29b-41d4-a716-446655440000", Code},
		{"192.168.1.1", "192.168.1.1", Code},
		{"1,234,567", "1,234,567", Number},
		{"3.14", "3.14", Number},
		{"42", "42", Number},
		{"ＱＴＲ－７３１０", "qtr-7310", Code},
		{"state-of-the-art", "state-of-the-art", Word},
		{"O'Reilly", "o'reilly", Word},
		{"café", "café", Word},
		{"привет", "привет", Word},
		{"こんにちは", "こんにちは", Word},
		{"안녕하세요", "안녕하세요", Word},
		{"北京", "北京", Han},
	} {
		// Each stands alone, in Chinese without spaces, and before a full stop.
		for _, frame := range [][2]string{{"", ""}, {"（", "）"}, {"(", ")."}, {" ", "。"}} {
			s := frame[0] + tt.in + frame[1]
			got := Tokenize(s)
			if len(got) != 1 || got[0].Text != tt.want || got[0].Kind != tt.kind {
				t.Errorf("Tokenize(%q) = %+v, want one token %q of kind %d", s, got, tt.want, tt.kind)
				continue
			}
			if whole := s[got[0].Start:got[0].End]; whole != tt.in {
				t.Errorf("%q: offsets give %q", s, whole)
			}
		}
	}
}

func TestTokenizeRunningText(t *testing.T) {
	for in, want := range map[string][]string{
		"型号XK-2417-B的额定电压220V": {"型号", "xk-2417-b", "的", "额定", "电压", "220v"},
		"共100，200人":            {"共", "100", "200", "人"},
		"1,2,3":                {"1", "2", "3"},
		"2023年度报告":             {"2023", "年度报告"},
		"单价3.5万元，3天内付款":        {"单价", "3.5万元", "3天", "内", "付款"},
		"it's 5 p.m. now":      {"it's", "5", "p.m", "now"},
		"a OR b foo:bar 100%":  {"a", "or", "b", "foo", "bar", "100%"},
		"访问http://a.cn/x，谢谢":   {"访问", "http://a.cn/x", "谢谢"},
		"C++11和.NET":           {"c++", "11", "和", ".net"},
		"\"'(未闭合":              {"未", "闭合"},
		"\xff\xfe珠海\x00基金":     {"珠海", "基金"},
		"en 5 words":           {"en", "5", "words"},
	} {
		var got []string
		for _, token := range Tokenize(in) {
			got = append(got, token.Text)
		}
		if !slices.Equal(got, want) {
			t.Errorf("Tokenize(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestTokenizeOffsets checks the way back to the original through width,
// traditional characters and compositions.
func TestTokenizeOffsets(t *testing.T) {
	for _, s := range []string{
		"ＧＢ／Ｔ　２８１８１，珠海洋桐測試基金公司", "cafe\u0301 ｶﾞｷﾞ 電腦", "a\u200bb 中\u200b文", "İstanbul ﬁne",
	} {
		for _, token := range Tokenize(s) {
			if got := Normalize(s[token.Start:token.End]); got != token.Text {
				t.Errorf("%q[%d:%d] normalises to %q, token is %q", s, token.Start, token.End, got, token.Text)
			}
		}
	}
}
