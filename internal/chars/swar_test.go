package chars

import (
	"math/rand/v2"
	"perfdata/internal/testing/quick"
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

// Each byte at each position of strings of each length decides.
func TestWholeStrings(t *testing.T) {
	isDigit := func(b byte) bool { return b >= '0' && b <= '9' }
	isLetter := func(b byte) bool { return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' }
	isCanonical := func(b byte) bool { return isDigit(b) || isLetter(b) || b == '.' || b == '_' || b == '-' }
	for _, test := range []struct {
		name   string
		whole  func(string) bool
		empty  bool
		allows func(byte) bool
	}{
		{"plain", Plain, true, func(b byte) bool { return b >= ' ' && b != '"' && b != '\\' && b < 0x80 }},
		{"canonical", Canonical, false, isCanonical},
		{"hashed", func(s string) bool { _, canonical := Hash(s, 1, 3); return canonical }, false, isCanonical},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.whole("") != test.empty {
				t.Errorf("the empty string: want %v", test.empty)
			}
			for length := 1; length < 20; length++ {
				text := strings.Repeat("a", length)
				if !test.whole(text) {
					t.Errorf("%q: false", text)
				}
				for i := range length {
					for b := range 256 {
						other := text[:i] + string([]byte{byte(b)}) + text[i+1:]
						if got, want := test.whole(other), test.allows(byte(b)); got != want {
							t.Errorf("%q: %v, want %v", other, got, want)
						}
					}
				}
			}
		})
	}
}

// Different texts have different hashes, even texts that differ only in their lengths, or in two
// bits.
func TestHash(t *testing.T) {
	seed, factor := rand.Uint64(), rand.Uint64()|1
	hashes := make(map[uint64]string)
	add := func(text string) {
		hash, _ := Hash(text, seed, factor)
		if other, ok := hashes[hash]; ok {
			t.Fatalf("%q and %q have the same hash with the seed %d and the factor %d", text, other, seed, factor)
		}
		hashes[hash] = text
	}
	for length := range quick.Of(40, 25) {
		text := []byte(strings.Repeat("a", length))
		add(string(text))
		for i := range 8 * length {
			text[i/8] ^= 1 << (i % 8)
			add(string(text))
			for j := range i {
				text[j/8] ^= 1 << (j % 8)
				add(string(text))
				text[j/8] ^= 1 << (j % 8)
			}
			text[i/8] ^= 1 << (i % 8)
		}
	}
}
