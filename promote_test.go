package perfdata_test

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata"
	"perfdata/format"
	"perfdata/internal/testing/formattest"
	"perfdata/internal/testing/quick"
	"perfdata/traceid"
)

func TestCommitAndPromote(t *testing.T) {
	const bench = "Unit ns/op better=lower\ncpu: fast\nBenchmarkA 10 1 ns/op\ncommit: c2\nBenchmarkB 20 2 ns/op\n"
	for _, test := range []struct {
		name, text string
		options    format.Options
		header     string   // the commit
		want       []string // commit ID attrs
	}{
		{
			name: "none", text: bench,
			want: []string{
				" ,cpu=fast,name=A,unit=ns_op, ,better=lower,iterations=10,",
				"c2 ,commit=c2,cpu=fast,name=B,unit=ns_op, ,better=lower,iterations=20,",
			},
		},
		{
			name: "a record keeps its commit", text: bench,
			options: format.Options{Commit: "c1"},
			header:  "c1",
			want: []string{
				"c1 ,cpu=fast,name=A,unit=ns_op, ,better=lower,iterations=10,",
				"c2 ,commit=c2,cpu=fast,name=B,unit=ns_op, ,better=lower,iterations=20,",
			},
		},
		{
			name: "a header keeps its commit", text: "commit: c2\nBenchmarkB 20 2 ns/op\n",
			options: format.Options{Commit: "c1"},
			header:  "c2",
			want:    []string{"c2 ,commit=c2,name=B,unit=ns_op, ,iterations=20,"},
		},
		{
			name: "an attr", text: bench,
			options: format.Options{Promote: []string{"iterations", "none"}},
			want: []string{
				" ,cpu=fast,iterations=10,name=A,unit=ns_op, ,better=lower,",
				"c2 ,commit=c2,cpu=fast,iterations=20,name=B,unit=ns_op, ,better=lower,",
			},
		},
		{
			name: "all attrs", text: bench,
			options: format.Options{Promote: []string{"iterations", "better", "better"}},
			want: []string{
				" ,better=lower,cpu=fast,iterations=10,name=A,unit=ns_op, ",
				"c2 ,better=lower,commit=c2,cpu=fast,iterations=20,name=B,unit=ns_op, ",
			},
		},
		{
			name:    "a param stays, and so does the attr",
			text:    "BenchmarkA/iterations=few 10 1 ns/op\n",
			options: format.Options{Promote: []string{"iterations"}},
			want:    []string{" ,iterations=few,name=A,unit=ns_op, ,iterations=10,"},
		},
		{
			name: "the attr is the commit",
			text: `{"gitHash":"c1","results":{"T":{"c":{"ms":1,"options":{"GL_X":"x","commit":"c2"}}}}}`,
			options: format.Options{
				Commit: "c3", Promote: []string{"commit"},
				Settings: map[string]string{"nanolegacy.options-as-params": "false"},
			},
			header: "c1",
			want:   []string{"c2 ,commit=c2,config=c,sub_result=ms,test=T, ,GL_X=x,"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			f, err := perfdata.Opener{Options: test.options}.NewReader(strings.NewReader(test.text), "in")
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if h, err := f.FileHeader(); err != nil || h.Commit != test.header {
				t.Errorf("header: commit %q, %v; want %q", h.Commit, err, test.header)
			}
			var got []string
			for rec, err := range f.Records() {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, rec.Commit+" "+rec.TraceID()+" "+idOf(rec.Attrs))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func idOf(p traceid.Params) string {
	if len(p) == 0 {
		return ""
	}
	return p.ID()
}

// In every format, File adds the commit and promotes attrs, and changes nothing else.
func TestPromoteEveryFormat(t *testing.T) {
	names := []string{"testdata/keyval/job"}
	err := filepath.WalkDir("testdata", func(name string, d fs.DirEntry, err error) error {
		if !d.IsDir() && !(d.Name() == "large.json" && quick.Test()) {
			names = append(names, filepath.ToSlash(name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}

	promoted := map[string]bool{}
	for _, name := range names {
		want, commit := readAll(t, name, format.Options{})
		if commit == "" {
			commit = "given"
		}
		options := format.Options{Commit: "given", Promote: attrKeys(want)}
		for _, rec := range want {
			promoteAttrs(rec, "given")
		}

		got, gotCommit := readAll(t, name, options)
		if gotCommit != commit {
			t.Errorf("%s: header: commit %q, want %q", name, gotCommit, commit)
		}
		if want, got := steps(want), steps(got); !slices.Equal(want, got) {
			t.Errorf("%s (-want +got):\n%s", name, cmp.Diff(want, got))
		}
		if len(options.Promote) > 0 {
			promoted[strings.Split(name, "/")[1]] = true
		}
	}
	for _, folder := range []string{"benchfmt", "keyval", "nanolegacy", "perun"} {
		if !promoted[folder] {
			t.Errorf("no attr in a file of testdata/%s", folder)
		}
	}
}

// steps returns the text of all that records have.
func steps(records []*format.Record) (lines []string) {
	for _, rec := range records {
		lines = append(lines, formattest.ShowStep(rec, nil))
	}
	return lines
}

// attrKeys returns the keys of the attrs of records.
func attrKeys(records []*format.Record) (keys []string) {
	for _, rec := range records {
		for _, attr := range rec.Attrs {
			keys = append(keys, attr.Key)
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// promoteAttrs promotes all attrs of a record.
func promoteAttrs(rec *format.Record, commit string) {
	kept := slices.DeleteFunc(rec.Attrs.Clone(), func(attr traceid.Param) bool {
		_, isParam := rec.Params.Get(attr.Key)
		return !isParam
	})
	if rec.Commit == "" {
		rec.Commit = commit
	}
	rec.Params, rec.Attrs = traceid.Merge(rec.Attrs, rec.Params), kept
}

// readAll reads an input to its end, and returns its records, whose IDs it checks, and the commit of
// its header.
func readAll(t *testing.T, name string, o format.Options) (all []*format.Record, commit string) {
	t.Helper()
	f, err := perfdata.Opener{Options: o}.Open(name)
	if err != nil {
		return nil, "given" // it has no header
	}
	defer f.Close()
	h, err := f.FileHeader()
	if err != nil {
		return nil, "given"
	}
	for rec, err := range f.Records() {
		if err != nil {
			continue
		}
		if got, want := string(rec.AppendTraceID(nil)), rec.Params.ID(); got != want {
			t.Fatalf("%s: the ID is %s, want %s", name, got, want)
		}
		all = append(all, rec.Clone())
	}
	return all, h.Commit
}
