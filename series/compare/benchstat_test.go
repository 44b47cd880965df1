package compare_test

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/perf/benchunit"

	"perfdata/benchfmt"
	"perfdata/series"
	"perfdata/series/compare"
	"perfdata/traceid"
)

// collect collects the values of files of Go benchmarks, the text of one for each side.
func collect(t testing.TB, files ...string) []*series.Series {
	t.Helper()
	var a series.Answer
	for side, text := range files {
		file := &series.Records{All: benchfmt.NewReader(strings.NewReader(text)).Records()}
		if err := a.Ask(t.Context(), side, &series.Question{}, file); err != nil {
			t.Fatal(err)
		}
	}
	return a.Series()
}

// nameOf returns the name of the benchmark of a series, if all its parts have keys.
func nameOf(params traceid.Params) string {
	name, _ := params.Get("name")
	for _, p := range params {
		switch p.Key {
		case "name", "gomaxprocs", "unit", "goos", "goarch", "pkg", "cpu":
		default:
			name += "/" + p.Key + "=" + p.Value
		}
	}
	if n, ok := params.Get("gomaxprocs"); ok {
		name += "-" + n
	}
	return name
}

// A cell is the numbers of a row in benchstat's CSV.
type cell struct{ old, oldCI, new, newCI, delta, test string }

// Every number of benchstat's CSV agrees, in all cases and settings. The recorded cases are not part of
// the project; without them, testdata is used.
func TestBenchstat(t *testing.T) {
	dirs := []string{"testdata/benchstat", "../../../shared/oracles/benchstat"}
	for _, dir := range dirs {
		olds, err := filepath.Glob(filepath.Join(dir, "*.old.txt"))
		if err != nil {
			t.Fatal(err)
		}
		for _, old := range olds {
			base := strings.TrimSuffix(old, ".old.txt")
			for suffix, options := range map[string]compare.Options{
				"":               {Threshold: 0.05, Alpha: 0.05, Confidence: 0.95},
				".alpha001":      {Threshold: 0.05, Alpha: 0.01, Confidence: 0.95},
				".confidence099": {Threshold: 0.05, Alpha: 0.05, Confidence: 0.99},
			} {
				t.Run(filepath.Base(base)+suffix, func(t *testing.T) {
					checkBenchstat(t, base, base+".csv"+suffix, options)
				})
			}
		}
	}
}

func checkBenchstat(t *testing.T, base, csvFile string, options compare.Options) {
	var files [2]string
	for i, suffix := range []string{".old.txt", ".new.txt"} {
		text, err := os.ReadFile(base + suffix)
		if err != nil {
			t.Fatal(err)
		}
		files[i] = string(text)
	}
	comparer := compare.NewComparer(options)
	report := comparer.Compare(collect(t, files[:]...), compare.Rule{})

	got := make(map[string]cell)
	for _, row := range report.Rows {
		_, unit := benchunit.Tidy(1, row.Series.Unit)
		c := cell{oldCI: row.Old.Percent(), newCI: row.New.Percent(), delta: row.Delta(options.Alpha), test: row.Test()}
		c.old, c.new = tidy(row.Old.Median, row.Series.Unit), tidy(row.New.Median, row.Series.Unit)
		got[unit+" "+nameOf(row.Series.Identity)] = c
	}
	for side, all := range [][]*series.Series{report.OnlyOld, report.OnlyNew} {
		for _, s := range all {
			_, unit := benchunit.Tidy(1, s.Unit)
			values := s.AppendSide(nil, side)
			r := comparer.Samples(values, values, 0, s.Exact)
			c := cell{old: tidy(r.Old.Median, s.Unit), oldCI: r.Old.Percent()}
			if side == series.New {
				c = cell{new: c.old, newCI: c.oldCI}
			}
			got[unit+" "+nameOf(s.Identity)] = c
		}
	}
	for _, g := range report.Geomeans {
		_, unit := benchunit.Tidy(1, g.Unit)
		c := cell{old: tidy(g.Old, g.Unit), new: tidy(g.New, g.Unit)}
		if g.Ratio == g.Ratio {
			c.delta = fmt.Sprintf("%+.2f%%", (g.Ratio-1)*100)
		}
		got[unit+" geomean"] = c
	}

	want := readBenchstat(t, csvFile)
	for name := range got {
		if _, ok := want[name]; !ok && strings.HasSuffix(name, " geomean") {
			delete(got, name) // benchstat does not print that of one row
		}
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(cell{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// tidy returns a value in the unit of benchstat, with 12 digits: a product of the value is not
// rounded as the values are.
func tidy(value float64, unit string) string {
	if math.IsNaN(value) {
		return ""
	}
	value, _ = benchunit.Tidy(value, unit)
	return strconv.FormatFloat(value, 'g', 12, 64)
}

// readBenchstat reads benchstat's CSV.
func readBenchstat(t *testing.T, name string) map[string]cell {
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	r := csv.NewReader(strings.NewReader(string(text)))
	r.FieldsPerRecord = -1
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	cells := make(map[string]cell)
	unit := ""
	number := func(text string) string {
		if text == "" {
			return ""
		}
		x, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		return strconv.FormatFloat(x, 'g', 12, 64)
	}
	for _, row := range rows {
		switch {
		case len(row) < 3:
		case row[2] == "CI":
			unit = row[1]
		case row[0] != "":
			row = append(row, "", "", "", "")
			cells[unit+" "+row[0]] = cell{number(row[1]), row[2], number(row[3]), row[4], row[5], row[6]}
		}
	}
	return cells
}
