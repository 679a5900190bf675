package text

import "testing"

func TestNormalize(t *testing.T) {
	for in, want := range map[string]string{
		"":                          "",
		"already normal, 1 text":    "already normal, 1 text",
		"  Two   Words\t\r\n ":      "two words",
		"ＡＢＣ　１２３":                   "abc 123",
		"電腦軟體與資訊":                   "电脑软体与资讯",
		"著名的乾隆，後來":                  "著名的干隆,后来",
		"cafe\u0301":                "café",
		"ｶﾞｷﾞ":                      "ガギ",
		"½ ㎡ ﬁne ㈱ ℃":               "1⁄2 m2 fine (株) °c",
		"a\x00b\x1b[0mc\x7f":        "a b [0mc",
		"zero\u200bwidth\ufeff":     "zerowidth",
		"bad \xff\xfe bytes":        "bad bytes",
		"“引号”‘x’——…":                "“引号”‘x’——...",
		"Straße ÉCOLE":              "straße école",
		"\u3000\u00a0\u2003x\u2028": "x",
	} {
		if got := Normalize(in); got != want {
			t.Errorf("Normalize(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestSimplify(t *testing.T) {
	for in, want := range map[string]string{
		"漢字ABC，１２":     "汉字ABC，１２",
		"已经是简体":        "已经是简体",
		"後\xff面":       "后\xff面",
		"":             "",
		"著名 · 瞭望 · 什麼": "著名 · 瞭望 · 什么",
	} {
		if got := Simplify(in); got != want {
			t.Errorf("Simplify(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestKey(t *testing.T) {
	for _, same := range [][]string{
		{"如何重置密码？", "如何重置密码", " 如何 重置 密碼 ?", "「如何重置密码」！"},
		{"How do I reset?", "how do i RESET", "Ｈｏｗ do I reset？"},
	} {
		for _, s := range same[1:] {
			if Key(s) != Key(same[0]) {
				t.Errorf("Key(%q) = %q, Key(%q) = %q", s, Key(s), same[0], Key(same[0]))
			}
		}
	}
	for _, pair := range [][2]string{{"C++", "C"}, {"C#", "C"}, {"能退款吗", "不能退款吗"}, {"A1", "A2"}} {
		if Key(pair[0]) == Key(pair[1]) {
			t.Errorf("%q and %q have the same key", pair[0], pair[1])
		}
	}
}

func TestDetectLanguage(t *testing.T) {
	for in, want := range map[string]Language{
		"":                            None,
		"123 !?":                      None,
		"如何重置密码":                      Chinese,
		"iPhone15Pro 的电池容量是多少":        Chinese,
		"How do I reset my password?": English,
		"What does 退款 mean in this contract?": English,
		"用 Docker Compose 部署":                 Mixed,
		"好":                                   Chinese,
	} {
		if got := DetectLanguage(in); got != want {
			t.Errorf("DetectLanguage(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestFirstCall keeps the promise that the word list needs no loading.
func TestFirstCall(t *testing.T) {
	allocated := testing.AllocsPerRun(10, func() { mustOpen() })
	if allocated > 10 {
		t.Errorf("opening the word list takes %v allocations", allocated)
	}
}
