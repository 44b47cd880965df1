package report

import (
	"math"
	"strconv"
	"strings"
)

// short returns a number for people, in four digits: 0.001234, 12.35, 1.235M.
func short(v float64) string { return rounded(v, 4) }

// rounded returns a number for people, in some digits.
func rounded(v float64, digits int) string {
	suffix := ""
	abs := math.Abs(v)
	for i, size := range []float64{1e12, 1e9, 1e6, 1e3} {
		if abs >= max(size, math.Pow10(digits)) && abs < 1e15 {
			v, suffix = v/size, "TGMk"[i:i+1]
			break
		}
	}
	return strings.Replace(strconv.FormatFloat(v, 'g', digits, 64), "-", "−", 1) + suffix
}

// percent returns a ratio as a change: +12.3%, −5%.
func percent(ratio float64) string {
	v := (ratio - 1) * 100
	if special(v) != 0 {
		return "?"
	}
	if math.Abs(v) >= 1000 || ratio > 0 && ratio < 0.001 {
		return "×" + short(ratio)
	}
	text := strconv.FormatFloat(v, 'f', 1, 64)
	switch {
	case text == "0.0" || text == "-0.0":
		return "0.0%"
	case v > 0:
		return "+" + text + "%"
	}
	return "−" + text[1:] + "%"
}

// probability returns a p-value with two digits.
func probability(p float64) string {
	switch {
	case math.IsNaN(p):
		return "–"
	case p < 0.0001:
		return "<0.0001"
	}
	return strconv.FormatFloat(p, 'g', 2, 64)
}

// plural returns a number of things: 1 commit, 12,345 commits.
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits + " " + many
}
