package workload

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/skiav1"
)

func TestSkiaIsWhatMarshalWrites(t *testing.T) {
	for _, rendering := range renderings {
		t.Run(rendering.name, func(t *testing.T) {
			doc := NewSkia(20, rendering.indent).Bytes()
			var f SkiaFile
			if err := json.Unmarshal(doc, &f); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(marshal(f, rendering.indent)), string(doc)); diff != "" {
				t.Errorf("-marshalled +generated:\n%s", diff)
			}
			tests := map[string]bool{}
			for i, result := range f.Results {
				if stat := result.Measurements["stat"]; len(stat) != 4 || stat[0].Measurement >= stat[2].Measurement || stat[2].Measurement >= stat[1].Measurement {
					t.Errorf("result %d: %v, want min < mean < max", i, stat)
				}
				tests[result.Key["test"]] = true
			}
			if len(tests) != 20 {
				t.Errorf("%d different tests, want 20", len(tests))
			}
		})
	}
}

// The mixed document has the same content, and consecutive results have their keys in different
// orders.
func TestMixedSkia(t *testing.T) {
	for _, rendering := range renderings {
		doc, mixed := NewSkia(9, rendering.indent).Bytes(), NewMixedSkia(9, rendering.indent).Bytes()
		if len(doc) != len(mixed) {
			t.Errorf("%s: %d bytes, want %d", rendering.name, len(mixed), len(doc))
		}
		var want, got SkiaFile
		if err := errors.Join(json.Unmarshal(doc, &want), json.Unmarshal(mixed, &got)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-plain +mixed):\n%s", rendering.name, diff)
		}
		results := bytes.Split(mixed, []byte(`"key"`))[2:] // the part before belongs to the file's key
		for i := range len(results) - 1 {
			if bytes.Equal(results[i][:20], results[i+1][:20]) {
				t.Errorf("%s: results %d and %d begin alike: %s", rendering.name, i, i+1, results[i][:20])
			}
		}
	}
}

func TestSkiaReadFromAnywhere(t *testing.T) {
	for _, rendering := range renderings {
		t.Run(rendering.name, func(t *testing.T) {
			for _, results := range []int{1, 3} {
				d := NewSkia(results, rendering.indent)
				checkReadFromAnywhere(t, d, 1)
				doc := d.Bytes()
				// In pieces of any size.
				var got []byte
				for r, n := d.Reader(), 1; ; n = n%700 + 1 {
					p := make([]byte, n)
					n, err := r.Read(p)
					if got = append(got, p[:n]...); err == io.EOF {
						break
					}
				}
				if !bytes.Equal(got, doc) {
					t.Errorf("%d results, in pieces: not what Bytes has", results)
				}
			}
		})
	}
}

func TestReaderCannotSeek(t *testing.T) {
	if _, ok := NewSkia(1, "").Reader().(io.Seeker); ok {
		t.Error("it can")
	}
}

func TestSkiaSize(t *testing.T) {
	d := NewSkia(100_000, Indent)
	checkSize(t, d.Size(), 64e6, 0.05)
	for _, size := range []int64{0, 1, 1000, 1_000_000, d.Size() - 1, d.Size(), d.Size() + 1, 10 << 30} {
		n := d.ResultsForSize(size)
		if got := d.WithResults(n).Size(); got < size {
			t.Errorf("ResultsForSize(%d) = %d, which have %d bytes", size, n, got)
		}
		if n > 1 {
			if got := d.WithResults(n - 1).Size(); got >= size {
				t.Errorf("ResultsForSize(%d) = %d, but %d would do", size, n, n-1)
			}
		}
	}
}

// Offsets beyond 4 GiB are right too.
func TestSkiaLarge(t *testing.T) {
	d := NewSkia(1, "")
	d = d.WithResults(d.ResultsForSize(10 << 30))
	last := make([]byte, 1000)
	if n, err := d.ReadAt(last, d.Size()-int64(len(last))); n != len(last) || err != nil {
		t.Fatal(n, err)
	}
	whole := NewSkia(100, "").Bytes()
	if tail := []byte(`"links":`); !bytes.Equal(last[bytes.Index(last, tail):], whole[bytes.Index(whole, tail):]) {
		t.Errorf("the document ends in %s", last)
	}
	if n, err := d.ReadAt(last, d.Size()); n != 0 || err != io.EOF {
		t.Errorf("at the end: %d, %v", n, err)
	}
}

func TestSkiaRecords(t *testing.T) {
	for _, rendering := range renderings {
		t.Run(rendering.name, func(t *testing.T) {
			d := NewSkia(1000, rendering.indent)
			links := map[string]string{
				"details": "https://ci.example.com/runs/8733017420917530001",
				"source":  "https://source.example.com/skia/+/fe4a4029a080bc955e9588d05a6cd9eb490845d4",
			}
			checkRecords(t, d, skiav1.NewReader(d.Reader()), 4000,
				record{
					ID: ",arch=x86_64,bench_type=recording,branch=main,compiler=Clang,cpu_or_gpu=GPU,cpu_or_gpu_value=QuadroP400,model=Golo,os=Ubuntu18," +
						"source_type=video,stat=min,test=desk_wikipedia_scrolled_to_the_end.skp_1_1000_1000_000000000,units=ms,",
					Value: 30.973,
					Links: links,
				},
				record{
					ID: ",arch=x86_64,bench_type=recording,branch=main,compiler=Clang,cpu_or_gpu=GPU,cpu_or_gpu_value=QuadroP400,model=Golo,os=Ubuntu18," +
						"source_type=micro,stat=stddev,test=desk_wikipedia_scrolled_to_the_end.skp_1_1000_1000_000000999,units=ms,",
					Value: 0.1791,
					Links: links,
				})
		})
	}
}
