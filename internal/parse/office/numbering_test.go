package office

import "testing"

func TestCountIn(t *testing.T) {
	for _, c := range []struct {
		format string
		n      int
		want   string
	}{
		{"decimal", 12, "12"}, {"decimalZero", 7, "07"}, {"decimalZero", 12, "12"}, {"none", 3, ""},
		{"lowerLetter", 27, "aa"}, {"upperLetter", 2, "B"}, {"lowerRoman", 1994, "mcmxciv"}, {"upperRoman", 0, "0"},
		{"chineseCounting", 1, "一"}, {"chineseCounting", 10, "十"}, {"chineseCounting", 15, "十五"}, {"chineseCounting", 20, "二十"},
		{"chineseCountingThousand", 105, "一百〇五"}, {"chineseCountingThousand", 110, "一百一十"}, {"chineseCountingThousand", 1020, "一千〇二十"},
		{"chineseLegalSimplified", 23, "贰拾叁"}, {"ideographTraditional", 3, "丙"}, {"ideographZodiac", 13, "13"},
		{"decimalEnclosedCircle", 4, "④"}, {"ordinal", 11, "11th"}, {"ordinal", 22, "22nd"}, {"decimalFullWidth", 10, "１０"},
		{"neverHeardOf", 5, "5"}, {"lowerLetter", -1, "-1"}, {"chineseCounting", 123456, "123456"},
	} {
		if got := countIn(c.format, c.n); got != c.want {
			t.Errorf("%s %d: got %q, want %q", c.format, c.n, got, c.want)
		}
	}
}

func TestNumberingRestartsAndLegalNumbers(t *testing.T) {
	a, err := openArchive(zipOf(t, map[string]string{"n.xml": `<numbering>
<abstractNum abstractNumId="0">
<lvl ilvl="0"><start val="1"/><numFmt val="upperRoman"/><lvlText val="%1"/></lvl>
<lvl ilvl="1"><start val="1"/><numFmt val="decimal"/><lvlText val="%1.%2"/><isLgl/></lvl>
<lvl ilvl="2"><start val="1"/><lvlRestart val="0"/><numFmt val="decimal"/><lvlText val="(%3)"/></lvl></abstractNum>
<abstractNum abstractNumId="1"><numStyleLink val="S"/></abstractNum>
<abstractNum abstractNumId="2"><styleLink val="S"/><lvl ilvl="0"><numFmt val="bullet"/></lvl></abstractNum>
<num numId="1"><abstractNumId val="0"/></num><num numId="2"><abstractNumId val="1"/></num>
<num numId="3"><abstractNumId val="0"/><lvlOverride ilvl="1"><lvl ilvl="1"><start val="5"/><numFmt val="lowerLetter"/><lvlText val="%2)"/></lvl></lvlOverride></num>
</numbering>`}), "docx")
	if err != nil {
		t.Fatal(err)
	}
	n, err := readNumbering(a, "n.xml")
	if err != nil {
		t.Fatal(err)
	}
	for i, step := range []struct {
		num   string
		depth int
		want  string
	}{
		{"1", 0, "I"}, {"1", 1, "1.1"}, {"1", 2, "(1)"}, {"1", 1, "1.2"}, {"1", 2, "(2)"}, {"1", 0, "II"}, {"1", 1, "2.1"}, {"1", 2, "(3)"},
		{"2", 0, "-"}, {"3", 0, "III"}, {"3", 1, "e)"}, {"3", 1, "f)"},
	} {
		if got, ok := n.next(step.num, step.depth); !ok || got != step.want {
			t.Errorf("step %d: got %q, want %q", i, got, step.want)
		}
	}
	if _, ok := n.next("99", 0); ok {
		t.Error("a list that does not exist gave a label")
	}
}

func TestMathIsWrittenOnALine(t *testing.T) {
	leaf := func(name, s string) *mathNode {
		return &mathNode{name: name, kids: []*mathNode{{name: "r", kids: []*mathNode{{name: "t", text: s}}}}}
	}
	node := func(name string, kids ...*mathNode) *mathNode { return &mathNode{name: name, kids: kids} }
	prop := func(group, name, val string) *mathNode {
		return node(group, &mathNode{name: name, val: val, set: true})
	}
	for want, n := range map[string]*mathNode{
		"√(x)":         node("rad", leaf("deg", ""), leaf("e", "x")),
		"√[3](x)":      node("rad", leaf("deg", "3"), leaf("e", "x")),
		"∑_(i=1)^n i":  node("nary", prop("naryPr", "chr", "∑"), leaf("sub", "i=1"), leaf("sup", "n"), leaf("e", "i")),
		"{a|b":         node("d", node("dPr", &mathNode{name: "begChr", val: "{", set: true}, &mathNode{name: "endChr", set: true}), leaf("e", "a"), leaf("e", "b")),
		"a_1^2":        node("sSubSup", leaf("e", "a"), leaf("sub", "1"), leaf("sup", "2")),
		"sin x":        node("func", leaf("fName", "sin"), leaf("e", "x")),
		"[1, 2; 3, 4]": node("m", node("mr", leaf("e", "1"), leaf("e", "2")), node("mr", leaf("e", "3"), leaf("e", "4"))),
		"(a+b)/(c+d)":  node("f", leaf("num", "a+b"), leaf("den", "c+d")),
		"lim_(n→∞)":    node("limLow", leaf("e", "lim"), leaf("lim", "n→∞")),
		"x=1; y=2":     node("eqArr", leaf("e", "x=1"), leaf("e", "y=2")),
		"x\u0302":      node("acc", leaf("e", "x")),
		"x\u0305":      node("bar", leaf("e", "x")),
		"plain":        node("box", leaf("e", "plain")),
		"_2^3X":        node("sPre", leaf("sub", "2"), leaf("sup", "3"), leaf("e", "X")),
	} {
		if got := n.linear(); got != want {
			t.Errorf("%s: got %q, want %q", n.name, got, want)
		}
	}
}
