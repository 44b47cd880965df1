package store

import (
	"cmp"
	"fmt"
	"regexp/syntax"
	"unicode"
	"unicode/utf8"

	"perfdata/ingest"
	"perfdata/series"
	"perfdata/traceid"
)

// ErrOtherCharset is the cause of an error about trace IDs in another charset than the store: of
// Open, if the Charset of [Options] is not the one that the database has, and of a file whose IDs
// the caller has made in another one. IDs of several charsets would name a series several times.
var ErrOtherCharset error = &inputError{"charset is not that of the store", ingest.ErrRefused}

// Charset returns the charset of all trace IDs of the store. It is nil if that is the default.
// Programs that call [ingest.Run] with the Store need it for ingest.RunOptions; [Store.Ingest] and
// [Store.Upload] use it.
func (s *Store) Charset() *traceid.Charset { return s.charset }

// parseCharset parses the expression of a charset, which may be empty.
func parseCharset(expression string) (*traceid.Charset, error) {
	if err := checkText("charset", expression); err != nil {
		return nil, err
	}
	return series.ParseCharset(expression)
}

// chooseCharset returns the charset of a database, given the expression that it has recorded and
// the one that the caller wants. Both may be empty.
func chooseCharset(recorded, wanted string) (*traceid.Charset, error) {
	charset, err := parseCharset(recorded)
	if err != nil || wanted == "" || wanted == recorded {
		return charset, err
	}
	other, _ := parseCharset(wanted) // Open has checked it

	// Expressions may be written in several ways.
	var in, inOther [utf8.UTFMax]byte
	for _, c := range append(edges(recorded), edges(wanted)...) {
		text := string(c)
		if string(charset.AppendString(in[:0], text)) != string(other.AppendString(inOther[:0], text)) {
			return nil, fmt.Errorf("%w: its trace IDs replace the characters %s, not %s", ErrOtherCharset,
				cmp.Or(recorded, "[^a-zA-Z0-9._-]"), wanted)
		}
	}
	return charset, nil
}

// edges returns characters at which a valid expression may change from matching to not: it treats all
// characters from one edge to the next alike.
func edges(expression string) []rune {
	all := []rune{0xe000} // after the surrogates, which are not characters
	for c := range rune(utf8.RuneSelf + 1) {
		all = append(all, c) // assertions, such as \b, tell only some of these apart
	}
	re, _ := syntax.Parse(expression, syntax.Perl)
	prog, _ := syntax.Compile(re.Simplify())
	for _, inst := range prog.Inst {
		for _, c := range inst.Rune { // an end of a range, or one whose case may be ignored
			all = append(all, c, c+1)
			for f := unicode.SimpleFold(c); f != c; f = unicode.SimpleFold(f) {
				all = append(all, f, f+1)
			}
		}
	}
	return all
}
