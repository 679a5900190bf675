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

// fastestDot4 gives the quickest dotter4 that this machine can run.
func fastestDot4() dotter4 {
	if archsimd.X86.AVX512() {
		return dot4AVX512
	}
	return four(fastestDot())
}

// dot4AVX512 is dotAVX512 for four rows at once.
func dot4AVX512(query []int16, rows []int8, products *[4]int32) {
	stride := len(rows) / 4
	a, b, c, d := rows[:stride], rows[stride:2*stride], rows[2*stride:3*stride], rows[3*stride:4*stride]
	var s0, s1, s2, s3 archsimd.Int32x16
	for len(a) >= 32 && len(b) >= 32 && len(c) >= 32 && len(d) >= 32 && len(query) >= 32 {
		q := archsimd.LoadInt16x32((*[32]int16)(query))
		s0 = s0.Add(archsimd.LoadInt8x32((*[32]int8)(a)).ExtendToInt16().DotProductPairs(q))
		s1 = s1.Add(archsimd.LoadInt8x32((*[32]int8)(b)).ExtendToInt16().DotProductPairs(q))
		s2 = s2.Add(archsimd.LoadInt8x32((*[32]int8)(c)).ExtendToInt16().DotProductPairs(q))
		s3 = s3.Add(archsimd.LoadInt8x32((*[32]int8)(d)).ExtendToInt16().DotProductPairs(q))
		a, b, c, d, query = a[32:], b[32:], c[32:], d[32:], query[32:]
	}
	ab, cd := quarter(s0).AddPairs(quarter(s1)), quarter(s2).AddPairs(quarter(s3))
	ab.AddPairs(cd).Store(products)
	archsimd.ClearAVXUpperBits()
}

// quarter adds sixteen sums up to four.
func quarter(v archsimd.Int32x16) archsimd.Int32x4 {
	eight := v.GetLo().Add(v.GetHi())
	return eight.GetLo().Add(eight.GetHi())
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
