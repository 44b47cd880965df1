package criterion

import (
	"cmp"
	"io/fs"
	"math"
	"path"
	"slices"
	"strings"

	"perfdata/format"
	"perfdata/internal/jsonscan"
	"perfdata/internal/jsontree"
	"perfdata/internal/opening"
	"perfdata/internal/rows"
)

// Format returns the format, for programs that read several. It is a format of files and of folders.
func Format() format.Format { return rows.FormatOf(spec) }

var spec = &rows.Spec{
	Format: format.Format{
		Name:       "criterion",
		Title:      "Criterion.rs results",
		Holds:      "samples of Rust benchmarks",
		Aliases:    []string{"cargo-criterion"},
		Extensions: []string{".json", ".jsonl"},
	},
	Fits: func(f rows.Facts) bool {
		return f.Top["reason"] == jsonscan.String &&
			(f.Top.Has("id", "iteration_count") || f.Top.Has("group_name", "benchmarks"))
	},
	Shape:        rows.InLines,
	Row:          message,
	Records:      records,
	DetectFolder: detectFolder,
	ReadFolder:   readFolder,
}

var message = jsontree.Object(
	jsontree.Member{Name: "reason", Type: jsontree.Text.From(`"benchmark-complete"`).Needed()},
	jsontree.Member{Name: "id", Type: jsontree.Text.Unique().Needed()},
	jsontree.Member{Name: "iteration_count", Type: jsontree.List.From("1", "20", "300").Needed()},
	jsontree.Member{Name: "measured_values", Type: jsontree.List.Needed()},
	jsontree.Member{Name: "unit", Type: jsontree.Text},
	jsontree.Member{Name: "throughput", Type: jsontree.ArrayOf(
		jsontree.Object().With(jsontree.Literal, "per_iteration").With(jsontree.Text, "unit"),
	)},
).With(jsontree.Object().With(jsontree.Number, "estimate").With(jsontree.Text, "unit"), statistics...)

// statistics are the members of a message that are estimates.
var statistics = []string{"typical", "mean", "median", "slope"}

// records makes the records of a message.
func records(m *rows.Maker, v jsontree.Value) {
	if !m.Has(v, "reason") {
		return
	}
	if v.Get("reason").Text() != "benchmark-complete" {
		m.Skip()
		return
	}
	if !m.Has(v, "id") {
		return
	}

	m.Param("name", v.Get("id").Text())
	var amounts []string
	for t := range v.Get("throughput").Elements() {
		amounts = append(amounts, t.Get("per_iteration").Text()+" "+t.Get("unit").Text())
	}
	m.Attr("throughput", strings.Join(amounts, ", "))

	times := v.Get("measured_values")
	samples(m, v.Get("unit").Text(), times, v.Get("iteration_count"))
	if len(times.List()) > 0 && !m.Summaries {
		return
	}
	for _, stat := range statistics {
		e := v.Get(stat)
		m.Value(rows.Measure{Stat: stat, Unit: e.Get("unit").Text(), Better: format.Lower}, e.Get("estimate"))
	}
}

// samples makes a record of each time, of a number of iterations.
func samples(m *rows.Maker, unit string, times, iterations jsontree.Value) {
	t, n := times.List(), iterations.List()
	if len(t) != len(n) {
		m.Faultf(times, "%s%d samples, but %d numbers of iterations", m.Name(), len(t), len(n))
		return
	}
	for i := range t {
		value := t[i].Value / n[i].Value
		if n[i].Value <= 0 || math.IsInf(value, 0) {
			m.Faultf(times, "%ssample %d has %v iterations", m.Name(), i+1, n[i].Value)
			continue
		}
		m.Number(rows.Measure{Unit: unit, Better: format.Lower}, value, t[i].Offset)
	}
}

// newest is the folder of the last run of a benchmark.
const newest = "new"

// The files of a run.
const (
	benchmarkFile = "benchmark.json"
	sampleFile    = "sample.json"
	estimatesFile = "estimates.json"
)

// parts are the members of benchmark.json that its name has.
var parts = []string{"group_id", "function_id", "value_str"}

var benchmark = jsontree.Object().
	With(jsontree.Text, parts...).
	With(jsontree.Text, "full_id", "directory_name").
	With(jsontree.ObjectOf(jsontree.Any), "throughput")

// A sample is an object, or in old versions, an array of two lists.
var sample = jsontree.Object().
	With(jsontree.Text, "sampling_mode").
	With(jsontree.List, "iters", "times").
	OrArrayOf(jsontree.List)

// stats are the members of estimates.json that are wanted, and as old versions spell them.
var stats = []string{"mean", "median", "slope", "Mean", "Median", "Slope"}

var estimates = jsontree.Object().With(jsontree.Object().With(jsontree.Number, "point_estimate"), stats...)

// detectFolder reports whether dir is target/criterion, or a folder in it: whether it has the folder
// of a benchmark, where benchmark.json says that it is.
func detectFolder(f *rows.Folder) (found bool, err error) {
	// The folder of a benchmark is at most three levels below target/criterion, and usually the first one there is one.
	left := 16
	err = fs.WalkDir(f.FS, f.Dir, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && name == f.Dir:
			return err
		case err != nil || !d.IsDir():
		case d.Name() == newest && name != f.Dir && isRun(f.FS, name):
			found = isPlace(f, name)
			return fs.SkipAll
		case d.Name() == "report" && strings.Contains(f.Within(name), "/"):
			left++ // a group has a folder for each of its values, which has a report alone
			return fs.SkipDir
		case left == 0:
			return fs.SkipAll
		default:
			if left--; strings.Count(f.Within(name), "/") >= 3 {
				return fs.SkipDir
			}
		}
		return nil
	})
	return found, err
}

// isRun reports whether a folder has the files of a run.
func isRun(fsys fs.FS, name string) bool {
	return slices.ContainsFunc([]string{sampleFile, estimatesFile}, func(file string) bool {
		_, err := fs.Stat(fsys, path.Join(name, file))
		return err == nil
	})
}

// isPlace reports whether the folder of a run, such as fib/20/new, is no deeper than benchmark.json
// says, whose directory_name is fib/20. So target is not mistaken for target/criterion. The names
// may differ, as in copies without spaces.
func isPlace(f *rows.Folder, name string) bool {
	tree, err := f.Read(path.Join(name, benchmarkFile), benchmark)
	if tree == nil || err != nil {
		return err == nil
	}
	place := tree.Root().Get("directory_name").Text()
	return place == "" || strings.Count(f.Within(path.Dir(name)), "/") <= strings.Count(place, "/")
}

// readFolder reads all benchmarks of a folder.
func readFolder(f *rows.Folder) {
	found := false
	err := fs.WalkDir(f.FS, f.Dir, func(name string, d fs.DirEntry, err error) error {
		switch {
		case f.Stopped():
			return fs.SkipAll
		case err != nil && name == f.Dir:
			return err
		case err != nil:
			f.Fail(f.Error(name, "reading failed: "+err.Error(), err))
		case d.IsDir() && strings.Count(f.Within(name), "/") >= opening.MaxDepth:
			f.Fail(f.Error(name, opening.ErrDepth.Error(), opening.ErrDepth))
			return fs.SkipDir
		case d.IsDir() && d.Name() == newest && name != f.Dir && readRun(f, name):
			found = true
			return fs.SkipDir // the names of its files are known
		}
		return nil
	})

	why := "no benchmarks: want folders called new, with " + sampleFile + " or " + estimatesFile
	if err != nil {
		why = "reading failed: " + err.Error()
	}
	if (err != nil || !found) && !f.Stopped() {
		e := f.Error(f.Dir, why, cmp.Or(err, format.ErrSchema))
		e.Severity = format.Fatal
		f.Fail(e)
	}
}

// readRun reads the files of the last run of a benchmark. It returns false if the folder has none
// of a run.
func readRun(f *rows.Folder, dir string) bool {
	said := f.Said()
	read := func(file string, typ *jsontree.Type) (*jsontree.Tree, *format.Error) {
		return f.Read(path.Join(dir, file), typ)
	}

	// Whether the files exist shows when they are opened. Asking before, and whether they can seek,
	// takes 8% more time.
	var estimated *jsontree.Tree
	var estimatedErr *format.Error
	sampled, sampledErr := read(sampleFile, sample)
	t, n := sampled.Root().Get("times"), sampled.Root().Get("iters")
	if both := slices.Collect(sampled.Root().Elements()); len(both) == 2 {
		t, n = both[1], both[0]
	}
	if len(t.List()) == 0 || f.Summaries {
		estimated, estimatedErr = read(estimatesFile, estimates)
	}
	if sampled == nil && sampledErr == nil && estimated == nil && estimatedErr == nil {
		return false
	}

	about := f.Report(read(benchmarkFile, benchmark))
	f.Report(sampled, sampledErr)
	f.Report(estimated, estimatedErr)
	result := sampled.Root()
	if !result.Has() {
		result = estimated.Root()
	}

	if result.Has() {
		f.Begin(result)
		identify(f.Maker, about, f.Within(path.Dir(dir)))
		f.Attr("sampling_mode", sampled.Root().Get("sampling_mode").Text())
		samples(f.Maker, "ns", t, n)
		for _, stat := range stats {
			x := rows.Measure{Stat: strings.ToLower(stat), Unit: "ns", Better: format.Lower}
			f.Value(x, estimated.Root().Get(stat).Get("point_estimate"))
		}
	}
	if f.Said() == said {
		f.Fail(f.Error(dir, "the benchmark has no samples and no estimates", format.ErrSchema))
	}
	return true
}

// identify adds the params and attrs of a benchmark, whose folder is at the path.
func identify(m *rows.Maker, about jsontree.Value, path string) {
	var texts []string
	for _, member := range parts {
		if text := about.Get(member).Text(); text != "" {
			texts = append(texts, text)
		}
	}
	name := strings.Join(texts, "/")
	if !about.Get("group_id").Has() {
		name = cmp.Or(about.Get("full_id").Text(), path)
	}
	m.Param("name", name)

	var amounts []string
	for of, v := range about.Get("throughput").Others() {
		if of == "BytesDecimal" {
			of = "Bytes"
		}
		amounts = append(amounts, v.Text()+" "+strings.ToLower(of))
	}
	m.Attr("throughput", strings.Join(amounts, ", "))
}
