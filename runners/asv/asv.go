package asv

import (
	"cmp"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"perfdata/format"
	"perfdata/internal/jsontree"
	"perfdata/internal/rows"
)

// Format returns the format, for programs that read several. It is a format of folders.
func Format() format.Format { return rows.FormatOf(spec) }

var spec = &rows.Spec{
	Format: format.Format{
		Name:       "asv",
		Title:      "airspeed velocity results",
		Holds:      "results of many commits of a Python project, by machine",
		Extensions: []string{},
	},
	NaN:          true,
	DetectFolder: detect,
	ReadFolder:   read,
}

// The files of a folder.
const (
	benchmarksFile = "benchmarks.json"
	machineFile    = "machine.json"
)

var benchmarks = jsontree.ObjectOf(lenient(jsontree.Object().
	With(lenient(jsontree.Text), "type", "unit").
	With(jsontree.Any, "version").
	With(lenient(jsontree.ArrayOf(lenient(jsontree.Text))), "param_names")))

func lenient(t *jsontree.Type) *jsontree.Type { return t.Or(jsontree.Lenient) }

var machine = jsontree.Object(jsontree.Member{Name: "machine", Type: jsontree.Text})

var attrs = []string{"python", "requirements", "env_vars"}

var file = jsontree.Object().
	With(jsontree.Text, "commit_hash", "env_name").
	With(jsontree.Number, "date").
	With(jsontree.ObjectOf(jsontree.Any), "params", "benchmark_version").
	With(jsontree.ArrayOf(jsontree.Text), "result_columns").
	With(jsontree.ObjectOf(cell), "results").
	With(jsontree.Any, attrs...)

// A cell is a row or an element of one. In layout 1, it is an object.
var cell = func() *jsontree.Type {
	t := lenient(&jsontree.Type{Kinds: jsontree.Strings | jsontree.Numbers | jsontree.Written | jsontree.Arrays})
	object := jsontree.Object().With(t, "result", "params", "samples", "stats", "q_25", "q_75", "ci_99")
	object.Kinds |= t.Kinds
	*t = *object
	t.Elements = t
	return t
}()

// detect reports whether a folder has benchmarks, and the folder of a machine.
func detect(f *rows.Folder) (bool, error) {
	if _, err := fs.Stat(f.FS, path.Join(f.Dir, benchmarksFile)); err != nil {
		return false, nil
	}
	entries, err := fs.ReadDir(f.FS, f.Dir)
	return slices.ContainsFunc(entries, func(d fs.DirEntry) bool {
		_, err := fs.Stat(f.FS, path.Join(f.Dir, d.Name(), machineFile))
		return err == nil
	}), err
}

// A folder is the folder that is being read.
type folder struct {
	*rows.Folder
	byName map[string]jsontree.Value // of benchmarks.json
}

// read reads all results of a folder.
func read(of *rows.Folder) {
	f := &folder{Folder: of, byName: map[string]jsontree.Value{}}
	tree, e := f.Read(path.Join(f.Dir, benchmarksFile), benchmarks)
	if e == nil && tree == nil {
		e = f.Error(f.Dir, "no "+benchmarksFile+": want the folder results_dir of asv", format.ErrSchema)
	}
	if e != nil {
		e.Severity = format.Fatal
		f.Fail(e)
		return
	}

	for name, b := range tree.Root().Others() {
		f.byName[name] = b
	}
	machines := 0
	for _, d := range f.Entries(f.Dir) {
		if d.IsDir() && !f.Stopped() && f.machine(path.Join(f.Dir, d.Name())) {
			machines++
		}
	}
	if machines > 1 {
		e := f.Error(f.Dir, "the results are of several machines: the option Promote of machine keeps them apart", nil)
		e.Severity = format.Warning
		f.Fail(e)
	}
}

// machine reads the results of a machine, and reports whether there are any.
func (f *folder) machine(dir string) bool {
	entries := slices.DeleteFunc(f.Entries(dir), func(d fs.DirEntry) bool {
		name := d.Name()
		return d.IsDir() || !strings.HasSuffix(name, ".json") || name == machineFile || name == benchmarksFile
	})
	if len(entries) == 0 {
		return false
	}
	name := path.Join(dir, machineFile)
	own := f.Report(f.Read(name, machine)).Get("machine").Text()
	if own == "" {
		f.Fail(f.Error(name, "machine is required", format.ErrSchema))
		return false
	}
	for _, d := range entries {
		if !f.Stopped() {
			f.results(path.Join(dir, d.Name()), own)
		}
	}
	return true
}

// results reads a file of results of a machine.
func (f *folder) results(name, machine string) {
	v := f.Report(f.Read(name, file))
	if !v.Has() {
		return
	}

	h := rows.Header{Commit: v.Get("commit_hash").Text()}
	_, env, _ := strings.Cut(strings.TrimSuffix(path.Base(name), ".json"), "-")
	h.Param("env", cmp.Or(v.Get("env_name").Text(), env))
	own := ""
	for key, value := range v.Get("params").Others() {
		h.Attr(key, value.Text())
		if key == "machine" {
			own = value.Text()
		}
	}

	for _, key := range attrs {
		h.Attr(key, v.Get(key).Text())
	}
	date := v.Get("date").Number()
	if ms := int64(date); ms > 0 && float64(ms) == date {
		h.Attr("commit-time", time.UnixMilli(ms).UTC().Format(time.RFC3339))
	}

	f.Open(h, f.Limits)
	f.Begin(v)
	switch {
	case !f.Has(v, "commit_hash") || !f.Has(v, "results"):
		return
	case own != machine:
		f.Faultf(v, "the machine is %q, and %s says %q", own, machineFile, machine)
		return
	}
	for name, row := range v.Get("results").AllOthers() {
		f.row(v, name, row)
	}
}
