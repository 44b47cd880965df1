package documents

import (
	"fmt"
	"strconv"
	"strings"

	"perfdata/internal/chars"
	"perfdata/internal/testing/plausible"
)

// benchfmt makes Go benchmark data, as text or as the events of go test -json.
func benchfmt(g *generator, d *document) {
	size := g.size
	if events := g.Chance(20); events {
		random := plausible.Random(g.Uint64())
		d.wrap = func(text []byte) []byte { return asEvents(text, random) }
		size /= 2
	}
	lineEnd := g.pick("\n", "\n", "\n", "\r\n")
	line := func(format string, args ...any) {
		d.text = append(fmt.Appendf(d.text, format, args...), lineEnd...)
	}

	line("goos: %s", g.pick("linux", "darwin", "windows"))
	d.text = append(d.text, "cpu:"...)
	d.add(benchConfig, g.pick(" AMD EPYC 7B13", "\t  Intel(R) Core(TM) i7", "M1", "", " é"))
	line("")
	for u := range g.Below(3) {
		d.text = append(d.text, "Unit "+[]string{"ns/op", "MB/s"}[u]+" "...)
		d.add(benchMetadata, "better="+[]string{"lower", "higher"}[u])
		line("%s", g.pick("", " assume=nothing", " assume=exact"))
	}

	for n := 0; len(d.text) < size || n == 0; n++ {
		switch {
		case g.Chance(10):
			line("pkg: example.com/%s", g.name())
		case g.Chance(5):
			line("%s:", g.pick("cpu", "note", "commit"))
		case g.Chance(10):
			line("%s", g.pick("PASS", "ok  \texample.com\t1.5s", "", "BenchmarkOnlyItsName", "benchmark", "  Unit x y",
				"--- BENCH: BenchmarkX", "Benchmarking 1 2 3", "é:", "a b: c", "Key: value", "{}", "{\"a\": 1}"))
		}
		g.benchmark(d, lineEnd)
	}
}

// benchmark appends the result lines of a benchmark.
func (g *generator) benchmark(d *document, lineEnd string) {
	shape := g.shapes(1)[0]
	for range 1 + g.Below(3) {
		s := shape.generator(g)
		d.text = append(d.text, "Benchmark"+s.benchmarkName()+s.pick("-16", "-8", "")...)
		blank := s.pick("\t", " ", "  \t   ")
		d.text = append(d.text, blank...)
		d.add(benchIterations, string(g.integer(9)))

		start := len(d.text)
		units := []string{"ns/op", "MB/s", "B/op", "allocs/op", "p99-ns", "%"}
		for _, unit := range units[:1+s.Below(len(units))] {
			d.text = append(d.text, blank...)
			if g.Chance(g.odd) {
				d.add(benchValue, g.pick("+Inf", "NaN", "0x1p-2", "1_000", "+5", ".5", "5.", "1E5", "-0", "00012"))
			} else {
				d.add(benchValue, string(g.number()))
			}
			d.add(benchUnit, s.pick(" ", " ", "\t")+unit)
		}
		d.mark(benchValues, start)
		d.text = append(d.text, lineEnd...)
	}
}

// benchmarkName returns a name with parts.
func (g *generator) benchmarkName() string {
	var b strings.Builder
	b.WriteString("X" + g.name())
	for i := range g.Below(4) {
		b.WriteString(g.pick("/size=", "/n=", "/", "/a/", "/"+strconv.Itoa(i)+"=") + g.name())
	}
	if g.Chance(g.odd) {
		b.WriteString(g.pick("/", "/=", "/a=", "/=b", "/é=😀", "-", "-0", "-1-2", "/name=x", "/sub1=y", "//"))
	}
	return b.String()
}

// asEvents returns the events of go test -json that carry the text. Some lines come in several
// events.
func asEvents(text []byte, random plausible.Random) []byte {
	events := []byte(`{"Action":"start","Package":"example.com/a"}` + "\n")
	output := func(s string) {
		events = append(events, `{"Time":"2026-01-02T03:04:05Z","Action":"output","Package":"example.com/a","Output":`...)
		events = append(chars.AppendJSON(events, s), "}\n"...)
	}

	i := 0
	for line := range strings.Lines(string(text)) {
		r := plausible.New(int(random&0xffff), i) // a change of a line leaves the others as they are
		i++
		n := len(line)
		if r.Chance(30) {
			n = r.Below(n)
		}

		for n > 0 && n < len(line) && line[n]&0xc0 == 0x80 {
			n-- // a character is not split
		}
		if n > 0 {
			output(line[:n])
		}
		if n < len(line) {
			output(line[n:])
		}
	}
	return append(events, `{"Action":"pass","Package":"example.com/a"}`+"\n"...)
}
