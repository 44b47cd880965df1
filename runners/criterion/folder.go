package criterion

import (
	"cmp"
	"io/fs"
	"path"
	"strings"

	"perfdata/format"
	"perfdata/internal/jsonscan"
	"perfdata/internal/jsontree"
	"perfdata/internal/opening"
	"perfdata/internal/rows"
)

// newest is the folder of the last run of a benchmark.
const newest = "new"

// The files of a run.
const (
	benchmarkFile = "benchmark.json"
	sampleFile    = "sample.json"
	estimatesFile = "estimates.json"
)

var benchmark = jsontree.Object(
	jsontree.Member{Name: "group_id", Type: jsontree.Text},
	jsontree.Member{Name: "function_id", Type: jsontree.Text},
	jsontree.Member{Name: "value_str", Type: jsontree.Text},
	jsontree.Member{Name: "throughput", Type: jsontree.ObjectOf(jsontree.Any)},
	jsontree.Member{Name: "full_id", Type: jsontree.Text},
	jsontree.Member{Name: "directory_name", Type: jsontree.Text},
)

var sample = sampleType()

// sampleType returns the type of sample.json: an object, or in old versions, an array of two lists.
func sampleType() *jsontree.Type {
	t := jsontree.Object(
		jsontree.Member{Name: "sampling_mode", Type: jsontree.Text},
		jsontree.Member{Name: "iters", Type: jsontree.List},
		jsontree.Member{Name: "times", Type: jsontree.List},
	).Or(jsontree.Arrays)
	t.Elements = jsontree.List
	return t
}

// stats are the members of estimates.json that are wanted, and as old versions spell them.
var stats = []string{"mean", "median", "slope", "Mean", "Median", "Slope"}

var estimates = estimatesType()

func estimatesType() *jsontree.Type {
	var members []jsontree.Member
	for _, name := range stats {
		point := jsontree.Member{Name: "point_estimate", Type: jsontree.Number}
		members = append(members, jsontree.Member{Name: name, Type: jsontree.Object(point)})
	}
	return jsontree.Object(members...)
}

// maxDetected is how many folders are looked into for a benchmark. Its folder is at most three levels
// below target/criterion, and usually the first one there is one.
const maxDetected = 16

// detectFolder reports whether dir is target/criterion, or a folder in it: whether it has the folder
// of a benchmark, where benchmark.json says that it is.
func detectFolder(fsys fs.FS, dir string) (found bool, err error) {
	if fsys == nil {
		return false, opening.ErrNoFiles
	}

	f := &rows.Folder{FS: fsys, Dir: dir, Limits: format.Limits{}.WithDefaults()}
	visited := 0
	err = fs.WalkDir(fsys, dir, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && name == dir:
			return err
		case err != nil || !d.IsDir():
			return nil
		case d.Name() == newest && name != dir && isRun(fsys, name):
			found = isPlace(f, name)
			return fs.SkipAll
		}

		if visited++; visited > maxDetected {
			return fs.SkipAll
		}
		if strings.Count(f.Within(name), "/") == 3 {
			return fs.SkipDir
		}
		return nil
	})
	return found, err
}

// isRun reports whether a folder has the files of a run.
func isRun(fsys fs.FS, name string) bool {
	for _, file := range []string{sampleFile, estimatesFile} {
		if _, err := fs.Stat(fsys, path.Join(name, file)); err == nil {
			return true
		}
	}
	return false
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
func readFolder(f *rows.Folder, m *rows.Maker, yield func(*format.Record, error) bool) {
	stopped, found := false, false
	each := func(rec *format.Record, err error) bool {
		stopped = stopped || !yield(rec, err)
		return !stopped
	}
	err := fs.WalkDir(f.FS, f.Dir, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && name == f.Dir:
			return err
		case err != nil:
			each(nil, f.Error(name, "reading failed: "+err.Error(), err))
		case d.IsDir() && strings.Count(f.Within(name), "/") >= opening.MaxDepth:
			each(nil, f.Error(name, opening.ErrDepth.Error(), opening.ErrDepth))

			if !stopped {
				return fs.SkipDir
			}
		case d.IsDir() && d.Name() == newest && name != f.Dir && readRun(f, m, name, each):
			found = true
			if !stopped {
				return fs.SkipDir // the names of its files are known
			}
		}
		if stopped {
			return fs.SkipAll
		}
		return nil
	})

	switch {
	case stopped:
	case err != nil:
		e := f.Error(f.Dir, "reading failed: "+err.Error(), err)
		e.Severity = format.Fatal
		yield(nil, e)
	case !found:
		e := f.Error(f.Dir, "no benchmarks: want folders called new, with "+sampleFile+" or "+estimatesFile, format.ErrSchema)
		e.Severity = format.Fatal
		yield(nil, e)
	}
}

// A part is the content of a file of a run.
type part struct {
	tree *jsontree.Tree // nil if there is none
	err  *format.Error
}

func (p part) exists() bool { return p.tree != nil || p.err != nil }

func (p part) root() jsontree.Value {
	if p.tree == nil {
		return jsontree.None()
	}
	return p.tree.Root()
}

// report yields the errors of the file.
func (p part) report(yield func(*format.Record, error) bool) {
	if p.err != nil {
		yield(nil, p.err)
	}
	if p.tree == nil {
		return
	}
	for _, e := range p.tree.Faults {
		if !yield(nil, e) {
			return
		}
	}
}

// readRun reads the files of the last run of a benchmark. It returns false if the folder has none
// of a run.
func readRun(f *rows.Folder, m *rows.Maker, dir string, yield func(*format.Record, error) bool) bool {
	said, stopped := false, false
	each := func(rec *format.Record, err error) bool {
		said = true
		stopped = stopped || !yield(rec, err)
		return !stopped
	}
	read := func(file string, typ *jsontree.Type) (p part) {
		p.tree, p.err = f.Read(path.Join(dir, file), typ)
		return p
	}

	// Whether the files exist shows when they are opened. Asking before, and whether they can seek,
	// takes 8% more time.
	sampled, estimated := read(sampleFile, sample), part{}
	t, n := lists(sampled.root())
	if len(t.List()) == 0 || m.Summaries {
		estimated = read(estimatesFile, estimates)
	}
	if !sampled.exists() && !estimated.exists() {
		return false
	}
	about := read(benchmarkFile, benchmark)
	for _, p := range []part{about, sampled, estimated} {
		if !stopped {
			p.report(each)
		}
	}

	result := sampled.root()
	if !result.Has() {
		result = estimated.root()
	}

	if result.Has() && !stopped {
		m.Begin(result, each)
		identify(m, about.root(), f.Within(path.Dir(dir)))
		m.Attr("sampling_mode", sampledMode(sampled.root()))
		samples(m, "ns", t, n)
		for _, stat := range stats {
			x := rows.Measure{Stat: strings.ToLower(stat), Unit: "ns", Better: format.Lower}
			m.Value(x, estimated.root().Get(stat).Get("point_estimate"))
		}
	}
	if !said {
		each(nil, f.Error(dir, "the benchmark has no samples and no estimates", format.ErrSchema))
	}
	return true
}

// lists returns the times and the numbers of iterations of sample.json.
func lists(v jsontree.Value) (t, n jsontree.Value) {
	switch v.Kind() {
	case jsonscan.Object:
		return v.Get("times"), v.Get("iters")
	case jsonscan.Array:
		var both []jsontree.Value
		for list := range v.Elements() {
			both = append(both, list)
		}
		if len(both) == 2 {
			return both[1], both[0]
		}
	}
	return jsontree.None(), jsontree.None()
}

func sampledMode(v jsontree.Value) string {
	if v.Kind() != jsonscan.Object {
		return ""
	}
	return v.Get("sampling_mode").Text()
}

// identify adds the params and attrs of a benchmark, whose folder is at the path.
func identify(m *rows.Maker, about jsontree.Value, path string) {
	var parts []string
	for _, member := range []string{"group_id", "function_id", "value_str"} {
		if text := about.Get(member).Text(); text != "" {
			parts = append(parts, text)
		}
	}
	name := strings.Join(parts, "/")
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
