package text

import "strings"

// alphanumeric reads a word, number or code that begins at cell i.
func (sc *scanner) alphanumeric(i int) int {
	if end := sc.address(i); end > i {
		sc.add(i, end, Code)
		return end
	}
	end := sc.compound(i)
	if next := sc.standard(i, end); next > end {
		end = next
		sc.add(i, end, Code)
		return end
	}
	end = sc.suffix(i, end)
	sc.add(i, end, sc.kindOf(i, end))
	return end
}

// compound reads runs of letters and digits that single connectors join.
func (sc *scanner) compound(i int) int {
	cells := sc.f.cells
	for start := i; ; {
		for i < len(cells) && (cells[i].class == letter || cells[i].class == digit) {
			i++
		}
		if i+1 >= len(cells) || !sc.joins(start, i) {
			return i
		}
		i++
	}
}

// joins says whether the connector at cell i holds its two sides together in
// the compound that began at start.
func (sc *scanner) joins(start, i int) bool {
	cells := sc.f.cells
	before, after := cells[i-1].class, cells[i+1].class
	if after != letter && after != digit {
		return false
	}
	switch cells[i].r {
	case '-', '_', '/', '.', '@', 0x2010, 0x2011:
		return true
	case '\'', 0x2019, '&':
		return before == letter && after == letter
	case ':':
		return before == digit && after == digit
	case ',': // not the wide comma, which divides a list
		return sc.s[cells[i].start] == ',' && sc.thousands(start, i)
	}
	return false
}

// maxNumber bounds the cells of a number with separators.
const maxNumber = 32

// thousands says whether the comma at i groups digits: one to three before the
// first, exactly three after each.
func (sc *scanner) thousands(start, i int) bool {
	cells := sc.f.cells
	if i-start > maxNumber || sc.while(i+1, digit) != i+4 {
		return false
	}
	lead := strings.IndexByte(sc.f.slice(start, i), ',')
	if lead < 0 {
		lead = i - start
	}
	if lead > 3 {
		return false
	}
	for _, c := range cells[start:i] {
		if c.class != digit && c.r != ',' {
			return false
		}
	}
	return true
}

// suffix takes the signs that end a name or number: C++, C#, 100%.
func (sc *scanner) suffix(i, end int) int {
	rest := sc.f.cells[end:]
	last := sc.f.cells[end-1].class
	is := func(k int, r rune) bool { return k < len(rest) && rest[k].r == r }
	switch {
	case last == letter && is(0, '+') && is(1, '+') && !is(2, '+'):
		return end + 2
	case last == letter && end == i+1 && is(0, '#'), last == digit && is(0, '%'):
		return end + 1
	}
	return end
}

// standardBodies are the issuers whose numbers follow after a space.
var standardBodies = setOf([]string{"gb", "gb/t", "gb/z", "iso", "iec", "iso/iec", "ieee", "rfc", "din",
	"en", "astm", "ansi", "jis", "jb/t", "yy/t", "hj", "hj/t", "db", "sj/t", "ga/t", "yd/t", "dl/t", "qb/t"})

// standard continues the issuer in cells[i:end] with its number: "GB/T 28181-2016".
func (sc *scanner) standard(i, end int) int {
	cells := sc.f.cells
	if end+1 >= len(cells) || !sc.f.gap(sc.s, end) || cells[end+1].class != digit {
		return end
	}
	if first := sc.s[cells[i].start]; first >= 'a' && first <= 'z' && !strings.Contains(sc.f.slice(i, end), "/") {
		return end // "en 5" in lower case is rather a word
	}
	if !standardBodies[sc.f.slice(i, end)] {
		return end
	}
	return sc.compound(end + 1)
}

// address reads a URL; an end of i means that there is none.
func (sc *scanner) address(i int) int {
	rest := sc.f.text[sc.f.cells[i].pos:]
	c := rest[0]
	if c != 'h' && c != 'f' && c != 'w' {
		return i
	}
	if !strings.HasPrefix(rest, "http://") && !strings.HasPrefix(rest, "https://") &&
		!strings.HasPrefix(rest, "ftp://") && !strings.HasPrefix(rest, "www.") {
		return i
	}
	end := i
	for end < len(sc.f.cells) && inAddress(sc.f.cells[end]) {
		end++
	}
	for end > i && strings.ContainsRune(".,;:!?)]'*", sc.f.cells[end-1].r) {
		end--
	}
	return end
}

func inAddress(c cell) bool {
	return c.class == letter || c.class == digit || c.r < 0x80 && c.class == other &&
		!strings.ContainsRune("<>\"{}|\\^`", c.r)
}

// kindOf tells words, numbers and codes apart.
func (sc *scanner) kindOf(i, end int) Kind {
	var letters, digits, signs bool
	for _, c := range sc.f.cells[i:end] {
		switch {
		case c.class == letter:
			letters = true
		case c.class == digit:
			digits = true
		case c.r != '-' && c.r != '\'' && c.r != 0x2019 && c.r != 0x2010:
			signs = true
		}
	}
	switch {
	case letters && !digits && !signs:
		return Word
	case digits && !letters && isNumber(sc.f.slice(i, end)):
		return Number
	}
	return Code
}

// isNumber says whether digits and signs are a plain number: at most one
// point, and else only thousand separators.
func isNumber(s string) bool {
	return strings.Count(s, ".") <= 1 && !strings.ContainsFunc(s, func(r rune) bool {
		return r != '.' && r != ',' && (r < '0' || r > '9')
	})
}
