package chars_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"perfdata/internal/chars"
	"perfdata/traceid"
)

// FuzzString checks that encoding/json reads a string back equal, except for invalid UTF-8.
func FuzzString(f *testing.F) {
	f.Add("plain")
	f.Add("\"\\\n\r\t\x00\x1f\x7f<&>é\u2028\xff😀")
	f.Fuzz(func(t *testing.T, in string) {
		text := chars.AppendJSON(nil, in)
		var got string
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatalf("%q: %s: %v", in, text, err)
		}
		if utf8.ValidString(in) && got != in {
			t.Errorf("%q is read back as %q", in, got)
		}
		if want, err := json.Marshal(in); err == nil {
			var same string
			if json.Unmarshal(want, &same); same != got {
				t.Errorf("%q is read back as %q, from encoding/json as %q", in, got, same)
			}
		}
	})
}

// Strings of any length are written as encoding/json reads them back.
func TestAppendString(t *testing.T) {
	for length := range 20 {
		plain := strings.Repeat("a", length)
		for _, odd := range []string{"", "\"", "\\", "\n", "\x00", "é", "\x7f"} {
			for _, in := range []string{plain + odd, odd + plain, plain + odd + plain} {
				var got string
				text := chars.AppendJSON([]byte("x,"), in)
				if err := json.Unmarshal(text[len("x,"):], &got); err != nil || got != in {
					t.Errorf("%q: %s, read back as %q, %v", in, text, got, err)
				}
			}
		}
	}
}

func TestAppendParams(t *testing.T) {
	for _, params := range []traceid.Params{nil, traceid.FromMap(map[string]string{"b": "1", "a\n": ""})} {
		want, err := json.Marshal(params.Map())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(chars.AppendJSONObject(nil, params.All()))); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}
