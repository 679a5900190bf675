//go:build goexperiment.simd && amd64

package embedded

import "simd/archsimd"

// fastestDot gives the quickest dotter that this machine can run. The
// instructions are looked for at run time: the same binary serves older
// machines.
func fastestDot() dotter {
	switch {
	case archsimd.X86.AVX512():
		return dotAVX512
	case archsimd.X86.AVX2():
		return dotAVX2
	default:
		return dotPlain
	}
}

// dotAVX2 multiplies 16 values an instruction: widened to int16, multiplied
// and added in pairs to int32. 2·127·127 fits with room for 65,536 values.
func dotAVX2(query []int16, row []int8) int32 {
	var even, odd archsimd.Int32x8
	for len(row) >= 32 && len(query) >= 32 {
		r0 := archsimd.LoadInt8x16((*[16]int8)(row)).ExtendToInt16()
		r1 := archsimd.LoadInt8x16((*[16]int8)(row[16:])).ExtendToInt16()
		q0 := archsimd.LoadInt16x16((*[16]int16)(query))
		q1 := archsimd.LoadInt16x16((*[16]int16)(query[16:]))
		even = even.Add(r0.DotProductPairs(q0))
		odd = odd.Add(r1.DotProductPairs(q1))
		row, query = row[32:], query[32:]
	}
	sum := sumOf8(even.Add(odd))
	archsimd.ClearAVXUpperBits()
	return sum
}

// dotAVX512 is dotAVX2 with 32 values an instruction.
func dotAVX512(query []int16, row []int8) int32 {
	var sums archsimd.Int32x16
	for len(row) >= 32 && len(query) >= 32 {
		r := archsimd.LoadInt8x32((*[32]int8)(row)).ExtendToInt16()
		q := archsimd.LoadInt16x32((*[32]int16)(query))
		sums = sums.Add(r.DotProductPairs(q))
		row, query = row[32:], query[32:]
	}
	sum := sumOf8(sums.GetLo().Add(sums.GetHi()))
	archsimd.ClearAVXUpperBits()
	return sum
}

func sumOf8(v archsimd.Int32x8) int32 {
	four := v.GetLo().Add(v.GetHi())
	two := four.AddPairs(four)
	one := two.AddPairs(two)
	return one.GetElem(0)
}
