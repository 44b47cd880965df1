package ingest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
)

// A canceled Run stores nothing of the files in progress, asks for no others, and returns the
// cause.
func TestRunCancel(t *testing.T) {
	cause := errors.New("enough")
	for _, call := range []string{"files", "open", "read", "Begin", "Add", "Commit", "report"} {
		t.Run(call, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				at := func(now string) {
					if now == call {
						cancel(cause)
					}
				}
				sink := newMemorySink(t)
				sink.fail = func(now, _ string) error { at(now); return nil }

				asked := 0
				seq := func(yield func(File, error) bool) {
					for ok := true; ok; asked++ {
						f := textFile(fmt.Sprint(asked), goodV1)
						open := f.Open
						f.Open = func(ctx context.Context) (io.ReadCloser, error) {
							at("open")
							in, err := open(ctx)
							return io.NopCloser(io.MultiReader(in, doing(func() { at("read") }))), err
						}
						at("files")
						ok = yield(f, nil)
					}
				}
				failed := make(map[string]error)
				summary, err := Run(ctx, seq, sink, RunOptions{Workers: 3, Report: func(r Report) {
					at("report")
					if r.Err != nil {
						failed[r.File.Path] = r.Err
					}
				}})

				if err != cause || sink.open != 0 {
					t.Errorf("error %v, with %d Batches open", err, sink.open)
				}
				if summary.Files != len(sink.stored) || summary.Failed != len(failed) || asked > 10 {
					t.Errorf("%+v of %d files, want %d stored and %d failed", summary, asked, len(sink.stored), len(failed))
				}
				for path, err := range failed {
					if !errors.Is(err, cause) {
						t.Errorf("%s: %v", path, err)
					}
				}
				for path, calls := range sink.calls {
					end := calls[len(calls)-1]
					if _, ok := sink.stored[path]; ok != (end == "Commit") || !ok && end != "Rollback" {
						t.Errorf("%s: %q, stored: %t", path, calls, ok)
					}
				}
			})
		})
	}
}

// doing calls a function when it is read, and is empty.
type doing func()

func (d doing) Read([]byte) (int, error) { d(); return 0, io.EOF }

// A Read that waits for data fails when the context is canceled, if Open respects it.
func TestRunCancelWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		waiting := File{Path: "waiting", Open: func(ctx context.Context) (io.ReadCloser, error) {
			wait := doing(func() { <-ctx.Done() })
			return io.NopCloser(io.MultiReader(strings.NewReader(goodV1), wait)), nil
		}}
		go func() {
			synctest.Wait() // until the read waits
			cancel()
		}()

		sink := newMemorySink(t)
		var failed error
		summary, err := Run(ctx, sequence(waiting), sink, RunOptions{Report: func(r Report) { failed = r.Err }})
		if err != context.Canceled || !errors.Is(failed, context.Canceled) || summary != (Summary{Failed: 1}) {
			t.Errorf("%+v, %v, %v", summary, err, failed)
		}
		if len(sink.stored) > 0 || sink.open != 0 {
			t.Errorf("stored %v, with %d Batches open", sink.stored, sink.open)
		}
	})
}

// If the context is canceled before, nothing is read.
func TestRunCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	sink := newMemorySink(t)
	summary, err := Run(ctx, texts(map[string]string{"a": goodV1, "b": goodV1}), sink, RunOptions{})
	if err != context.Canceled || len(sink.stored) > 0 || summary.Files > 0 || summary.Failed > 1 {
		t.Errorf("%+v, %v", summary, err)
	}
}

// A panic of the sequence of files leaves no worker.
func TestRunPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := newMemorySink(t)
		defer func() {
			if got := recover(); got != "broken sequence" || len(sink.stored) != 1 {
				t.Errorf("panic %v, stored %v", got, sink.stored)
			}
		}()
		Run(t.Context(), func(yield func(File, error) bool) {
			yield(textFile("a", goodV1), nil)
			panic("broken sequence")
		}, sink, RunOptions{})
	})
}
