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

// Check returns why the pairs can't be written, or nil. They are the last pairs of the Series then.
// After an error, there are none.
func (c *PairsChecker) Check(pairs traceid.Params, limits *format.Limits) error {
	c.Next(pairs)
	fine := !c.Rekeyed || len(pairs) <= limits.MaxParams && c.fineKeys(limits.MaxStringBytes)
	for _, i := range c.Changed {
		fine = fine && c.fine(pairs[i].Value, limits.MaxStringBytes)
	}
	if fine {
		return nil
	}
	c.Forget()
	return CheckPairs(pairs, *limits)
}

// fineKeys reports whether the keys that have changed can be written. The others are sorted.
func (c *PairsChecker) fineKeys(max int) bool {
	for _, i := range c.Changed {
		key := c.Pairs[i].Key
		if !c.fine(key, max) || i > 0 && c.Pairs[i-1].Key >= key ||
			i+1 < len(c.Pairs) && key >= c.Pairs[i+1].Key {
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

// MostSize returns an upper bound of PairsSize of the last pairs.
func (c *PairsChecker) MostSize(cost int) int {
	return len(`{}`) + len(c.Pairs)*(cost+len(`"":"",`)) + mostEscaped*c.Bytes
}
