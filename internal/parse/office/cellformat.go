package office

import (
	"strconv"
	"strings"

	"github.com/xuri/excelize/v2"
)

// Number formats that dates and numbers are shown in.
const (
	showDate     = "yyyy-mm-dd"
	showDateTime = "yyyy-mm-dd hh:mm:ss"
	showTime     = "hh:mm:ss"
	showPlain    = "@" // all digits; excelize gives General ten of them
)

// showDates changes the styles of an opened workbook so that excelize writes
// dates in one way and numbers without an exponent. It works on the styles
// and not on cells, because only the row iterator keeps memory bounded, and
// that gives text without styles.
func showDates(f *excelize.File) {
	if f.Styles == nil || f.Styles.CellXfs == nil {
		return
	}
	custom := map[int]bool{}
	if f.Styles.NumFmts != nil {
		for _, n := range f.Styles.NumFmts.NumFmt {
			custom[n.NumFmtID] = true
			code := n.FormatCode
			if n.FormatCode16 != "" {
				code = n.FormatCode16
			}
			if show := showAs(code); show != "" {
				n.FormatCode, n.FormatCode16 = show, ""
			}
		}
	}
	ids := map[string]int{}
	for i := 0; i < len(f.Styles.CellXfs.Xf); i++ {
		id := f.Styles.CellXfs.Xf[i].NumFmtID
		if id == nil || custom[*id] {
			continue
		}
		show := builtinAs(*id)
		if show == "" {
			continue
		}
		if _, ok := ids[show]; !ok {
			ids[show] = formatID(f, show)
		}
		if n := ids[show]; n >= 0 {
			f.Styles.CellXfs.Xf[i].NumFmtID = &n
		}
	}
}

// formatID registers a number format with the workbook; -1 if it cannot.
func formatID(f *excelize.File, code string) int {
	style, err := f.NewStyle(&excelize.Style{CustomNumFmt: &code})
	if err != nil || style >= len(f.Styles.CellXfs.Xf) || f.Styles.CellXfs.Xf[style].NumFmtID == nil {
		return -1
	}
	return *f.Styles.CellXfs.Xf[style].NumFmtID
}

// builtinAs gives the format in which we show a format that has only a
// number; "" leaves it.
func builtinAs(id int) string {
	switch {
	case id >= 14 && id <= 17, id >= 27 && id <= 31, id == 36, id >= 50 && id <= 54, id == 57, id == 58:
		return showDate
	case id >= 18 && id <= 21, id >= 32 && id <= 35, id == 55, id == 56:
		return showTime
	case id == 22:
		return showDateTime
	case id == 0, id == 11, id == 48:
		return showPlain
	}
	return ""
}

// showAs gives the format in which we show a custom format; "" leaves it.
// Dates that are written in words stay: nobody misreads them.
func showAs(code string) string {
	if strings.ContainsAny(code, "年月日") {
		return ""
	}
	bare := bareFormat(code)
	if strings.Contains(bare, "e+") || strings.Contains(bare, "e-") {
		return showPlain
	}
	if strings.ContainsAny(bare, "0#?") && !strings.ContainsAny(bare, "yd") {
		return ""
	}
	date := strings.ContainsAny(bare, "yd") || strings.Contains(bare, "mmm")
	clock := strings.ContainsAny(bare, "hs")
	switch {
	case bare == "general":
		return showPlain
	case strings.Contains(bare, "general"):
		return ""
	case date && clock:
		return showDateTime
	case date:
		return showDate
	case clock && !strings.Contains(code, "[h") && !strings.Contains(code, "[m") && strings.Contains(bare, "h"):
		return showTime
	}
	return ""
}

// bareFormat gives the first section of a format code in lower case, without
// literals, colours and locales.
func bareFormat(code string) string {
	var b strings.Builder
	quoted, bracket, skip := false, false, false
	for _, r := range strings.ToLower(code) {
		switch {
		case skip:
			skip = false
		case quoted:
			quoted = r != '"'
		case bracket:
			bracket = r != ']'
		case r == '"':
			quoted = true
		case r == '[':
			bracket = true
		case r == '\\' || r == '_' || r == '*':
			skip = true
		case r == ';':
			return b.String()
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// showNumber writes out a number that came with an exponent only because it
// is long.
func showNumber(cell string) string {
	mantissa, exponent, ok := strings.Cut(cell, "E+")
	if !ok || len(mantissa) < 10 {
		return cell
	}
	if e, err := strconv.Atoi(exponent); err != nil || e > 30 {
		return cell
	}
	f, err := strconv.ParseFloat(cell, 64)
	if err != nil {
		return cell
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}
