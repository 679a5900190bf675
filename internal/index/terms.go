package index

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Terms are stored in ascending order of their text, each without what it
// shares with the term before it:
//
//	blob   = version, { header, [length], [weight], bytes }
//	header = shared bytes (3 bits) | own bytes (4 bits) << 3 | weighted << 7
//
// Fifteen own bytes mean "fifteen and as many as the varint that follows".
// The weight is in eighths; without one it is 1, which most terms have.
const (
	termsVersion = 1
	maxShared    = 7
	longOwn      = 15
	weighted     = 0x80
	oneInEighths = 8
	maxEighths   = 31 * 8
	maxTermBytes = 1 << 12
)

var errTerms = errors.New("term list is damaged")

// Eighths gives a weight as an engine stores it: eighths, at least 1 and at
// most 248 (31).
func Eighths(weight float32) uint8 {
	n := math.Round(float64(weight) * oneInEighths)
	if !(n > 1) { // false for NaN too
		return 1
	}
	return uint8(min(n, maxEighths))
}

// EncodeTerms packs terms into the compact form that the store keeps beside a
// chunk. Order does not matter; terms that occur twice are added up, empty
// ones and ones longer than 4 KiB left out. No terms give nil.
func EncodeTerms(terms []Term) []byte {
	sorted := slices.Clone(terms)
	slices.SortFunc(sorted, func(a, b Term) int { return strings.Compare(a.Text, b.Text) })
	sorted = mergeEqual(sorted)
	if len(sorted) == 0 {
		return nil
	}
	blob := make([]byte, 1, 8*len(sorted))
	blob[0] = termsVersion
	last := ""
	for _, t := range sorted {
		blob = appendTerm(blob, last, t)
		last = t.Text
	}
	return blob
}

func mergeEqual(sorted []Term) []Term {
	out := sorted[:0]
	for _, t := range sorted {
		switch {
		case t.Text == "" || len(t.Text) > maxTermBytes:
		case len(out) > 0 && out[len(out)-1].Text == t.Text:
			out[len(out)-1].Weight += t.Weight
		default:
			out = append(out, t)
		}
	}
	return out
}

func appendTerm(blob []byte, last string, t Term) []byte {
	shared := 0
	for shared < min(maxShared, len(last), len(t.Text)) && last[shared] == t.Text[shared] {
		shared++
	}
	own := t.Text[shared:]
	header := byte(shared) | byte(min(len(own), longOwn))<<3
	weight := Eighths(t.Weight)
	if weight != oneInEighths {
		header |= weighted
	}
	blob = append(blob, header)
	if len(own) >= longOwn {
		blob = binary.AppendUvarint(blob, uint64(len(own)-longOwn))
	}
	if weight != oneInEighths {
		blob = append(blob, weight)
	}
	return append(blob, own...)
}

// EachTerm calls yield for every term of a blob of EncodeTerms, in ascending
// order, with its weight in eighths. The text is only valid during the call.
func EachTerm(blob []byte, yield func(text []byte, eighths uint8)) error {
	if len(blob) == 0 {
		return nil
	}
	if blob[0] != termsVersion {
		return fmt.Errorf("%w: version %d is not known", errTerms, blob[0])
	}
	var buffer [64]byte
	text := buffer[:0]
	for rest := blob[1:]; len(rest) > 0; {
		next, eighths, err := nextTerm(&text, rest)
		if err != nil {
			return err
		}
		yield(text, eighths)
		rest = next
	}
	return nil
}

// nextTerm replaces *text by the first term of blob, and gives its weight and
// what follows it.
func nextTerm(text *[]byte, blob []byte) (rest []byte, eighths uint8, err error) {
	header := blob[0]
	blob = blob[1:]
	shared, own := int(header&7), int(header>>3&15)
	if own == longOwn {
		more, n := binary.Uvarint(blob)
		if n <= 0 || more > maxTermBytes {
			return nil, 0, fmt.Errorf("%w: bad length", errTerms)
		}
		own += int(more)
		blob = blob[n:]
	}
	eighths = oneInEighths
	if header&weighted != 0 {
		if len(blob) == 0 || blob[0] == 0 || blob[0] > maxEighths {
			return nil, 0, fmt.Errorf("%w: bad weight", errTerms)
		}
		eighths, blob = blob[0], blob[1:]
	}
	if shared > len(*text) || own > len(blob) || shared+own > maxTermBytes {
		return nil, 0, fmt.Errorf("%w: cut short", errTerms)
	}
	if string((*text)[shared:]) >= string(blob[:own]) {
		return nil, 0, fmt.Errorf("%w: out of order", errTerms)
	}
	*text = append((*text)[:shared], blob[:own]...)
	return blob[own:], eighths, nil
}

// DecodeTerms unpacks a blob of EncodeTerms: each term once, in ascending
// order.
func DecodeTerms(blob []byte) ([]Term, error) {
	var terms []Term
	err := EachTerm(blob, func(text []byte, eighths uint8) {
		terms = append(terms, Term{Text: string(text), Weight: float32(eighths) / oneInEighths})
	})
	if err != nil {
		return nil, err
	}
	return terms, nil
}
