package skiadoc

import (
	"unicode/utf8"

	"perfdata/format"
	"perfdata/internal/chars"
	"perfdata/internal/delta"
	"perfdata/traceid"
)

// A PairsChecker is CheckPairs for the params of consecutive records. It remembers the last pairs
// that it accepted and checks only the strings that differ, because most strings are equal to the
// last record's.
type PairsChecker struct {
	delta.Tracker
	Texts *Texts // of the Writer
}

// Texts are all keys and values that a Writer has checked.
//
// If none of them needs escape sequences, nobody has to look for any. Otherwise writing Skia v1 takes
// 15% more instructions, and writing legacy files 30%.
type Texts struct{ special bool }

// AppendString appends one of the texts as a JSON string.
func (t *Texts) AppendString(dst []byte, s string) []byte {
	if t.special {
		return chars.AppendJSON(dst, s)
	}
	return append(append(append(dst, '"'), s...), '"')
}

// AppendPairs appends pairs of the texts as a JSON object.
func (t *Texts) AppendPairs(dst []byte, pairs traceid.Params) []byte {
	dst = append(dst, '{')
	for i := range pairs {
		dst = t.AppendPair(dst, &pairs[i])
	}
	return EndPairs(dst)
}

// AppendPair appends a pair of the texts as a member of a JSON object, with a comma after it.
func (t *Texts) AppendPair(dst []byte, p *traceid.Param) []byte {
	if t.special {
		dst = append(chars.AppendJSON(dst, p.Key), ':')
		return append(chars.AppendJSON(dst, p.Value), ',')
	}
	dst = append(append(append(dst, '"'), p.Key...), `":"`...)
	return append(append(dst, p.Value...), `",`...)
}

// EndPairs ends a JSON object, in place of the comma after its last member.
func EndPairs(dst []byte) []byte {
	if dst[len(dst)-1] == ',' {
		dst = dst[:len(dst)-1]
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
	if c.Repeats(pairs) {
		return nil
	}
	return c.checkChanged(pairs, limits)
}

// CheckTrace is Check for the params of a trace. It also returns their hash.
func (c *PairsChecker) CheckTrace(params traceid.Params, limits *format.Limits) (hash uint64, err error) {
	c.Compare(params)
	hash, canonical := c.Hash(params)
	// Canonical text is ASCII without escape sequences.
	if canonical && c.Bytes <= limits.MaxStringBytes && c.fineOrder(params, limits) {
		return hash, nil
	}
	return hash, c.checkChanged(params, limits)
}

// checkChanged is Check for pairs that were compared.
func (c *PairsChecker) checkChanged(pairs traceid.Params, limits *format.Limits) error {
	max := limits.MaxStringBytes
	fine := c.fineOrder(pairs, limits)
	for i := range c.Changed {
		p := &pairs[c.Changed[i].Index]
		fine = fine && c.fine(p.Value, max) && (!c.Rekeyed || c.fine(p.Key, max))
	}
	if fine {
		return nil
	}
	return CheckPairs(pairs, *limits)
}

// fineOrder reports whether there are not too many pairs, and their keys are sorted. Keys that have
// not changed are.
func (c *PairsChecker) fineOrder(pairs traceid.Params, limits *format.Limits) bool {
	if !c.Rekeyed {
		return true
	}
	for _, change := range c.Changed {
		i := change.Index
		if i > 0 && pairs[i-1].Key >= pairs[i].Key || i+1 < len(pairs) && pairs[i].Key >= pairs[i+1].Key {
			return false
		}
	}
	return len(pairs) <= limits.MaxParams
}

// fine reports whether a string can be written.
func (c *PairsChecker) fine(s string, max int) bool {
	if chars.Plain(s) {
		return len(s) <= max
	}
	c.Texts.special = true
	return utf8.ValidString(s) && !tooLong(s, max)
}

// MostSize returns an upper bound of PairsSize of the n pairs that were checked last.
func (c *PairsChecker) MostSize(n, cost int) int {
	return len(`{}`) + n*(cost+len(`"":"",`)) + mostEscaped*c.Bytes
}
