package retrieve

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"kaoju/internal/core"
	"kaoju/internal/text"
)

// piece is a found passage of document "d".
func piece(id string, index int, score float64, content string) Found {
	return Found{
		Chunk: core.Chunk{ID: id, DocumentID: "d", Type: core.ChunkText, Index: index, Content: content},
		Text:  content, Score: score,
	}
}

func idsOf(items []Found) []string {
	var out []string
	for _, f := range items {
		out = append(out, f.Chunk.ID)
	}
	return out
}

func wantIDs(t *testing.T, got []Found, want ...string) {
	t.Helper()
	if !slices.Equal(idsOf(got), want) {
		t.Errorf("got %v, want %v", idsOf(got), want)
	}
}

// none remembers nothing.
var none *Sketches

func TestSortTop(t *testing.T) {
	a, b, c := piece("a", 2, .5, "x"), piece("b", 1, .5, "x"), piece("c", 0, .9, "x")
	other := piece("o", 0, .5, "x")
	other.Chunk.DocumentID = "a-first"
	row := piece("r", 0, .5, "x")
	row.Chunk.Type = core.ChunkTableRow
	in := []Found{a, row, b, other, c}
	wantIDs(t, SortTop(in, 0), "c", "o", "r", "b", "a")
	wantIDs(t, SortTop(in, 2), "c", "o")
	wantIDs(t, SortTop(in, 99), "c", "o", "r", "b", "a")
	wantIDs(t, in, "a", "r", "b", "o", "c")
	wantIDs(t, SortTop(nil, 3))
}

func TestMMR(t *testing.T) {
	items := []Found{
		piece("best", 0, .9, "pump pressure limit"), piece("twin", 1, .89, "pump pressure limit"),
		piece("other", 2, .7, "valve colour chart"), piece("poor", 3, .1, "unrelated words here"),
	}
	wantIDs(t, none.MMR(items, 2, DefaultLambda), "best", "other")
	wantIDs(t, none.MMR(items, 2, 1), "best", "twin")
	wantIDs(t, none.MMR(items, 0, DefaultLambda), "best", "other", "twin", "poor")
	wantIDs(t, none.MMR(items, 9, 1), "best", "twin", "other", "poor")
	wantIDs(t, none.MMR(nil, 3, .7))
	if got := none.MMR(items, 2, DefaultLambda); got[1].Score != .7 {
		t.Errorf("the score became %v", got[1].Score)
	}
}

func TestDedup(t *testing.T) {
	wantIDs(t, none.Dedup([]Found{
		piece("a", 0, .5, "Pump limit."), piece("a", 0, .9, "Pump limit."),
		piece("b", 1, .7, "pump  LIMIT"), piece("c", 2, .6, "other"),
		piece("d", 3, .1, "!!"), piece("e", 4, .1, "??"),
	}), "a", "c", "d", "e")
}

func TestDropContained(t *testing.T) {
	long := "The pump must be checked every week by the operator on duty, who notes the pressure in the log book."
	wantIDs(t, none.DropContained([]Found{
		piece("long", 0, .9, long),
		piece("inside", 1, .8, "checked every week by the operator"),
		piece("nearly", 2, .7, strings.Replace(long, "every week", "each week", 1)),
		piece("different", 3, .6, "Spare parts are ordered from the central store."),
	}), "long", "different")
	// A longer passage says more than the better one in it.
	wantIDs(t, none.DropContained([]Found{piece("part", 0, .9, "checked every week"), piece("whole", 1, .5, long)}), "part", "whole")
	chinese := "员工工作满一年后每年享有五天带薪年假，满十年享有十天。年假应在当年使用，经部门经理批准可以顺延。"
	wantIDs(t, none.DropContained([]Found{
		piece("whole", 0, .9, chinese), piece("inside", 1, .8, "年假应在当年使用，经部门经理批准可以顺延"),
		piece("short", 2, .7, "满十年享有十天"), piece("other", 3, .6, "病假须提供医院开具的证明，三天以内由直属主管批准，超过三天备案。"),
	}), "whole", "other")
	huge := strings.Repeat("甲乙丙丁戊己庚辛壬癸", 2*maxSketched/10)
	wantIDs(t, none.DropContained([]Found{
		piece("huge", 0, .9, huge), piece("tail", 1, .8, huge[len(huge)-600:]), piece("new", 2, .7, huge+"新"),
	}), "huge", "new")
}

func TestSketch(t *testing.T) {
	same := sketchOf("Pump ＸＫ－２４, 年假五天。")
	if k := sketchOf("pump xk 24 年假五天"); k.signature != same.signature || k.bits != same.bits {
		t.Error("case, width and signs change a sketch")
	}
	for _, other := range []string{"pump xk 24 年假六天", "xk pump 24 年假五天", "pump xk24 年假五天", ""} {
		if sketchOf(other).signature == same.signature {
			t.Errorf("%q looks the same", other)
		}
	}
	// Features are counted right as long as hashes do not meet.
	a, b := sketchOf("one two three four"), sketchOf("three four five six")
	if a.count != 4 || a.common(b) != 2 || a.jaccard(b) != 2./6 {
		t.Errorf("%d features, %d in common, jaccard %v", a.count, a.common(b), a.jaccard(b))
	}
	if empty := sketchOf("！？ "); empty.count != 0 || empty.jaccard(empty) != 0 {
		t.Error("signs are features")
	}
}

func FuzzSketch(f *testing.F) {
	f.Add("年假 pump", "年")
	f.Add("\xff\xfe", "")
	f.Fuzz(func(t *testing.T, a, b string) {
		x, y := sketchOf(a), sketchOf(b)
		if j := x.jaccard(y); j < 0 || j > 1 || j != y.jaccard(x) {
			t.Errorf("jaccard %v and %v", j, y.jaccard(x))
		}
		if x.count > 0 && x.jaccard(sketchOf(a)) != 1 {
			t.Error("a text is not like itself")
		}
	})
}

func TestAtLeast(t *testing.T) {
	wantIDs(t, AtLeast([]Found{piece("a", 0, .5, ""), piece("b", 1, .49, ""), piece("c", 2, .51, "")}, .5), "a", "c")
}

func TestScoresStayInRange(t *testing.T) {
	f := piece("a", 0, .5, "x")
	for in, want := range map[float64]float64{-1: 0, 2: 1, .25: .25} {
		if got := f.with("boost", in); got.Score != want || got.Steps[0] != (Step{"boost", want}) {
			t.Errorf("%v became %v", in, got)
		}
	}
	if len(f.Steps) != 0 {
		t.Error("the original was changed")
	}
}

func TestExpand(t *testing.T) {
	for _, c := range []struct {
		question string
		want     map[string]string // reason → text of the first variant with it
		none     bool
	}{
		{"QTR-7310 的额定电压是多少？", map[string]string{"codes": "qtr-7310"}, false},
		{"what is the retry policy of the payment service?", map[string]string{
			"content words": "retry policy payment service", "key phrase": "retry policy"}, false},
		{"退避", nil, true},
		{"", nil, true},
		{"?!", nil, true},
	} {
		got := Expand(c.question)
		if len(got) > MaxVariants || c.none && len(got) > 0 {
			t.Errorf("%q expands to %v", c.question, got)
		}
		for reason, want := range c.want {
			i := slices.IndexFunc(got, func(v Variant) bool { return v.Reason == reason })
			if i < 0 || got[i].Text != want {
				t.Errorf("%q: %s is not %q in %v", c.question, reason, want, got)
			}
		}
		checkVariants(t, c.question, got)
	}
	many := Expand("a red pump of the blue valve in the green hall for the old crew on the new ship with the big crane")
	if len(many) != MaxVariants {
		t.Errorf("many phrases give %d variants", len(many))
	}
	checkVariants(t, "many", many)
}

func checkVariants(t *testing.T, question string, variants []Variant) {
	t.Helper()
	seen := map[string]bool{text.Key(question): true}
	for _, v := range variants {
		if seen[text.Key(v.Text)] || len(v.Terms) == 0 || v.Weight <= 0 || v.Weight >= 1 {
			t.Errorf("%q: variant %+v is double, empty or not lighter", question, v)
		}
		seen[text.Key(v.Text)] = true
	}
}

func FuzzExpand(f *testing.F) {
	f.Add("QTR-7310 的额定电压是多少？")
	f.Add("what is \xff the (")
	f.Fuzz(func(t *testing.T, question string) { checkVariants(t, question, Expand(question)) })
}

func titled(id, title string, score float64) Found {
	f := piece(id, 0, score, "")
	f.Document.Title = title
	return f
}

func TestPreferNamed(t *testing.T) {
	reports := []Found{titled("r22", "2022年度报告", .6), titled("r23", "2023年度报告", .5), titled("misc", "员工手册", .4)}
	for _, c := range []struct {
		question string
		first    string
		named    []string
	}{
		{"2023年报的员工人数", "r23", []string{"2023年度报告"}},
		{"2022 年的员工人数", "r22", []string{"2022年度报告"}},
		{"员工人数", "r22", nil},             // names none
		{"2019年的员工人数", "r22", nil},       // names one that is not there
		{"2022年和2023年的员工人数", "r22", nil}, // names both: nothing to tell apart
	} {
		got, named := PreferNamed(c.question, reports)
		if first := SortTop(got, 1)[0].Chunk.ID; first != c.first || !reflect.DeepEqual(named, c.named) {
			t.Errorf("%s: %s first, named %v", c.question, first, named)
		}
		for _, f := range got {
			if f.Chunk.ID == "misc" && f.Score != .4 {
				t.Errorf("%s: the handbook scores %v", c.question, f.Score)
			}
		}
	}
	if reports[0].Score != .6 {
		t.Error("the argument was changed")
	}
	alone := []Found{titled("r22", "2022年度报告", .6)}
	if got, named := PreferNamed("2023年报", alone); got[0].Score != .6 || named != nil {
		t.Errorf("a document without siblings: %v, %v", got, named)
	}
}

// TestLazyComparisonsDecideTheSame: what is not looked at must not matter.
func TestLazyComparisonsDecideTheSame(t *testing.T) {
	words := strings.Fields("pump valve motor leave days travel hotel city rate limit part type sale office plan form")
	r := rand.New(rand.NewPCG(1, 2))
	for range 8 {
		var items []Found
		for i := range 30 {
			var b strings.Builder
			for range 20 + r.IntN(40) {
				b.WriteString(words[r.IntN(4+r.IntN(len(words)-4))] + strconv.Itoa(r.IntN(3)) + " ")
			}
			items = append(items, piece(strconv.Itoa(i), i, float64(r.IntN(20))/20, b.String()))
		}
		for _, lambda := range []float64{0, .5, .9, 1} {
			if got, want := none.MMR(items, 10, lambda), eagerMMR(items, 10, lambda); !slices.EqualFunc(got, want, sameChunk) {
				t.Fatalf("lambda %v: %v, want %v", lambda, got, want)
			}
		}
		for i := 1; i < len(items); i++ {
			a, b := sketchOf(items[i-1].Text), sketchOf(items[i].Text)
			for _, least := range []float64{0, float64(a.common(b)), float64(a.common(b)) + .5, float64(min(a.count, b.count))} {
				if got, want := a.shares(b, least), float64(a.common(b)) >= least; got != want {
					t.Fatalf("%d in common, at least %v: %v", a.common(b), least, got)
				}
			}
		}
	}
}

func sameChunk(a, b Found) bool { return a.Chunk.ID == b.Chunk.ID }

// eagerMMR is the definition of MMR.
func eagerMMR(items []Found, k int, lambda float64) []Found {
	rest := SortTop(items, 0)
	var chosen []Found
	for len(chosen) < k {
		next, value := -1, 0.0
		for i, f := range rest {
			nearest := 0.0
			for _, c := range chosen {
				nearest = max(nearest, sketchOf(c.Text).jaccard(sketchOf(f.Text)))
			}
			if v := lambda*f.Score - (1-lambda)*nearest; next < 0 || v > value {
				next, value = i, v
			}
		}
		chosen = append(chosen, rest[next])
		rest = slices.Delete(slices.Clone(rest), next, next+1)
	}
	return chosen
}
