package forms

import (
	"perfdata/internal/chars"
	"perfdata/internal/number"
)

// LearnSkipped learns a form of the text of a JSON value. The strings, arrays and objects of the
// text must end; nothing else needs to be known about it. Nothing else is known about what
// matches, either: numbers are not parsed.
func (t *Set) LearnSkipped(text []byte) bool {
	f := &t.skipped
	f.Reset()
	for i := 0; i < len(text) && !f.refused; i++ {
		start := i

		// At each turn, i is outside of strings and numbers. All other bytes are compared one by
		// one, so literals need no case here. Names are also compared: the parser did not skip a
		// member of another name.
		switch {
		case text[i] == '"':
			escaped := false
			for i++; text[i] != '"'; i++ {
				if text[i] == '\\' {
					escaped = true
					i++
				}
			}
			after := chars.AfterSpace(text, i+1)
			if isName := after < len(text) && text[after] == ':'; !isName && !escaped {
				f.Bind(Text, Tag{}, 0, start+1, i)
			}

		case text[i] == '-' || text[i]-'0' <= 9:
			for i+1 < len(text) && number.InNumber[text[i+1]] {
				i++
			}
			f.Bind(unparsed, Tag{}, 0, start, i+1)
		}
	}
	t.Next()
	return t.Learn(f, text)
}

// skippedLen returns how many bytes at the beginning of b may be a number's. They need not be one:
// LearnSkipped is for values that the parser skips without a look at their numbers.
func skippedLen(b []byte) int {
	n := 0
	for n < len(b) && number.InNumber[b[n]] {
		n++
	}
	return n
}
