package skiadoc

import (
	"unicode/utf8"

	"perfdata/format"
	"perfdata/internal/series"
	"perfdata/internal/swar"
	"perfdata/traceid"
)

// A PairsChecker is CheckPairs for the params of consecutive records. It remembers the last pairs
// that it accepted and checks only the strings that differ, because most strings are equal to the
// last record's.
type PairsChecker struct {
	series.Series

	// Special says that some key or value, now or earlier, may need escape sequences. If there is
	// none, nobody has to look for them. That saves 8 to 10% of the instructions of writing Skia v1.
	Special bool
}

// Check returns why the pairs can't be written, or nil. They become the last pairs of the Series if
// the caller accepts them.
func (c *PairsChecker) Check(pairs traceid.Params, limits *format.Limits) error {
	c.Compare(pairs)
	fine := !c.Rekeyed || len(pairs) <= limits.MaxParams && c.fineKeys(pairs, limits.MaxStringBytes)
	for i := range c.Changed {
		change := &c.Changed[i]
		value := pairs[change.Index].Value
		change.Canonical = swar.Canonical(value)
		fine = fine && (change.Canonical && len(value) <= limits.MaxStringBytes || c.fine(value, limits.MaxStringBytes))
	}
	if fine {
		return nil
	}
	return CheckPairs(pairs, *limits)
}

// fineKeys reports whether the keys that have changed can be written. The others are sorted.
func (c *PairsChecker) fineKeys(pairs traceid.Params, max int) bool {
	for _, change := range c.Changed {
		i := change.Index
		if i > 0 && pairs[i-1].Key >= pairs[i].Key || i+1 < len(pairs) && pairs[i].Key >= pairs[i+1].Key {
			return false
		}
		if !c.fine(pairs[i].Key, max) {
			return false
		}
	}
	return true
}

// fine reports whether a string can be written.
func (c *PairsChecker) fine(s string, max int) bool {
	if swar.Plain(s) {
		return len(s) <= max
	}
	c.Special = true
	return utf8.ValidString(s) && !tooLong(s, max)
}

// MostSize returns an upper bound of PairsSize of the n pairs that were checked last.
func (c *PairsChecker) MostSize(n, cost int) int {
	return len(`{}`) + n*(cost+len(`"":"",`)) + mostEscaped*c.Bytes
}
