package skiadoc

import (
	"unicode/utf8"

	"perfdata/format"
	"perfdata/internal/same"
	"perfdata/traceid"
)

// A PairsChecker is CheckPairs for the params of consecutive records. It remembers the last pairs
// that it accepted and checks only the values that differ, because most strings are equal to the
// last record's. Writing Skia v1 takes half the instructions that it takes with CheckPairs.
type PairsChecker struct {
	last traceid.Params
	size int // bytes of all keys and values
}

// A Change says how pairs differ from the last ones: the index of the only value that differs, or
// one of these constants.
type Change int

const (
	NoChange   Change = -1
	Values     Change = -2 // the keys are the same, and several values differ
	AllChanged Change = -3 // the keys differ
)

// Check returns why the pairs can't be written, or nil, and what has changed. It keeps the strings
// of the pairs.
func (c *PairsChecker) Check(pairs traceid.Params, limits *format.Limits) (Change, error) {
	if len(pairs) != len(c.last) {
		return AllChanged, c.checkAll(pairs, limits)
	}
	changed := NoChange
	for i := range pairs {
		x, y := &pairs[i], &c.last[i]
		if same.String(x.Value, y.Value) && same.String(x.Key, y.Key) {
			continue
		}
		if x.Key != y.Key {
			return AllChanged, c.checkAll(pairs, limits)
		}
		if x.Value == y.Value {
			continue
		}

		if tooLong(x.Value, limits.MaxStringBytes) || !utf8.ValidString(x.Value) {
			return AllChanged, c.checkAll(pairs, limits)
		}
		c.size += len(x.Value) - len(y.Value)
		y.Value = x.Value
		if changed == NoChange {
			changed = Change(i)
		} else {
			changed = Values
		}
	}
	return changed, nil
}

// checkAll checks all pairs.
func (c *PairsChecker) checkAll(pairs traceid.Params, limits *format.Limits) error {
	c.Forget()
	if err := CheckPairs(pairs, *limits); err != nil {
		return err
	}
	c.last = append(c.last, pairs...)
	for _, p := range pairs {
		c.size += len(p.Key) + len(p.Value)
	}
	return nil
}

// Forget makes c forget the last pairs, because they are not written.
func (c *PairsChecker) Forget() { c.last, c.size = c.last[:0], 0 }

// MostSize returns an upper bound of PairsSize of the last pairs.
func (c *PairsChecker) MostSize(cost int) int {
	return len(`{}`) + len(c.last)*(cost+len(`"":"",`)) + mostEscaped*c.size
}
