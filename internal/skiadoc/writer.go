package skiadoc

import (
	"fmt"
	"math"
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

// CheckHeader returns why a header can't be written, or nil. The text is the header as JSON. The
// strings and pairs are its parts; other is the name of the pairs that are not the key's.
func CheckHeader(
	text []byte, strings []string, key, pairs traceid.Params, other string, limits format.Limits,
) error {
	for _, s := range strings {
		if !utf8.ValidString(s) {
			return fmt.Errorf("header: %q is not UTF-8", s)
		}
	}
	if err := CheckPairs(key, limits); err != nil {
		return fmt.Errorf("header: Key: %w", err)
	}
	if err := CheckPairs(pairs, limits); err != nil {
		return fmt.Errorf("header: %s: %w", other, err)
	}

	for _, s := range strings {
		if tooLong(s, limits.MaxStringBytes) {
			return fmt.Errorf("header: %s is longer than %d bytes (Limits.MaxStringBytes)", message.Quote(s),
				limits.MaxStringBytes)
		}
	}
	if max := limits.MaxHeaderBytes; int64(len(text)+(len(key)+len(pairs))*PairCost) > max {
		return fmt.Errorf("header: too large: more than %d bytes (Limits.MaxHeaderBytes)", max)
	}
	return nil
}

// AppendString appends a comma and a member of an object, unless the value is empty.
func AppendString(dst []byte, name, value string) []byte {
	if value == "" {
		return dst
	}
	dst = chars.AppendJSON(append(dst, ','), name)
	return chars.AppendJSON(append(dst, ':'), value)
}

// AppendPairs appends a comma and a member of an object, if there are any pairs.
func AppendPairs(dst []byte, name string, pairs traceid.Params) []byte {
	if len(pairs) == 0 {
		return dst
	}
	dst = chars.AppendJSON(append(dst, ','), name)
	return chars.AppendJSONObject(append(dst, ':'), pairs.All())
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
