package table

import (
	"fmt"
	"testing"
)

func sample(n int) []Entry {
	entries := make([]Entry, n)
	for i := range entries {
		entries[i].Key = fmt.Sprintf("key%04d", 3*i)
		for k := range i % 4 {
			entries[i].Links = append(entries[i].Links, Link{To: uint32(i*7 + k), Weight: float32(k+1) / 4})
		}
	}
	return entries
}

func TestRoundTrip(t *testing.T) {
	for _, n := range []int{0, 1, 15, 16, 17, 500} {
		entries := sample(n)
		table, err := Open(Encode(entries))
		if err != nil || table.Len() != n {
			t.Fatalf("%d keys: %d, %v", n, table.Len(), err)
		}
		for i, e := range entries {
			links, ok := table.Find(e.Key)
			if !ok || fmt.Sprint(links) != fmt.Sprint(e.Links) {
				t.Fatalf("%s gives %v %v, want %v", e.Key, links, ok, e.Links)
			}
			if got := table.Key(uint32(i)); got != e.Key {
				t.Fatalf("key %d is %q, want %q", i, got, e.Key)
			}
			if table.Has(e.Key) != (len(e.Links) > 0) {
				t.Fatalf("%s: Has is %v with %d links", e.Key, !table.Has(e.Key), len(e.Links))
			}
		}
	}
}

func TestWhatIsNotThere(t *testing.T) {
	table, err := Open(Encode(sample(40)))
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"", "a", "key", "key0001", "key00000", "zzz"} {
		if _, ok := table.Find(key); ok || table.Has(key) {
			t.Errorf("%q was found", key)
		}
	}
	if got := table.Key(40); got != "" {
		t.Errorf("key 40 of 40 is %q", got)
	}
}

// TestWeights: they are rounded to sixteenths, and none becomes zero.
func TestWeights(t *testing.T) {
	table, err := Open(Encode([]Entry{{Key: "a", Links: []Link{{0, 1}, {1, .01}, {2, .49}}}}))
	if err != nil {
		t.Fatal(err)
	}
	links, _ := table.Find("a")
	for i, want := range []float32{1, 1. / 16, .5} {
		if links[i].Weight != want {
			t.Errorf("weight %d is %v, want %v", i, links[i].Weight, want)
		}
	}
}

// FuzzOpen: a file that is damaged anywhere gives an error or wrong answers,
// but never a panic.
func FuzzOpen(f *testing.F) {
	f.Add(Encode(nil), "key0003")
	f.Add(Encode(sample(40)), "key0003")
	f.Add([]byte("no table at all"), "")
	f.Fuzz(func(t *testing.T, data []byte, key string) {
		table, err := Open(data)
		if err != nil {
			return
		}
		table.Find(key)
		for i := range min(table.Len(), 100) {
			table.Key(uint32(i))
		}
	})
}
