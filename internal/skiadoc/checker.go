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
type PairsChecker struct{ series.Series }

// Check returns why the pairs can't be written, or nil. They are the last pairs of the Series then.
// After an error, there are none.
func (c *PairsChecker) Check(pairs traceid.Params, limits *format.Limits) error {
	c.Next(pairs)
	fine := !c.Rekeyed || len(pairs) <= limits.MaxParams
	for _, i := range c.Changed {
		fine = fine && isFine(pairs[i].Value, limits)
		if c.Rekeyed {
			fine = fine && isFine(pairs[i].Key, limits) &&
				(i == 0 || pairs[i-1].Key < pairs[i].Key) &&
				(i+1 == len(pairs) || pairs[i].Key < pairs[i+1].Key)
		}
	}
	if fine {
		return nil
	}
	c.Forget()
	return CheckPairs(pairs, *limits)
}

// isFine reports whether a string can be written.
func isFine(s string, limits *format.Limits) bool {
	return (swar.ASCII(s) || utf8.ValidString(s)) && !tooLong(s, limits.MaxStringBytes)
}

// MostSize returns an upper bound of PairsSize of the last pairs.
func (c *PairsChecker) MostSize(cost int) int {
	return len(`{}`) + len(c.Pairs)*(cost+len(`"":"",`)) + mostEscaped*c.Bytes
}
