package main

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

const script = `export default {"all":[
["內燃機","内燃机","nei4 ran2 ji1","internal combustion engine",[],[]],
["大學","大学","Da4 xue2","the Great Learning, one of the Four Books",[],[]],
["大學","大学","da4 xue2",["university","college","CL:所[suo3]"],[],[72]],
["華沙","华沙","Hua2 sha1","Warsaw, capital of Poland",[],[]],
["%","%","pa1","percent (Tw)",[],[]]
],"variantLookup":{}};`

func read(t *testing.T) []entry {
	t.Helper()
	entries, err := readEntries(strings.NewReader(script))
	if err != nil || len(entries) != 5 {
		t.Fatalf("%d entries, %v", len(entries), err)
	}
	return entries
}

func TestReadEntries(t *testing.T) {
	e := read(t)[2]
	if e.word != "大学" || e.pinyin != "da4 xue2" || len(e.senses) != 3 {
		t.Errorf("read %+v", e)
	}
	for _, bad := range []string{"", "}{", `{"all": [["a"]]}`, `{"all": [[1,2,3,4]]}`, `{"all": 7}`} {
		if _, err := readEntries(strings.NewReader(bad)); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

func TestGlosses(t *testing.T) {
	for _, c := range []struct {
		senses []string
		want   string
	}{
		{[]string{"to buy; to purchase; to procure"}, "buy/purchas/procur"},
		{[]string{"university", "college", "CL:所[suo3]"}, "universiti/colleg"},
		{[]string{"Warsaw, capital of Poland"}, "warsaw"},
		{[]string{"to be located at", "to lie"}, "locat/lie"},
		{[]string{"(of a team) to defend (against (all))", "defend"}, "defend"},
		{[]string{"variant of 打[da3]", "surname Li", "old variant of X", "abbr. for Y", "used in 打[da3]"}, ""},
		{[]string{"a word that explains at much greater length what nobody wants translated"}, ""},
		{[]string{"of the", "", "()", "的"}, ""},
	} {
		var keys []string
		for i, g := range glosses(entry{senses: c.senses}) {
			if g.place != i {
				t.Errorf("%v: gloss %d stands in place %d", c.senses, i, g.place)
			}
			keys = append(keys, g.key())
		}
		if got := strings.Join(keys, "/"); got != c.want {
			t.Errorf("%v gives %q, want %q", c.senses, got, c.want)
		}
	}
}

func TestCompile(t *testing.T) {
	d := compile(read(t))
	if got := slices.Sorted(maps.Keys(d.chinese)); !slices.Equal(got, []string{"内燃机", "华沙", "大学"}) {
		t.Errorf("words %v", got)
	}
	// A name comes after the common noun that is written alike.
	if u, g := d.chinese["大学"]["universiti"], d.chinese["大学"]["great learn"]; u != 1 || g >= d.chinese["大学"]["colleg"] {
		t.Errorf("大学 gives %v", d.chinese["大学"])
	}
	if d.english["internal combustion engin"]["内燃机"] == 0 || d.english["engin"]["内燃机"] == 0 {
		t.Errorf("the phrase or its words do not lead back: %v", d.english)
	}
	if first, last := ranked(map[string]float64{"b": 1, "a": 1, "c": 2})[0], ranked(map[string]float64{"b": 1, "a": 1})[1]; first != "c" || last != "b" {
		t.Errorf("ranked starts with %s and ends with %s", first, last)
	}
}

func TestStrongest(t *testing.T) {
	m := strongest(map[string]map[string]float64{"x": {"a": .5, "b": .25, "c": .1}}, 2)
	if len(m["x"]) != 2 || m["x"]["a"] != 1 || m["x"]["b"] != .5 {
		t.Errorf("left %v", m)
	}
}

func TestFamilies(t *testing.T) {
	f := families([]string{"settl", "settlement", "settler", "set", "internal combustion engin", "nation", "nationalist"})
	if !slices.Equal(f["settler"], []string{"settl", "settlement"}) || len(f["set"]) > 0 {
		t.Errorf("families %v", f)
	}
	if !slices.Contains(f["nation"], "nationalist") {
		t.Errorf("nation has the family %v", f["nation"])
	}
}

func TestWiden(t *testing.T) {
	d := dictionary{
		chinese: map[string]map[string]float64{"守": {"defend": 1}, "卫": {"defender": .9}},
		english: map[string]map[string]float64{"defend": {"守": 1}, "defender": {"卫": .5}},
	}
	d.widen()
	if w := d.chinese["守"]["defender"]; w != familyShare || d.chinese["守"]["defend"] != 1 {
		t.Errorf("守 gives %v", d.chinese["守"])
	}
	if w := d.english["defender"]["守"]; w != familyShare {
		t.Errorf("defender gives %v", d.english["defender"])
	}
}
