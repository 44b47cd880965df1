package benchfmt

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	perf "golang.org/x/perf/benchfmt"

	"perfdata/format"
	"perfdata/traceid"
)

// These functions compare this package's Reader with the reference's on any input: results with
// their configuration, unit metadata, and errors, each with its line.

// showPerf returns the text of everything that the reference reads.
func showPerf(in string) (shown []string) {
	r := perf.NewReader(strings.NewReader(in), "x")
	for r.Scan() {
		switch rec := r.Result().(type) {
		case *perf.Result:
			_, line := rec.Pos()
			shown = append(shown, showResult(fromPerf(rec), line, rec.Name.Parts))
		case *perf.UnitMetadata:
		case *perf.SyntaxError:
			shown = append(shown, fmt.Sprintf("%d: %s", rec.Line, faultOf(rec.Msg)))
		}
	}
	if err := r.Err(); err != nil {
		shown = append(shown, err.Error())
	}
	var units []string
	for _, u := range r.Units() {
		_, line := u.Pos()
		units = append(units, fmt.Sprintf("unit %d: %q %q=%q", line, u.OrigUnit, u.Key, u.Value))
	}
	slices.Sort(units)
	return append(shown, units...)
}

// faults are the messages about faults of lines: the reference's, and this package's, which quote
// the text.
var faults = []*regexp.Regexp{
	regexp.MustCompile(`^missing iteration count($| after ")`),
	regexp.MustCompile(`^parsing iteration count: invalid syntax$|^iteration count ".*"(\.\.\.)? is not a whole number$|^"Benchmark.* failed`),
	regexp.MustCompile(`^parsing iteration count: value out of range$|^iteration count ".*"(\.\.\.)? is out of range$`),
	regexp.MustCompile(`^missing measurements$|^missing value and unit after "`),
	regexp.MustCompile(`^parsing measurement: invalid syntax$|^value ".*"(\.\.\.)? is not a number$`),
	regexp.MustCompile(`^parsing measurement: value out of range$|^value ".*"(\.\.\.)? is out of range$`),
	regexp.MustCompile(`^missing units$|^missing unit after value "`),
	regexp.MustCompile(`^missing unit$|^missing unit after "Unit"$`),
	regexp.MustCompile(`^expected key=value$|^".*: want key=value$`),
	regexp.MustCompile(`^(?s)metadata .* of unit .* already set to `),
}

// faultOf returns the number of the fault that the message is about, or the message.
func faultOf(message string) string {
	i := slices.IndexFunc(faults, func(re *regexp.Regexp) bool { return re.MatchString(message) })
	if i < 0 {
		return message
	}
	return fmt.Sprintf("fault %d", i)
}

// fromPerf is xperf.From, which this package cannot import.
func fromPerf(in *perf.Result) *Result {
	res := &Result{Name: string(in.Name), Iterations: in.Iters}
	for _, c := range in.Config {
		res.Config = append(res.Config, traceid.Param{Key: c.Key, Value: string(c.Value)})
	}
	for _, v := range in.Values {
		if v.OrigUnit != "" {
			v.Value, v.Unit = v.OrigValue, v.OrigUnit
		}
		res.Values = append(res.Values, Value{v.Value, v.Unit})
	}
	return res
}

// failures are messages about what failed, which the reference does not report.
var failures = regexp.MustCompile(`^(?s)(package ".*" failed|".*" did not end: |".*" failed$)`)

// showOurs returns the text of everything that this package reads, without departure B11.
func showOurs(in string) (shown []string) {
	lines := slices.Collect(strings.Lines(in))
	r := NewReader(strings.NewReader(in))
	r.Name = "x"
	r.Limits.MaxParams = 1 << 20 // the reference has no limits
	for res, err := range r.Results() {
		if e, ok := errors.AsType[*format.Error](err); ok && e.Severity == format.Recoverable {
			if failures.MatchString(e.Message) && !strings.HasPrefix(lines[e.Line-1], prefix) {
				continue
			}
			shown = append(shown, fmt.Sprintf("%d: %s", e.Line, faultOf(e.Message)))
		} else if err != nil {
			shown = append(shown, err.Error())
		} else {
			shown = append(shown, showResult(res, res.Line, perf.Name(res.Name).Parts))
		}
	}
	var units []string
	for _, u := range r.Units() {
		units = append(units, fmt.Sprintf("unit %d: %q %q=%q", u.Line, u.Unit, u.Key, u.Value))
	}
	slices.Sort(units)
	return append(shown, units...)
}

func showResult(res *Result, line int, parts func() ([]byte, [][]byte)) string {
	var b strings.Builder
	base, rest := parts()
	fmt.Fprintf(&b, "%d: %q %q %q x%d %q", line, res.Name, base, rest, res.Iterations, res.Config)
	for _, v := range res.Values {
		fmt.Fprintf(&b, " %x %q", math.Float64bits(v.Value), v.Unit)
	}
	return b.String()
}

// comparable reports whether both should read the same. The departures from the reference are
// exceptions.
func comparable(in string) bool {
	if !utf8.ValidString(in) || strings.HasPrefix(in, "\ufeff") {
		return false
	}
	for line := range strings.Lines(in) {
		if len(line) > 60_000 || isEvent([]byte(line)) {
			return false
		}
		if f := strings.Fields(line); len(f) > 1 && len(f[1]) > 18 && strings.Contains(f[1], "_") {
			return false // a number that is too large and malformed: they report different faults
		}
		if slices.ContainsFunc(strings.Fields(line), func(field string) bool { return len(field) > 800 }) {
			return false // perhaps a number that the reference reads wrong
		}
	}
	return true
}

// checkAgainstPerf compares the two Readers, and records with the reference's results.
func checkAgainstPerf(t *testing.T, in string) {
	t.Helper()
	if !comparable(in) {
		return
	}
	if diff := diffLines(showPerf(in), showOurs(in)); diff != "" {
		t.Fatalf("(-x/perf +this):\n%s", diff)
	}
	checkTidy(t, in)
}

// checkTidy compares records in base units with the reference's values. The reference does not
// convert 0 and infinities: see departure B3.
func checkTidy(t *testing.T, in string) {
	t.Helper()
	var want, got []string
	r := perf.NewReader(strings.NewReader(in), "x")
	for r.Scan() {
		if res, ok := r.Result().(*perf.Result); ok {
			for _, v := range res.Values {
				if v.OrigUnit == "" {
					v.Unit, _ = tidy(v.Unit)
				}
				want = append(want, fmt.Sprintf("%x %s %d", math.Float64bits(v.Value), v.Unit, res.Iters))
			}
		}
	}
	ours := NewReader(strings.NewReader(in))
	ours.Tidy = true
	for rec, err := range ours.Records() {
		if err != nil {
			continue
		}
		unit, ok := rec.Params.Get("unit")
		if !ok {
			return // the input has unit metadata unknown to x/perf
		}
		iterations, _ := rec.Attrs.Get("iterations")
		got = append(got, fmt.Sprintf("%x %s %s", math.Float64bits(rec.Value), unit, iterations))
	}
	if strings.Contains(in, "param=") {
		return
	}
	if diff := diffLines(want, got); diff != "" {
		t.Fatalf("tidied (-x/perf +this):\n%s", diff)
	}
}
