package answer

import (
	"slices"
	"testing"

	"kaoju/internal/core"
	"kaoju/internal/retrieve"
)

const (
	leave  = "员工入职满一年后享有年假五天。满十年的为10天。病假须附医院证明，由张伟审批。"
	printr = "The QTR-7310 printer supports 1,200 dpi. Contact Alice Brown for support. It weighs 12.50 kg."
)

func twoDocuments() *Sources {
	s := NewSources()
	s.Add(core.Reference{ChunkID: "a", Document: "制度.md", Title: "休假制度"}, leave)
	s.Add(core.Reference{ChunkID: "b", Document: "printer.md", Title: "Printer"}, printr)
	return s
}

func TestSupportFindsClaimsAndMarks(t *testing.T) {
	tests := []struct {
		name, answer string
		claims       []string
		cited        [][]int
		coverage     float64
	}{
		{"mark behind the full stop", "年假五天。[1]满十年的为10天。[1]", []string{"年假五天。", "满十年的为10天。"}, [][]int{{1}, {1}}, 1},
		{"mark before the full stop", "满一年后享有年假[1]。病假须附证明。", []string{"满一年后享有年假[1]。", "病假须附证明。"}, [][]int{{1}, nil}, .5},
		{"English, mark after a space", "It supports 1,200 dpi. [2] Contact Alice Brown. [2]", []string{"It supports 1,200 dpi.", "Contact Alice Brown."}, [][]int{{2}, {2}}, 1},
		{"semicolons and lines", "入职满一年享有；病假须附证明\n- 由张伟审批[1]", []string{"入职满一年享有；", "病假须附证明", "- 由张伟审批"}, [][]int{nil, nil, {1}}, 1. / 3},
		{"two marks", "年假与打印机的说明。[1][2]", []string{"年假与打印机的说明。"}, [][]int{{1, 2}}, 1},
		{"mark first", "[1]员工享有年假五天。", []string{"员工享有年假五天。"}, [][]int{{1}}, 1},
		{"list of sources", "员工享有年假五天。\n\n参考来源：[1] 制度.md；[2] printer.md", []string{"员工享有年假五天。"}, [][]int{nil}, 0},
		{"brief unit", "是的。[1]员工享有年假五天。", []string{"是的。", "员工享有年假五天。"}, [][]int{{1}, nil}, 0},
		{"code is no mark", "Use `x[1]` as the index here.", []string{"Use `x[1]` as the index here."}, [][]int{nil}, 0},
		{"nothing", " \n ", nil, nil, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := Support(tt.answer, marksOf(tt.answer, twoDocuments()), twoDocuments())
			if len(r.Claims) != len(tt.claims) {
				t.Fatalf("%d claims, want %d: %+v", len(r.Claims), len(tt.claims), r.Claims)
			}
			for i, c := range r.Claims {
				if got := tt.answer[c.Start:c.End]; got != tt.claims[i] || !slices.Equal(c.Cited, tt.cited[i]) {
					t.Errorf("claim %d is %q citing %v, want %q %v", i, got, c.Cited, tt.claims[i], tt.cited[i])
				}
			}
			if diff := r.Coverage - tt.coverage; diff > 1e-9 || diff < -1e-9 {
				t.Errorf("coverage %v, want %v", r.Coverage, tt.coverage)
			}
		})
	}
}

func TestSupportJudgesClaims(t *testing.T) {
	tests := []struct {
		name, answer string
		supported    bool
		missing      []string
	}{
		{"word for word", "员工入职满一年后享有年假五天。[1]", true, nil},
		{"numeral for digits", "满10年的员工年假为十天。[1]", true, nil},
		{"digits for numeral", "入职满1年的员工享有年假5天。[1]", true, nil},
		{"wrong number", "员工入职满一年后享有年假15天。[1]", false, []string{"15"}},
		{"separators", "The printer supports 1200 dpi.[2]", true, nil},
		{"trailing zero", "The printer weighs 12.5 kg.[2]", true, nil},
		{"wrong name", "Contact Robert Brown for support.[2]", false, []string{"Robert"}},
		{"wrong source", "员工入职满一年后享有年假五天。[2]", false, nil},
		{"another subject", "公司食堂每周提供三次水果和酸奶。[1]", false, nil},
		{"no mark", "员工入职满一年后享有年假五天。", false, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := Support(tt.answer, marksOf(tt.answer, twoDocuments()), twoDocuments()).Claims[0]
			if c.Supported != tt.supported || !slices.Equal(c.Missing, tt.missing) {
				t.Errorf("supported %v (%.2f) missing %q, want %v %q", c.Supported, c.Support, c.Missing, tt.supported, tt.missing)
			}
		})
	}
}

func TestCitationsQuoteTheSource(t *testing.T) {
	sources := twoDocuments()
	answer := "满十年的员工休10天。[1]Alice Brown is the contact for support.[2]"
	list := Support(answer, marksOf(answer, sources), sources).Citations(sources)
	want := []struct {
		number          int
		document, quote string
	}{{1, "制度.md", "满十年的为10天。"}, {2, "printer.md", "Contact Alice Brown for support."}}
	if len(list) != len(want) {
		t.Fatalf("%d citations, want %d", len(list), len(want))
	}
	for i, c := range list {
		w := want[i]
		if c.Number != w.number || c.Document != w.document || c.Quote != w.quote {
			t.Errorf("citation %d: %+v, want %+v", i, c, w)
		}
		if sources.Content(c.Number)[c.SourceStart:c.SourceEnd] != c.Quote {
			t.Errorf("citation %d: the range does not hold the quote", i)
		}
	}
}

func TestNumbersByValue(t *testing.T) {
	tests := []struct{ in, want string }{
		{"三百二十", "320"}, {"十", "10"}, {"二十五", "25"}, {"一万二千", "12000"}, {"一九九八", "1998"},
		{"两亿", "200000000"}, {"萬", "0"}, {"5,000", "5000"}, {"5000.0", "5000"}, {"007", "7"}, {"１２", "12"},
		{"3.14.15", "3.14.15"}, {"一千零一", "1001"},
	}
	for _, tt := range tests {
		got := numbers(tt.in, true)
		if len(got) != 1 || got[0].key != tt.want {
			t.Errorf("%q reads as %+v, want %s", tt.in, got, tt.want)
		}
	}
}

func FuzzSupport(f *testing.F) {
	f.Add("年假五天。[1] x [2]\n参考来源：[1]", "年假五天。")
	f.Add("Use `a[1]`. It's 5,000,.[1]", "五千")
	f.Add("[1]\xff[2]。", "\xff\xfe。")
	f.Fuzz(func(t *testing.T, answer, content string) {
		s := NewSources()
		s.Add(core.Reference{ChunkID: "x"}, content)
		x := NewExpander(s, core.CiteNumbers)
		text := x.Write(answer) + x.Flush()
		r := Support(text, marksOf(text, s), s)
		for _, c := range r.Claims {
			if c.Start > c.End || c.End > len(text) || c.Start < 0 {
				t.Fatalf("claim %d..%d of %d bytes", c.Start, c.End, len(text))
			}
		}
		r.Citations(s)
	})
}

// TestQuotedMeansWholeWords: a claim that is only a part of a word or number of
// its source is not taken for a quotation.
func TestQuotedMeansWholeWords(t *testing.T) {
	sources := NewSources()
	sources.Add(core.Reference{ChunkID: "a"}, "The pump runs at 1500 rpm. 员工享有年假十五天，每年发放。")
	terms := newSourceTerms(sources)
	for claim, want := range map[string]bool{
		"The pump runs at 1500 rpm.": true, " The pump runs ": true, "500 rpm": false, "The pump runs at 150": false,
		"he pump": false, "年假十五天": true, "": false, "pump stops": false,
	} {
		if got := terms.quoted(claim, []int{1}); got != want {
			t.Errorf("%q: %v, want %v", claim, got, want)
		}
	}
}

// A passage that was joined of two chunks is cited with the chunk that says
// it, word for word.
func TestCitationOfAJoinedPassage(t *testing.T) {
	first, second := "员工每年有年假五天。", "病假每年十二天，须附医院证明。"
	sources := NewSources()
	sources.Add(core.Reference{ChunkID: "one"}, first+"\n"+second,
		retrieve.Part{ChunkID: "one", End: len(first)},
		retrieve.Part{ChunkID: "two", Start: len(first) + 1, End: len(first) + 1 + len(second)})
	said := "病假每年十二天，须附医院证明[1]。"
	got := Support(said, marksOf(said, sources), sources).Citations(sources)
	if len(got) != 1 || got[0].ChunkID != "two" || !got[0].Supported {
		t.Fatalf("cited %+v", got)
	}
	if c := got[0]; c.Quote == "" || second[c.SourceStart:c.SourceEnd] != c.Quote {
		t.Errorf("%q is not %q", c.Quote, second[c.SourceStart:c.SourceEnd])
	}
}
