package columns

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"perfdata/internal/chars"
	"perfdata/internal/number"
)

// A Form is how a table is written.
type Form int

// The forms.
const (
	// Each row is an object on a line. The values NaN and infinity are the strings "NaN", "+Inf" and "-Inf".
	JSON Form = iota

	// Rows are as RFC 4180 has them, with LF at their ends.
	CSV

	// Cells are separated by tabs. Tabs, line ends and backslashes in a cell are \t, \n, \r and \\, so that
	// each row is a line and each tab ends a cell.
	TSV

	// For programs that sort rows or keep them: [CellEnd] is between the cells. Texts compare like their cells,
	// byte by byte. The cell of a missing value is [NoCell], which precedes all texts. [Unquote] reads texts,
	// and [Pairs] maps; other cells are as in CSV. Bytes that are not UTF-8 are replaced.
	Cells
)

// String returns the name of the format that is a table in the form.
func (f Form) String() string { return [...]string{"jsonl", "csv", "tsv", "cells"}[f] }

var forms = [...]form{
	JSON: {
		null: "null", idQuote: `"`, numberQuote: `"`, begin: "{", separator: ",", end: "}\n", text: chars.AppendJSON,
		pair: chars.AppendJSON, open: "{", close: "}", isTitled: true,
	},
	CSV: {
		idQuote: `"`, separator: ",", end: "\n", text: appendCSV, pair: appendPairCSV, open: `"{`, close: `}"`,
	},
	TSV:   {separator: "\t", end: "\n", text: appendTSV, pair: appendPairTSV, open: "{", close: "}"},
	Cells: {null: NoCell, separator: string(CellEnd), text: appendQuoted, pair: appendPairQuoted},
}

// CellEnd is between the cells of a row.
var CellEnd = []byte{0}

const (
	NoCell  = "\x01"
	pairEnd = "\x01;" // after each key and value of a map
)

var (
	quoteCell   = strings.NewReplacer("\x00", "\x01\x01", "\x01", "\x01\x02")
	unquoteCell = strings.NewReplacer("\x01\x01", "\x00", "\x01\x02", "\x01")
	escapeTSV   = strings.NewReplacer("\t", `\t`, "\n", `\n`, "\r", `\r`, `\`, `\\`)
	unescapeTSV = strings.NewReplacer(`\t`, "\t", `\n`, "\n", `\r`, "\r", `\\`, `\`)
)

func appendQuoted(dst []byte, s string) []byte {
	if !chars.Plain(s) {
		s = quoteCell.Replace(strings.ToValidUTF8(s, "\ufffd"))
	}
	return append(dst, s...)
}

func appendPairQuoted(dst []byte, s string) []byte { return append(appendQuoted(dst, s), pairEnd...) }

// Unquote returns the text of a cell.
func Unquote(cell string) string {
	if strings.IndexByte(cell, 1) < 0 { // a Replacer takes longer to find nothing
		return cell
	}
	return unquoteCell.Replace(cell)
}

// Pairs returns the keys and values in the cell of a map, by turns.
func Pairs(cell string) []string {
	texts := strings.Split(cell, pairEnd)
	texts = texts[:len(texts)-1] // nothing, or what a map without pairs is
	for i := range texts {
		texts[i] = Unquote(texts[i][min(i, 1):]) // after a comma or colon
	}
	return texts
}

// appendCSV appends a cell.
func appendCSV(dst []byte, s string) []byte {
	if !needsQuotes(s) {
		return append(dst, s...)
	}
	return append(double(append(append(dst, '"'), s...), len(dst)+1, '"'), '"')
}

// needsQuotes reports whether a cell must be quoted, for programs that read CSV.
func needsQuotes(s string) bool {
	for i := range len(s) { // strings.ContainsAny takes longer
		switch s[i] {
		case ',', '"', '\r', '\n':
			return true
		}
	}
	return strings.HasPrefix(s, " ") || s == `\.`
}

// double doubles each byte c from start on.
func double(dst []byte, start int, c byte) []byte {
	if bytes.IndexByte(dst[start:], c) < 0 {
		return dst
	}
	return append(dst[:start], bytes.ReplaceAll(dst[start:], []byte{c}, []byte{c, c})...)
}

// appendPairCSV appends a JSON string within a cell that is quoted.
func appendPairCSV(dst []byte, s string) []byte {
	if chars.Plain(s) {
		return append(append(append(dst, `""`...), s...), `""`...)
	}
	return double(chars.AppendJSON(dst, s), len(dst), '"')
}

// appendTSV appends a cell.
func appendTSV(dst []byte, s string) []byte { return append(dst, escapeTSV.Replace(s)...) }

// appendPairTSV appends a JSON string, which has no tabs and line ends.
func appendPairTSV(dst []byte, s string) []byte {
	return double(chars.AppendJSON(dst, s), len(dst), '\\')
}

// AppendNumber appends the fewest digits that identify f, or NaN, +Inf or -Inf in quotes, which JSON needs.
func AppendNumber(dst []byte, f float64, quote string) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return append(strconv.AppendFloat(append(dst, quote...), f, 'g', -1, 64), quote...)
	}
	return number.AppendShortest(dst, f)
}
