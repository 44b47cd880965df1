package openmetrics

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/testing/documents"
	"perfdata/internal/testing/formattest"
	"perfdata/internal/testing/quick"
	"perfdata/skiav1"
	"perfdata/traceid"
)

// write writes records, and returns the text and the errors.
func write(t *testing.T, recs ...*format.Record) (text string, refused []string) {
	var out bytes.Buffer
	w, err := Target().NewWriter(&out, format.Header{})
	if err != nil {
		t.Fatal(err)
	}
	for _, rec := range recs {
		if err := w.Write(rec); err != nil {
			refused = append(refused, err.Error())
		}
	}
	if err := errors.Join(w.Close(), w.Close()); err != nil {
		t.Fatal(err)
	}
	return out.String(), refused
}

func record(value float64, pairs ...string) *format.Record {
	return &format.Record{Params: traceid.Of(pairs...), Value: value}
}

func TestWriter(t *testing.T) {
	unit, repeated := record(1.5, "name", "a"), record(2, "name", "b", "repetition", "2")
	unit.Unit, repeated.Repetition = "ns/op", 2
	text, refused := write(t, unit, repeated, record(3, "name", "b"), record(math.NaN(), "a.b", "1", "a-b", "2"),
		record(math.Inf(1), "0", "\\x\"\ny", "__a", "é", "", "z"), record(4, "a-b", "2", "a.b", "1", "c", ""), record(-1e300),
		&format.Record{Attrs: traceid.Of("a", "b")}, &format.Record{Links: traceid.Of("a", "b")}, record(1, "a", "\xff"))
	const want = "# TYPE benchmark_value gauge\n" +
		"benchmark_value{name=\"a\",unit=\"ns/op\"} 1.5\n" +
		"benchmark_value{name=\"b\"} 2\n" +
		"benchmark_value{a_b=\"2\",a_b_=\"1\"} NaN\n" +
		"benchmark_value{param_=\"z\",param_0=\"\\\\x\\\"\\ny\",param___a=\"é\"} +Inf\n" +
		"benchmark_value{} -1e+300\n# EOF\n"
	if diff := cmp.Diff(want, text); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	const again = "its series has a value already"
	if diff := cmp.Diff([]string{
		again, again, "measurement : the format has no attributes", "measurement : the format has no links",
		`measurement ,a=_,: "a": "\xff" is not UTF-8`,
	}, refused); diff != "" {
		t.Errorf("refused (-want +got):\n%s", diff)
	}
	check(t, text)
	parse(t, text)
}

// sample is the grammar of a line of the specification, without timestamps and exemplars.
var sample = regexp.MustCompile(`^benchmark_value\{(?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*"(?:,|\}))*\}? ` +
	`(?:[+-]?\d+(?:\.\d*)?(?:e[+-]?\d+)?|[+-]Inf|NaN)$`)

// check checks a text by the grammar.
func check(t *testing.T, text string) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i, line := range lines {
		switch {
		case i == 0 && line == "# TYPE benchmark_value gauge", i == len(lines)-1 && line == "# EOF":
		case !sample.MatchString(line):
			t.Errorf("line %d is not a sample: %s", i+1, line)
		}
	}
}

// pythons are the interpreters that may have Prometheus' Python client.
var pythons = []string{"python3", "/usr/bin/python3"}

// parse checks a text with the parser of Prometheus' Python client, where there is one.
func parse(t *testing.T, text string) {
	t.Helper()
	samples := strings.Count(text, "\n") - 2
	for ; len(pythons) > 0; pythons = pythons[1:] {
		cmd := exec.Command(pythons[0], "-c", "import sys\n"+
			"try: from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse\n"+
			"except ImportError: sys.exit(3)\n"+
			"print(sum(len(f.samples) for f in parse(sys.stdin.buffer.read().decode())))")
		cmd.Stdin = strings.NewReader(text)
		out, err := cmd.CombinedOutput()
		if e, ok := errors.AsType[*exec.ExitError](err); err != nil && (!ok || e.ExitCode() == 3) {
			continue // it is missing
		}
		if err != nil || string(out) != fmt.Sprintln(samples) {
			t.Errorf("%v: %s, want %d samples", err, out, samples)
		}
		return
	}
}

// Any params make labels that parsers accept, and different series stay different.
func TestDocuments(t *testing.T) {
	for seed := range uint64(quick.Of(30, 5)) {
		var recs []*format.Record
		document := documents.Valid(skiav1.Format(), seed, 3000)
		for rec, err := range skiav1.NewReader(bytes.NewReader(document)).Records() {
			if err == nil {
				rec := rec.Clone()
				rec.Attrs, rec.Links = nil, nil
				recs = append(recs, rec)
			}
		}
		text, _ := write(t, recs...)
		check(t, text)
		if seed < uint64(quick.Of(3, 1)) {
			parse(t, text)
		}
	}
}

func TestFailingOutput(t *testing.T) {
	broken := errors.New("broken")
	w, _ := Target().NewWriter(formattest.FailingWriter(broken), format.Header{})
	for range 2 {
		if err := w.Close(); err != broken {
			t.Error(err)
		}
	}
	if err := w.Write(record(1)); err != broken {
		t.Error(err)
	}
}
