package workload

import "bytes"

// NanolegacyFile is a file of the Skia Perf legacy format, declared for a general JSON library.
type NanolegacyFile struct {
	GitHash string                               `json:"gitHash"`
	Key     map[string]string                    `json:"key"`
	Options map[string]string                    `json:"options,omitempty"`
	Results map[string]map[string]map[string]any `json:"results"` // by test and configuration
	Source  string                               `json:"source,omitempty"`
}

// NewNanolegacy returns a file of the Skia Perf legacy format. Each test has two configurations
// with one sub-result and three options, and the source comes last. The file is formatted by
// json.MarshalIndent with the given indentation, or by json.Marshal if it is empty. With [Indent],
// 100,000 tests take 47 MB.
func NewNanolegacy(tests int, indent string) *Document {
	return newNanolegacy(tests, indent, 0)
}

// NewSampledNanolegacy is NewNanolegacy with ten samples in every configuration. With [Indent],
// 100,000 tests take 97 MB.
func NewSampledNanolegacy(tests int, indent string) *Document {
	return newNanolegacy(tests, indent, 10)
}

func newNanolegacy(tests int, indent string, samples int) *Document {
	one, two := marshal(nanolegacyFile(1, samples), indent), marshal(nanolegacyFile(2, samples), indent)
	const open = `"results":`
	head := bytes.Index(one, []byte(open)) + len(open)
	head += bytes.IndexByte(one[head:], '{') + 1
	size := len(two) - len(one) // of a test and the comma after it
	d := &Document{
		head:    one[:head],
		pattern: two[head : head+size],
		last:    size - 1,
		tail:    one[head+size-1:],
		each:    2,
	}
	d.fill = nanolegacyFill(d.pattern)
	return d.WithResults(tests)
}

// NewMixedNanolegacy is NewNanolegacy with the options of results in all orders, in turn, so that
// remembering earlier tests gains little.
func NewMixedNanolegacy(tests int, indent string) *Document {
	d := *NewNanolegacy(tests, indent)
	first := bytes.Index(d.pattern, []byte(`"options":`))
	second := first + 1 + bytes.Index(d.pattern[first+1:], []byte(`"options":`))
	var patterns [][]byte
	for _, pattern := range permuteObject(d.pattern, second) {
		patterns = append(patterns, permuteObject(pattern, first)...)
	}
	fills := make([]func([]byte, int), len(patterns))
	for i, pattern := range patterns {
		fills[i] = nanolegacyFill(pattern)
	}
	d.fill = func(test []byte, i int) {
		copy(test, patterns[i%len(patterns)])
		fills[i%len(patterns)](test, i)
	}
	return &d
}

// permuteObject returns the text once for each order of the members of the object after the given
// index.
func permuteObject(text []byte, at int) [][]byte {
	start := at + bytes.IndexByte(text[at:], '{') + 1
	end := start + bytes.IndexByte(text[start:], '}')
	members := bytes.TrimRight(text[start:end], " \n")
	end = start + len(members)
	var all [][]byte
	for _, order := range permutations(bytes.Split(members, []byte{','})) {
		all = append(all, bytes.Join([][]byte{text[:start], bytes.Join(order, []byte{','}), text[end:]}, nil))
	}
	return all
}

// The parts of a test that nanolegacyFill fills in.
const (
	nanoName   = "textblob_intermediate_000000000_640_480"
	nanoFirst  = 0.11111111
	nanoSecond = 0.22222222
	nanoSample = 0.33333333
)

// nanolegacyFile returns a file whose tests are patterns for nanolegacyFill.
func nanolegacyFile(tests, samples int) *NanolegacyFile {
	f := &NanolegacyFile{
		GitHash: "fe4a4029a080bc955e9588d05a6cd9eb490845d4",
		Key: map[string]string{
			"arch":             "x86_64",
			"compiler":         "Clang",
			"cpu_or_gpu":       "GPU",
			"cpu_or_gpu_value": "QuadroP400",
			"model":            "Golo",
			"os":               "Ubuntu18",
		},
		Options: map[string]string{"system": "UNIX"},
		Results: map[string]map[string]map[string]any{},
		Source:  "nanobench",
	}

	result := func(value float64) map[string]any {
		m := map[string]any{
			"min_ms": value,
			"options": map[string]any{
				"bench_type":  "micro",
				"name":        nanoName[:len(nanoName)-len("_640_480")],
				"source_type": "bench",
			},
		}
		if samples > 0 {
			s := make([]float64, samples)
			for i := range s {
				s[i] = nanoSample
			}
			m["samples"] = s
		}
		return m
	}

	for i := range tests {
		name := []byte(nanoName)
		name[len("textblob_intermediate_00000000")] += byte(i)
		f.Results[string(name)] = map[string]map[string]any{"8888": result(nanoFirst), "gles": result(nanoSecond)}
	}
	return f
}

// nanolegacyFill returns the function that makes the i-th test from a copy of pattern.
func nanolegacyFill(pattern []byte) func(test []byte, i int) {
	const digits = "000000000"
	var names, numbers []int // their indexes

	for at := 0; ; {
		i := bytes.Index(pattern[at:], []byte(digits))
		if i < 0 {
			break
		}
		names = append(names, at+i)
		at += i + len(digits)
	}
	for at := 0; ; {
		i := bytes.Index(pattern[at:], []byte("0."))
		if i < 0 {
			break
		}
		numbers = append(numbers, at+i+len("0."))
		at += i + 1
	}

	return func(test []byte, i int) {
		for _, at := range names {
			putDecimal(test[at:at+len(digits)], uint64(i))
		}
		h := mix(i)
		for _, at := range numbers {
			// The first of eight decimals is not a zero, and neither is the last: real files have
			// no trailing zeros.
			putDecimal(test[at:at+len("12345678")], noZero(1e7+h%9e7))
			h = mix(int(h))
		}
	}
}
