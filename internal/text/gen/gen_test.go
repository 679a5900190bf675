package main

import (
	"os"
	"path/filepath"
	"testing"

	"kaoju/internal/text/lexicon"
)

// write makes a source file in a folder of the test.
func write(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const model = `#start
-0.5 -3.14e+100 -3.14e+100 -1
#transitions
-3.14e+100 -1 -2 -3.14e+100
-1 -3.14e+100 -3.14e+100 -1
-3.14e+100 -1 -2 -3.14e+100
-1 -3.14e+100 -3.14e+100 -1
#B
國:-2,人:-3
#E
国:-4
#M
国:-5
#S
国:-6
`

func TestCompile(t *testing.T) {
	src, err := readSources(
		write(t, "ts", "國\t国\n國\t国\n甲\t乙 丙\n乙\t丁\n囗\t囗 口\n"),
		write(t, "dict", "中国 100 ns\n中國 3 ns\n中国人 50 n\n人 200 n\nB超 3 n\n"),
		write(t, "model", model))
	if err != nil {
		t.Fatal(err)
	}
	image, err := compile(src)
	if err != nil {
		t.Fatal(err)
	}
	l, err := lexicon.Open(image)
	if err != nil {
		t.Fatal(err)
	}
	for word, want := range map[string]bool{
		"中国": true, "中國": true, "中国人": true, "人": true, "中": false, "国人": false, "人人": false, "B超": false,
	} {
		if got := holds(l, word); got != want {
			t.Errorf("holds %s: %v, want %v", word, got, want)
		}
	}
	if r, _ := l.Fold('甲'); r != '丁' {
		t.Errorf("甲 gives %c: chains must be followed", r)
	}
	_, code := l.Fold('国')
	if got := l.Emission(code, lexicon.Begin); got != 2*lexicon.Scale {
		t.Errorf("国 costs %d at a beginning", got)
	}
	if _, code = l.Fold('人'); l.Emission(code, lexicon.Single) != lexicon.Never {
		t.Error("人 stands alone, which the model does not know")
	}
}

func holds(l *lexicon.Lexicon, word string) bool {
	node, value := uint32(lexicon.Root), lexicon.Never
	for i, r := range word {
		if i > 0 && node == lexicon.Root {
			return false
		}
		_, code := l.Fold(r)
		var ok bool
		if node, value, ok = l.Step(node, code); !ok {
			return false
		}
	}
	return value != lexicon.Never
}

func TestReadSourcesRefuses(t *testing.T) {
	characters, dict := "國\t国\n", "人 200 n\n"
	for name, files := range map[string][3]string{
		"no tab":       {"國 国\n", dict, model},
		"no frequency": {characters, "人\n", model},
		"bad number":   {characters, "人 many n\n", model},
		"short row":    {characters, dict, "-1 -2\n"},
		"bad emission": {characters, dict, model + "国:x\n"},
	} {
		_, err := readSources(write(t, "ts", files[0]), write(t, "dict", files[1]), write(t, "model", files[2]))
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
