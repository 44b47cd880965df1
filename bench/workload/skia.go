package workload

import (
	"fmt"
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

// A skiaShape appends the i-th result, as compact JSON, and returns the number of its records.
type skiaShape func(b []byte, r *plausible.Random, i int) ([]byte, int)

// NewSkia returns a file of the Skia Perf format, version 1, whose results all have the same
// members: a key of four, and four statistics. Names and numbers vary. The file's links come last.
func NewSkia(style Style) *Document { return newSkia(style, 0, 2, statistics) }

// NewVariedSkia is NewSkia with results of five shapes, whose members and number of measurements
// vary: 20 different forms, some of them more frequent than others. Ten results in a row have the
// same shape, like the results of a suite of tests.
func NewVariedSkia(style Style) *Document {
	return newSkia(style, 0, 2, func(b []byte, r *plausible.Random, i int) ([]byte, int) {
		suite := plausible.New(7, i/10)
		return anyShape(&suite)(b, r, i)
	})
}

// NewShuffledSkia is NewVariedSkia in random order, which is harder than real files are.
func NewShuffledSkia(style Style) *Document {
	return newSkia(style, 0, 2, func(b []byte, r *plausible.Random, i int) ([]byte, int) { return anyShape(r)(b, r, i) })
}

// NewLinkedSkia is NewSkia with links of each measurement's own.
func NewLinkedSkia(style Style) *Document { return newSkia(style, 0, 2, linked) }

// SkiaFiles returns n files of 3 to 9 KB, as a service receives them: from 40 machines at many
// commits, some of them indented. The results of a file have one shape, and its tests are
// consecutive ones of the 5,000 that there are, so most files repeat the tests of earlier ones.
func SkiaFiles(n int) (files [][]byte, records int) {
	shapes := []skiaShape{statistics, statistics, single, chrome, groups, linked}
	return smallFiles(n, func(r *plausible.Random, f int) *Document {
		style := plausible.Pick(r, []Style{Indented, Compact})
		shape := plausible.Pick(r, shapes)
		first := r.Below(5000)
		return newSkia(style, 1+r.Below(40), f, func(b []byte, r *plausible.Random, i int) ([]byte, int) {
			return shape(b, r, (first+i)%5000)
		})
	})
}

// newSkia returns a file with results of the given shape from one of several machines, at one of
// several commits.
func newSkia(style Style, machine, commit int, shape skiaShape) *Document {
	m := plausible.New(3, machine)
	c := plausible.New(4, commit/40)
	hash := string(plausible.AppendHex(nil, &c, 40))

	text := fmt.Sprintf(`{"version":1,"git_hash":%q,"key":{"arch":%q,"branch":"main","compiler":%q,"cpu_or_gpu":%q,`+
		`"cpu_or_gpu_value":%q,"model":"bot-%d","os":%q},"results":["$","$"],`+
		`"links":{"details":"https://ci.example.com/runs/%d","source":"https://source.example.com/skia/+/%s"}}`,
		hash,
		plausible.Pick(&m, []string{"x86_64", "arm64", "arm", "riscv64"}),
		plausible.Pick(&m, []string{"Clang", "GCC", "MSVC"}),
		plausible.Pick(&m, []string{"GPU", "CPU"}),
		plausible.Pick(&m, []string{"QuadroP400", "Adreno640", "AVX2", "IntelIris655", "RTX3060"}),
		machine,
		plausible.Pick(&m, []string{"Ubuntu18", "Android", "Mac13", "Win11", "Debian12"}),
		c.Uint64()>>3, hash)
	return newJSON(style, always(text), func(i int) (string, []byte, int) {
		r := plausible.New(5+commit, i)
		b, n := shape(nil, &r, i)
		return "", b, n
	})
}

var (
	benchTypes  = []string{"micro", "recording", "playback", "memory"}
	sourceTypes = []string{"bench", "image", "skp", "svg", "video"}
	units       = []string{"ms", "us", "bytes", "count", "ms_smallerIsBetter", "unitless"}
	configs     = []string{"8888", "565", "gl", "gles", "vk", "mtl", "nonrendering", "f16"}
	renderers   = []string{"Quadro M2000/PCIe/SSE2", "Adreno (TM) 640", "Mali-G77", "ANGLE (Intel, Vulkan 1.3.0)"}
)

// testName returns the name of the i-th test: the same every time, and different from all others. Some
// end in a size, as many tests of graphics do.
func testName(i int) string {
	r := plausible.New(1, i)
	name := fmt.Appendf(plausible.AppendName(nil, &r), "_%d", i)
	return string(name) + []string{"_640_480", "_1_1000_1000", "", ""}[r.Below(4)]
}

// appendSingles appends measurements with the given values as a member, and returns their number.
func appendSingles(b []byte, key string, r *plausible.Random, links bool, values ...string) ([]byte, int) {
	logs := r.Chance(50)
	b = fmt.Appendf(b, `%q:[`, key)
	for i, value := range values {
		if i > 0 {
			b = append(b, ',')
		}
		b = plausible.AppendNumber(fmt.Appendf(b, `{"value":%q,"measurement":`, value), r)
		if links {
			b = fmt.Appendf(b, `,"links":{"trace":"https://traces.example.com/t/%s"`, strconv.FormatUint(r.Uint64(), 36))
			if logs {
				b = fmt.Appendf(b, `,"log":"https://ci.example.com/logs/%d/stdout"`, r.Below(1e6))
			}
			b = append(b, '}')
		}
		b = append(b, '}')
	}
	return append(b, ']'), len(values)
}

// statistics is the shape with four statistics, and linked the same with links of each measurement.
var statistics, linked = fourStatistics(false), fourStatistics(true)

func fourStatistics(links bool) skiaShape {
	return func(b []byte, r *plausible.Random, i int) ([]byte, int) {
		b = fmt.Appendf(b, `{"key":{"bench_type":%q,"source_type":%q,"test":%q,"units":%q},"measurements":{`,
			plausible.Pick(r, benchTypes), plausible.Pick(r, sourceTypes), testName(i), plausible.Pick(r, units))
		b, n := appendSingles(b, "stat", r, links, "min", "max", "mean", "stddev")
		return append(b, "}}"...), n
	}
}

// single is the shape with one measurement, whose key says which.
func single(b []byte, r *plausible.Random, i int) ([]byte, int) {
	b = append(b, `{"key":{`...)
	if r.Chance(30) {
		b = fmt.Appendf(b, `"config":%q,`, plausible.Pick(r, configs))
	}
	b = fmt.Appendf(b, `"sub_result":%q,"test":%q},"measurement":`,
		plausible.Pick(r, []string{"max_rss_mb", "min_ms", "bytes", "ops"}), testName(i))
	return append(plausible.AppendNumber(b, r), '}'), 1
}

// chrome is the shape of results of Chrome's benchmarks: up to two subtests, and one or
// six statistics.
func chrome(b []byte, r *plausible.Random, i int) ([]byte, int) {
	b = fmt.Appendf(b, `{"key":{"improvement_direction":%q`, plausible.Pick(r, []string{"up", "down"}))
	for s := range r.Below(2) + r.Below(2)*r.Below(2) {
		name := plausible.New(6, i%500+s)
		b = fmt.Appendf(b, `,"subtest_%d":%q`, s+1, plausible.AppendName(nil, &name))
	}
	b = fmt.Appendf(b, `,"test":%q,"unit":%q},"measurements":{`, testName(i), plausible.Pick(r, units))
	stats := plausible.Pick(r, [][]string{{"value"}, {"value", "std_dev", "count", "max", "min", "sum"}})
	b, n := appendSingles(b, "stat", r, false, stats...)
	return append(b, "}}"...), n
}

// groups is the shape with several groups of measurements, and a key of what the machine reports.
func groups(b []byte, r *plausible.Random, i int) ([]byte, int) {
	b = append(b, `{"key":{`...)
	if r.Chance(70) {
		b = fmt.Appendf(b, `"GL_RENDERER":%q,`, plausible.Pick(r, renderers))
	}
	b = fmt.Appendf(b, `"name":%q,"source_type":%q,"test":%q},"measurements":{`,
		plausible.Word(r), plausible.Pick(r, sourceTypes), testName(i))
	b, n := appendSingles(b, "config", r, false, configs[:2+r.Below(2)]...)
	if r.Chance(30) {
		var more int
		b, more = appendSingles(append(b, ','), "memory", r, false, "peak", "average")
		n += more
	}
	return append(b, "}}"...), n
}

// anyShape returns one of the shapes, of which some are more frequent than others.
func anyShape(r *plausible.Random) skiaShape {
	return [...]skiaShape{
		statistics, statistics, statistics, statistics, statistics, statistics, single, single, single, single, single,
		chrome, chrome, chrome, chrome, groups, groups, groups, linked, linked,
	}[r.Below(20)]
}

// A Form says what the results of [NewFormedSkia] are like.
type Form struct {
	Params     int // of a record: at least 10, including the 7 of the file
	Names      int // different names of tests
	NameLength int // bytes of each: at least 7
}

// NewFormedSkia is NewSkia with results of the given form, to measure how time and memory grow with
// each of its parts.
func NewFormedSkia(style Style, form Form) *Document {
	return newSkia(style, 0, 2, func(b []byte, r *plausible.Random, i int) ([]byte, int) {
		b = append(b, `{"key":{`...)
		for p := range form.Params - 9 {
			b = fmt.Appendf(b, `"param_%d":%q,`, p, plausible.Word(r))
		}
		name := plausible.New(8, i%form.Names)
		test := fmt.Appendf(nil, "%d_", i%form.Names)
		for len(test) < form.NameLength {
			test = append(plausible.AppendName(test, &name), '_')
		}
		b = fmt.Appendf(b, `"test":%q},"measurements":{`, test[:form.NameLength])
		b, n := appendSingles(b, "stat", r, false, "min", "max", "mean", "stddev")
		return append(b, "}}"...), n
	})
}
