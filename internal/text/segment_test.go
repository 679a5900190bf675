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

func TestSegmentIsLinear(t *testing.T) {
	cost := func(n int) time.Duration {
		s := strings.Repeat("的", n)
		start := time.Now()
		Tokenize(s)
		return time.Since(start)
	}
	cost(1000)
	if long := cost(1_000_000); long > 5*time.Second {
		t.Errorf("a million equal characters took %v", long)
	}
}
