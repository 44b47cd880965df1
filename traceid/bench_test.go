package traceid_test

import (
	"testing"

	"perfdata/traceid"
)

// BenchmarkAppendID makes the id of canonical params, which are usual, and of params with a
// character that must be replaced.
func BenchmarkAppendID(b *testing.B) {
	params := traceid.FromMap(map[string]string{
		"arch":             "x86_64",
		"branch":           "main",
		"compiler":         "Clang",
		"cpu_or_gpu":       "GPU",
		"cpu_or_gpu_value": "QuadroP400",
		"model":            "Golo",
		"os":               "Ubuntu18",
		"bench_type":       "recording",
		"source_type":      "image",
		"stat":             "min",
		"units":            "ms",
		"test":             "desk_wikipedia_scrolled_to_the_end.skp_1_1000_1000_000000000",
	})
	changed := traceid.Merge(params, traceid.FromMap(map[string]string{"os": "Ubuntu 18"}))
	for name, p := range map[string]traceid.Params{"canonical": params, "changed": changed} {
		b.Run(name, func(b *testing.B) {
			var id []byte
			b.ReportAllocs()
			for b.Loop() {
				id = p.AppendID(id[:0])
			}
			b.SetBytes(int64(len(id)))
		})
	}
}

func BenchmarkParse(b *testing.B) {
	const id = ",arch=x86_64,bench_type=recording,compiler=Clang,os=Ubuntu18,source_type=image,stat=min," +
		"test=draw_a_circle,units=ms,"
	b.SetBytes(int64(len(id)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := traceid.Parse(id); err != nil {
			b.Fatal(err)
		}
	}
}
