package report_test

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/binary"
	"io"
	"math"
	"math/rand/v2"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"perfdata/report"
	"perfdata/series"
	"perfdata/traceid"
)

// valuesOf reads the values of a page with one series of n points, as its script does.
func valuesOf(t *testing.T, page string, n int) []report.Point {
	t.Helper()
	var data []byte
	for _, block := range regexp.MustCompile(`class="block">([^<]*)<`).FindAllStringSubmatch(page, -1) {
		text, err := base64.StdEncoding.DecodeString(block[1])
		if err != nil {
			t.Fatal(err)
		}
		plain, err := io.ReadAll(flate.NewReader(bytes.NewReader(text)))
		if err != nil {
			t.Fatal(err)
		}
		data = append(data, plain...)
	}

	r := bytes.NewReader(data)
	next := func() int {
		n, err := binary.ReadUvarint(r)
		if err != nil {
			t.Fatal(err)
		}
		return int(n)
	}
	flags, _ := r.ReadByte()
	points := make([]report.Point, n)
	if n == 0 {
		return points
	}
	for i := range points {
		points[i].N = 1
		switch {
		case i == 0:
			points[i].Commit = next()
		case flags&1 == 0:
			points[i].Commit = points[i-1].Commit + 1
		default:
			points[i].Commit = points[i-1].Commit + next()
		}
	}
	special := make([]byte, n)
	if flags&2 != 0 {
		io.ReadFull(r, special)
	}
	for i, v := range numbersOf(t, r, n) {
		points[i].Value = []float64{v, math.NaN(), math.Inf(1), math.Inf(-1)}[special[i]]
	}
	if flags&4 != 0 {
		for i := range points {
			points[i].N = next()
		}
		below, above := numbersOf(t, r, n), numbersOf(t, r, n)
		for i := range points {
			points[i].Min, points[i].Max = points[i].Value-below[i], points[i].Value+above[i]
		}
	}
	if r.Len() > 0 {
		t.Errorf("%d bytes are left", r.Len())
	}
	return points
}

func numbersOf(t *testing.T, r *bytes.Reader, n int) []float64 {
	t.Helper()
	width, _ := r.ReadByte()
	scale, _ := r.ReadByte()
	least := int64(0)
	if width < 8 {
		var err error
		if least, err = binary.ReadVarint(r); err != nil {
			t.Fatal(err)
		}
	}
	planes := make([]byte, int(width)*n)
	if _, err := io.ReadFull(r, planes); err != nil {
		t.Fatal(err)
	}
	values := make([]float64, n)
	for i := range values {
		bits := uint64(0)
		for p := range int(width) {
			bits |= uint64(planes[p*n+i]) << (8 * p)
		}
		switch scale := int(scale) - 22; {
		case width == 8:
			values[i] = math.Float64frombits(bits)
		case scale < 0:
			values[i] = float64(least+int64(bits)) * math.Pow10(-scale)
		default:
			values[i] = float64(least+int64(bits)) / math.Pow10(scale)
		}
	}
	return values
}

// Values are in the page as doc.go says: integers and few digits are exact, others nearly.
func TestValues(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	drawn := func(f func() float64) []float64 {
		values := make([]float64, 500)
		for i := range values {
			values[i] = f()
		}
		return values
	}
	for _, test := range []struct {
		name   string
		values []float64
		most   float64 // the largest error, relative to the median
	}{
		{"none", nil, 0},
		{"one", []float64{12.5}, 0},
		{"zero", []float64{0, 0}, 0},
		{"integers", []float64{1, 2, 1 << 53, -(1 << 53), 123456789}, 0},
		{"few digits", []float64{0.1, 12.34, 5, 1234.56}, 0},
		{"special", []float64{1.5, math.NaN(), math.Inf(1), math.Inf(-1), 2}, 0},
		{"only special", []float64{math.NaN(), math.NaN()}, 0},
		{"many sizes", []float64{1e-300, 1, 1e300}, 0},
		{"huge", []float64{1e300, 1.1e300, math.MaxFloat64}, 0},
		{"denormal", []float64{5e-324, 1e-310}, 0},
		{"large integers", []float64{1e20, 1.5e20, 3e20}, 1e-6},
		{"negative", []float64{-1.25, -2.5}, 0},
		{"noise", drawn(random.NormFloat64), 1e-6},
		{"uniform", drawn(random.Float64), 1e-6},
		{"times", drawn(func() float64 { return 1e-9 * math.Exp(random.NormFloat64()) }), 1e-6},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := &report.Page{Commits: make([]series.Commit, 2*len(test.values)+1)}
			s := report.Line{Params: traceid.Of("a", "b")}
			for i, v := range test.values {
				at := report.Point{Commit: 2*i + i%2, N: 1, Value: v}
				s.Points = append(s.Points, at)
			}
			p.Series = []report.Line{s}
			got := valuesOf(t, written(t, p), len(test.values))
			near := cmpopts.EquateApprox(0, 2*test.most)
			if diff := cmp.Diff(s.Points, got, cmpopts.EquateNaNs(), cmpopts.EquateEmpty(), near); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestRepetitions(t *testing.T) {
	points := []report.Point{
		{Commit: 0, N: 3, Value: 10.5, Min: 10.25, Max: 12}, {Commit: 1, N: 1, Value: 11, Min: 11, Max: 11},
		{Commit: 2, N: 300, Value: 10, Min: 9, Max: 10},
	}
	p := &report.Page{Commits: make([]series.Commit, 3), Series: []report.Line{{Points: points}}}
	if diff := cmp.Diff(points, valuesOf(t, written(t, p), 3)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func BenchmarkWrite(b *testing.B) {
	p := noise(1000, 1000, false)
	for b.Loop() {
		if err := report.Write(io.Discard, p); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/1e6/float64(b.N), "ns/value")
}
