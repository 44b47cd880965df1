package report_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/report"
	"perfdata/series"
	"perfdata/series/accepted"
	"perfdata/traceid"
)

func TestPointOf(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, test := range []struct {
		values []float64
		want   string
	}{
		{[]float64{5}, "{7 1 5 5 5 NaN}"},
		{[]float64{3, 1, 2}, "{7 3 2 1 3 0.3333333333333333}"},
		{[]float64{4, 1, 2, 3}, "{7 4 2.5 1 4 0.4166666666666667}"},
		{[]float64{math.MaxFloat64, math.MaxFloat64}, "{7 2 1.7976931348623157e+308 1.7976931348623157e+308 1.7976931348623157e+308 0}"},
		{[]float64{nan, 2, inf, 1}, "{7 2 1.5 1 2 0.25}"},
		{[]float64{inf, nan}, "{7 1 +Inf 0 0 NaN}"},
	} {
		if got := fmt.Sprint(report.PointOf(7, test.values)); got != test.want {
			t.Errorf("%s, want %s", got, test.want)
		}
	}
}

// stepped returns a series of 40 values with a step of a size at a place. Its values are at every
// second commit if it is sparse.
func stepped(name string, better format.Direction, at int, ratio float64, sparse bool) report.Line {
	s := report.Line{Params: traceid.Of("name", name, "os", "linux"), Better: better}
	for i := range 40 {
		v := 100 + float64(i*7%5)/10
		if i >= at {
			v *= ratio
		}
		commit := i
		if sparse {
			commit = 2 * i
		}
		s.Points = append(s.Points, report.Point{Commit: commit, N: 1, Value: v})
	}
	return s
}

// The changes of one commit are one finding, and what got worse comes first.
func TestFindChanges(t *testing.T) {
	const lower, higher, unknown = format.Lower, format.Higher, format.Unknown
	for _, test := range []struct {
		name   string
		series []report.Line
		want   []string
	}{
		{"none", []report.Line{stepped("a", lower, 0, 1, false)}, nil},
		{"one", []report.Line{stepped("a", lower, 20, 1.2, false)}, []string{"worse [0] 20 20..20 100.2→120.2 ×1.2 name=a,os=linux"}},
		{"one cause", []report.Line{stepped("a", lower, 20, 1.2, false), stepped("b", lower, 20, 1.4, false)},
			[]string{"worse [1 0] 20 20..20 100.2→140.3 ×1.3 os=linux"}},
		{"two directions", []report.Line{stepped("a", lower, 20, 0.5, false), stepped("b", lower, 8, 1.2, false), stepped("c", unknown, 32, 9, false)},
			[]string{"worse [1] 8 x", "changed [2] 32 x", "better [0] 20 x"}},
		{"one cause, two directions", []report.Line{stepped("a", lower, 20, 0.1, false), stepped("b", lower, 20, 1.2, false), stepped("c", lower, 20, 0.1, false)},
			[]string{"worse [1] 20 20..20 100.2→120.2 ×1.2 name=b,os=linux", "better [0 2] 20 20..20 100.2→10.0 ×0.1 os=linux"}},
		{"a time and a rate", []report.Line{stepped("a", lower, 20, 1.2, false), stepped("b", higher, 20, 0.5, false)},
			[]string{"worse [1 0] 20 20..20 100.2→50.1 ×0.0 os=linux"}},
		{"higher is better", []report.Line{stepped("a", higher, 20, 0.5, false)}, []string{"worse [0] 20 x"}},
		{"commits without a value", []report.Line{stepped("a", lower, 20, 1.2, true)}, []string{"worse [0] 40 39..40 x"}},
		{"under the threshold", []report.Line{stepped("a", lower, 20, 1.04, false)}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := &report.Page{Commits: make([]series.Commit, 80), Series: test.series}
			p.FindChanges(0.05, 0.05)
			if got, want := len(p.Notes) > 0, len(test.series) > 0 && len(test.want) == 0; got != want {
				t.Errorf("notes %q", p.Notes)
			}
			var got []string
			for _, f := range p.Findings {
				got = append(got, fmt.Sprintf("%s %v %d %d..%d %.1f→%.1f ×%.1f %s", f.Verdict, f.Series, f.Commit, f.Lo, f.Hi,
					f.Before, f.After, f.Ratio, strings.Trim(f.Params.ID(), ",")))
			}
			for i := range test.want {
				if want, ok := strings.CutSuffix(test.want[i], "x"); ok && i < len(got) && strings.HasPrefix(got[i], want) {
					got[i] = test.want[i]
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if err := report.Write(new(counter), p); err != nil {
				t.Error(err)
			}
		})
	}

	// A finding is accepted if one of its commits is, for each of its series. It is the last.
	lines := []report.Line{stepped("a", lower, 20, 1.2, false), stepped("b", lower, 20, 1.4, false), stepped("c", lower, 8, 1.2, false)}
	lines[0].Unit = "ns"
	lines[2].Params = traceid.Merge(lines[2].Params, traceid.Of("sum", "x!y"))
	charset, err := series.ParseCharset("[^a-z0-9!]") // unlike the default, it keeps !
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"name=a abc x\nname=b abc0 both":     "[2]  [1 0] x",
		"os=linux&name=~[ab] abc0\n":         "[2]  [1 0] no reason is given",
		"name=a&unit=ns abc x\nname=b abc x": "[2]  [1 0] x",
		"name=a&unit=s abc x\nname=b abc x":  "[1 0]  [2] ",
		"name=a abc one":                     "[1 0]  [2] ",
		"os=linux abcd another commit":       "[1 0]  [2] ",
		"os=linux fff several commits":       "[1 0]  [2] ",
		"name=c fff8 x":                      "[1 0]  [2] x",
		"sum=x!y fff8 kept":                  "[1 0]  [2] kept",
		"sum=x_y fff8 x":                     "[1 0]  [2] ",
	} {
		commits := make([]series.Commit, 40)
		for i := range commits {
			commits[i].Hash = fmt.Sprintf("fff%d0", i)
		}
		commits[20].Hash = "abc0"
		all, err := accepted.Read(strings.NewReader(text), "known.txt")
		if err != nil {
			t.Fatal(err)
		}
		p := &report.Page{Commits: commits, Series: lines, Accepted: all, Charset: charset}
		p.FindChanges(0.05, 0.05)
		got := ""
		for _, f := range p.Findings {
			got += fmt.Sprint(" ", f.Series, " ", f.Reason)
		}
		if diff := cmp.Diff(want, got[1:]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}

	// If there are several statistics, one is judged. The others have neither marks nor findings.
	p := &report.Page{Commits: make([]series.Commit, 40), Series: []report.Line{stepped("a", lower, 20, 1.2, false), stepped("a", lower, 20, 1.4, false)}}
	for i, stat := range []string{"max", "median"} {
		p.Series[i].Params = traceid.Merge(p.Series[i].Params, traceid.Of("stat", stat))
	}
	p.FindChanges(0.05, 0.05)
	if len(p.Series[0].Marks) != 0 || len(p.Series[1].Marks) != 1 {
		t.Errorf("marks %v and %v", p.Series[0].Marks, p.Series[1].Marks)
	}

	// A comparison says more than that nothing was found.
	p = &report.Page{Series: []report.Line{{}}, Comparison: new(report.Comparison)}
	if p.FindChanges(0.05, 0.05); len(p.Notes) > 0 {
		t.Errorf("notes %q", p.Notes)
	}
}
