package skiadoc

import (
	"fmt"

	"perfdata/format"
	"perfdata/internal/jsonenc"
	"perfdata/internal/message"
	"perfdata/traceid"
)

// What is here is for Writers: they refuse what their format's Validate calls invalid, and what exceeds the limits with which it
// is read.

// CheckPairs returns why params, links or attrs can't be written, or nil.
func CheckPairs(pairs traceid.Params, limits format.Limits) error {
	if err := message.CheckPairs(pairs); err != nil {
		return err
	}
	if len(pairs) > limits.MaxParams {
		return fmt.Errorf("there are %d, more than %d (Limits.MaxParams)", len(pairs), limits.MaxParams)
	}
	for i := range pairs {
		p := &pairs[i]
		if len(p.Key) > limits.MaxStringBytes/mostEscaped || len(p.Value) > limits.MaxStringBytes/mostEscaped {
			if WrittenLen(p.Key) > limits.MaxStringBytes || WrittenLen(p.Value) > limits.MaxStringBytes {
				return fmt.Errorf("%s: the key or value has more than %d bytes (Limits.MaxStringBytes)", message.Quote(p.Key), limits.MaxStringBytes)
			}
		}
	}
	return nil
}

// mostEscaped is how many bytes of JSON a byte of a string can take.
const mostEscaped = 6

// MostLen returns how long s is at most when it is written, without its quotes.
func MostLen(s string) int { return mostEscaped * len(s) }

// WrittenLen returns how long s is when it is written, without its quotes.
func WrittenLen(s string) int {
	if plain(s) {
		return len(s)
	}
	return len(jsonenc.AppendString(nil, s)) - 2
}

// plain reports whether s is written as it is.
func plain(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// PairsSize returns what an object of pairs takes of a limit of bytes, each counted as the cost besides its text.
func PairsSize(pairs traceid.Params, cost int, textLen func(string) int) int {
	n := len(`{}`)
	for i := range pairs {
		n += cost + len(`"":"",`) + textLen(pairs[i].Key) + textLen(pairs[i].Value)
	}
	return n
}

// CheckHeader returns why a header can't be written that has the strings, and as JSON the text, with so many pairs.
func CheckHeader(text []byte, pairs int, limits format.Limits, strings ...string) error {
	for _, s := range strings {
		if WrittenLen(s) > limits.MaxStringBytes {
			return fmt.Errorf("%s has more than %d bytes (Limits.MaxStringBytes)", message.Quote(s), limits.MaxStringBytes)
		}
	}
	if int64(len(text)+pairs*PairCost) > limits.MaxHeaderBytes {
		return fmt.Errorf("it is too large: more than %d bytes (Limits.MaxHeaderBytes)", limits.MaxHeaderBytes)
	}
	return nil
}
