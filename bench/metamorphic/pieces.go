package metamorphic

import (
	"regexp"
	"sort"
	"strings"

	"perfdata/internal/testing/plausible"
)

// A piece is a part of a document that a change of white space keeps.
type piece struct {
	old, new int // offsets in the document, and in the changed one
	length   int
}

// A change is a document with the same meaning as another one.
type change struct {
	text   []byte
	pieces []piece
	oldEnd int
}

// original returns the offset in the document of an offset in the changed document. A place
// between two pieces is the beginning of the second one.
func (c *change) original(offset int64) int64 {
	if offset == 0 {
		return 0 // the document as a whole
	}
	i := sort.Search(len(c.pieces), func(i int) bool {
		return int64(c.pieces[i].new+c.pieces[i].length) > offset
	})
	if i == len(c.pieces) {
		return int64(c.oldEnd)
	}
	return int64(c.pieces[i].old) + max(0, offset-int64(c.pieces[i].new))
}

const (
	jsonSpace   = " \t\r\n"
	punctuation = `{}[],:"`
)

// The pieces of documents, which may be malformed: the tokens of JSON, lines of keyvals, and in Go
// benchmark data the fields of results, and other lines as a whole.
var (
	jsonTokens  = regexp.MustCompile(`(?s)"(?:\\.|[^"\\])*\\?"?|[{}\[\],:]|[^ \t\r\n{}\[\],:"]+`)
	keyvalLines = regexp.MustCompile(`[^\s\v](?:[^\n]*[^\s\v])?`)
	benchFields = regexp.MustCompile(`(?m)^Benchmark[^ \t\r\n]*|^[^\n]+\n?|^\n|[^ \t\r\n]+`)
	benchSpaces = regexp.MustCompile(`[ \t]+`)
)

// respace returns the document with other texts around its pieces: what gap returns for the old
// one, which is after one piece and before another. At the beginning and the end of the document,
// that one is empty.
func respace(text []byte, pieces *regexp.Regexp, gap func(old, after, before string) string) *change {
	c := &change{oldEnd: len(text)}
	last, end := "", 0
	for _, at := range append(pieces.FindAllIndex(text, -1), []int{len(text), len(text)}) {
		next := string(text[at[0]:at[1]])
		c.text = append(c.text, gap(string(text[end:at[0]]), last, next)...)
		if next != "" {
			c.pieces = append(c.pieces, piece{at[0], len(c.text), len(next)})
		}
		c.text = append(c.text, next...)
		last, end = next, at[1]
	}
	return c
}

// respaced returns the document with other white space: in JSON, after the last token only if it
// is valid.
func (c *test) respaced() *change {
	some := func(texts ...string) string { return plausible.Pick(&c.random, texts) }
	switch c.format {
	case "keyval":
		return respace(c.text, keyvalLines, func(old, _, _ string) string {
			lines := strings.Split(old, "\n")
			for i := range lines {
				lines[i] = some("", "", "", " ", "\t \v", "\f\t", "\r")
			}
			return strings.Join(lines, some("\n", "\r\n"))
		})
	case "benchfmt":
		return respace(c.text, benchFields, func(old, after, _ string) string {
			text := benchSpaces.ReplaceAllStringFunc(old, func(string) string {
				return some(" ", "\t", "  ", "\u00a0", "\u3000\t")
			})
			for (after+old == "" || strings.HasSuffix(after+old, "\n")) && c.random.Chance(10) {
				text += "\n"
			}
			return text
		})
	}

	percent := c.random.Below(60)
	return respace(c.text, jsonTokens, func(old, after, before string) (text string) {
		isNeeded := old != "" && isWord(after) && isWord(before)
		for isNeeded || c.random.Chance(percent) && (before != "" || c.valid) {
			text += some(" ", "\n", "\t", "\r\n", "    ")
			isNeeded = false
		}
		return text
	})
}

// isWord reports whether a token would become a part of another one next to it.
func isWord(token string) bool { return token != "" && strings.IndexByte(punctuation, token[0]) < 0 }
