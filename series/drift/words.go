package drift

import (
	"bytes"
	"hash/maphash"
	"slices"
	"unicode"
)

// words returns hashes of the words of a value, in any case: its runs of letters and digits. A
// number has no zeros at its beginning. A key before a "=" is not a word of the value, so that
// Sort/n=64 has the words of Sort/64. The next call overwrites the result.
func (p *pairs) words(number uint32) []uint64 {
	p.shownText = bytes.ToLower(p.appendShown(p.shownText[:0], number))
	p.hashes = p.hashes[:0]
	isWord := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	for text := p.shownText; ; {
		start := bytes.IndexFunc(text, isWord)
		if start < 0 {
			return p.hashes
		}
		text = text[start:]
		end := bytes.IndexFunc(text, func(r rune) bool { return !isWord(r) })
		if end < 0 {
			end = len(text)
		}
		if end == len(text) || text[end] != '=' {
			p.hashes = append(p.hashes, maphash.Bytes(p.seed, trimNumber(text[:end])))
		}
		text = text[end:]
	}
}

// bag returns a hash of the words of a value, in any order: if a param became a part of a name,
// the bag of the old name and the param equals the bag of the new name.
func (p *pairs) bag(number uint32) (sum uint64) {
	for _, word := range p.words(number) {
		sum += hash(uint32(word>>32)) ^ word
	}
	return sum
}

// spelling returns a hash of a value that its other spellings share: of the words in their order
// and the text between them, except blanks at the ends; 001 and 1.0 are 1.
func (p *pairs) spelling(number uint32) uint64 {
	text := bytes.TrimSpace(bytes.ToLower(p.appendShown(p.shownText[:0], number)))
	whole, fraction, ok := bytes.Cut(text, []byte("."))
	if ok && isDigits(whole) && len(bytes.Trim(fraction, "0")) == 0 {
		text = whole
	}
	return maphash.Bytes(p.seed, trimNumber(text))
}

// trimNumber returns a number without zeros at its beginning, and another text as it is.
func trimNumber(text []byte) []byte {
	if isDigits(text) {
		if text = bytes.TrimLeft(text, "0"); len(text) == 0 {
			return []byte("0")
		}
	}
	return text
}

func isDigits(text []byte) bool {
	for _, c := range text {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(text) > 0
}

// hasWords reports whether a value has all words of another one, which has some.
func (p *pairs) hasWords(number, part uint32) bool {
	words := slices.Clone(p.words(part))
	all := p.words(number)
	for _, word := range words {
		if !slices.Contains(all, word) {
			return false
		}
	}
	return len(words) > 0
}

// appendWithoutKeys appends the value of a pair without the keys of its parts: that of Sort/n=64
// is Sort/=64.
func (p *pairs) appendWithoutKeys(dst []byte, number uint32) []byte {
	start := len(dst)
	for _, c := range p.appendShown(nil, number) {
		for c == '=' && len(dst) > start && isWord(dst[len(dst)-1]) {
			dst = dst[:len(dst)-1]
		}
		dst = append(dst, c)
	}
	return dst
}
