package skiadoc

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"perfdata/format"
	"perfdata/internal/chars"
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
		if m.Text != nil && !utf8.ValidString(*m.Text) {
			return fmt.Errorf("header: %q is not UTF-8", *m.Text)
		}
		if m.Text != nil {
			continue
		}
		if err := CheckPairs(*m.Pairs, limits); err != nil {
			return fmt.Errorf("header: %s%s: %w", strings.ToUpper(m.Name[:1]), m.Name[1:], err)
		}
		size += len(*m.Pairs) * PairCost
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
