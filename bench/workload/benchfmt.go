package workload

import (
	"bytes"
	"fmt"
	"strconv"

	"perfdata/internal/testing/plausible"
)

// NewGoBench returns Go benchmark data. Each name is on count consecutive lines: 10 is the output
// of "go test -count 10", and with 1 all names are distinct. A benchmark has five names, with
// different parameters, and a package has 60. Lines have one to five values, and are formatted as
// the testing package does. Each benchmark has its own units.
func NewGoBench(count int) *Document {
	return (&Document{
		head: []byte("goos: linux\ngoarch: amd64\ncpu: AMD EPYC 7B13\n"),
		tail: func(int) []byte { return []byte("PASS\nok  \texample.com/codec\t128.743s\n") },
		add: func(b []byte, i int) ([]byte, int) {
			name := i / count
			if i%(60*count) == 0 {
				r := plausible.New(3e3, name)
				b = append(plausible.AppendName(append(b, "pkg: example.com/"...), &r), '\n')
			}

			benchmark := plausible.New(3e3+1, name/5)
			b = appendGoName(b, &benchmark, name)
			line := plausible.New(3e3+2, i)
			return appendGoValues(b, &benchmark, &line)
		},
	}).WithResults(1)
}

// GoBenchFiles returns n files of 3 to 9 KB, each at a commit, as a service receives them: from
// several machines at many commits. The benchmarks of a file are consecutive ones of 5,000.
func GoBenchFiles(n int) (files [][]byte, records int) {
	all := NewGoBench(1)
	return smallFiles(n, func(r *plausible.Random, _ int) *Document {
		first := 60 * r.Below(5000/60)
		d := *all
		const commit = "commit: %s\ncommit-time: 2026-01-02T03:04:05Z\n%s"
		d.head = fmt.Appendf(nil, commit, plausible.AppendHex(nil, r, 40), all.head)
		d.add = func(b []byte, i int) ([]byte, int) { return all.add(b, first+i) }
		return &d
	})
}

// appendGoName appends the i-th name: one of a benchmark's five. Its parameters, if it has any,
// come last.
func appendGoName(b []byte, benchmark *plausible.Random, i int) []byte {
	b = append(b, "Benchmark"...)
	for range 1 + benchmark.Below(3) {
		at := len(b)
		b = append(b, plausible.Word(benchmark)...)
		b[at] = bytes.ToUpper(b[at : at+1])[0]
	}

	b = fmt.Appendf(b, "%d/%s%d%s", i/5, plausible.Pick(benchmark, []string{"size=", "goroutines=", "", "n="}),
		1<<(4*(i%5)), plausible.Pick(benchmark, []string{"", "KB", "x"}))
	if benchmark.Chance(40) {
		r := plausible.New(3e3+3, i)
		b = append(b, plausible.Pick(benchmark, []string{"/text=", "/level=", "/"})...)
		b = append(b, plausible.Word(&r)...)
	}
	return append(b, "-16"...)
}

// appendGoValues appends the iterations and values of a line, and returns the number of values.
// The units are the benchmark's, and the numbers the line's.
func appendGoValues(b []byte, benchmark, line *plausible.Random) ([]byte, int) {
	integer := func(digits int) []byte { return plausible.AppendInteger(nil, line, digits) }
	b = fmt.Appendf(b, "\t%8s\t%10s ns/op", integer(9), goNumber(line))
	n := 1

	if benchmark.Chance(30) {
		b = fmt.Appendf(b, "\t%7.2f MB/s", 5000*line.Float())
		n++
	}
	if benchmark.Chance(15) {
		units := []string{"p99-ns/op", "misses/op", "items/s", "build-real-ns/op"}
		b = fmt.Appendf(b, "\t%10s %s", goNumber(line), plausible.Pick(benchmark, units))
		n++
	}
	if benchmark.Chance(70) {
		b = fmt.Appendf(b, "\t%8s B/op\t%8s allocs/op", integer(7), integer(4))
		n += 2
	}
	return append(b, '\n'), n
}

// goNumber returns a number with the decimals that the testing package chooses.
func goNumber(r *plausible.Random) string {
	v, _ := strconv.ParseFloat(string(plausible.AppendDecimal(nil, r, 6)), 64)
	v *= float64(1 + r.Below(1000)*r.Below(2))
	decimals := 0
	for _, limit := range []float64{9.9995, 99.995, 999.95} {
		if v < limit {
			decimals++
		}
	}
	return strconv.FormatFloat(v, 'f', decimals, 64)
}
