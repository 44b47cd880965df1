package workload

import (
	"bytes"
	"fmt"
)

// goBenchHead is the output of the testing package before its results.
const goBenchHead = `goos: linux
goarch: amd64
pkg: example.com/codec/compress
cpu: Intel(R) Core(TM) i7-4980HQ CPU @ 2.80GHz
`

const goBenchLine = "BenchmarkDecode/text=digits/level=speed/size=000000000-8   \t     100\t    154125 ns/op\t  64.88 MB/s\t   40418 B/op\t      77 allocs/op\n"

// All names have the same length, so that all lines have.
var goBenchTexts = [...]string{"digits", "twain1", "source", "random"}

// NewGoBench returns Go benchmark data with the given number of result lines of four values each.
// Each name is on count consecutive lines: 10 is the output of "go test -count 10", and with 1 all
// names are distinct.
func NewGoBench(results, count int) *Document {
	line := []byte(goBenchLine)
	at := func(text string) int {
		i := bytes.Index(line, []byte(text))
		if i < 0 {
			panic(fmt.Sprintf("workload: no %s in the line", text))
		}
		return i
	}

	const (
		size       = "000000000"
		iterations = "100\t"
		ns         = "154125"
		speed      = "64.88"
		bytesPerOp = "40418"
		allocs     = "77"
	)
	textAt, sizeAt, iterationsAt := at("digits"), at(size), at(iterations)
	nsAt, speedAt, bytesAt, allocsAt := at(ns), at(speed), at(bytesPerOp), at(allocs)

	d := &Document{
		head:    []byte(goBenchHead),
		pattern: line,
		last:    len(line),
		tail:    []byte("PASS\nok  \texample.com/codec/compress\t128.743s\n"),
		each:    4,
		fill: func(result []byte, i int) {
			name := i / count
			copy(result[textAt:], goBenchTexts[mix(name)>>62])
			putDecimal(result[sizeAt:sizeAt+len(size)], uint64(name))

			h := mix(i)
			putDecimal(result[iterationsAt:iterationsAt+3], 100+h%900)
			putDecimal(result[nsAt:nsAt+len(ns)], 100_000+h>>8%900_000)
			putDecimal(result[speedAt:speedAt+len(speed)], noZero(1000+h>>16%8990))
			putDecimal(result[bytesAt:bytesAt+len(bytesPerOp)], 10_000+h>>24%90_000)
			putDecimal(result[allocsAt:allocsAt+len(allocs)], 10+h>>32%90)
		},
	}
	return d.WithResults(results)
}
