package delta

import (
	"strings"
	"testing"
)

func TestString(t *testing.T) {
	text := strings.Clone("draw draw")
	for _, test := range []struct {
		name string
		a, b string
		want bool
	}{
		{"itself", text, text, true},
		{"a part", text[:4], text[:4], true},
		{"a longer part", text[:4], text[:5], false},
		{"equal parts", text[:4], text[5:], false},
		{"a copy", text, strings.Clone(text), false},
		{"another text", text, "circle", false},
		{"empty and not", text, "", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := sameString(test.a, test.b); got != test.want {
				t.Errorf("%v, want %v", got, test.want)
			}
			if sameString(test.a, test.b) && test.a != test.b {
				t.Error("the contents differ")
			}
		})
	}
}
