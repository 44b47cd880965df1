package chars

import "testing"

func TestString(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"empty", "", ""},
		{"plain", `C:\new "ü" 漢 €`, `C:\new "ü" 漢 €`},
		{"line feed", "a\nb", `a\nb`},
		{"carriage return and tab", "a\r\tb", `a\r\tb`},
		{"escape", "\x1b[31mred", `\x1b[31mred`},
		{"NUL and DEL", "\x00\x7f", `\x00\x7f`},
		{"C1", "ü\u009b2J\u0085", `ü\u009b2J\u0085`},
		{"C1 as a byte", "a\x9b2J", `a\x9b2J`},
		{"not UTF-8", "ü\xff\xc3", `ü\xff\xc3`},
		{"replacement character", "a\ufffdb", "a\ufffdb"},
		{"directions", "a\u202eb\u2066c\u200fd\u061ce", `a\u202eb\u2066c\u200fd\u061ce`},
		{"line separators", "a\u2028b\u2029", `a\u2028b\u2029`},
		{"emoji", "👩‍👩‍👧", "👩‍👩‍👧"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := Visible(test.in); got != test.want {
				t.Errorf("Visible(%q) = %s, want %s", test.in, got, test.want)
			}
		})
	}
}

func TestInvalidUTF8(t *testing.T) {
	for text, want := range map[string]int{
		"":         0,
		"é":        2,
		"\ufffd":   3,
		"é\xff":    2,
		"a\xc3":    1,
		"\xed\xa0": 0,
	} {
		if got := InvalidUTF8([]byte(text)); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}
