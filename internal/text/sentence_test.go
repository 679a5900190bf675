package text

import (
	"slices"
	"strings"
	"testing"
)

// TestSentences writes the expected borders as bars.
func TestSentences(t *testing.T) {
	for _, want := range []string{
		"你好。|我来了！|真的吗？|好；|就这样",
		"他说：“走吧。”|然后走了。",
		"（见附件。）|下一句",
		"真的？！|是的……好",
		"第一行|第二行",
		"版本3.5。|价格是3.5元",
		"It works. |It really does! |Does it? |Yes",
		"See v2.3.1 at example.com. |Then stop.",
		"e.g. this one, i.e. that one. |Next.",
		"Dr. Smith met Mr. J. R. Jones. |They spoke.",
		"He lives in the U.S. |The house is old.",
		"The U.S. Army came at 5 p.m. on Monday. |It left.",
		"Fig. 3 shows No. 5 of vol. 2. |Good.",
		"1. First point\n|2. Second point",
		"Open http://a.cn/b?c=1 now! |Done.",
		"He said \"Go.\" |She went.",
		"Wait... |Then go.",
		"Is it e.g.? |then what",
		"a.\"x b",
		"wait... then go.",
		"见Word文档.|然后",
		"Growth of 5.5 percent. |2020 was worse.",
	} {
		var got []string
		s := strings.ReplaceAll(want, "|", "")
		if strings.Contains(want, "第一行") {
			s = strings.ReplaceAll(want, "|", "\r\n \n")
		}
		for _, span := range Sentences(s) {
			got = append(got, s[span.Start:span.End])
		}
		expected := strings.Split(want, "|")
		for i := range expected {
			expected[i] = strings.TrimSpace(expected[i])
		}
		if !slices.Equal(got, expected) {
			t.Errorf("Sentences(%q) = %q", s, got)
		}
	}
	for _, s := range []string{"", " \n\t ", "\n"} {
		if got := Sentences(s); len(got) != 0 {
			t.Errorf("Sentences(%q) = %v", s, got)
		}
	}
}
