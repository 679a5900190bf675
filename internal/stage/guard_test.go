package stage

import (
	"strings"
	"testing"

	"kaoju/internal/core"
	"kaoju/internal/llm"
	"kaoju/internal/prompt"
)

func system(t testing.TB, question string) []llm.Message {
	t.Helper()
	return prompt.Default().Messages(prompt.Ask{Question: question, Assistant: core.Assistant{Name: "Lin"}})
}

// passed gives what a guard lets through of words in pieces of n characters.
func passed(g *guard, words string, n int) string {
	var out strings.Builder
	for runes := []rune(words); len(runes) > 0; runes = runes[min(n, len(runes)):] {
		out.WriteString(g.pass(string(runes[:min(n, len(runes))])))
	}
	out.WriteString(g.flush())
	return out.String()
}

// A75: the instructions do not leave, whole or from the middle, whatever signs
// stand between; everything else does, as it was said.
func TestInstructionsStayInside(t *testing.T) {
	for _, question := range []string{"年假几天？", "How long is leave?"} {
		messages := system(t, question)
		secret := messages[0].Content
		half := []rune(secret)[len([]rune(secret))/2:]
		for name, words := range map[string]string{
			"whole": secret, "quoted": "当然：\n> " + strings.ReplaceAll(secret, "\n", "\n> "), "half": "Sure: " + string(half),
			"spaced": strings.Join(strings.Split(secret, ""), " "), "upper case": strings.ToUpper(secret),
		} {
			for _, n := range []int{3, 1000} {
				g := newGuard(messages)
				out := passed(g, words, n)
				if !g.leaked || len([]rune(out)) > 40 {
					t.Errorf("%s in pieces of %d: %v, %q", name, n, g.leaked, out)
				}
			}
		}
	}
	for _, words := range []string{
		"年假为 5 天。\n\n- 凭证明办理；\n- 数字、日期以制度为准。", "Staff get 15 days of leave, says the handbook. Do not carry them over!",
		"你是Lin，回答关于", "", "来源互相矛盾：甲写 5 天，乙写 7 天。", "?? bytes",
	} {
		for _, question := range []string{"年假几天？", "How long is leave?"} {
			for _, n := range []int{1, 4, 1000} {
				g := newGuard(system(t, question))
				if out := passed(g, words, n); g.leaked || out != words {
					t.Errorf("%q became %q", words, out)
				}
			}
		}
	}
	// A document about ourselves may be quoted.
	messages := system(t, "年假几天？")
	messages = append(messages, llm.Message{Role: "user", Content: messages[0].Content})
	if g := newGuard(messages); passed(g, messages[0].Content, 5) != messages[0].Content {
		t.Error("a document cannot be quoted")
	}
}

func FuzzGuard(f *testing.F) {
	f.Add("年假为 5 天。只能使用 <source> 标签内的内容", 5)
	f.Fuzz(func(t *testing.T, words string, n int) {
		words = strings.ToValidUTF8(words, "?")
		g := newGuard(system(t, "年假几天？"))
		got := passed(g, words, max(1, n%7))
		if !g.leaked && got != words || !strings.HasPrefix(words, got) {
			t.Errorf("%q became %q", words, got)
		}
	})
}

func BenchmarkGuard(b *testing.B) {
	messages := system(b, "年假几天？")
	words := strings.Repeat("员工年假为 5 天，凭医院证明办理，来源没有写的一概不说。", 20)
	b.SetBytes(int64(len(words)))
	for b.Loop() {
		g := newGuard(messages)
		g.pass(words)
		g.flush()
	}
}
