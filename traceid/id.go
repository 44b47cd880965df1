package traceid

import (
	"errors"
	"fmt"
	"strings"
)

// ID returns the canonical id of p, in the default [Charset]. It returns "" if p is empty.
func (p Params) ID() string { return defaultCharset.ID(p) }

// AppendID appends the canonical id of p, in the default [Charset], to dst and returns the
// extended slice. It appends nothing if p is empty. If the keys of p are canonical, it allocates
// only to extend dst.
func (p Params) AppendID(dst []byte) []byte { return defaultCharset.AppendID(dst, p) }

// Canonical returns p with canonical keys and values, in the default [Charset], or p itself if it
// is already canonical. For keys that become equal, see the package comment.
func (p Params) Canonical() Params { return defaultCharset.Canonical(p) }

// CanonicalString returns s as a key or value of a canonical id, in the default [Charset]. It
// replaces each rune outside the set, and each byte of invalid UTF-8, by _. An empty s becomes _.
func CanonicalString(s string) string { return defaultCharset.canonicalString(s) }

// MakeStrict returns the id of p without changes. It refuses an empty set, keys that do not ascend,
// and a key or value that is empty or has , = or ; because [Parse] could not parse such an id.
func MakeStrict(p Params) (string, error) {
	if len(p) == 0 {
		return "", errors.New("no params to make a trace id of")
	}

	id, last := []byte{','}, ""
	for _, x := range p {
		if err := checkPart("key", x.Key); err != nil {
			return "", err
		}
		if err := checkPart("value", x.Value); err != nil {
			return "", fmt.Errorf("key %q: %w", x.Key, err)
		}
		if err := checkOrder(last, x.Key); err != nil {
			return "", err
		}
		last = x.Key
		id = append(append(append(append(id, x.Key...), '='), x.Value...), ',')
	}
	return string(id), nil
}

// Valid reports whether [Parse] accepts id. If so, it allocates nothing.
func Valid(id string) bool { return parse(id, func(Param) {}) == nil }

// Parse returns the params of id. Their strings share the memory of id. The error for an invalid id
// names the id and the fault.
func Parse(id string) (Params, error) {
	p := make(Params, 0, max(0, strings.Count(id, ",")-1))
	if err := parse(id, func(x Param) { p = append(p, x) }); err != nil {
		return nil, fmt.Errorf("trace id %q: %w", id, err)
	}
	return p, nil
}

// parse calls do for each param of an id, up to the first fault.
func parse(id string, do func(Param)) error {
	last := ""
	for rest := id; ; {
		after, ok := strings.CutPrefix(rest, ",")
		end := strings.IndexByte(after, ',')
		if !ok || end < 0 {
			return errComma
		}
		key, value, ok := strings.Cut(after[:end], "=")
		switch {
		case !ok:
			return errPair
		case key == "" || value == "":
			return errEmpty
		case strings.IndexByte(key, ';') >= 0 || strings.ContainsAny(value, "=;"):
			return errChar
		}

		if err := checkOrder(last, key); err != nil {
			return err
		}
		if do(Param{key, value}); after[end:] == "," {
			return nil
		}
		last, rest = key, after[end:]
	}
}

// Errors without an operand: Valid needs no text of them.
var (
	errComma = errors.New("it must begin with a comma and end with one, as in ,key=value,")
	errPair  = errors.New("between two commas it must have key=value")
	errEmpty = errors.New("a key or value is empty")
	errChar  = errors.New("a key or value holds = or ;")
)

func checkPart(what, s string) error {
	if s == "" {
		return fmt.Errorf("empty %s", what)
	}
	if i := strings.IndexAny(s, ",=;"); i >= 0 {
		return fmt.Errorf("%s %q holds %q", what, s, s[i])
	}
	return nil
}

func checkOrder(key, next string) error {
	if key == next {
		return fmt.Errorf("duplicate key %q", key)
	}
	if key > next {
		return fmt.Errorf("key %q comes after %q, out of order", next, key)
	}
	return nil
}
