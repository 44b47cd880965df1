package perun

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"perfdata/internal/testing/formattest"
)

// profile makes a profile with a command, resources and a model.
func profile(cmd, resources string) string {
	return `{"header":{"type":"time","units":{"time":"s"},"cmd":"` + cmd + `","args":"","workload":"w"},` +
		`"collector_info":{"name":"time","params":{}},"postprocessors":[],"snapshots":[{"time":"1","resources":[` +
		resources + `]}],"models":[{"uid":"` + cmd + `","model":"constant"}]}`
}

func TestMerge(t *testing.T) {
	const f, g = `{"amount":1,"uid":"f","type":"time"}`, `{"amount":2,"uid":"g","type":"time"}`
	const readF, readG = `0 {"amount":1,"uid":"f","type":"time","snapshot":0,"time":"1"}`,
		`0 {"amount":2,"uid":"g","type":"time","snapshot":0,"time":"1"}`
	for _, test := range []struct {
		name   string
		in     []string
		header string
		want   []string
	}{
		{"one", []string{profile("a", f)}, "a", []string{readF}},
		{"two", []string{profile("a", f), profile("b", g)}, "a", []string{readF, readG}},
		{"three, one of them twice", []string{profile("a", f), profile("b", g), profile("c", f)}, "a",
			[]string{readF, readF, readG}},
		{"the first is empty", []string{profile("a", ""), profile("b", g), profile("c", f)}, "b", []string{readG, readF}},
		{"the second is empty", []string{profile("a", f), profile("b", "")}, "a", []string{readF}},
		{"all are empty", []string{profile("a", ""), profile("b", "")}, "a", []string{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			for way, source := range formattest.Sources {
				var readers []*Reader
				for _, in := range test.in {
					readers = append(readers, NewReader(source(in)))
				}
				var out bytes.Buffer
				if err := Merge(&out, readers...); err != nil {
					t.Fatalf("%s: %v", way, err)
				}
				for _, r := range readers {
					if err := r.Close(); err != nil {
						t.Error(err)
					}
				}

				r := newReader(bytes.NewReader(out.Bytes()))
				var models []string
				for m, err := range r.Models() {
					if err != nil {
						t.Error(err)
					}
					models = append(models, m.UID())
				}
				h, err := r.Header()
				if err != nil || h.Cmd != test.header || len(models) != 1 || models[0] != test.header {
					t.Errorf("%s: the header of %q, the models of %q, %v", way, h.Cmd, models, err)
				}
				if diff := cmp.Diff(test.want, readResources(r)); diff != "" {
					t.Errorf("%s (-want +got):\n%s", way, diff)
				}
				for _, e := range validateErrors(&out) {
					t.Errorf("%s: %s", way, e)
				}
			}
		})
	}
}

func TestMergeErrors(t *testing.T) {
	broken := errors.New("broken")
	good := profile("a", `{"amount":1,"uid":"f","type":"time"}`)
	for _, test := range []struct {
		name string
		in   []io.Reader
		want string
	}{
		{"nothing", nil, "no profiles to merge"},
		{"a wrong resource", []io.Reader{strings.NewReader(good), strings.NewReader(profile("b", "1"))},
			"in:1:186: snapshots.0.resources.0: Invalid type. Expected: object, given: integer"},
		{"a resource without uid", []io.Reader{strings.NewReader(profile("b", `{"amount":1,"type":"time"}`))},
			"in: resource: missing uid"},
		{"an input that fails", []io.Reader{strings.NewReader(good), iotest.ErrReader(broken)},
			"in:1:1: reading failed: broken"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var readers []*Reader
			for _, in := range test.in {
				readers = append(readers, newReader(in))
			}
			if err := Merge(io.Discard, readers...); err == nil || err.Error() != test.want {
				t.Errorf("%v, want %s", err, test.want)
			}
		})
	}
	if err := Merge(formattest.FailingWriter(broken), newReader(strings.NewReader(good))); !errors.Is(err, broken) {
		t.Error(err)
	}
}

func TestSortProfiles(t *testing.T) {
	at := func(minute int) time.Time { return time.Date(2026, 11, 22, 14, minute, 0, 0, time.UTC) }
	list := []ProfileInfo{
		{Header{Type: "time", Cmd: "b", Workload: "x", Collector: Tool{Name: "c"}}, at(2), "p1", "s3", "aa"},
		{Header{Type: "memory", Cmd: "a", Workload: "z", Collector: Tool{Name: "d"}}, at(3), "p2", "s2", "cc"},
		{Header{Type: "time", Cmd: "c", Workload: "y", Collector: Tool{Name: "c"}}, at(1), "p3", "s1", "bb"},
	}
	for _, test := range []struct {
		key        string
		descending bool
		want       string // the paths
	}{
		{"time", false, "p3 p1 p2"},
		{"time", true, "p2 p1 p3"},
		{"realpath", true, "p3 p2 p1"},
		{"source", false, "p3 p2 p1"},
		{"type", false, "p2 p1 p3"},
		{"type", true, "p1 p3 p2"},
		{"cmd", false, "p2 p1 p3"},
		{"workload", false, "p1 p3 p2"},
		{"collector", true, "p2 p1 p3"},
		{"checksum", false, "p1 p3 p2"},
	} {
		name := test.key
		if test.descending {
			name += ", descending"
		}
		t.Run(name, func(t *testing.T) {
			sorted := append([]ProfileInfo(nil), list...)
			if err := SortProfiles(sorted, test.key, test.descending); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, p := range sorted {
				got = append(got, p.Path)
			}
			if diff := cmp.Diff(test.want, strings.Join(got, " ")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}

	const want = `sort key "size": want one of time, realpath, source, type, cmd, workload, collector, checksum`
	if err := SortProfiles(list, "size", true); err == nil || err.Error() != want || list[0].Path != "p1" {
		t.Errorf("%v, want %s", err, want)
	}
}
