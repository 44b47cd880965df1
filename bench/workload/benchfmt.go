package workload

import (
	"bytes"
	"strconv"

	"perfdata/internal/testing/plausible"
)

// NewGoBench returns Go benchmark data. Each name is on count consecutive lines: 10 is the output
// of "go test -count 10", and with 1 all names are distinct. A benchmark has five names, with
// different parameters, and a package has 60. Lines have one to five values, and are formatted as
// the testing package does. Each benchmark has its own units.
func NewGoBench(count int) *Document {
	d := &Document{
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
	}
	return d.WithResults(1)
}

// GoBenchFiles returns n files of 3 to 9 KB, each at a commit, as a service receives them: from
// several machines at many commits. The benchmarks of a file are consecutive ones of 5,000.
func GoBenchFiles(n int) (files [][]byte, records int) {
	all := NewGoBench(1)
	return smallFiles(n, func(r *plausible.Random, _ int) *Document {
		first := 60 * r.Below(5000/60)
		d := *all
		d.head = append([]byte("commit: "), plausible.AppendHex(nil, r, 40)...)
		d.head = append(d.head, "\ncommit-time: 2026-01-02T03:04:05Z\n"...)
		d.head = append(d.head, all.head...)
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
	b = strconv.AppendInt(b, int64(i/5), 10)

	r := plausible.New(3e3+3, i)
	b = append(b, '/')
	b = append(b, plausible.Pick(benchmark, []string{"size=", "goroutines=", "", "n="})...)
	b = strconv.AppendInt(b, int64(1<<(4*(i%5))), 10)
	b = append(b, plausible.Pick(benchmark, []string{"", "KB", "x"})...)
	if benchmark.Chance(40) {
		b = append(b, plausible.Pick(benchmark, []string{"/text=", "/level=", "/"})...)
		b = append(b, plausible.Word(&r)...)
	}
	return append(b, "-16"...)
}

// appendGoValues appends the iterations and values of a line, and returns the number of values.
// The units are the benchmark's, and the numbers the line's.
func appendGoValues(b []byte, benchmark, line *plausible.Random) ([]byte, int) {
	pad := func(number []byte, width int) {
		for range width - len(number) {
			b = append(b, ' ')
		}
		b = append(b, number...)
	}
	var number [32]byte

	b = append(b, '\t')
	pad(plausible.AppendInteger(number[:0], line, 9), 8)
	b = append(b, '\t')
	pad(appendGoNumber(number[:0], line), 10)
	b = append(b, " ns/op"...)
	n := 1

	if benchmark.Chance(30) {
		b = append(b, '\t')
		pad(strconv.AppendFloat(number[:0], 5000*line.Float(), 'f', 2, 64), 7)
		b = append(b, " MB/s"...)
		n++
	}

	if benchmark.Chance(15) {
		b = append(b, '\t')
		pad(appendGoNumber(number[:0], line), 10)
		b = append(b, ' ')
		b = append(b, plausible.Pick(benchmark, []string{"p99-ns/op", "misses/op", "items/s", "build-real-ns/op"})...)
		n++
	}

	if benchmark.Chance(70) {
		b = append(b, '\t')
		pad(plausible.AppendInteger(number[:0], line, 7), 8)
		b = append(b, " B/op\t"...)
		pad(plausible.AppendInteger(number[:0], line, 4), 8)
		b = append(b, " allocs/op"...)
		n += 2
	}
	return append(b, '\n'), n
}

// appendGoNumber appends a number with the decimals that the testing package chooses.
func appendGoNumber(b []byte, r *plausible.Random) []byte {
	x := plausible.AppendDecimal(nil, r, 6)
	v, _ := strconv.ParseFloat(string(x), 64)
	v *= float64(1 + r.Below(1000)*r.Below(2))
	decimals := 0
	switch {
	case v >= 999.95:
	case v >= 99.995:
		decimals = 1
	case v >= 9.9995:
		decimals = 2
	default:
		decimals = 3
	}
	return strconv.AppendFloat(b, v, 'f', decimals, 64)
}
