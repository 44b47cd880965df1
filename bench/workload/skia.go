package workload

import (
	"strconv"

	"perfdata/internal/testing/plausible"
)

// SkiaFile is a file of the Skia Perf format, version 1, declared for a general JSON library.
type SkiaFile struct {
	Version  int               `json:"version"`
	GitHash  string            `json:"git_hash"`
	Issue    string            `json:"issue,omitempty"`
	Patchset string            `json:"patchset,omitempty"`
	Key      map[string]string `json:"key"`
	Results  []SkiaResult      `json:"results"`
	Links    map[string]string `json:"links,omitempty"`
}

// SkiaResult is a result of a [SkiaFile].
type SkiaResult struct {
	Key          map[string]string       `json:"key"`
	Measurement  float64                 `json:"measurement,omitempty"`
	Measurements map[string][]SkiaSingle `json:"measurements,omitempty"`
}

// SkiaSingle is a single measurement of a [SkiaResult].
type SkiaSingle struct {
	Value       string            `json:"value"`
	Measurement float64           `json:"measurement"`
	Links       map[string]string `json:"links,omitempty"`
}

// A skiaShape appends the i-th result and returns the number of its records.
type skiaShape func(w *writer, r *plausible.Random, i int) int

// NewSkia returns a file of the Skia Perf format, version 1, whose results all have the same
// members: a key of four, and four statistics. Names and numbers vary. The file's links come last.
func NewSkia(style Style) *Document { return newSkia(style, 0, 2, statistics) }

// NewVariedSkia is NewSkia with results of five shapes, whose members and number of measurements
// vary: 20 different forms, some of them more frequent than others. Ten results in a row have the
// same shape, like the results of a suite of tests.
func NewVariedSkia(style Style) *Document { return newSkia(style, 0, 2, inSuites) }

// NewShuffledSkia is NewVariedSkia in random order, which is harder than real files are.
func NewShuffledSkia(style Style) *Document { return newSkia(style, 0, 2, shuffled) }

// NewLinkedSkia is NewSkia with links of each measurement's own.
func NewLinkedSkia(style Style) *Document { return newSkia(style, 0, 2, linked) }

// SkiaFiles returns n files of 3 to 9 KB, as a service receives them: from 40 machines at many
// commits, some of them indented. The results of a file have one shape, and its tests are
// consecutive ones of the 5,000 that there are, so most files repeat the tests of earlier ones.
func SkiaFiles(n int) (files [][]byte, records int) {
	shapes := []skiaShape{statistics, statistics, single, chrome, groups, linked}
	for f := range n {
		r := plausible.New(2, f)
		style := plausible.Pick(&r, []Style{Indented, Compact})
		shape := plausible.Pick(&r, shapes)
		first := r.Below(5000)
		d := newSkia(style, 1+r.Below(40), f, func(w *writer, r *plausible.Random, i int) int {
			return shape(w, r, (first+i)%5000)
		})
		// In a file, tests follow one another, and so few results are a good sample.
		doc, count := d.WithSize(int64(3000 + r.Below(6000))).Bytes()
		files = append(files, doc)
		records += count
	}
	return files, records
}

// newSkia returns a file with results of the given shape from one of several machines, at one of
// several commits.
func newSkia(style Style, machine, commit int, shape skiaShape) *Document {
	m := plausible.New(3, machine)
	c := plausible.New(4, commit/40)
	hash := string(plausible.AppendHex(nil, &c, 40))

	head := writer{Style: style}
	head.open('{')
	head.key("version")
	head.b = append(head.b, '1')
	head.member("git_hash", hash)
	head.key("key")
	head.members(
		"arch", plausible.Pick(&m, []string{"x86_64", "arm64", "arm", "riscv64"}),
		"branch", "main",
		"compiler", plausible.Pick(&m, []string{"Clang", "GCC", "MSVC"}),
		"cpu_or_gpu", plausible.Pick(&m, []string{"GPU", "CPU"}),
		"cpu_or_gpu_value", plausible.Pick(&m, []string{"QuadroP400", "Adreno640", "AVX2", "IntelIris655", "RTX3060"}),
		"model", "bot-"+strconv.Itoa(machine),
		"os", plausible.Pick(&m, []string{"Ubuntu18", "Android", "Mac13", "Win11", "Debian12"}),
	)
	head.key("results")
	head.open('[')

	tail := writer{Style: style, depth: head.depth}
	tail.close(']')
	tail.key("links")
	tail.members(
		"details", "https://ci.example.com/runs/"+strconv.FormatUint(c.Uint64()>>3, 10),
		"source", "https://source.example.com/skia/+/"+hash,
	)
	tail.close('}')

	d := &Document{
		head:  head.b,
		tail:  func(int) []byte { return tail.b },
		chunk: 200,
		add: func(b []byte, i int) ([]byte, int) {
			r := plausible.New(5+commit, i)
			w := writer{b: b, Style: style, depth: head.depth}
			w.result(i)
			w.open('{')
			n := shape(&w, &r, i)
			w.close('}')
			return w.b, n
		},
	}
	return d.WithResults(1)
}

var (
	benchTypes  = []string{"micro", "recording", "playback", "memory"}
	sourceTypes = []string{"bench", "image", "skp", "svg", "video"}
	units       = []string{"ms", "us", "bytes", "count", "ms_smallerIsBetter", "unitless"}
	configs     = []string{"8888", "565", "gl", "gles", "vk", "mtl", "nonrendering", "f16"}
	renderers   = []string{"Quadro M2000/PCIe/SSE2", "Adreno (TM) 640", "Mali-G77", "ANGLE (Intel, Vulkan 1.3.0)"}
)

var chromeStats = [][]string{{"value"}, {"value", "std_dev", "count", "max", "min", "sum"}}

// test appends a member whose value is the name of a test.
func (w *writer) test(key string, i int) {
	w.key(key)
	w.b = append(w.b, '"')
	w.b = plausible.AppendTest(w.b, i)
	w.b = append(w.b, '"')
}

// singles appends measurements with the given values as a member.
func (w *writer) singles(key string, r *plausible.Random, links bool, values ...string) int {
	logs := r.Chance(50)
	w.key(key)
	w.open('[')
	for _, value := range values {
		w.item()
		w.open('{')
		w.member("value", value)
		w.key("measurement")
		w.b = plausible.AppendNumber(w.b, r)
		if links {
			w.key("links")
			w.open('{')
			w.member("trace", "https://traces.example.com/t/"+strconv.FormatUint(r.Uint64(), 36))
			if logs {
				w.member("log", "https://ci.example.com/logs/"+strconv.Itoa(r.Below(1e6))+"/stdout")
			}
			w.close('}')
		}
		w.close('}')
	}
	w.close(']')
	return len(values)
}

// statistics is the shape with four statistics.
func statistics(w *writer, r *plausible.Random, i int) int { return fourStatistics(w, r, i, false) }

// linked is statistics in which each measurement has links.
func linked(w *writer, r *plausible.Random, i int) int { return fourStatistics(w, r, i, true) }

func fourStatistics(w *writer, r *plausible.Random, i int, links bool) int {
	w.key("key")
	w.open('{')
	w.member("bench_type", plausible.Pick(r, benchTypes))
	w.member("source_type", plausible.Pick(r, sourceTypes))
	w.test("test", i)
	w.member("units", plausible.Pick(r, units))
	w.close('}')

	w.key("measurements")
	w.open('{')
	n := w.singles("stat", r, links, "min", "max", "mean", "stddev")
	w.close('}')
	return n
}

// single is the shape with one measurement, whose key says which.
func single(w *writer, r *plausible.Random, i int) int {
	w.key("key")
	w.open('{')
	if r.Chance(30) {
		w.member("config", plausible.Pick(r, configs))
	}
	w.member("sub_result", plausible.Pick(r, []string{"max_rss_mb", "min_ms", "bytes", "ops"}))
	w.test("test", i)
	w.close('}')

	w.key("measurement")
	w.b = plausible.AppendNumber(w.b, r)
	return 1
}

// chrome is the shape of results of Chrome's benchmarks: up to two subtests, and one or
// six statistics.
func chrome(w *writer, r *plausible.Random, i int) int {
	w.key("key")
	w.open('{')
	w.member("improvement_direction", plausible.Pick(r, []string{"up", "down"}))
	for s := range r.Below(2) + r.Below(2)*r.Below(2) {
		name := plausible.New(6, i%500+s)
		w.key("subtest_" + strconv.Itoa(s+1))
		w.b = append(plausible.AppendName(append(w.b, '"'), &name), '"')
	}
	w.test("test", i)
	w.member("unit", plausible.Pick(r, units))
	w.close('}')

	w.key("measurements")
	w.open('{')
	n := w.singles("stat", r, false, plausible.Pick(r, chromeStats)...)
	w.close('}')
	return n
}

// groups is the shape with several groups of measurements, and a key of what the machine reports.
func groups(w *writer, r *plausible.Random, i int) int {
	w.key("key")
	w.open('{')
	if r.Chance(70) {
		w.member("GL_RENDERER", plausible.Pick(r, renderers))
	}
	w.member("name", plausible.Word(r))
	w.member("source_type", plausible.Pick(r, sourceTypes))
	w.test("test", i)
	w.close('}')

	w.key("measurements")
	w.open('{')
	n := w.singles("config", r, false, configs[:2+r.Below(2)]...)
	if r.Chance(30) {
		n += w.singles("memory", r, false, "peak", "average")
	}
	w.close('}')
	return n
}

// anyShape returns one of the shapes.
func anyShape(r *plausible.Random) skiaShape {
	switch n := r.Below(20); {
	case n < 6:
		return statistics
	case n < 11:
		return single
	case n < 15:
		return chrome
	case n < 18:
		return groups
	}
	return linked
}

func inSuites(w *writer, r *plausible.Random, i int) int {
	suite := plausible.New(7, i/10)
	return anyShape(&suite)(w, r, i)
}

func shuffled(w *writer, r *plausible.Random, i int) int { return anyShape(r)(w, r, i) }

// A Form says what the results of [NewFormedSkia] are like.
type Form struct {
	Params     int // of a record: at least 10, including the 7 of the file
	Names      int // different names of tests
	NameLength int // bytes of each
}

// NewFormedSkia is NewSkia with results of the given form, to measure how time and memory grow with
// each of its parts.
func NewFormedSkia(style Style, form Form) *Document {
	return newSkia(style, 0, 2, func(w *writer, r *plausible.Random, i int) int {
		w.key("key")
		w.open('{')
		for p := range form.Params - 9 {
			w.member("param_"+strconv.Itoa(p), plausible.Word(r))
		}
		w.key("test")
		w.b = append(w.b, '"')
		start := len(w.b)
		name := plausible.New(8, i%form.Names)
		w.b = append(strconv.AppendInt(w.b, int64(i%form.Names), 10), '_')
		for len(w.b)-start < form.NameLength {
			w.b = append(plausible.AppendName(w.b, &name), '_')
		}
		w.b = append(w.b[:start+max(form.NameLength, 7)], '"')
		w.close('}')

		w.key("measurements")
		w.open('{')
		n := w.singles("stat", r, false, "min", "max", "mean", "stddev")
		w.close('}')
		return n
	})
}
