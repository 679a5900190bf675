package embedded

// dotter multiplies a query with rows of int8. Rows are padded with zeros to
// whole blocks, so that the vector instructions need no special tail.
type dotter func(query []int16, row []int8) int32

// dotter4 multiplies a query with four rows that follow each other: what a
// single one costs beside the multiplying is then paid once.
type dotter4 func(query []int16, rows []int8, products *[4]int32)

// four makes a dotter4 of a dotter.
func four(dot dotter) dotter4 {
	return func(query []int16, rows []int8, products *[4]int32) {
		stride := len(rows) / 4
		for i := range products {
			products[i] = dot(query, rows[i*stride:(i+1)*stride])
		}
	}
}

// block is the number of values that a row is padded to.
const block = 32

func padded(dim int) int { return (dim + block - 1) / block * block }

// dotPlain is the definition of a dotter. query and row have the same length,
// a multiple of block.
func dotPlain(query []int16, row []int8) int32 {
	var a, b, c, d int32
	for i := 0; i+4 <= len(row) && i+4 <= len(query); i += 4 {
		a += int32(query[i]) * int32(row[i])
		b += int32(query[i+1]) * int32(row[i+1])
		c += int32(query[i+2]) * int32(row[i+2])
		d += int32(query[i+3]) * int32(row[i+3])
	}
	return a + b + c + d
}
