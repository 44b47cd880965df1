package workload

import (
	"fmt"

	"perfdata/internal/testing/plausible"
)

// NewKeyval returns a file of Autotest perf keyvals: the iterations of one test, which has 12 keys
// and two attributes. Each key has numbers of one kind. One iteration in 30 failed early, and lacks
// some keys.
func NewKeyval() *Document {
	var keys [12][]byte
	var kinds [12]plausible.Kind
	for k := range keys {
		r := plausible.New(2e3, k)
		tag := "{perf}="
		if k == 11 {
			tag = "=" // old tests have such keys
		}
		prefix := plausible.Pick(&r, []string{"ms_", "fps_", "bytes_", "watts_"})
		keys[k] = append(plausible.AppendName([]byte(prefix), &r), tag...)
		kinds[k] = r.Kind()
	}

	return (&Document{
		tail: func(int) []byte { return nil },
		add: func(b []byte, i int) ([]byte, int) {
			r := plausible.New(2e3+1, i)
			if i > 0 {
				b = append(b, '\n')
			}
			b = fmt.Appendf(b, "build{attr}=lumpy-release-R99-%d.8.0\ncore{attr}=cpu%d\n", 14469+i/5000, r.Below(16))

			n := len(keys)
			if r.Below(30) == 0 {
				n = 1 + r.Below(n)
			}
			for k, key := range keys[:n] {
				b = append(b, key...)
				b = kinds[k].Append(b, &r)
				b = append(b, '\n')
			}
			return b, n
		},
	}).WithResults(1)
}
