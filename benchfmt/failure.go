package benchfmt

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"perfdata/format"
	"perfdata/internal/message"
)

// This file reads what "go test" says about failures. Without an error, nobody would notice that
// there are no results of a benchmark that failed, or of a package that ended before its benchmarks:
//
//	--- FAIL: BenchmarkDisk
//	BenchmarkDisk-8   	--- FAIL: BenchmarkDisk-8
//	BenchmarkDisk-8   	panic: no disk
//
//	BenchmarkDisk
//	panic: no disk
//	FAIL	example.com/disk	0.012s
//
//	FAIL	example.com/disk [build failed]
//
// To the reference, only the lines that begin with a name are errors.

// A failure is what failed in a package, according to the output so far.
type failure struct {
	isTest    bool   // a test
	benchmark string // the last benchmark, or the beginning of a long name
	running   []byte // the name that was last on a line of its own, until the benchmark ends
}

// Lines about an outcome begin with these.
var (
	failedOne     = []byte("--- FAIL: ")
	failedPackage = []byte("FAIL\t")
)

// readOutcome reads a line that is not a result, if it says whether a benchmark, a test or a package
// failed. It returns an error if results are missing and no earlier line says so.
func (g *grammar) readOutcome(s *stream, line []byte) *format.Error {
	switch {
	case bytes.HasPrefix(line, failedOne):
		return g.readFailed(s, line, len(failedOne))
	case bytes.HasPrefix(line, failedPackage):
		return g.readFailedPackage(s, line, len(failedPackage))

	case bytes.HasPrefix(line, []byte("--- SKIP: ")):
		s.failure.running = s.failure.running[:0]
	case bytes.HasPrefix(line, []byte("ok  \t")):
		s.failure = failure{}

	case string(line) == "FAIL" && s.failure.isTest && g.failed.line == 0:
		g.failed = g.at
	case string(line) == "FAIL" && !g.isNamed && g.unnamed.line == 0:
		g.unnamed = g.at
	}
	return nil
}

// readFailed reads a line about a benchmark or a test that failed, whose name is at byte start.
func (g *grammar) readFailed(s *stream, line []byte, start int) *format.Error {
	name := line[start:fieldEnd(line, start)]
	if !bytes.HasPrefix(name, []byte(prefix)) {
		s.failure.isTest = true
		return nil
	}

	// A benchmark fails with its sub-benchmarks, and has no result of its own.
	text := message.Shorten(string(name))
	isOuter := strings.HasPrefix(s.failure.benchmark, text+"/")
	s.failure.benchmark, s.failure.running = text, s.failure.running[:0]
	if isOuter {
		return nil
	}
	return g.failBenchmark(s, start, quote(name)+" failed")
}

// readFailedPackage reads the line at the end of a failed package, whose name is at byte start.
func (g *grammar) readFailedPackage(s *stream, line []byte, start int) *format.Error {
	f, last := s.failure, s.last
	s.failure = failure{}
	g.unnamed, g.isNamed = place{}, true

	// A result in text does not clear running, because the fast path would have to: the name that was read
	// last tells whether the benchmark had a result.
	if s == g.current {
		last = g.names.text
	}
	if len(f.running) > 0 {
		rest, ok := strings.CutPrefix(last, string(f.running[len(prefix):]))
		if ok && (rest == "" || rest[0] == '-' && strings.Trim(rest[1:], "0123456789") == "") {
			f.running = nil
		}
	}

	end := fieldEnd(line, start)
	name := quote(line[start:end])
	switch {
	case len(f.running) > 0:
		return g.failOutcome(start, fmt.Sprintf("%s did not end: package %s failed", quote(f.running), name))
	case f.benchmark != "":
		return nil
	case f.isTest:
		if g.failed.line == 0 {
			g.failed = g.at
		}
		return nil
	}

	why := ""
	if rest := string(bytes.TrimSpace(line[end:])); rest == "[build failed]" || rest == "[setup failed]" {
		why = " " + rest
	}
	return g.failOutcome(start, fmt.Sprintf("package %s failed%s: results may be missing", name, why))
}

// failedRun returns an error about a line that begins with a benchmark's name, if the text from byte
// start on says why the benchmark failed. If not, it returns nil.
func (g *grammar) failedRun(s *stream, line []byte, start int) *format.Error {
	rest := line[start:]
	faults := []string{"--- FAIL: ", "panic: ", "fatal error: ", "exit status ", "signal: "}
	if !slices.ContainsFunc(faults, func(f string) bool { return bytes.HasPrefix(rest, []byte(f)) }) {
		return nil
	}
	name := line[:fieldEnd(line, 0)]
	s.failure.benchmark = message.Shorten(string(name))
	text := quote(name) + " failed"
	if !bytes.HasPrefix(rest, failedOne) {
		text += ": " + quote(rest)
	}
	return g.failBenchmark(s, start, text)
}

// failOutcome returns an error about byte i of the current line, which has no fault of its own.
func (g *grammar) failOutcome(i int, text string) *format.Error {
	g.unnamed, g.isNamed = place{}, true
	e := g.fail(i, text)
	e.Err = format.ErrSchema
	return e
}

// failBenchmark is failOutcome for a line that names a benchmark. The path is the package.
func (g *grammar) failBenchmark(s *stream, i int, text string) *format.Error {
	e := g.failOutcome(i, text)
	if pkg, ok := s.config.sorted.Get("pkg"); ok && e.Path == "" {
		e.Path = message.Shorten(pkg)
	}
	return e
}
