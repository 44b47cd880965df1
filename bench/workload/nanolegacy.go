package workload

import (
	"fmt"

	"perfdata/internal/testing/plausible"
)

// NanolegacyFile is a file of the Skia Perf legacy format, declared for a general JSON library.
type NanolegacyFile struct {
	GitHash string                               `json:"gitHash"`
	Key     map[string]string                    `json:"key"`
	Options map[string]string                    `json:"options,omitempty"`
	Results map[string]map[string]map[string]any `json:"results"` // by test and configuration
	Source  string                               `json:"source,omitempty"`
}

// MaxTests is the number of tests that a Reader with the default limits reads: it remembers their
// names, because none may be repeated.
const MaxTests = 1 << 20

// NewNanolegacy returns a file of the Skia Perf legacy format. Most tests have two
// configurations, some one or none. Each has options and one or two sub-results and, if sampled is
// set, ten samples. The source comes last.
func NewNanolegacy(style Style, sampled bool) *Document {
	const text = `{"gitHash":"fe4a4029a080bc955e9588d05a6cd9eb490845d4",` +
		`"key":{"arch":"x86_64","compiler":"Clang","cpu_or_gpu":"GPU","cpu_or_gpu_value":"QuadroP400",` +
		`"model":"Golo","os":"Ubuntu18"},"options":{"system":"UNIX"},"results":{"$":0,"$":0},"source":"nanobench"}`
	return newJSON(style, always(text), func(i int) (string, []byte, int) {
		r := plausible.New(1e3, i)
		b, n := nanoTest(&r, i, sampled)
		return testName(i), b, n
	})
}

// nanoTest returns the configurations of a test, and the number of records.
func nanoTest(r *plausible.Random, i int, sampled bool) (b []byte, records int) {
	n := 2
	switch {
	case r.Chance(5):
		n = 0 // as in the files of nanobench
	case r.Chance(20):
		n = 1
	}

	kind := plausible.New(1e3+1, i/50) // tests of one kind follow one another
	options := fmt.Sprintf(`{"name":%q,"source_type":"bench","bench_type":"micro"}`, testName(i))
	if !kind.Chance(60) {
		const playback = `{"name":%q,"source_type":"skp","bench_type":"playback","clip":"0 0 %d 1000","scale":"1"}`
		options = fmt.Sprintf(playback, testName(i), kind.Below(2000))
	}

	b = append(b, '{')
	for c, config := range []string{"8888", "gles"}[:n] {
		if c > 0 {
			b = append(b, ',')
		}
		b = fmt.Appendf(b, `%q:{"options":%s`, config, options)
		subResults := []string{"min_ms", "median_ms"}[:1+r.Below(10)/9]
		for _, name := range subResults {
			b = plausible.AppendFull(fmt.Appendf(b, `,%q:`, name), r)
		}
		records += len(subResults)

		if sampled {
			b = plausible.AppendFull(append(b, `,"samples":[`...), r)
			for range 9 {
				b = plausible.AppendFull(append(b, ','), r)
			}
			b = append(b, ']')
		}
		b = append(b, '}')
	}
	return append(b, '}'), records
}
