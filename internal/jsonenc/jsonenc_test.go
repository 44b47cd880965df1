package jsonenc_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"perfdata/internal/jsonenc"
	"perfdata/traceid"
)

// FuzzString checks that encoding/json reads a string back equal, except for invalid UTF-8.
func FuzzString(f *testing.F) {
	f.Add("plain")
	f.Add("\"\\\n\r\t\x00\x1f\x7f<&>é\u2028\xff😀")
	f.Fuzz(func(t *testing.T, in string) {
		text := jsonenc.AppendString(nil, in)
		var got string
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatalf("%q: %s: %v", in, text, err)
		}
		if utf8.ValidString(in) && got != in {
			t.Errorf("%q is read back as %q", in, got)
		}
		if want, err := json.Marshal(in); err == nil {
			var same string
			if json.Unmarshal(want, &same); same != got {
				t.Errorf("%q is read back as %q, from encoding/json as %q", in, got, same)
			}
		}
	})
}

// FuzzFloat checks that numbers are written as by encoding/json, and read back the same to the
// bit.
func FuzzFloat(f *testing.F) {
	for _, seed := range []float64{0, math.Copysign(0, -1), 1, 0.1, 1e-6, 1e-7, 1e20, 1e21, math.MaxFloat64, 5e-324, 123456789} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in float64) {
		if math.IsNaN(in) || math.IsInf(in, 0) {
			return
		}
		text := jsonenc.AppendFloat(nil, in)
		var got float64
		if err := json.Unmarshal(text, &got); err != nil || math.Float64bits(got) != math.Float64bits(in) {
			t.Errorf("%v is written as %s and read back as %v, %v", in, text, got, err)
		}
	})
}

// Numbers with few decimals are written as strconv would write them.
func TestAppendFloatShort(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	scales := []float64{1, 10, 100, 1000, 10_000, 100_000}
	for range 200_000 {
		f := float64(r.Uint64N(1<<(1+r.IntN(50)))) / scales[r.IntN(len(scales))]
		if r.IntN(2) == 0 {
			f = -f
		}
		if f == 0 || math.Abs(f) < 1e-6 {
			continue
		}
		if r.IntN(4) == 0 {
			f = math.Nextafter(f, 0)
		}
		if got, want := string(jsonenc.AppendFloat(nil, f)), strconv.FormatFloat(f, 'f', -1, 64); got != want {
			t.Fatalf("%b: %s, want %s", f, got, want)
		}
	}
}

func TestAppendParams(t *testing.T) {
	for _, params := range []traceid.Params{nil, traceid.FromMap(map[string]string{"b": "1", "a\n": ""})} {
		want, err := json.Marshal(params.Map())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(jsonenc.AppendParams(nil, params.All()))); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}
