package answer

import (
	"slices"
	"testing"

	"kaoju/internal/core"
)

// Numbers are held against their source with what they count (issue 6): another
// unit is flagged, another way to write the same is not.
func TestUnitsAreChecked(t *testing.T) {
	tests := []struct {
		claim, source string
		missing       []string
	}{
		{"内存最少需要 5 GB 才行", "内存最少 5 MB", []string{"5 GB"}},
		{"内存最少需要 5 GB 才行", "内存最少 5GB", nil},
		{"年假须提前3天申请才行", "年假须提前3个月申请", []string{"3天"}},
		{"年假须提前三天申请才行", "年假须提前三个月申请", []string{"三天"}},
		{"年假须提前3个月申请才行", "年假须提前三个月申请", nil},
		{"年假须提前三个月申请才行", "年假须提前 3 个月申请", nil},
		{"The notice period is 3 months long", "The notice period is 3 days.", []string{"3 months"}},
		{"The notice period is 3 months long", "The notice period is three months.", nil},
		{"The notice period is 3 months long", "通知期为三个月。", nil},
		{"税率为百分之五，按月缴纳", "税率为 5%，按月缴纳", nil},
		{"税率为 5%，按月缴纳", "税率为百分之五，按月缴纳", nil},
		{"税率为 5%，按月缴纳", "税款为 5 元，按月缴纳", []string{"5%"}},
		{"预算是五千元整，不得超支", "预算是 5,000 元，不得超支", nil},
		{"预算是 5000 美元，不得超支", "预算是五千元，不得超支", []string{"5000 美元"}},
		{"预算是 6000 元，不得超支", "预算是五千元，不得超支", []string{"6000"}},
		{"他工作一年后升职了", "他工作满十二个月后升职", nil},                   // 一 often counts nothing
		{"申请须在3日内提出才行", "申请须在 3 天内提出", nil},                 // 日 may be a date
		{"答复须在5天内作出才行", "答复须在5个工作日内作出", []string{"5天"}},     // not the same time
		{"会议在 2009 年召开，共 5 天", "2009-03-05 召开，会期 5 天", nil}, // a year without its word
	}
	for _, tt := range tests {
		sources := NewSources()
		sources.Add(core.Reference{ChunkID: "c", Document: "d"}, tt.source)
		text := tt.claim + "。[1]"
		r := Support(text, marksOf(text, sources), sources)
		if got := r.Claims[0].Missing; !slices.Equal(got, tt.missing) {
			t.Errorf("%s / %s: %q, want %q", tt.claim, tt.source, got, tt.missing)
		}
	}
}

func TestUnitOf(t *testing.T) {
	for s, want := range map[string]string{
		" GB of memory": "gb", "days": "day", " day-long": "day", "-day trip": "day", " daylight": "", "个工作日": "working day",
		"％": "%", " Volts": "volt", "": "", "  ": "", " vs 4": "", "月": "", "个月": "month", " working days": "working day",
	} {
		if got := unitOf([]rune(s)); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}
