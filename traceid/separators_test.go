package traceid

import "testing"

// A separator is refused wherever it is in a key or value, at the first character too.
func TestSeparators(t *testing.T) {
	for _, bad := range []string{",", "=", ";", ";a", "a;", "=a", ",a"} {
		for _, p := range []Params{{{bad, "v"}}, {{"k", bad}}} {
			if id, err := MakeStrict(p); err == nil {
				t.Errorf("%q: made %q", p, id)
			}
		}
		if id := "," + bad + "=v,"; Valid(id) {
			t.Errorf("%q is valid", id)
		}
	}
}
