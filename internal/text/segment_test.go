package text

import (
	"os"
	"strings"
	"testing"
	"time"
)

// TestSegmentGolden compares with the output of the original jieba, one
// sentence a line.
func TestSegmentGolden(t *testing.T) {
	golden, err := os.ReadFile("testdata/jieba.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range strings.Fields(string(golden)) {
		if got := cutWords(strings.ReplaceAll(want, "/", "")); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func cutWords(s string) string {
	var words []string
	for _, token := range Tokenize(s) {
		words = append(words, token.Text)
	}
	return strings.Join(words, "/")
}

func TestSegmentTraditional(t *testing.T) {
	for s, want := range map[string]string{
		"我來到北京清華大學":      "我/来到/北京/清华大学",
		"員工請假須提前申請":      "员工/请假/须/提前/申请",
		"乒乓球拍賣完了":        "乒乓球/拍卖/完/了",
		"資料庫，連線；失敗":      "资料库/连线/失败",
		"中國科學院　計算所":      "中国科学院/计算所",
		"孙綝与揕其胸":         "孙/綝/与/揕/其/胸",
		"":               "",
		"，。！？ \t\n—《》【】": "",
	} {
		if got := cutWords(s); got != want {
			t.Errorf("%s: got %s, want %s", s, got, want)
		}
	}
}

// TestSegmentLongRun crosses the border at which a run is searched in parts.
func TestSegmentLongRun(t *testing.T) {
	const sentence = "我来到北京清华大学"
	n := 2*maxRun/9 + 10
	tokens := Tokenize(strings.Repeat(sentence, n))
	length := 0
	for _, token := range tokens {
		length += len(token.Text)
	}
	if length != n*len(sentence) || len(tokens) < 4*n || len(tokens) > 4*n+8 {
		t.Errorf("%d tokens of %d bytes, want about %d of %d", len(tokens), length, 4*n, n*len(sentence))
	}
}

// TestCostIsLinear feeds texts that would take minutes if any step looked at
// all that came before.
func TestCostIsLinear(t *testing.T) {
	for _, unit := range []string{"的", "1,111", ",111", "a. b ", "....", "a_", ".a", "\u0301", "http://", "a.b@", "?\"", "１", "x 1 "} {
		s := strings.Repeat(unit, 150_000/len(unit))
		start := time.Now()
		Terms(s)
		Sentences(s)
		Normalize(s)
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("%d bytes of %q took %v", len(s), unit, took)
		}
	}
}
