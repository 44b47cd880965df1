package store

import (
	"cmp"
	"fmt"
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
	other, err := parseCharset(wanted)
	if err != nil {
		return nil, err
	}

	// Expressions may be written in several ways.
	var in, inOther [utf8.UTFMax]byte
	for c := rune(0); c <= utf8.MaxRune; c++ {
		text := string(c)
		if string(charset.AppendString(in[:0], text)) != string(other.AppendString(inOther[:0], text)) {
			return nil, fmt.Errorf("%w: its trace IDs replace the characters %s, not %s", ErrOtherCharset,
				cmp.Or(recorded, "[^a-zA-Z0-9._-]"), wanted)
		}
	}
	return charset, nil
}
