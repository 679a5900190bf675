package memo

import (
	"strconv"
	"sync"
	"testing"
)

func TestMemoRemembersWithinItsRoom(t *testing.T) {
	m := New[int, string](100 * (100 + entryBytes))
	for i := range 1000 {
		m.Put(m.Age(), i, strconv.Itoa(i), 100)
		if v, ok := m.Get(0); !ok || v != "0" {
			t.Fatalf("what is asked for all the time was forgotten after %d others", i)
		}
	}
	kept := 0
	for i := range 1000 {
		if v, ok := m.Get(i); ok {
			kept++
			if v != strconv.Itoa(i) {
				t.Fatalf("%d gives %q", i, v)
			}
		}
	}
	if kept < 40 || kept > 100 {
		t.Errorf("%d entries are kept in room for 100", kept)
	}
	if _, ok := m.Get(999); !ok {
		t.Error("the last one was forgotten")
	}
}

func TestMemoLeavesOutWhatWasReadBeforeItForgot(t *testing.T) {
	m := New[string, int](1 << 20)
	before := m.Age()
	m.Forget()
	m.Put(before, "a", 1, 8)
	if _, ok := m.Get("a"); ok {
		t.Error("a value of before came back")
	}
	m.Put(m.Age(), "a", 2, 8)
	m.Put(m.Age(), "a", 3, 8)
	if v, ok := m.Get("a"); !ok || v != 3 {
		t.Errorf("got %v %v", v, ok)
	}
	m.Forget()
	if _, ok := m.Get("a"); ok {
		t.Error("it did not forget")
	}
}

func TestMemoWithoutRoom(t *testing.T) {
	var none *Memo[string, int]
	for _, m := range []*Memo[string, int]{none, New[string, int](0), New[string, int](100)} {
		m.Put(m.Age(), "a", 1, 1000)
		if _, ok := m.Get("a"); ok {
			t.Error("it was remembered")
		}
		m.Forget()
	}
}

func TestMemoFromManyGoroutines(t *testing.T) {
	m := New[int, int](2000)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for i := range 2000 {
				m.Put(m.Age(), i%50, i%50, 10)
				if v, ok := m.Get(i % 37); ok && v != i%37 {
					t.Errorf("%d gives %d", i%37, v)
				}
				if i%500 == 0 {
					m.Forget()
				}
			}
		})
	}
	group.Wait()
}
