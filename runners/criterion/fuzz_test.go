package criterion

import (
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/rows"
	"perfdata/internal/testing/formattest"
	"perfdata/runners"
	"perfdata/runners/internal/runnertest"
)

func FuzzReader(f *testing.F) { runnertest.Fuzz(f, spec, testFiles(f)) }

// fuzzedFiles are the files of FuzzFolder, of two benchmarks.
var fuzzedFiles = [...]string{
	"a/b/new/" + benchmarkFile, "a/b/new/" + sampleFile, "a/b/new/" + estimatesFile,
	"c/new/" + benchmarkFile, "c/new/" + sampleFile, "c/new/" + estimatesFile,
}

// FuzzFolder compares the ways of reading a folder. The texts are the contents of the files. The
// bits of how say which files are missing, and the highest bit says whether to read summaries.
func FuzzFolder(f *testing.F) {
	const (
		about     = `{"group_id":"g/1","function_id":"f","value_str":"10","throughput":{"BytesDecimal":8},"directory_name":"g_1/f/10"}`
		other     = `{"group_id":"g/1","function_id":"f","value_str":"20","throughput":{"BytesDecimal":9},"directory_name":"g_1/f/20"}`
		plain     = `{"group_id":"g","function_id":null,"value_str":null,"throughput":null,"full_id":"g"}`
		point     = `{"mean":{"point_estimate":5},"median":{"point_estimate":4.5},"slope":null,"std_dev":{"point_estimate":1}}`
		points    = `{"mean":{"point_estimate":6},"median":{"point_estimate":5e-3},"slope":null,"std_dev":{"point_estimate":2}}`
		old       = `{"Mean":{"point_estimate":7},"Slope":{"point_estimate":8}}`
		flat      = `{"sampling_mode":"Flat","iters":[2.0,4.0],"times":[10.0,18.0]}`
		linear    = `{"sampling_mode":"Linear","iters":[2.0,4.0,6.0],"times":[10.0,18.0,1e3]}`
		lists     = `[[2.0,4.0],[10.0,18.0]]`
		empty     = `{"sampling_mode":"Auto","iters":[],"times":[]}`
		faulty    = `{"iters":[0,1,"2"],"times":[1,1e308,1e-308],"times":[]}`
		truncated = `{"iters":[1`
	)
	const noSample, noBenchmark, all, summaries = 1<<1 | 1<<4, 1<<0 | 1<<3, 1<<6 - 1, 1 << 7
	f.Add(about, flat, point, other, linear, points, byte(0))
	f.Add(about, linear, point, plain, flat, points, byte(summaries))
	f.Add(about, "", point, other, "", points, byte(noSample))
	f.Add("", lists, old, "", lists, old, byte(noBenchmark))
	f.Add(about, empty, point, `{"group_id":4,"full_id":"D"}`, faulty, `[]`, byte(0))
	f.Add(truncated, truncated, truncated, `{"group_id":"\u00e9"}`, `{"iters":[1],"times":[1,2]}`, "", byte(0))
	f.Add("", "", "", "", "", "", byte(all))

	f.Fuzz(func(t *testing.T, about1, sample1, estimates1, about2, sample2, estimates2 string, how byte) {
		fsys := make(fstest.MapFS)
		for i, text := range []string{about1, sample1, estimates1, about2, sample2, estimates2} {
			if how>>i&1 == 0 {
				fsys[fuzzedFiles[i]] = &fstest.MapFile{Data: []byte(text)}
			}
		}
		checkFolder(t, fsys, how&summaries != 0)
		if _, err := Format().DetectDir(fsys, "."); err != nil {
			t.Errorf("detection: %v", err)
		}
	})
}

// checkFolder reads a folder in every way that must not matter.
func checkFolder(t testing.TB, fsys fstest.MapFS, summaries bool) {
	slow := *spec
	slow.Slow = true
	open := func(fsys fs.FS, spec *rows.Spec) *runners.Reader {
		r := rows.NewFolder(fsys, ".", spec)
		r.Name, r.Summaries = "root", summaries
		return r
	}

	want := formattest.Whole(open(fsys, &slow))
	r := open(fsys, spec)
	for _, way := range []struct {
		name string
		r    format.Reader
	}{
		{"fast path", r},
		{"fast path, again", r},
		{"a byte at a time", open(byBytes{fsys}, spec)},
		{"a byte at a time, slow path", open(byBytes{fsys}, &slow)},
	} {
		if got := formattest.Whole(way.r); !slices.Equal(got, want) {
			t.Fatalf("summaries %v: %s (-slow path +%s):\n%s", summaries, way.name, way.name, cmp.Diff(want, got))
		}
	}
	checkErrors(t, fsys, open(fsys, spec))

	// The records of a benchmark do not depend on other benchmarks.
	var each []string
	for _, prefix := range []string{"a/", "c/"} {
		one := make(fstest.MapFS)
		for name, file := range fsys {
			if strings.HasPrefix(name, prefix) {
				one[name] = file
			}
		}
		if isRun(one, "a/b/new") || isRun(one, "c/new") {
			each = append(each, formattest.Whole(open(one, spec))...)
		}
	}
	if len(each) > 0 && !slices.Equal(each, want) {
		t.Fatalf("summaries %v: (-two benchmarks +one at a time):\n%s", summaries, cmp.Diff(want, each))
	}
}

// checkErrors checks that each error names a file of the folder, and a place in it, or a folder.
func checkErrors(t testing.TB, fsys fstest.MapFS, r *runners.Reader) {
	for _, err := range r.Records() {
		e, ok := err.(*format.Error)
		if !ok {
			if err != nil {
				t.Fatalf("error %#v", err)
			}
			continue
		}
		name, within := strings.CutPrefix(e.Name, "root/")
		switch file := fsys[name]; {
		case file != nil:
			formattest.CheckError(t, string(file.Data), e)
		case e.Name == "root" && e.Severity == format.Fatal, within && (name == "a/b/new" || name == "c/new"):
			formattest.CheckError(t, "", e)
		default:
			t.Fatalf("the error names no file of the folder: %#v", e)
		}
	}
}

// byBytes is a file system from whose files each read takes a byte.
type byBytes struct{ fs.FS }

func (b byBytes) Open(name string) (fs.File, error) {
	f, err := b.FS.Open(name)
	if _, ok := f.(fs.ReadDirFile); ok || err != nil {
		return f, err
	}
	return byteFile{f}, nil
}

type byteFile struct{ fs.File }

func (f byteFile) Read(p []byte) (int, error) { return iotest.OneByteReader(f.File).Read(p) }
