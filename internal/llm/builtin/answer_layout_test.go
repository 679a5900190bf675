package builtin

import (
	"strings"
	"testing"

	"kaoju/internal/text"
)

const guide = "IT guide\n\nVPN\n\nThe VPN is needed outside the office. When the VPN connection fails, check in turn:\n" +
	"1. Does the network open other pages?\n2. Is the client at least 5.2?\n3. Is the clock right? Set it by hand if not.\n\n" +
	"Printers\n\nTurn the printer off before you take paper out."

// How-to questions over a list get all of its steps, in order, each with its
// mark, and the line that announces them (issue 6).
func TestAnswererQuotesListsWhole(t *testing.T) {
	const want = "When the VPN connection fails, check in turn:<ref id=\"c1\"/>\n" +
		"1. Does the network open other pages?<ref id=\"c1\"/>\n" +
		"2. Is the client at least 5.2?<ref id=\"c1\"/>\n" +
		"3. Is the clock right? Set it by hand if not.<ref id=\"c1\"/>"
	got, _ := stream(t, "How do I check why the VPN connection fails?", passage("c1", "IT", guide))
	if got != want {
		t.Errorf("got %q", got)
	}
	if got, _ := stream(t, "Where is the VPN needed?", passage("c1", "IT", guide)); strings.Contains(got, "1. Does") {
		t.Errorf("a list that was not asked for: %q", got)
	}
}

// A question that is the heading of a section gets that section (A42).
func TestAnswererGivesTheSectionOfAHeading(t *testing.T) {
	tests := []struct{ question, want string }{
		{"Printers?", "Turn the printer off before you take paper out.<ref id=\"c1\"/>"},
		{"printers", "Turn the printer off before you take paper out.<ref id=\"c1\"/>"},
	}
	for _, tt := range tests {
		if got, _ := stream(t, tt.question, passage("c1", "IT", guide)); got != tt.want {
			t.Errorf("%s: %q", tt.question, got)
		}
	}
	long := "怎么开发票\n\n" + strings.Repeat("发票由财务部开具。", 80) + "\n\n报销\n\n报销须附发票。"
	got, _ := stream(t, "怎么开发票？", passage("c1", "财务", long))
	if !strings.HasPrefix(got, "发票由财务部开具。") || strings.Count(got, "<ref") != maxSentences {
		t.Errorf("%q", got)
	}
}

// Headings inside a passage are not quoted as sentences, whatever is asked.
func TestAnswererQuotesNoHeadingsOfSections(t *testing.T) {
	for _, question := range []string{"What does the VPN guide say about printers?", "Is the VPN needed outside?", "IT guide for printers and VPN"} {
		got, _ := stream(t, question, passage("c1", "Handbook", guide))
		for line := range strings.Lines(got) {
			for _, heading := range []string{"VPN<", "Printers<", "IT guide<"} {
				if strings.Contains(line, heading) {
					t.Errorf("%s: %q", question, got)
				}
			}
		}
	}
}

// Where no word of the question, nor a translation, stands anywhere, there is
// nothing to quote.
func TestAnswererRefusesWithoutACommonWord(t *testing.T) {
	for _, question := range []string{"Which planets have rings?", "What is the wifi password?", "哪些行星有光环？"} {
		text, deltas := stream(t, question, passage("c1", "Leave", "Annual leave\n\nStaff have 15 days of annual leave a year.\n\nSick leave\n\nA certificate is needed."))
		if !deltas[0].Insufficient || *deltas[0].Assessed != 0 {
			t.Errorf("%s: %q at %v", question, text, *deltas[0].Assessed)
		}
	}
}

func TestIsItem(t *testing.T) {
	for s, want := range map[string]bool{
		"- a": true, "* a": true, "1. a": true, "12) a": true, "（3）a": true, "一、总则": true, "第一步：关机": true, "第2步 开机": true, "• a": true,
		"2009 was": false, "1.5 metres": false, "-5 degrees": false, "一月份": false, "a": false, "": false,
	} {
		if got := isItem(s); got != want {
			t.Errorf("%q: %t", s, got)
		}
	}
}

// What reads as a heading must stand alone and have text below it: values,
// names in lists and sentences are none.
func TestHeadingLines(t *testing.T) {
	tests := []struct {
		body string
		want []string
	}{
		{guide, []string{"IT guide", "VPN", "Printers"}},
		{"Phone 4103\n\nFax 4104\n\nText.", nil},
		{"Name: Alice\n\nText.", nil},
		{"One sentence.\n\nAbstract\n\nAnother sentence.", []string{"Abstract"}},
		{"3.2 Scope\nText right below.", nil},
		{"3.2 Scope\n\nText.", []string{"3.2 Scope"}},
		{"First line\nsecond line\n\nText.", nil},
		{"Only line", nil},
		{"", nil},
		{"\n \n", nil},
	}
	for _, tt := range tests {
		var got []string
		for _, l := range headingLines(tt.body, linesOf(tt.body)) {
			got = append(got, tt.body[l.Start:l.End])
		}
		if strings.Join(got, "|") != strings.Join(tt.want, "|") {
			t.Errorf("%q: %q", tt.body, got)
		}
	}
}

// Spans of lists and sections lie inside the text and in order, whatever it is.
func FuzzLayout(f *testing.F) {
	f.Add(guide, "Printers")
	f.Add("a：\n- b\n- c\n\n一、x\n\n二、y", "x")
	f.Add("\xff\n\n\u3000\n- \n", "")
	f.Fuzz(func(t *testing.T, body, question string) {
		e := passage("c1", "", body)
		check := func(list []text.Span) {
			last := 0
			for _, s := range list {
				if s.Start < last || s.End < s.Start || s.End > len(body) {
					t.Fatalf("%v in %q", list, body)
				}
				last = s.End
			}
		}
		lines := linesOf(body)
		check(section(text.Key(question), e))
		for _, l := range lines {
			check([]text.Span{l.Span})
			check(listAround(body, lines, l.Start))
		}
	})
}
