package index

import (
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

func TestTermsRoundTrip(t *testing.T) {
	long := strings.Repeat("长", 900)
	for _, c := range []struct {
		name string
		in   []Term
		want []Term
	}{
		{"none", nil, nil},
		{"sorted and rounded", []Term{{"b", 1}, {"a", 1.3}}, []Term{{"a", 1.25}, {"b", 1}}},
		{"doubles add up", []Term{{"a", 1}, {"b", 2}, {"a", 1}}, []Term{{"a", 2}, {"b", 2}}},
		{"saturates", []Term{{"a", 99}, {"b", 0}, {"c", -3}, {"d", float32(math.NaN())}},
			[]Term{{"a", 31}, {"b", .125}, {"c", .125}, {"d", .125}}},
		{"shared starts", []Term{{"北京", 1}, {"北京工业", 1}, {"北京工业大学", 2}, {"北极", 1}},
			[]Term{{"北京", 1}, {"北京工业", 1}, {"北京工业大学", 2}, {"北极", 1}}},
		{"long", []Term{{long, 1}, {long + "久", 2}}, []Term{{long, 1}, {long + "久", 2}}},
		{"empty and too long are left out", []Term{{"", 1}, {strings.Repeat("x", maxTermBytes+1), 1}, {"a", 1}}, []Term{{"a", 1}}},
		{"lengths around the escape", []Term{{strings.Repeat("a", 14), 1}, {strings.Repeat("b", 15), 1}, {strings.Repeat("c", 16), 1}},
			[]Term{{strings.Repeat("a", 14), 1}, {strings.Repeat("b", 15), 1}, {strings.Repeat("c", 16), 1}}},
	} {
		got, err := DecodeTerms(EncodeTerms(c.in))
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v, %v, want %v", c.name, got, err, c.want)
		}
	}
}

func TestEncodeTermsLeavesItsArgument(t *testing.T) {
	in := []Term{{"b", 1}, {"a", 1}, {"b", 1}}
	EncodeTerms(in)
	if !reflect.DeepEqual(in, []Term{{"b", 1}, {"a", 1}, {"b", 1}}) {
		t.Errorf("argument became %v", in)
	}
}

func TestDecodeTermsRefuses(t *testing.T) {
	good := EncodeTerms([]Term{{"alpha", 2}, {"beta", 1}})
	for name, blob := range map[string][]byte{
		"other version":   {9, 1},
		"cut short":       good[:len(good)-1],
		"out of order":    {1, 1 << 3, 'b', 1 << 3, 'a'},
		"twice":           {1, 1 << 3, 'b', 1 << 3, 'b'},
		"no weight":       {1, weighted | 1<<3},
		"weight zero":     {1, weighted | 1<<3, 0, 'a'},
		"shares too much": {1, 3 | 1<<3, 'a'},
		"huge length":     {1, longOwn << 3, 0xff, 0xff, 0xff, 0x7f},
	} {
		if terms, err := DecodeTerms(blob); err == nil {
			t.Errorf("%s: decoded to %v", name, terms)
		}
	}
}

func FuzzDecodeTerms(f *testing.F) {
	f.Add([]byte(nil))
	f.Add([]byte{1, 1 << 3, 'b'})
	f.Add(EncodeTerms([]Term{{"北京", 1}, {"北京工业大学", 2.5}, {"qtr7310", 1}}))
	f.Fuzz(func(t *testing.T, blob []byte) {
		terms, err := DecodeTerms(blob)
		if err != nil {
			return
		}
		again, err := DecodeTerms(EncodeTerms(terms))
		if err != nil || !reflect.DeepEqual(terms, again) {
			t.Errorf("%v became %v, %v", terms, again, err)
		}
	})
}

func TestVectorPrecision(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for _, dim := range []int{1, 2, 255, 384, 1024} {
		v, w := randomUnit(r, dim), randomUnit(r, dim)
		got, err := DecodeVector(EncodeVector(v))
		if err != nil || len(got) != dim {
			t.Fatalf("dim %d: %d values, %v", dim, len(got), err)
		}
		if d := math.Abs(dot(v, w) - dot(got, w)); d > 1e-5 {
			t.Errorf("dim %d: a cosine changed by %.1e", dim, d)
		}
	}
}

func randomUnit(r *rand.Rand, dim int) []float32 {
	v := make([]float32, dim)
	for i := range v {
		v[i] = float32(r.NormFloat64())
	}
	n := float32(math.Sqrt(dot(v, v)))
	for i := range v {
		v[i] /= n
	}
	return v
}

func dot(v, w []float32) float64 {
	sum := 0.0
	for i := range v {
		sum += float64(v[i]) * float64(w[i])
	}
	return sum
}

func TestVectorOddValues(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for _, c := range []struct{ in, want []float32 }{
		{nil, nil},
		{[]float32{}, nil},
		{[]float32{0, 0}, []float32{0, 0}},
		{[]float32{nan, 1, inf}, []float32{0, 1, 0}},
		{[]float32{-1, 1}, []float32{-1, 1}},
	} {
		got, err := DecodeVector(EncodeVector(c.in))
		if err != nil || len(got) != len(c.want) {
			t.Fatalf("%v became %v, %v", c.in, got, err)
		}
		for i := range got {
			if math.Abs(float64(got[i]-c.want[i])) > 1e-6 {
				t.Errorf("%v became %v", c.in, got)
			}
		}
	}
}

func FuzzDecodeVector(f *testing.F) {
	f.Add([]byte(nil))
	f.Add(EncodeVector([]float32{.5, -.5, 0}))
	f.Add([]byte{1, 0, 0, 0xc0, 0x7f, 1, 1})
	f.Fuzz(func(t *testing.T, blob []byte) {
		v, err := DecodeVector(blob)
		if err != nil {
			return
		}
		for _, x := range v {
			if !finite(x) {
				// A scale near the end of float32 may overflow: never a NaN.
				if x != x {
					t.Errorf("decoded to %v", v)
				}
			}
		}
	})
}
