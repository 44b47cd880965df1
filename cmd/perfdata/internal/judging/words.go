package judging

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchunit"

	"perfdata/internal/goname"
	"perfdata/series"
	"perfdata/traceid"
	"perfdata/unit"
)

// A scale is how values of a unit are shown: in the base unit, in the words of benchstat. Values
// of an unknown unit are shown unchanged, without prefixes: 399 median ms, and not 399.0m.
type scale struct {
	name       string
	isKnown    bool
	from, base unit.Unit
}

func scaleOf(text string) scale {
	u, ok := unit.Parse(text)
	if !ok {
		return scale{name: text}
	}
	q := u.Quantity
	base, _ := unit.Parse(q.String())
	if q.Of == "s" {
		q.Of = "sec"
	}
	return scale{q.String(), true, u, base}
}

// format returns values with one prefix.
func (s scale) format(values ...float64) []string {
	texts, scaled := make([]string, len(values)), slices.Clone(values)
	for i, v := range values {
		texts[i] = strconv.FormatFloat(v, 'g', 4, 64)
		if size := math.Abs(v); size >= 1000 && size < 1e15 {
			texts[i] = strconv.FormatFloat(v, 'f', 0, 64) // all digits before the decimal point
		}
		if converted, ok := s.from.Convert(v, s.base); ok {
			scaled[i] = converted
		}
	}
	if s.isKnown {
		scaler := benchunit.CommonScale(scaled, benchunit.ClassOf(s.name))
		for i, v := range scaled {
			texts[i] = scaler.Format(v)
		}
	}
	return texts
}

// Percent returns a ratio as a change in percent, as benchstat prints it.
func Percent(ratio float64) string { return percent(ratio, 2) }

func percent(ratio float64, decimals int) string {
	switch {
	case ratio != ratio:
		return "?"
	case math.IsInf(ratio, 0):
		return "from 0"
	}
	return fmt.Sprintf("%+.*f%%", decimals, 100*(ratio-1))
}

// numbers returns numbers for CSV, with empty texts for numbers that are not finite.
func numbers(all ...float64) []string {
	texts := make([]string, len(all))
	for i, x := range all {
		if x-x == 0 {
			texts[i] = strconv.FormatFloat(x, 'g', -1, 64)
		}
	}
	return texts
}

// count returns a number for CSV, or nothing for 0.
func count(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// ShortCommit returns the first twelve digits of a whole hash of git, and any other name as it is.
func ShortCommit(name string) string {
	if (len(name) == 40 || len(name) == 64) && strings.Trim(name, "0123456789abcdef") == "" {
		return name[:12]
	}
	return name
}

// paramsText returns params in one line.
func paramsText(params traceid.Params) string {
	var parts []string
	for key, value := range params.All() {
		parts = append(parts, key+"="+value)
	}
	return strings.Join(parts, " ")
}

// join joins the texts that are not empty.
func join(separator string, texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(s string) bool { return s == "" }), separator)
}

// isIn reports whether params have a param, with its value.
func isIn(params traceid.Params, p traceid.Param) bool {
	value, ok := params.Get(p.Key)
	return ok && value == p.Value
}

// mainKeys are the params that name a benchmark. The first that a series has is shown without its
// key.
var mainKeys = []string{"name", "test", "benchmark", "bench"}

// NamesBenchmarks reports whether a key is the key of a param that names benchmarks.
func NamesBenchmarks(key string) bool { return slices.Contains(mainKeys, key) }

func isUnit(s *series.Series, p traceid.Param) bool {
	return (p.Key == "unit" || p.Key == "units") && p.Value == s.Unit
}

// label returns the name of a series, as Go benchmarks are named if it has a name, without the
// params that are said elsewhere.
func label(s *series.Series, elsewhere ...traceid.Params) string {
	name, main, end := "", "", ""
	for _, key := range slices.Backward(mainKeys) {
		if value, ok := s.Identity.Get(key); ok {
			name, main = value, key
		}
	}
	for _, p := range s.Identity {
		isSaid := slices.ContainsFunc(elsewhere, func(params traceid.Params) bool { return isIn(params, p) })
		switch {
		case p.Key == main || isSaid || isUnit(s, p):
		case p.Key == "gomaxprocs":
			end = "-" + p.Value
		case goname.SubNumber(p.Key) > 0:
			name += "/" + p.Value
		default:
			name = join("/", name, p.Key+"="+p.Value)
		}
	}
	return cmp.Or(name+end, "(all)")
}

// SetNames returns the names of two sets of files: the names of their only files, without the
// folders that both have in common, or otherwise old and new.
func SetNames(old, new []string) []string {
	isAddress := func(name string) bool { return name == "-" || strings.Contains(name, "://") } // with a password
	if len(old) != 1 || len(new) != 1 || old[0] == new[0] || isAddress(old[0]) || isAddress(new[0]) {
		return []string{"old", "new"}
	}
	a, b := old[0], new[0]
	for n := strings.IndexByte(a, '/') + 1; n > 0 && strings.HasPrefix(b, a[:n]); n = strings.IndexByte(a, '/') + 1 {
		a, b = a[n:], b[n:]
	}
	return []string{a, b}
}
