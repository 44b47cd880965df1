package workload

import (
	"bytes"
	"encoding/json"
	"slices"
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

// Indent is the indentation of the indented workloads.
const Indent = "  "

// NewSkia returns a file of the Skia Perf format, version 1. Each result has four statistics, and
// the links come last. The file is formatted by json.MarshalIndent with the given indentation, or
// by json.Marshal if it is empty. With [Indent], 100,000 results take 63 MB.
func NewSkia(results int, indent string) *Document {
	one, two := marshal(skiaFile(1), indent), marshal(skiaFile(2), indent)
	const open = `"results":`
	head := bytes.Index(one, []byte(open)) + len(open)
	head += bytes.IndexByte(one[head:], '[') + 1
	size := len(two) - len(one) // of a result and the comma after it
	d := &Document{
		head:    one[:head],
		pattern: two[head : head+size],
		last:    size - 1,
		tail:    one[head+size-1:],
		each:    4,
	}
	d.fill = skiaFill(d.pattern)
	return d.WithResults(results)
}

// NewMixedSkia is NewSkia with the members of results' keys in all orders, in turn, so that
// remembering earlier results gains little.
func NewMixedSkia(results int, indent string) *Document {
	d := *NewSkia(results, indent)
	patterns := permuteKey(d.pattern)
	fills := make([]func([]byte, int), len(patterns))
	for i, pattern := range patterns {
		fills[i] = skiaFill(pattern)
	}
	d.fill = func(result []byte, i int) {
		copy(result, patterns[i%len(patterns)])
		fills[i%len(patterns)](result, i)
	}
	return &d
}

// permuteKey returns the result once for each order of the members of its key.
func permuteKey(result []byte) [][]byte {
	start := bytes.Index(result, []byte(`"key":`))
	start += bytes.IndexByte(result[start:], '{') + 1
	end := start + bytes.IndexByte(result[start:], '}')
	members := bytes.TrimRight(result[start:end], " \n")
	end = start + len(members)
	var all [][]byte
	for _, order := range permutations(bytes.Split(members, []byte{','})) {
		all = append(all, slices.Concat(result[:start], bytes.Join(order, []byte{','}), result[end:]))
	}
	return all
}

// permutations returns the items in all orders. Consecutive orders begin with different items.
func permutations(items [][]byte) [][][]byte {
	if len(items) == 1 {
		return [][][]byte{items}
	}
	var all [][][]byte
	rest := make([][][][]byte, len(items))
	for i := range items {
		rest[i] = permutations(slices.Concat(items[:i], items[i+1:]))
	}
	for j := range rest[0] {
		for i := range items {
			all = append(all, append([][]byte{items[i]}, rest[i][j]...))
		}
	}
	return all
}

// skiaFile returns a file whose results are patterns for skiaFill.
func skiaFile(results int) *SkiaFile {
	f := &SkiaFile{
		Version: 1,
		GitHash: "fe4a4029a080bc955e9588d05a6cd9eb490845d4",
		Key: map[string]string{
			"arch":             "x86_64",
			"branch":           "main",
			"compiler":         "Clang",
			"cpu_or_gpu":       "GPU",
			"cpu_or_gpu_value": "QuadroP400",
			"model":            "Golo",
			"os":               "Ubuntu18",
		},
		Links: map[string]string{
			"details": "https://ci.example.com/runs/8733017420917530001",
			"source":  "https://source.example.com/skia/+/fe4a4029a080bc955e9588d05a6cd9eb490845d4",
		},
	}

	for range results {
		f.Results = append(f.Results, SkiaResult{
			Key: map[string]string{
				"bench_type":  "recording",
				"source_type": "image",
				"test":        "desk_wikipedia_scrolled_to_the_end.skp_1_1000_1000_000000000",
				"units":       "ms",
			},
			Measurements: map[string][]SkiaSingle{"stat": {
				{Value: "min", Measurement: 11.111},
				{Value: "max", Measurement: 22.222222},
				{Value: "mean", Measurement: 33.333333333},
				{Value: "stddev", Measurement: 0.4444},
			}},
		})
	}
	return f
}

// All have the same length, so that all results have.
var skiaSourceTypes = [...]string{"image", "micro", "paint", "video"}

// skiaFill returns the function that makes the i-th result from a copy of pattern.
func skiaFill(pattern []byte) func(result []byte, i int) {
	at := func(text string) int { return bytes.Index(pattern, []byte(text)) }
	const (
		test = "000000000"
		low  = "11.111"
		high = "22.222222"
		mean = "33.333333333"
		dev  = "0.4444"
	)
	sourceAt, testAt := at(`image"`), at(test)
	minAt, maxAt, meanAt, devAt := at(low), at(high), at(mean), at(dev)
	return func(result []byte, i int) {
		copy(result[sourceAt:], skiaSourceTypes[mix(i)>>62])
		putDecimal(result[testAt:testAt+len(test)], uint64(i))

		// The minimum has three decimals, the maximum six, the mean nine, in that order; the
		// deviation has four. The last digit is not a zero: real files have no trailing zeros.
		h := mix(i)
		nanos := 20e9 + h%60e9
		putDecimal(result[minAt:minAt+len(low)], noZero(nanos/1e6-1000-h>>8%8000))
		putDecimal(result[maxAt:maxAt+len(high)], noZero(nanos/1e3+1+h>>16%19e6))
		putDecimal(result[meanAt:meanAt+len(mean)], noZero(nanos))
		putDecimal(result[devAt:devAt+len(dev)], noZero(h>>24%9990))
	}
}

// noZero returns n, or n+1 if n ends in a zero.
func noZero(n uint64) uint64 {
	if n%10 == 0 {
		n++
	}
	return n
}

func marshal(v any, indent string) []byte {
	b, err := json.Marshal(v)
	if indent != "" {
		b, err = json.MarshalIndent(v, "", indent)
	}
	if err != nil {
		panic(err) // marshaling these values does not fail
	}
	return b
}
