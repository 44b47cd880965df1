package ingest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"perfdata/internal/testing/quick"
)

// hours returns a tree of n files, a few in each hour. Every fifth is faulty.
func hours(n int) fstest.MapFS {
	fsys := make(fstest.MapFS)
	for i := range n {
		text := goodV1
		if i%5 == 4 {
			text = "{"
		}
		path := fmt.Sprintf("d/2024/01/02/%02d/%d.json", i/4, i)
		fsys[path] = &fstest.MapFile{Data: []byte(text)}
	}
	return fsys
}

// Wherever a program ends, it misses no file if it resumes after the last checkpoint: it then
// stores the same files as without an interruption.
func TestCheckpointInterrupted(t *testing.T) {
	fsys := hours(40)
	whole := ingestFiles(t, Walk(fsys, ".", WalkOptions{}), RunOptions{}, nil)

	for stop := range len(fsys) {
		t.Run(fmt.Sprint(stop), func(t *testing.T) {
			checkpoint, reports := "", 0
			sink := newMemorySink(t)
			for range 2 { // the program that ends, and the one that resumes
				ctx, end := context.WithCancel(t.Context())
				options := RunOptions{Workers: 4, Report: func(r Report) {
					if reports++; reports <= stop+1 {
						checkpoint = r.Checkpoint
					}
					if reports == stop+1 {
						end()
					}
				}}
				Run(ctx, Walk(fsys, ".", WalkOptions{After: checkpoint}), sink, options)
				end()
			}
			if diff := cmp.Diff(whole.stored, sink.stored); diff != "" {
				t.Errorf("after the checkpoint %q (-want +got):\n%s", checkpoint, diff)
			}
		})
	}
}

// A file that may succeed later holds the checkpoint, and one that never will does not.
func TestCheckpointHeld(t *testing.T) {
	away := errors.New("the bucket is away")
	refused := fmt.Errorf("%w: other content", ErrRefused)
	gone := File{Path: "b", Open: func(context.Context) (io.ReadCloser, error) { return nil, fs.ErrNotExist }}
	for _, test := range []struct {
		name string
		b    File
		fail error // of Begin
		want string
	}{
		{"stored", textFile("b", goodV1), nil, "c"},
		{"faulty", textFile("b", "{"), nil, "c"},
		{"empty", textFile("b", ""), nil, "c"},
		{"gone", gone, nil, "c"},
		{"refused", textFile("b", goodV1), refused, "c"},
		{"no Open", File{Path: "b"}, nil, "a"},
		{"the sink is away", textFile("b", goodV1), away, "a"},
		{"the bucket is away", File{Path: "b", Open: func(context.Context) (io.ReadCloser, error) { return nil, away }}, nil, "a"},
	} {
		t.Run(test.name, func(t *testing.T) {
			files := sequence(textFile("a", goodV1), test.b, textFile("c", goodV1))
			got := ingestFiles(t, files, RunOptions{Workers: 1}, func(call, path string) error {
				if call == "Begin" && path == "b" {
					return test.fail
				}
				return nil
			})
			if got.summary.Checkpoint != test.want || got.reports["c"].Checkpoint != test.want {
				t.Errorf("the checkpoints are %q and %q, want %q", got.summary.Checkpoint, got.reports["c"].Checkpoint, test.want)
			}
		})
	}
}

// With each report, the checkpoint is the last file before the first one that is not done, and only some
// files are done before that.
func TestCheckpointAhead(t *testing.T) {
	for seed := range uint64(quick.Of(5, 2)) {
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 0))
			var files []File
			for i := range maxAhead + 50 {
				wait := time.Duration(random.IntN(1000))
				if i == 10 {
					wait = time.Hour // more files are done meanwhile than may be
				}
				f := textFile(fmt.Sprint(i), "BenchmarkX 1 1 ns/op\n")
				f.Open = func(ctx context.Context) (io.ReadCloser, error) {
					time.Sleep(wait)
					return textFile("", "BenchmarkX 1 1 ns/op\n").Open(ctx)
				}
				files = append(files, f)
			}

			done := make(map[string]bool)
			missing, most := 0, 0
			options := RunOptions{Workers: 5, Report: func(r Report) {
				done[r.File.Path] = true
				for missing < len(files) && done[files[missing].Path] {
					missing++
				}
				most = max(most, len(done)-missing)
				if want := fmt.Sprint(missing - 1); r.Checkpoint != want && missing > 0 {
					t.Errorf("the checkpoint is %s, want %s", r.Checkpoint, want)
				}
			}}
			if _, err := Run(t.Context(), sequence(files...), newMemorySink(t), options); err != nil {
				t.Error(err)
			}
			if missing != len(files) || most != maxAhead-1 {
				t.Errorf("seed %d: %d files are done, and %d were before an earlier one", seed, missing, most)
			}
		})
	}
}

// A failure that may pass is tried again, after waiting longer each time.
func TestRetries(t *testing.T) {
	away := errors.New("away")
	for _, test := range []struct {
		name     string
		failures []error // of the attempts
		retries  int
		tries    int
		waited   time.Duration
		err      error
	}{
		{"success", []error{nil}, 3, 1, 0, nil},
		{"no retries", []error{away, nil}, 0, 1, 0, away},
		{"passes", []error{away, away, nil}, 3, 3, 3 * time.Second, nil},
		{"does not pass in time", []error{away, away, away, nil}, 2, 3, 3 * time.Second, away},
		{"never passes", []error{ErrRefused, nil}, 3, 1, 0, ErrRefused},
		{"gone meanwhile", []error{away, fs.ErrNotExist, nil}, 3, 2, time.Second, fs.ErrNotExist},
		{"at most a minute", slices.Repeat([]error{away}, 9), 8, 9, (1 + 2 + 4 + 8 + 16 + 32 + 60 + 60) * time.Second, away},
	} {
		t.Run(test.name, func(t *testing.T) {
			tries := 0
			f := File{Path: "a", Open: func(ctx context.Context) (io.ReadCloser, error) {
				tries++
				if err := test.failures[tries-1]; err != nil {
					return nil, err
				}
				return textFile("", goodV1).Open(ctx)
			}}
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				var err error
				options := RunOptions{Retries: test.retries, Backoff: time.Second, Report: func(r Report) { err = r.Err }}
				Run(t.Context(), sequence(f), newMemorySink(t), options)
				if tries != test.tries || time.Since(began) != test.waited || !errors.Is(err, test.err) {
					t.Errorf("%d attempts in %v: %v; want %d in %v: %v", tries, time.Since(began), err, test.tries, test.waited, test.err)
				}
			})
		})
	}
}

// A cancellation ends the wait for the next attempt.
func TestRetryCanceled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		f := File{Path: "a", Open: func(context.Context) (io.ReadCloser, error) { return nil, errors.New("away") }}
		began := time.Now()
		summary, err := Run(ctx, sequence(f), newMemorySink(t), RunOptions{Retries: 5, Backoff: time.Hour})
		if !errors.Is(err, context.DeadlineExceeded) || summary != (Summary{Failed: 1}) || time.Since(began) != time.Second {
			t.Errorf("%+v, %v after %v", summary, err, time.Since(began))
		}
	})
}

// A deduplicator has files.
type deduplicator struct {
	*memorySink
	has    map[string]*Stored
	failed error // of Lookup
}

func (k *deduplicator) Lookup(_ context.Context, f File) (*Stored, error) {
	return k.has[f.Path], k.failed
}

// A file that the Sink has is not opened, and is reported as it was stored.
func TestKeeper(t *testing.T) {
	stored := &Stored{Format: "skiav1", Content: Content{Size: 7, Records: 3}}
	never := File{Path: "b", Open: func(context.Context) (io.ReadCloser, error) { panic("opened") }}
	for _, test := range []struct {
		name   string
		failed error
		want   Summary
		skips  []string
	}{
		{"has one", nil, Summary{Files: 3, Skipped: 1, Records: 7, Checkpoint: "c"}, []string{"b"}},
		{"fails", errors.New("away"), Summary{Failed: 3}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			sink := &deduplicator{memorySink: newMemorySink(t), has: map[string]*Stored{"b": stored}, failed: test.failed}
			var skips []string
			summary, err := Run(t.Context(), sequence(textFile("a", goodV1), never, textFile("c", goodV1)), sink, RunOptions{
				Report: func(r Report) {
					if r.Skipped {
						skips = append(skips, r.File.Path)
					}
					if r.Skipped && (r.Format != "skiav1" || r.Content != stored.Content) {
						t.Errorf("%+v", r)
					}
				},
			})
			if summary != test.want || err != nil {
				t.Errorf("%+v, %v; want %+v", summary, err, test.want)
			}
			if diff := cmp.Diff(test.skips, skips); diff != "" {
				t.Errorf("skipped (-want +got):\n%s", diff)
			}
		})
	}
}
