package metamorphic

import (
	"bytes"
	"encoding/json"
	"slices"
	"sort"
	"strings"

	"perfdata/internal/testing/plausible"
)

// A piece is a part of a document that a change of white space or order keeps: a JSON token, or the
// text of a line or of a field.
type piece struct {
	text []byte
	old  int // offset in the document
	new  int // offset in the changed document
}

// A change is a document with the same meaning as another one.
type change struct {
	text   []byte
	pieces []piece // in the order of the changed document
	oldEnd int
}

func (c *change) add(p piece) {
	p.new = len(c.text)
	c.text = append(c.text, p.text...)
	c.pieces = append(c.pieces, p)
}

// original returns the offset in the document of an offset in the changed document. A place
// between two pieces is the beginning of the second one.
func (c *change) original(offset int64) int64 {
	if offset == 0 {
		return 0 // the document as a whole
	}
	i := sort.Search(len(c.pieces), func(i int) bool {
		return int64(c.pieces[i].new+len(c.pieces[i].text)) > offset
	})
	if i == len(c.pieces) {
		return int64(c.oldEnd)
	}
	return int64(c.pieces[i].old) + max(0, offset-int64(c.pieces[i].new))
}

// unchanged returns the change that changes nothing.
func unchanged(text []byte, pieces []piece) *change {
	c := &change{text: text, pieces: slices.Clone(pieces), oldEnd: len(text)}
	for i := range c.pieces {
		c.pieces[i].new = c.pieces[i].old
	}
	return c
}

const jsonSpace = " \t\r\n"

// tokens returns the tokens of a JSON document, which may be malformed.
func tokens(text []byte) []piece {
	var all []piece
	for i := 0; i < len(text); {
		start := i
		switch c := text[i]; {
		case strings.IndexByte(jsonSpace, c) >= 0:
			i++
			continue
		case strings.IndexByte("{}[],:", c) >= 0:
			i++

		case c == '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			i = min(i+1, len(text))

		default:
			n := bytes.IndexAny(text[i:], jsonSpace+`{}[],:"`)
			if n < 0 {
				n = len(text) - i
			}
			i += n
		}
		all = append(all, piece{text: text[start:i], old: start})
	}
	return all
}

// respace returns the document with other white space between its tokens, and after them if that is
// permitted.
func respace(text []byte, pieces []piece, after bool, r *plausible.Random) *change {
	c := &change{oldEnd: len(text)}
	percent := r.Below(60)
	space := func(needed bool) {
		for needed || r.Chance(percent) {
			c.text = append(c.text, plausible.Pick(r, []string{" ", "\n", "\t", "\r\n", "    "})...)
			needed = false
		}
	}
	end := 0
	for i, p := range pieces {
		space(i > 0 && p.old > end && isWord(p) && isWord(pieces[i-1]))
		c.add(p)
		end = p.old + len(p.text)
	}
	if after {
		space(false)
	}
	return c
}

// isWord reports whether a token would become a part of another one next to it.
func isWord(p piece) bool { return strings.IndexByte(`{}[],:"`, p.text[0]) < 0 }

// A shuffler writes a JSON document with the members of some objects in another order.
type shuffler struct {
	change
	random   *plausible.Random
	tokens   []piece
	ends     []int      // of each bracket that opens: the index of the one that closes
	patterns [][]string // the paths of objects whose members have no order
	rank     func(name string) int
}

// shuffle returns a valid document with another order of the members of the objects whose paths match
// a pattern. If rank is not nil, it decides the order.
func shuffle(text []byte, pieces []piece, patterns [][]string, rank func(string) int, r *plausible.Random) *change {
	s := shuffler{random: r, tokens: pieces, patterns: patterns, rank: rank, ends: make([]int, len(pieces))}
	s.oldEnd = len(text)
	var open []int
	for i, p := range pieces {
		switch p.text[0] {
		case '{', '[':
			open = append(open, i)
		case '}', ']':
			s.ends[open[len(open)-1]] = i
			open = open[:len(open)-1]
		}
	}
	for k := 0; k < len(pieces); k = s.end(k) { // some formats have several values, or words around one
		s.value(k, nil)
	}
	slices.SortFunc(s.pieces, func(a, b piece) int { return a.new - b.new })
	return &s.change
}

// end returns the index of the token after the value that begins at token i.
func (s *shuffler) end(i int) int {
	if c := s.tokens[i].text[0]; c == '{' || c == '[' {
		return s.ends[i] + 1
	}
	return i + 1
}

func (s *shuffler) value(i int, path []string) {
	first := s.tokens[i]
	switch first.text[0] {
	case '{':
		s.object(i, path)
	case '[':
		for k := i; k < s.ends[i]; k++ {
			s.add(s.tokens[k]) // the bracket, or a comma
			if k+1 == s.ends[i] {
				break
			}
			s.value(k+1, append(path, "*"))
			k = s.end(k+1) - 1
		}
		s.add(s.tokens[s.ends[i]])
	default:
		s.add(first)
	}
}

func (s *shuffler) object(i int, path []string) {
	var members []int // their first tokens
	for k := i + 1; k < s.ends[i]; {
		members = append(members, k)
		k = s.end(k+2) + 1
	}

	switch {
	case !s.hasNoOrder(path):
	case s.rank != nil:
		slices.SortStableFunc(members, func(a, b int) int { return s.rank(s.name(a)) - s.rank(s.name(b)) })
	default:
		for k := len(members) - 1; k > 0; k-- {
			j := s.random.Below(k + 1)
			members[k], members[j] = members[j], members[k]
		}
	}

	s.add(s.tokens[i])
	for k, m := range members {
		if k > 0 {
			s.text = append(s.text, ',')
		}
		s.add(s.tokens[m])
		s.add(s.tokens[m+1])
		s.value(m+2, append(path, s.name(m)))
	}
	s.add(s.tokens[s.ends[i]])
}

// name returns the name that is token i.
func (s *shuffler) name(i int) string {
	var name string
	if json.Unmarshal(s.tokens[i].text, &name) != nil {
		panic("metamorphic: not a name in a valid document: " + string(s.tokens[i].text))
	}
	return name
}

// hasNoOrder reports whether one of the patterns matches the path. A star matches any name.
func (s *shuffler) hasNoOrder(path []string) bool {
	return slices.ContainsFunc(s.patterns, func(pattern []string) bool {
		return slices.EqualFunc(pattern, path, func(p, name string) bool { return p == "*" || p == name })
	})
}

// respaceLines returns keyvals with other white space around their lines.
func respaceLines(text []byte, r *plausible.Random) *change {
	c := &change{oldEnd: len(text)}
	old := 0
	for line := range bytes.Lines(text) {
		content := bytes.Trim(line, " \t\r\n\v\f")
		at := old + bytes.Index(line, content)
		old += len(line)
		c.text = append(c.text, plausible.Pick(r, []string{"", "", " ", "\t \v", "\r"})...)
		c.add(piece{text: content, old: at})
		c.text = append(c.text, plausible.Pick(r, []string{"", "", "", " ", "\f\t"})...)
		if bytes.HasSuffix(line, []byte("\n")) {
			c.text = append(c.text, plausible.Pick(r, []string{"\n", "\r\n"})...)
		}
	}
	return c
}

// respaceFields returns Go benchmark data with other white space between the fields of results,
// and with empty lines.
func respaceFields(text []byte, r *plausible.Random) *change {
	c := &change{oldEnd: len(text)}
	old := 0
	for line := range bytes.Lines(text) {
		content := bytes.TrimRight(line, "\r\n")
		at := old
		old += len(line)
		for r.Chance(10) {
			c.text = append(c.text, '\n')
		}
		if !bytes.HasPrefix(line, []byte("Benchmark")) {
			c.add(piece{text: line, old: at})
			continue
		}

		for len(content) > 0 {
			n := bytes.IndexAny(content, " \t")
			if n < 0 {
				n = len(content)
			}
			c.add(piece{text: content[:n], old: at})

			rest := bytes.TrimLeft(content[n:], " \t")
			at += len(content) - len(rest)
			if len(rest) < len(content)-n {
				c.text = append(c.text, plausible.Pick(r, []string{" ", "\t", "  ", "\u00a0", "\u3000\t"})...)
			}
			content = rest
		}
		c.text = append(c.text, line[len(bytes.TrimRight(line, "\r\n")):]...)
	}
	return c
}
