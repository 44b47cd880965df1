package ingest

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"perfdata/internal/testing/faulty"
)

// Whatever call of the file system or the sink fails, the error is reported, each file is stored as
// a whole or not at all, and the next run stores the rest.
func TestEachCallFails(t *testing.T) {
	large := new(strings.Builder) // is not read into memory at once
	for i := range 200 {
		fmt.Fprintf(large, "BenchmarkDraw%s%d 100 %d ns/op\n", strings.Repeat("x", 800), i, i)
	}
	fsys := make(fstest.MapFS)
	for name, text := range map[string]string{
		"b/2026/01/02/03/a.json": goodV1, "b/2026/01/02/03/sub/b.json": "a{perf}=1\n\na{perf}=2\n",
		"b/2026/01/02/04/c.json": large.String(),
	} {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}

	// run stores the files that the sink does not have.
	run := func(s *faulty.Script, sink *memorySink) (failures []error) {
		type step struct {
			file File
			err  error
		}
		var steps []step // all, so that the calls have an order
		for f, err := range Walk(faulty.FS{Script: s, FS: fsys}, ".", WalkOptions{}) {
			if sink.stored[f.Path] == nil {
				steps = append(steps, step{f, err})
			}
		}
		todo := func(yield func(File, error) bool) {
			for _, s := range steps {
				if !yield(s.file, s.err) {
					return
				}
			}
		}

		summary, err := Run(t.Context(), todo, sink, RunOptions{Workers: 1, Report: func(r Report) {
			if r.Err != nil {
				failures = append(failures, r.Err)
			}
		}})
		if err != nil || summary.Failed != len(failures) || sink.open > 0 {
			t.Errorf("%v, %+v, %d failures, %d open Batches", err, summary, len(failures), sink.open)
		}
		return failures
	}
	whole := newMemorySink(t)
	if failures := run(new(faulty.Script), whole); len(failures) > 0 || len(whole.stored) != len(fsys) {
		t.Fatal(failures)
	}

	total := faulty.Check(t, faulty.Subject{
		Forgiven: []string{"Close"},
		Try: func(s *faulty.Script) (string, error) {
			sink := newMemorySink(t)
			adds := 0
			sink.fail = func(call, path string) error {
				if call == "Add" {
					if adds++; adds > 20 {
						return nil // like the others
					}
				}
				return s.Err(call)
			}
			failures := run(s, sink)
			stored := strings.Join(slices.Sorted(maps.Keys(sink.stored)), " ")
			for path, records := range sink.stored {
				if want := whole.stored[path]; !slices.Equal(want, records) {
					t.Errorf("%s (-want +got):\n%s", path, cmp.Diff(want, records))
				}
			}

			sink.fail = nil
			if again := run(new(faulty.Script), sink); len(again) > 0 || !reflect.DeepEqual(whole.stored, sink.stored) {
				t.Errorf("the next run: %v", again)
			}
			return stored, errors.Join(failures...)
		},
	})
	t.Logf("%d calls failed", total)
}
