package skiadoc

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"perfdata/format"
	"perfdata/internal/chars"
	"perfdata/internal/delta"
	"perfdata/internal/message"
	"perfdata/traceid"
)

// This file is for Writers. They refuse what their format's Validate calls invalid, and what
// exceeds the limits of the file's reader.

// CheckValue returns why the value of a measurement can't be written, or nil.
func CheckValue(f float64) error {
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		return fmt.Errorf("the value is %v, which JSON can't hold", f)
	case !InRange(f):
		return fmt.Errorf("the value is %v, out of the range of float32, in which Skia Perf stores it", f)
	}
	return nil
}

// CheckPairs returns why params, links or attrs can't be written, or nil.
func CheckPairs(pairs traceid.Params, limits format.Limits) error {
	if err := message.CheckPairs(pairs); err != nil {
		return err
	}
	if len(pairs) > limits.MaxParams {
		return fmt.Errorf("more than %d (Limits.MaxParams)", limits.MaxParams)
	}
	for i := range pairs {
		p := &pairs[i]
		if tooLong(p.Key, limits.MaxStringBytes) || tooLong(p.Value, limits.MaxStringBytes) {
			return fmt.Errorf("%s: the key or value is longer than %d bytes (Limits.MaxStringBytes)",
				message.Quote(p.Key), limits.MaxStringBytes)
		}
	}
	return nil
}

// tooLong reports whether a string takes more than max bytes when it is written.
func tooLong(s string, max int) bool { return MostLen(s) > max && WrittenLen(s) > max }

// CheckHeader returns why a header can't be written, or nil. The texts of the members come before the
// pairs. The text is the header as JSON.
func CheckHeader(text []byte, members []Member, limits format.Limits) error {
	size := len(text)
	for _, m := range members {
		if m.Text == nil {
			if err := CheckPairs(*m.Pairs, limits); err != nil {
				return fmt.Errorf("header: %s%s: %w", strings.ToUpper(m.Name[:1]), m.Name[1:], err)
			}
			size += len(*m.Pairs) * PairCost
		} else if !utf8.ValidString(*m.Text) {
			return fmt.Errorf("header: %q is not UTF-8", *m.Text)
		}
	}

	for _, m := range members {
		if m.Text != nil && tooLong(*m.Text, limits.MaxStringBytes) {
			return fmt.Errorf("header: %s is longer than %d bytes (Limits.MaxStringBytes)", message.Quote(*m.Text),
				limits.MaxStringBytes)
		}
	}
	if max := limits.MaxHeaderBytes; int64(size) > max {
		return fmt.Errorf("header: too large: more than %d bytes (Limits.MaxHeaderBytes)", max)
	}
	return nil
}

// MaxNumber is the largest number of bytes that a number takes when it is written.
const MaxNumber = 25

// mostEscaped is the largest number of bytes that a byte of a string takes when it is written.
const mostEscaped = 6

// MostLen returns the largest number of bytes that s can take when it is written, without quotes.
func MostLen(s string) int { return mostEscaped * len(s) }

// WrittenLen returns the number of bytes that s takes when it is written, without quotes.
func WrittenLen(s string) int {
	if chars.Plain(s) {
		return len(s)
	}
	return len(chars.AppendJSON(nil, s)) - 2
}

// PairsSize returns how much of a limit of bytes an object of pairs uses. The cost of a pair is
// added to the length of its text.
func PairsSize(pairs traceid.Params, cost int, textLen func(string) int) int {
	n := len(`{}`)
	for i := range pairs {
		n += cost + len(`"":"",`) + textLen(pairs[i].Key) + textLen(pairs[i].Value)
	}
	return n
}

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
