package perfdata_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata"
	"perfdata/benchfmt"
	"perfdata/format"
	"perfdata/internal/testing/formattest"
	"perfdata/keyval"
	"perfdata/nanolegacy"
	"perfdata/perun"
	"perfdata/series"
	"perfdata/skiav1"
	"perfdata/traceid"
)

// In every format, a measurement has the header's params and its own, and the written file is
// valid.
func TestWrite(t *testing.T) {
	host := traceid.Of("host", "lab")
	for _, test := range []struct {
		format string
		open   func(out io.Writer) format.Writer
		header traceid.Params
		params traceid.Params
		want   string // as it is read back
	}{
		{
			format: "skiav1",
			open: func(out io.Writer) format.Writer {
				return skiav1.NewWriter(out, skiav1.Header{
					GitHash: "x",
					Key:     host,
				})
			},
			header: host,
			params: traceid.Of("test", "t", "units", "ms"),
			want:   "host=lab test=t units=ms = 1.5",
		},
		{
			format: "skiav1",
			open: func(out io.Writer) format.Writer {
				return skiav1.NewWriter(out, skiav1.Header{
					GitHash: "x",
					Key:     host,
				})
			},
			header: host,
			params: traceid.Of("host", "other", "test", "t"),
			want:   "host=other test=t = 1.5",
		},
		{
			format: "nanolegacy",
			open: func(out io.Writer) format.Writer {
				return nanolegacy.NewWriter(out, nanolegacy.Header{GitHash: "x", Key: host})
			},
			header: host,
			params: traceid.Of("config", "c", "sub_result", "ms", "test", "t"),
			want:   "config=c host=lab sub_result=ms test=t = 1.5",
		},
		{
			format: "benchfmt",
			open:   func(out io.Writer) format.Writer { return benchfmt.NewWriter(out, benchfmt.Header{Config: host}) },
			header: host,
			params: traceid.Of("name", "Encode", "size", "1", "unit", "ns/op"),
			want:   "host=lab name=Encode size=1 unit=ns/op = 1.5 iterations:1",
		},
		{
			format: "benchfmt",
			open:   func(out io.Writer) format.Writer { return benchfmt.NewWriter(out, benchfmt.Header{Config: host}) },
			header: host,
			params: traceid.Of("host", "other", "name", "Encode", "unit", "ns/op"),
			want:   "host=other name=Encode unit=ns/op = 1.5 iterations:1",
		},
		{
			format: "keyval",
			open:   func(out io.Writer) format.Writer { return keyval.NewWriter(out, keyval.Header{Params: host}) },
			header: host,
			params: traceid.Of("key", "fps"),
			want:   "iteration=1 key=fps = 1.5",
		},
		{
			format: "perun",
			open: func(out io.Writer) format.Writer {
				return perun.NewWriter(out, perun.Header{
					Type:      "time",
					Cmd:       "ls",
					Workload:  "w",
					Collector: perun.Tool{Name: "time"},
					Units:     traceid.Of("time", "s"),
				})
			},
			header: traceid.Of("cmd", "ls", "collector", "time", "type", "time", "unit", "s", "workload", "w"),
			params: traceid.Of("uid", "real"),
			want:   "cmd=ls collector=time type=time uid=real unit=s workload=w = 1.5",
		},
	} {
		t.Run(test.format, func(t *testing.T) {
			var out bytes.Buffer
			w := test.open(&out)
			params := traceid.Merge(test.header, test.params)
			unsorted := append(slices.Clone(params), params[0])
			if err := w.Write(&format.Record{Params: unsorted, Value: 1}); err == nil ||
				!strings.Contains(err.Error(), "duplicate key") && !strings.Contains(err.Error(), "out of order") {
				t.Errorf("params that are not sorted: %v", err)
			}
			if err := w.Write(&format.Record{Params: params, Value: 1.5}); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			info, _ := perfdata.FormatNamed(test.format)
			for e := range info.Validate(bytes.NewReader(out.Bytes()), format.Options{}) {
				t.Errorf("%v\n%s", e, out.String())
			}
			r := info.Open(nil, bytes.NewReader(out.Bytes()), format.Options{})
			if got := formattest.All(r); len(got) != 1 || got[0] != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

// A written record is read back with the same series, commit and repetition, or refused with an
// error that names the repetition.
func TestWriteRepetitions(t *testing.T) {
	machine := traceid.Of("cmd", "ls", "collector", "time", "type", "time", "workload", "w")
	formats := []struct {
		name string
		open func(out io.Writer) format.Writer
		base traceid.Params
		gaps bool // the format can have repetition 3 after repetition 1
		none bool // the format has no repetitions but samples
	}{
		{
			"skiav1",
			func(out io.Writer) format.Writer {
				return skiav1.NewWriter(out, skiav1.Header{GitHash: "abc", Key: traceid.Of("host", "lab")})
			},
			traceid.Of("host", "lab", "test", "t", "units", "ms"), true, false,
		},
		{
			"nanolegacy",
			func(out io.Writer) format.Writer { return nanolegacy.NewWriter(out, nanolegacy.Header{GitHash: "abc"}) },
			traceid.Of("config", "c", "sub_result", "ms", "test", "t"), false, true,
		},
		{
			"benchfmt",
			func(out io.Writer) format.Writer {
				return benchfmt.NewWriter(out, benchfmt.Header{Config: traceid.Of("commit", "abc")})
			},
			traceid.Of("commit", "abc", "name", "Encode", "unit", "ns/op"), true, false,
		},
		{
			"keyval",
			func(out io.Writer) format.Writer { return keyval.NewWriter(out, keyval.Header{}) },
			traceid.Of("key", "fps"), true, false,
		},
		{
			"perun",
			func(out io.Writer) format.Writer {
				return perun.NewWriter(out, perun.Header{
					Origin: "abc", Type: "time", Cmd: "ls", Workload: "w", Collector: perun.Tool{Name: "time"},
				})
			},
			traceid.Merge(machine, traceid.Of("uid", "real")), false, false,
		},
	}

	for _, f := range formats {
		for _, test := range []struct {
			name    string
			numbers []int
			param   string // spells the number, too
			isGap   bool
		}{
			{"in order", []int{1, 2, 3}, "", false},
			{"gap", []int{1, 3, 4}, "", true},
			{"first is not 1", []int{7}, "", true},
			{"param iteration", []int{1, 2, 3}, "iteration", false},
			{"param repetition", []int{1, 2}, "repetition", false},
		} {
			t.Run(f.name+"/"+test.name, func(t *testing.T) {
				commit := "abc"
				if f.name == "keyval" { // which has no commit
					commit = ""
				}
				var out bytes.Buffer
				w := f.open(&out)
				var placer series.Placer
				var want, got []string
				var refused error
				for _, n := range test.numbers {
					rec := &format.Record{Params: f.base, Value: float64(n), Commit: commit, Repetition: n}
					if test.param != "" {
						rec.Params = traceid.Merge(f.base, traceid.Of(test.param, strconv.Itoa(n)))
					}
					if refused = w.Write(rec); refused != nil {
						break
					}
					want = append(want, placeOf(t, &placer, rec))
				}
				isHeld := !f.none && (f.gaps || !test.isGap)
				switch {
				case f.none && test.param == "repetition", f.name == "keyval" && test.param == "repetition":
					isHeld = false // it is a param like any other there
				}
				if isHeld != (refused == nil) {
					t.Fatalf("refused: %v", refused)
				}
				if refused != nil {
					if !strings.Contains(refused.Error(), "repetition") {
						t.Errorf("%v: want an error about the repetition", refused)
					}
					return
				}

				if err := w.Close(); err != nil {
					t.Fatal(err)
				}
				info, _ := perfdata.FormatNamed(f.name)
				placer.Reset()
				for rec, err := range info.Open(nil, &out, format.Options{}).Records() {
					if err != nil {
						t.Fatal(err)
					}
					got = append(got, placeOf(t, &placer, rec))
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("(-written +read):\n%s", diff)
				}
			})
		}
	}
}

// placeOf returns the series, commit, repetition and value of a record.
func placeOf(t *testing.T, placer *series.Placer, rec *format.Record) string {
	t.Helper()
	at, err := placer.Place(rec)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s commit %s, repetition %d: %g", at.Trace, at.Commit, at.N, rec.Value)
}

// A Writer notices params that its caller changes in place: it writes and refuses the same records
// as when each has memory of its own.
func TestParamsChangedInPlace(t *testing.T) {
	perunHeader := perun.Header{Type: "time", Cmd: "ls", Workload: "w", Collector: perun.Tool{Name: "time"}}
	for _, test := range []struct {
		format string
		open   func(out io.Writer) format.Writer
		params traceid.Params
	}{
		{
			"skiav1",
			func(out io.Writer) format.Writer {
				return skiav1.NewWriter(out, skiav1.Header{GitHash: "x", Key: traceid.Of("host", "lab")})
			},
			traceid.Of("host", "lab", "stat", "min", "test", "t"),
		},
		{
			"nanolegacy",
			func(out io.Writer) format.Writer { return nanolegacy.NewWriter(out, nanolegacy.Header{GitHash: "x"}) },
			traceid.Of("config", "c", "sub_result", "ms", "test", "t"),
		},
		{
			"benchfmt",
			func(out io.Writer) format.Writer { return benchfmt.NewWriter(out, benchfmt.Header{}) },
			traceid.Of("goos", "linux", "name", "Encode", "size", "1", "unit", "ns/op"),
		},
		{
			"keyval",
			func(out io.Writer) format.Writer {
				return keyval.NewWriter(out, keyval.Header{Params: traceid.Of("host", "lab")})
			},
			traceid.Of("host", "lab", "iteration", "1", "key", "fps"),
		},
		{
			"perun",
			func(out io.Writer) format.Writer { return perun.NewWriter(out, perunHeader) },
			traceid.Of("cmd", "ls", "collector", "time", "type", "time", "uid", "real", "workload", "w"),
		},
	} {
		t.Run(test.format, func(t *testing.T) {
			// Each value changes in turn, alone and then with another one.
			var apart, inPlace bytes.Buffer
			wants, gets := test.open(&apart), test.open(&inPlace)
			rec := &format.Record{Params: test.params}
			write := func() {
				rec.Value++
				want, got := wants.Write(rec.Clone()), gets.Write(rec)
				if (want == nil) != (got == nil) || want != nil && want.Error() != got.Error() {
					t.Errorf("%v: %v, want %v", rec.Params, got, want)
				}
			}
			write()
			for i := range rec.Params {
				for _, text := range []string{"2", "3", "a b", "\xff", "", "2", "4"} {
					rec.Params[i].Value = text
					write()
					rec.Params[(i+1)%len(rec.Params)].Value = text
					write()
				}
			}
			if err := errors.Join(wants.Close(), gets.Close()); err != nil {
				t.Fatal(err)
			}
			if apart.String() != inPlace.String() {
				t.Errorf("%s\nwant\n%s", inPlace.String(), apart.String())
			}
		})
	}
}
