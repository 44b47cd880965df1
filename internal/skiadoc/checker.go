package skiadoc

import (
	"unicode/utf8"

	"perfdata/format"
	"perfdata/internal/delta"
	"perfdata/internal/jsonenc"
	"perfdata/internal/swar"
	"perfdata/traceid"
)

// A PairsChecker is CheckPairs for the params of consecutive records. It remembers the last pairs
// that it accepted and checks only the strings that differ, because most strings are equal to the
// last record's.
type PairsChecker struct {
	delta.Series
	Texts *Texts // of the Writer
}

// Texts are all keys and values that a Writer has checked.
//
// If none of them needs escape sequences, nobody has to look for any. Otherwise writing Skia v1 takes
// 12% more instructions, and writing legacy files 20%.
type Texts struct{ special bool }

// AppendString appends one of the texts as a JSON string.
func (t *Texts) AppendString(dst []byte, s string) []byte {
	if t.special {
		return jsonenc.AppendString(dst, s)
	}
	return append(append(append(dst, '"'), s...), '"')
}

// AppendPairs appends pairs of the texts as a JSON object.
func (t *Texts) AppendPairs(dst []byte, pairs traceid.Params) []byte {
	dst = append(dst, '{')
	for i := range pairs {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(t.AppendString(dst, pairs[i].Key), ':')
		dst = t.AppendString(dst, pairs[i].Value)
	}
	return append(dst, '}')
}

// WrittenLen is [WrittenLen] of one of the texts.
func (t *Texts) WrittenLen(s string) int {
	if t.special {
		return WrittenLen(s)
	}
	return len(s)
}

// Check returns why the pairs can't be written, or nil. They become the last pairs of the Series if
// the caller accepts them.
func (c *PairsChecker) Check(pairs traceid.Params, limits *format.Limits) error {
	c.Compare(pairs)
	max := limits.MaxStringBytes
	fine := !c.Rekeyed || len(pairs) <= limits.MaxParams && c.fineKeys(pairs, max)
	for i := range c.Changed {
		x := &c.Changed[i]
		value := pairs[x.Index].Value
		if x.Canonical = swar.Canonical(value); !x.Canonical || len(value) > max {
			fine = fine && c.fine(value, max)
		}
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
	c.Texts.special = true
	return utf8.ValidString(s) && !tooLong(s, max)
}

// MostSize returns an upper bound of PairsSize of the n pairs that were checked last.
func (c *PairsChecker) MostSize(n, cost int) int {
	return len(`{}`) + n*(cost+len(`"":"",`)) + mostEscaped*c.Bytes
}
