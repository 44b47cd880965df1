package ids

import (
	"fmt"
	"testing"

	"perfdata/traceid"
)

// A Template makes the IDs that Params.AppendID makes, whatever the keys and values are.
func TestTemplate(t *testing.T) {
	words := []string{"", "a", "b c", "é", "\xff", "long_value.with-all", "=,;"}
	for _, keys := range [][]string{{"k"}, {"a", "b", "c"}, {"a", "b c", "d"}, {"", "a"}, {"b", "a"}, {"a", "b", "c", "d"}, {"a", "a"}, {}} {
		for last := -1; last < len(keys); last++ {
			t.Run(fmt.Sprintf("%q, last %d", keys, last), func(t *testing.T) {
				p := make(traceid.Params, len(keys))
				var template Template
				for i := range 100 {
					for k := range p {
						p[k].Key = keys[k]
						switch {
						case k == last:
							p[k].Value = words[i%len(words)]
						case k == 0 && i%5 == 0:
							p[k].Value = words[i/5%len(words)]
							template.Change()
						case k == 2 && i%7 == 0:
							p[k].Value = words[i/7%len(words)]
							template.Change()
						case k == 1 && i%20 == 0:
							p[k].Value = words[i/20%len(words)]
							template.Reset()
						}
					}
					if !template.Known() {
						template.Learn(p, []int{0, 2}, last)
					}
					canonical := last >= 0 && i%3 > 0 && IsCanonical(p[last].Value)
					got, want := string(template.Append([]byte("x"), p, canonical)), string(p.AppendID([]byte("x")))
					if got != want {
						t.Fatalf("%v: %q, want %q", p, got, want)
					}
					if last < 0 {
						continue
					}
					unit := traceid.CanonicalString(p[last].Value) + ","
					if got, want := string(template.AppendWith(nil, p, unit)), string(p.AppendID(nil)); got != want {
						t.Fatalf("AppendWith, %v: %q, want %q", p, got, want)
					}
				}
			})
		}
	}
}
