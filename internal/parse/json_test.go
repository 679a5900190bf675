package parse_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/text/encoding/unicode"

	"kaoju/internal/core"
	"kaoju/internal/parse"
)

func TestJSON(t *testing.T) {
	checkFormats(t, "a.json", []formatCase{
		{"object", `{"名称":"甲","值":[1,2],"无":null,"空":"","真":true,"数":12345678901234567890}`, "list: 名称: 甲⏎值: 1, 2⏎无: null⏎真: true⏎数: 12345678901234567890\n"},
		{"paths", `{"a":{"b":{"c":"x"},"d":[[1],[2]]}}`, "list: a.b.c: x⏎a.d[0]: 1⏎a.d[1]: 2\n"},
		{"keys that are identifiers", `{"5b64c88c-b3c3-4510-bcb8-da0b200602d8":"k","id":"9700dc99-6685-40b4-9a3a-5e406dcb37f3"}`,
			"list: 5b64c88c-b3c3-4510-bcb8-da0b200602d8: k⏎id: 9700dc99-6685-40b4-9a3a-5e406dcb37f3\n"},
		{"one key twice", `{"a":"b","a":"c"}`, "list: a: b⏎a: c\n"},
		{"texts of several lines", `{"a":"x\n\ty         z"}`, "list: a: x⏎  \ty z\n"},
		{"alike objects are a table", `[{"品名":"苹果","价":5},{"价":7,"品名":"梨","产地":{"省":"鲁"}}]`,
			"table/1: | 品名 | 价 | 产地.省 |⏎| --- | --- | --- |⏎| 苹果 | 5 |  |⏎| 梨 | 7 | 鲁 |\n"},
		{"a table inside", `{"店":"甲","货":[{"a":1},{"a":2}],"电话":"1"}`, "list: 店: 甲\nparagraph: 货:\ntable/1: | a |⏎| --- |⏎| 1 |⏎| 2 |\nlist: 电话: 1\n"},
		{"unlike objects are not", `[{"a":1,"b":[{"c":2}]},{"d":3}]`, "list: a: 1⏎b[0].c: 2\nlist: d: 3\n"},
		{"long texts are not", `[{"a":"` + strings.Repeat("x", 301) + `"},{"a":"y"}]`, "list: a: " + strings.Repeat("x", 301) + "\nlist: a: y\n"},
		{"lines", "{\"q\":\"问\",\"a\":\"答\"}\n{\"q\":\"二\",\"a\":\"三\"}\n", "table/1: | q | a |⏎| --- | --- |⏎| 问 | 答 |⏎| 二 | 三 |\n"},
		{"values one after the other", "{\n\"a\": 1\n}\n{\n\"b\": [{}]\n}", "list: a: 1\n"},
		{"plain values", `["甲","乙"]`, "list: 甲⏎乙\n"},
		{"no JSON in spite of its name", "名称: 甲\n", "paragraph: 名称: 甲\n"},
	})
	wide, _ := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(`{"title":"题","a":"é"}`)
	doc := parseFile(t, "a", wide)
	if doc.Format != "json" || doc.Title != "题" || !strings.Contains(doc.Text(), "a: é") {
		t.Errorf("UTF-16: %q %q %q", doc.Format, doc.Title, doc.Text())
	}
}

// What begins like JSON and is not stays text; what breaks off is read as far
// as it goes.
func TestJSONThatIsBroken(t *testing.T) {
	for name, c := range map[string]struct{ content, format, warning, has string }{
		"a.txt":   {`{"a": "甲", "b": [1,`, "text", "", "甲"},
		"a.json":  {`{"a": "甲", "b": [1,`, "json", "plain text", "甲"},
		"b.txt":   {"[注意] 请先断电。", "text", "", "断电"},
		"c.txt":   {"[1] Smith, A. On things.", "text", "", "Smith"},
		"b.jsonl": {"{\"a\":\"甲\"}\n{\"a\":\n{\"a\":\"乙\"}\n", "json", "left out: 2", "乙"},
		"d":       {`{"a":"甲"}`, "json", "", "甲"},
	} {
		doc := parseFile(t, name, c.content)
		warning := strings.Join(doc.Warnings, ";")
		if doc.Format != c.format || !strings.Contains(warning, c.warning) || c.warning == "" && warning != "" || !strings.Contains(doc.Text(), c.has) {
			t.Errorf("%s: format %q, warning %q, text %q", name, doc.Format, warning, doc.Text())
		}
	}
}

func TestJSONLimits(t *testing.T) {
	p := parse.New(nil).WithLimits(parse.Limits{MaxText: 10_000, MaxBlocks: 100})
	for name, c := range map[string]struct {
		content string
		code    core.Code
	}{
		"open arrays": {strings.Repeat("[", 100_000), core.CodeCorrupt},
		"nested":      {strings.Repeat(`[{"":`, 50_000), core.CodeCorrupt},
		"many values": {"[" + strings.Repeat("1,", 1000) + "1]", core.CodeTooLarge},
		"long paths":  {`{"` + strings.Repeat("k", 2000) + `":[` + strings.Repeat("[[1]],", 30) + `1]}`, core.CodeTooLarge},
		"nothing":     {`[[],{}]`, core.CodeEmpty},
	} {
		_, err := p.Parse(t.Context(), parse.Input{Name: "a.json", Data: []byte(c.content)})
		if core.CodeOf(err) != c.code {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzJSON(f *testing.F) {
	for _, s := range []string{`{"a":[1,{"b":null}]}`, "{\"a\":1}\n{\"a\":2}", `[{"a":1},{"b":"x"}]`, `{"a`, "[]"} {
		f.Add(s)
	}
	p := parse.New(nil).WithLimits(parse.Limits{MaxText: 1 << 20})
	f.Fuzz(func(t *testing.T, s string) {
		doc, err := p.ReadAs(t.Context(), parse.FormatJSON, parse.Input{Data: []byte(s)})
		if err != nil {
			if core.CodeOf(err) == core.CodeInternal {
				t.Errorf("an error without a code: %v", err)
			}
			return
		}
		var v any
		if json.Unmarshal([]byte(s), &v) == nil {
			checkScalars(t, doc, v)
		}
	})
}

// checkScalars reports a word that the document lost. Of two members of one
// name only the last is looked for.
func checkScalars(t *testing.T, doc parse.Document, v any) {
	t.Helper()
	switch v := v.(type) {
	case map[string]any:
		for _, kid := range v {
			checkScalars(t, doc, kid)
		}
	case []any:
		for _, kid := range v {
			checkScalars(t, doc, kid)
		}
	case bool:
		if !strings.Contains(doc.Text(), fmt.Sprint(v)) {
			t.Errorf("lost %v", v)
		}
	}
}
