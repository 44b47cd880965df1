package perfdata_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"testing"

	"perfdata/benchfmt"
	"perfdata/format"
	"perfdata/internal/testing/faulty"
	"perfdata/keyval"
	"perfdata/nanolegacy"
	"perfdata/perun"
	"perfdata/skiav1"
	"perfdata/traceid"
)

var perunHeader = perun.Header{
	Type: "time", Cmd: "ls", Workload: "w", Collector: perun.Tool{Name: "time"}, Units: traceid.Of("time", "s"),
}

// writersUnderTest are the Writers of all formats, each with the keys of params that vary.
func writersUnderTest() map[string]struct {
	open   func(out io.Writer) format.Writer
	params func(i int) traceid.Params
} {
	type writer = struct {
		open   func(out io.Writer) format.Writer
		params func(i int) traceid.Params
	}
	long := strings.Repeat("x", 300)
	of := func(key string, others ...string) func(i int) traceid.Params {
		return func(i int) traceid.Params {
			return traceid.Merge(traceid.Of(others...), traceid.Of(key, fmt.Sprint(long, i)))
		}
	}
	ofPerun := func(i int) traceid.Params { return perunParams("uid", fmt.Sprint(long, i)) }
	snapshots := func(out io.Writer) format.Writer {
		w := perun.NewWriter(out, perunHeader)
		w.Snapshots = true
		return w
	}
	return map[string]writer{
		"skiav1": {func(out io.Writer) format.Writer { return skiav1.NewWriter(out, skiav1.Header{GitHash: "x"}) }, of("test")},
		"nanolegacy": {func(out io.Writer) format.Writer { return nanolegacy.NewWriter(out, nanolegacy.Header{GitHash: "x"}) },
			of("test", "config", "c", "sub_result", "ms")},
		"benchfmt": {func(out io.Writer) format.Writer { return benchfmt.NewWriter(out, benchfmt.Header{}) },
			of("name", "unit", "ns/op")},
		"keyval":          {func(out io.Writer) format.Writer { return keyval.NewWriter(out, keyval.Header{}) }, of("key")},
		"perun":           {func(out io.Writer) format.Writer { return perun.NewWriter(out, perunHeader) }, ofPerun},
		"perun snapshots": {snapshots, ofPerun},
	}
}

// If any Write of the output fails, a Writer returns its error, then and later, and writes nothing
// after it.
func TestWriteFaults(t *testing.T) {
	total := 0
	for name, test := range writersUnderTest() {
		t.Run(name, func(t *testing.T) {
			total += faulty.Check(t, faulty.Subject{Try: func(s *faulty.Script) (string, error) {
				var out strings.Builder
				w := test.open(&faulty.Writer{Script: s, Out: &out})
				err := writeMany(w, 400, test.params)
				if err == nil {
					return out.String(), nil
				}

				written := out.Len()
				again := []error{writeValue(w, test.params(1000), 1), errors.Join(flush(w), w.Close()), w.Close()}
				for i, err := range again {
					if err == nil {
						t.Errorf("call %d after the error: no error", i)
					}
				}
				if out.Len() != written {
					t.Errorf("%d bytes were written after the error", out.Len()-written)
				}
				return out.String(), errors.Join(err, again[2])
			}})
		})
	}
	t.Logf("%d calls failed", total)
}

// flush flushes a Writer of lines. The others have no Flush, because their files are valid only when
// they are complete.
func flush(w format.Writer) error {
	if f, ok := w.(interface{ Flush() error }); ok {
		return f.Flush()
	}
	return nil
}

func writeMany(w format.Writer, n int, params func(int) traceid.Params) error {
	for i := range n {
		if err := writeValue(w, params(i), float64(i)); err != nil {
			return err
		}
		if i%100 == 50 {
			if err := flush(w); err != nil {
				return err
			}
		}
	}
	return w.Close()
}

// A profile's Writer keeps models, and what else comes at the end, in temporary files.
func TestWriteWithoutTemp(t *testing.T) {
	temp := t.TempDir()
	uid := strings.Repeat("x", 9<<20) // does not fit in memory
	models := func(w *perun.Writer) error {
		fields := perun.Fields{{Key: "uid", Value: perun.ValueOf(uid)}, {Key: "model", Value: perun.ValueOf("linear")}}
		return w.WriteModel(&perun.Model{Fields: fields})
	}
	types := func(w *perun.Writer) error { return writeValue(w, perunParams("uid", uid), 1) }
	late := func(w *perun.Writer) error {
		w.Snapshots = true
		rec := format.Record{Attrs: traceid.Of("snapshot", "3"), Value: 1, Params: perunParams("uid", "a")}
		return errors.Join(w.Write(&rec), types(w))
	}

	for name, write := range map[string]func(*perun.Writer) error{"models": models, "types": types, "late": late} {
		t.Run(name, func(t *testing.T) {
			try := func(tmpdir string) error {
				t.Setenv("TMPDIR", tmpdir)
				w := perun.NewWriter(io.Discard, perunHeader)
				err := write(w)
				if err == nil {
					return w.Close()
				}
				if w.Close() == nil {
					t.Error("Close after the error: no error")
				}
				return err
			}
			if err := try(temp + "/nowhere"); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("without a folder for temporary files: %v", err)
			}
			if err := try(temp); err != nil {
				t.Error(err)
			}
			if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
}

func writeValue(w format.Writer, params traceid.Params, value float64) error {
	return w.Write(&format.Record{Params: params, Value: value})
}

// perunParams returns the params that perunHeader gives to each measurement, and one more.
func perunParams(key, value string) traceid.Params {
	return traceid.Of("cmd", "ls", "collector", "time", "type", "time", "unit", "s", "workload", "w", key, value)
}
