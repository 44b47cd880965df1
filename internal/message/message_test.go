package message

import (
	"strings"
	"testing"
)

func TestQuote(t *testing.T) {
	for in, want := range map[string]string{
		"a\tb":                         `"a\tb"`,
		"":                             `""`,
		strings.Repeat("x", 500):       `"` + strings.Repeat("x", 500) + `"`,
		strings.Repeat("x", 501):       `"` + strings.Repeat("x", 500) + `"...`,
		strings.Repeat("x", 499) + "é": `"` + strings.Repeat("x", 499) + `"...`,
	} {
		if got := Quote(in); got != want {
			t.Errorf("%.20q...: %s, want %s", in, got, want)
		}
	}
}

func TestLimit(t *testing.T) {
	if got, want := Limit("MaxLineBytes", 5, "bytes of one line"), "bytes of one line: more than 5 (Limits.MaxLineBytes)"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
