package hostile

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// A writer writes the text of an input, with its repetitions: «3,|x» is x,x,x. The count comes
// first, then what separates the items. Without a count, the repetition has at least two items,
// and as many as the size of the input takes.
//
// In an item, $ is its index from 0, as a number in base 36; ~ is the index as blanks and line
// ends; and 丁 as a character. $$ is the index of the enclosing item, and $%7 the index modulo 7.
// After a minus, the indices run down to 0; without a count, there are then as many items as in
// the previous repetition without one.
type writer struct {
	out     []byte
	size    int
	indices []int // of the enclosing items, the innermost last
	items   int   // of the last repetition without a count
}

// special are the characters that are not written as they are.
const special = "«$~丁"

func (w *writer) write(text string) {
	for text != "" {
		plain := 0
		for plain < len(text) && text[plain] != '$' && text[plain] != '~' && text[plain] < utf8.RuneSelf {
			plain++
		}
		w.out = append(w.out, text[:plain]...)
		switch text = text[plain:]; {
		case text == "":
		case strings.HasPrefix(text, "«"):
			text = w.repeat(text[len("«"):])
		default:
			text = w.index(text)
		}
	}
}

// index writes the index that the text begins with, and returns the text after it.
func (w *writer) index(text string) (rest string) {
	spelling, n := utf8.DecodeRuneInString(text)
	depth := 1
	for ; spelling == '$' && strings.HasPrefix(text[n:], "$"); n++ {
		depth++
	}
	index, rest := w.indices[len(w.indices)-depth], text[n:]
	if after, ok := strings.CutPrefix(rest, "%"); ok {
		rest = strings.TrimLeft(after, "0123456789")
		divisor, _ := strconv.Atoi(after[:len(after)-len(rest)])
		index %= divisor
	}

	switch spelling {
	case '$':
		w.out = strconv.AppendInt(w.out, int64(index), 36)
	case '~':
		for ; index > 0; index /= 2 {
			w.out = append(w.out, " \n"[index%2])
		}
	default:
		w.out = utf8.AppendRune(w.out, spelling+rune(index))
	}
	return rest
}

// repeat writes the repetition whose text begins after the «, and returns the text after it.
func (w *writer) repeat(text string) (rest string) {
	begin, end := strings.IndexByte(text, '|'), 0
	for open := 1; open > 0; end++ {
		switch {
		case strings.HasPrefix(text[end:], "«"):
			open++
		case strings.HasPrefix(text[end:], "»"):
			open--
		}
	}
	item, rest := text[begin+1:end-1], text[end-1+len("»"):]
	digits, down := strings.CutPrefix(text[:begin], "-")
	separator := strings.TrimLeft(digits, "0123456789")
	count, err := strconv.Atoi(strings.TrimSuffix(digits, separator))
	fill := err != nil && !down
	if err != nil {
		count = w.items
	}

	if !strings.ContainsAny(item, special) && (fill || count > 0) {
		w.out = append(w.out, item...)
		if unit := len(separator) + len(item); fill {
			count = max(2, 1+(w.size-len(w.out)+unit-1)/unit)
			w.items = count
		}
		w.out = append(w.out, strings.Repeat(separator+item, count-1)...)
		return rest
	}

	own := len(w.indices)
	w.indices = append(w.indices, 0)
	for i := 0; i < count && !fill || fill && (i < 2 || len(w.out) < w.size); i++ {
		if i > 0 {
			w.out = append(w.out, separator...)
		}
		if w.indices[own] = i; down {
			w.indices[own] = count - 1 - i
		}
		w.write(item)
		if fill {
			w.items = i + 1
		}
	}
	w.indices = w.indices[:own]
	return rest
}
