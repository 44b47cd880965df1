package keyval

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"perfdata/internal/message"
	"perfdata/internal/number"
)

// A kind of line.
type kind int

const (
	perf       kind = iota // key{perf}=value
	untyped                // key=value, read as perf
	attr                   // key{attr}=value
	unknownTag             // key{anything else}=value
	noKeyval               // no = in the line
)

// A keyvalLine is what a line says. It shares the line's memory.
type keyvalLine struct {
	kind            kind
	key, tag, value []byte
	valueAt         int // index of the value in the line
}

// parseLine parses a line without white space around it. The reference uses the regular
// expressions
//
//	^([^=]*)\{(\w*)\}=(.*)$
//	^([^=]*)=(.*)$
//
// and the second one only if the first does not match.
func parseLine(b []byte) keyvalLine {
	i := bytes.IndexByte(b, '=')
	if i < 0 {
		return keyvalLine{kind: noKeyval}
	}

	p := keyvalLine{kind: untyped, key: b[:i], value: b[i+1:], valueAt: i + 1}
	if i == 0 || b[i-1] != '}' {
		return p
	}
	open := bytes.LastIndexByte(b[:i], '{')
	if open < 0 || !isWord(b[open+1:i-1]) {
		return p
	}

	p.key, p.tag = b[:open], b[open:i]
	switch string(p.tag) {
	case "{perf}":
		p.kind = perf
	case "{attr}":
		p.kind = attr
	default:
		p.kind = unknownTag
	}
	return p
}

func isWord(b []byte) bool {
	return !slices.ContainsFunc(b, func(c byte) bool { return !isWordChar(c) })
}

func isWordChar(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '_'
}

// badKeyChar returns the index of the first character that is not allowed in a key, or -1. It
// returns 0 for an empty key. The reference's writer allows [-.\w].
func badKeyChar[T string | []byte](key T) int {
	i := 0
	for i < len(key) && (isWordChar(key[i]) || key[i] == '-' || key[i] == '.') {
		i++
	}
	if i == len(key) && i > 0 {
		return -1
	}
	return i
}

// checkKey returns an error if the key cannot be written.
func checkKey(key string) error {
	switch i := badKeyChar(key); {
	case key == "":
		return errors.New("a key is empty")
	case i >= 0:
		return errors.New(badKeyMessage(key))
	}
	return nil
}

// badKeyMessage says what is wrong with a key for which badKeyChar returns an index.
func badKeyMessage[T string | []byte](key T) string {
	if len(key) == 0 {
		return "the key is empty"
	}
	return fmt.Sprintf("key %s: only letters, digits and . - _ are allowed", message.Quote(string(key)))
}

// parseValue parses a performance value: a number, or mean+-deviation.
func parseValue(b []byte) (mean, deviation float64, hasDeviation bool, err error) {
	if f, n := 0.0, 0; len(b) > 0 {
		text := b
		if cap(b) >= number.Longest {
			text = b[:number.Longest] // the lines after this one: with them, Parse is fast
		}
		if f, n = number.Parse(text); n == len(b) && !math.IsInf(f, 0) {
			return f, 0, false, nil
		}
	}
	if m, d, ok := bytes.Cut(b, []byte("+-")); ok {
		if !isUnsigned(m) || !isUnsigned(d) {
			return 0, 0, false, fmt.Errorf("%s: mean and deviation must be decimals without sign and exponent",
				message.Quote(string(b)))
		}
		mean, err = parseFloat(m)
		if err == nil {
			deviation, err = parseFloat(d)
		}
		return mean, deviation, true, err
	}
	mean, err = parseFloat(b)
	return mean, 0, false, err
}

// isUnsigned reports whether b consists of digits, and perhaps a point after the first of them.
func isUnsigned(b []byte) bool {
	const digits = "0123456789"
	whole, fraction, _ := bytes.Cut(b, []byte("."))
	return len(whole) > 0 && len(bytes.Trim(whole, digits)) == 0 && len(bytes.Trim(fraction, digits)) == 0
}

// parseFloat parses a number as Python's float does, because the reference uses that: with white
// space around it, a sign, inf, infinity or nan in any case, digits with a point anywhere, and an
// exponent.
func parseFloat(b []byte) (float64, error) {
	s := string(bytes.Trim(b, " \t\n\v\f\r"))
	switch unsigned := strings.TrimLeft(s, "+-"); {
	case s == "":
		return 0, errors.New("missing value")
	case len(s)-len(unsigned) > 1:
	case strings.EqualFold(unsigned, "inf"), strings.EqualFold(unsigned, "infinity"):
		if s[0] == '-' {
			return math.Inf(-1), nil
		}
		return math.Inf(1), nil
	case strings.EqualFold(unsigned, "nan"):
		return math.NaN(), nil
	case strings.Trim(unsigned, "0123456789.eE+-") == "":
		// Without hexadecimal digits and separators, strconv agrees with Python.
		f, err := number.ParseFloat(s, 64)
		if errors.Is(err, strconv.ErrRange) {
			return 0, fmt.Errorf("number %s is out of range", message.Quote(s))
		}
		if err == nil {
			return f, nil
		}
	}
	return 0, fmt.Errorf("%s is not a number", message.Quote(s))
}
