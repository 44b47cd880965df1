package workload

import (
	"strconv"

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
	head := writer{Style: style}
	head.open('{')
	head.member("gitHash", "fe4a4029a080bc955e9588d05a6cd9eb490845d4")
	head.key("key")
	head.members(
		"arch", "x86_64",
		"compiler", "Clang",
		"cpu_or_gpu", "GPU",
		"cpu_or_gpu_value", "QuadroP400",
		"model", "Golo",
		"os", "Ubuntu18",
	)
	head.key("options")
	head.members("system", "UNIX")

	head.key("results")
	head.open('{')

	tail := writer{Style: style, depth: head.depth}
	tail.close('}')
	tail.member("source", "nanobench")
	tail.close('}')

	d := &Document{
		head:  head.b,
		tail:  func(int) []byte { return tail.b },
		chunk: 200,
		add: func(b []byte, i int) ([]byte, int) {
			r := plausible.New(1e3, i)
			w := writer{b: b, Style: style, depth: head.depth}
			w.result(i)
			w.b = append(plausible.AppendTest(append(w.b, '"'), i), '"')
			w.b = append(w.b, w.colon...)
			n := w.nanoTest(&r, i, sampled)
			return w.b, n
		},
	}
	return d.WithResults(1)
}

// nanoTest appends the configurations of a test, and returns the number of records.
func (w *writer) nanoTest(r *plausible.Random, i int, sampled bool) (records int) {
	w.open('{')
	n := 2
	switch {
	case r.Chance(5):
		n = 0 // as in the files of nanobench
	case r.Chance(20):
		n = 1
	}
	for _, config := range []string{"8888", "gles"}[:n] {
		w.key(config)
		w.open('{')
		w.key("options")
		w.nanoOptions(i)

		subResults := []string{"min_ms", "median_ms"}[:1+r.Below(10)/9]
		for _, name := range subResults {
			w.key(name)
			w.b = plausible.AppendFull(w.b, r)
		}
		records += len(subResults)

		if sampled {
			w.key("samples")
			w.open('[')
			for range 10 {
				w.item()
				w.b = plausible.AppendFull(w.b, r)
			}
			w.close(']')
		}
		w.close('}')
	}
	w.close('}')
	return records
}

// nanoOptions appends the options of a test. Tests of one kind follow one another.
func (w *writer) nanoOptions(i int) {
	kind := plausible.New(1e3+1, i/50)
	w.open('{')
	w.test("name", i)
	if kind.Chance(60) {
		w.member("source_type", "bench")
		w.member("bench_type", "micro")
	} else {
		w.member("source_type", "skp")
		w.member("bench_type", "playback")
		w.member("clip", "0 0 "+strconv.Itoa(kind.Below(2000))+" 1000")
		w.member("scale", "1")
	}
	w.close('}')
}
