package delta

import (
	"math/rand/v2"
	"strings"
	"testing"

	"perfdata/internal/chars"
	"perfdata/internal/testing/quick"
	"perfdata/traceid"
)

// A Text equals a text that is made from scratch, whatever changes in the params.
func TestText(t *testing.T) {
	words := []string{"", "a", "b c", "é", "\xff", "\"quoted\"", strings.Repeat("long", maxText/12)}
	keys := []string{"a", "b", "c \"d\"", "e", "f"}
	r := rand.New(rand.NewPCG(1, 2))
	text := Text{Quote: chars.AppendJSON, Open: "{", Close: "}"}
	p := make(traceid.Params, 0, 10)
	refused := false
	for range quick.Of(10_000, 3_000) {
		switch r.IntN(20) {
		case 0:
			p = p[:0]
			for _, key := range keys {
				if r.IntN(3) > 0 {
					p = append(p, traceid.Param{Key: key, Value: words[r.IntN(len(words))]})
				}
			}
		case 1:
			if len(p) > 0 {
				p[len(p)-1].Key += "x"
			}
		default:
			for i := range p {
				if r.IntN(4) == 0 {
					p[i].Value = words[r.IntN(len(words))]
				}
			}
		}
		if len(p) == 0 {
			continue
		}
		want := string(chars.AppendJSONObject([]byte("x"), p.All()))
		got, ok := text.Append([]byte("x"), p)
		switch {
		case ok && string(got) != want:
			t.Fatalf("%q: %s, want %s", p, got, want)
		case !ok && (string(got) != "x" || len(want) < maxText):
			t.Fatalf("%q: refused, and %s", p, got)
		case cap(text.text) > 8*maxText || cap(text.spare) > 8*maxText:
			t.Fatalf("%d and %d bytes", cap(text.text), cap(text.spare))
		}
		refused = refused || !ok
	}
	if !refused {
		t.Error("no text was too long")
	}
}
