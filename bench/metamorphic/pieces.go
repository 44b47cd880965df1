package metamorphic

import (
	"bytes"
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

const (
	jsonSpace   = " \t\r\n"
	punctuation = `{}[],:"`
)

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
			n := bytes.IndexAny(text[i:], jsonSpace+punctuation)
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
func isWord(p piece) bool { return strings.IndexByte(punctuation, p.text[0]) < 0 }

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
