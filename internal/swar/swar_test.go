package swar

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// The functions give the same results as searches byte by byte, at all positions in a word.
func TestSearches(t *testing.T) {
	const bytes = "{}[]\"\\yY_\x7fab \x00\x1f!#Z^z\xc3\xa9"
	random := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		b := make([]byte, random.IntN(40))
		for i := range b {
			if b[i] = 'x'; random.IntN(6) == 0 {
				b[i] = bytes[random.IntN(len(bytes))]
			}
		}
		from := random.IntN(len(b) + 1)

		want := from
		for want < len(b) && !strings.ContainsRune(`{}[]"`, rune(b[want])) {
			want++
		}
		if got := NextBracketOrQuote(b, from); got != want {
			t.Fatalf("NextBracketOrQuote(%q, %d) = %d, want %d", b, from, got, want)
		}

		want = from
		for want < len(b) && b[want] != '"' {
			if b[want] == '\\' {
				if want+1 == len(b) {
					break
				}
				want++
			}
			want++
		}
		if got := EndOfText(b, from); got != want {
			t.Fatalf("EndOfText(%q, %d) = %d, want %d", b, from, got, want)
		}

		isPlain := func(c byte) bool { return c >= ' ' && c < 0x80 && c != '"' && c != '\\' }
		got := PlainLen(b, from)
		for _, c := range b[from:got] {
			if !isPlain(c) {
				t.Fatalf("PlainLen(%q, %d) = %d passes over %q", b, from, got, c)
			}
		}
		if got+8 <= len(b) && isPlain(b[got]) {
			t.Fatalf("PlainLen(%q, %d) = %d stops at %q", b, from, got, b[got])
		}
	}
}

func TestPlain(t *testing.T) {
	for length := range 20 {
		text := strings.Repeat("a", length)
		if !Plain(text) {
			t.Errorf("%q is not plain", text)
		}
		for i := range length {
			for b := range 256 {
				other := text[:i] + string([]byte{byte(b)}) + text[i+1:]
				want := b >= ' ' && b != '"' && b != '\\' && b < 0x80
				if got := Plain(other); got != want {
					t.Errorf("%q: %v, want %v", other, got, want)
				}
			}
		}
	}
}
