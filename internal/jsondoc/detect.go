package jsondoc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"perfdata/format"
	"perfdata/internal/jsonscan"
)

// A Clue is a member that speaks for a format, and the kinds of its values.
type Clue struct {
	Name  string
	Kinds []jsonscan.Kind
	Weak  bool // many other formats have it too
}

// How much speaks for a format: see format.Match.
const (
	weakClue = 1 + iota
	strongClue
	wrongKind
)

// Detect returns the Detect of a format whose documents are objects. Sniff reports whether one is certainly
// of the format, by the part that the Scanner has: only if it has one of the clues. Otherwise, the clues
// speak for the format: see Unrecognized.
func Detect(sniff func(*jsonscan.Scanner) bool, clues []Clue, decisive string) func([]byte) format.Match {
	return func(prefix []byte) format.Match {
		// To look at the first character takes a hundredth of the time that a Scanner takes to fail.
		text := bytes.TrimLeft(bytes.TrimPrefix(prefix, []byte("\ufeff")), " \t\r\n")
		hasName := func(c Clue) bool { return bytes.Contains(text, []byte(c.Name+`"`)) }
		switch {
		case len(text) == 0 || text[0] != '{':
			return format.Match{}
		case !slices.ContainsFunc(clues, hasName) && bytes.IndexByte(text, '\\') < 0:
			return format.Match{} // no clue, not even with escapes in its name, so that nothing need be read
		case sniff(jsonscan.OfBytes(prefix)):
			return format.Match{Yes: true}
		}
		return Unrecognized(prefix, clues, decisive)
	}
}

// Unrecognized returns what speaks for a format in a document that begins with prefix, if its Detect
// is not certain. Decisive names the member that the document lacks.
func Unrecognized(prefix []byte, clues []Clue, decisive string) format.Match {
	s := jsonscan.OfBytes(prefix)
	s.AllowNaN()
	found, rank := "", 0
	for name, kind := range s.Glance() {
		i := slices.IndexFunc(clues, func(c Clue) bool { return c.Name == string(name) })
		if i < 0 || kind == jsonscan.Null || kind == jsonscan.None {
			continue
		}

		clue := clues[i]
		if !slices.Contains(clue.Kinds, kind) {
			var want []string
			for _, k := range clue.Kinds {
				want = append(want, kindName(k))
			}
			reason := fmt.Sprintf("%s is %s: want %s", clue.Name, kindName(kind), strings.Join(want, " or "))
			return format.Match{Reason: reason, Likely: wrongKind}
		}
		if rank < strongClue {
			found, rank = clue.Name, strongClue
			if clue.Weak {
				rank = weakClue
			}
		}
	}

	if found == "" || SyntaxError(s) != nil {
		return format.Match{}
	}
	return format.Match{Reason: fmt.Sprintf("a JSON object with %s, but without the %s", found, decisive), Likely: rank}
}

// SyntaxError returns the error of a Scanner of the beginning of a document, unless that only ends
// too early.
func SyntaxError(s *jsonscan.Scanner) *format.Error {
	fault, ok := errors.AsType[*format.Error](s.Err())
	if !ok || errors.Is(fault, io.ErrUnexpectedEOF) {
		return nil
	}
	return fault
}

func kindName(kind jsonscan.Kind) string {
	switch kind {
	case jsonscan.Object, jsonscan.Array:
		return "an " + kind.String()
	case jsonscan.Null:
		return "null"
	}
	return "a " + kind.String()
}
