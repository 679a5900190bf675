package index

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// Vectors are stored as two planes of int8: value = scale × (high + low/254).
// The high plane alone is what a coarse scan reads; both together keep 16
// bits a value, which leaves a cosine exact to about 1e-6. That is two thirds
// of the memory of int8 beside float16, and more exact.
const (
	vectorVersion = 1
	vectorHeader  = 5
	highSteps     = 127
	lowSteps      = 254
	maxDim        = 1 << 16
)

var errVector = errors.New("vector is damaged")

// EncodeVector packs a vector for the store: 5 bytes and 2 a value. Values
// that are not finite count as 0. No values give nil.
func EncodeVector(v []float32) []byte {
	if len(v) == 0 || len(v) > maxDim {
		return nil
	}
	scale := vectorScale(v)
	blob := make([]byte, vectorHeader+2*len(v))
	blob[0] = vectorVersion
	binary.LittleEndian.PutUint32(blob[1:], math.Float32bits(scale))
	if scale == 0 {
		return blob
	}
	high, low := blob[vectorHeader:vectorHeader+len(v)], blob[vectorHeader+len(v):]
	for i, x := range v {
		if !finite(x) {
			continue
		}
		steps := float64(x) / float64(scale)
		whole := min(max(math.Round(steps), -highSteps), highSteps)
		part := min(max(math.Round((steps-whole)*lowSteps), -highSteps), highSteps)
		high[i], low[i] = byte(int8(whole)), byte(int8(part))
	}
	return blob
}

func finite(x float32) bool { return x-x == 0 }

func vectorScale(v []float32) float32 {
	var largest float32
	for _, x := range v {
		if finite(x) {
			largest = max(largest, x, -x)
		}
	}
	return largest / highSteps
}

// Planes is a stored vector, not yet unpacked: value i is Scale × (int8(High[i])
// + int8(Low[i])/254). The slices lie in the blob.
type Planes struct {
	Scale     float32
	High, Low []byte
}

// SplitVector finds the planes in a blob of EncodeVector. An empty blob gives
// empty planes.
func SplitVector(blob []byte) (Planes, error) {
	if len(blob) == 0 {
		return Planes{}, nil
	}
	body := len(blob) - vectorHeader
	if body < 2 || body%2 != 0 || body/2 > maxDim || blob[0] != vectorVersion {
		return Planes{}, fmt.Errorf("%w: %d bytes", errVector, len(blob))
	}
	scale := math.Float32frombits(binary.LittleEndian.Uint32(blob[1:]))
	if !finite(scale) || scale < 0 {
		return Planes{}, fmt.Errorf("%w: scale %v", errVector, scale)
	}
	dim := body / 2
	return Planes{Scale: scale, High: blob[vectorHeader : vectorHeader+dim], Low: blob[vectorHeader+dim:]}, nil
}

// DecodeVector unpacks a blob of EncodeVector.
func DecodeVector(blob []byte) ([]float32, error) {
	p, err := SplitVector(blob)
	if err != nil || len(p.High) == 0 {
		return nil, err
	}
	v := make([]float32, len(p.High))
	for i := range v {
		v[i] = p.Scale * (float32(int8(p.High[i])) + float32(int8(p.Low[i]))/lowSteps)
	}
	return v, nil
}
