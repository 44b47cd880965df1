package perun

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/testing/formattest"
	"perfdata/traceid"
)

// readModels returns the models and errors that Models yields.
func readModels(r *Reader) []string {
	got := []string{}
	for m, err := range r.Models() {
		if err != nil {
			got = append(got, formattest.ShowError(err))
			continue
		}
		got = append(got, fmt.Sprintf("%s at %d", m.Fields.appendJSON(nil, false), m.Offset))
	}
	return got
}

// A member of the header with a value of the wrong type is treated as absent. The error is
// reported once, by every way of reading and by Validate, in every order of the members.
func TestHeaderFaults(t *testing.T) {
	const members = `"type":"time","cmd":"c","workload":"w","units":{"time":"s"}`
	for _, test := range []struct {
		name  string
		in    []string // members of the profile
		want  string   // the header's cmd, args, workload, units, collector and number of postprocessors
		fault string   // "path: message"
	}{
		{
			name:  "Perun's complexity.perf",
			in:    []string{`"header":{"type":"time","cmd":"c","workload":"w","units":[null]}`, collector},
			want:  "c||w||trace|0",
			fault: "header.units: Invalid type. Expected: object, given: array",
		},
		{
			name:  "units of a string",
			in:    []string{`"header":{"type":"time","cmd":"c","workload":"w","units":""}`, collector},
			want:  "c||w||trace|0",
			fault: "header.units: Invalid type. Expected: object, given: string",
		},
		{
			name: "a unit",
			in: []string{
				`"header":{"type":"time","cmd":"c","workload":"w","units":{"time":"s","memory":5}}`,
				collector,
			},
			want:  "c||w|,time=s,|trace|0",
			fault: "header.units.memory: Invalid type. Expected: string, given: integer",
		},
		{
			name:  "workload",
			in:    []string{`"header":{"type":"time","cmd":"c","workload":5,"units":{}}`, collector},
			want:  "c||||trace|0",
			fault: "header.workload: Invalid type. Expected: string, given: integer",
		},
		{
			name:  "type",
			in:    []string{`"header":{"type":{},"cmd":"c","workload":"w","units":{}}`, collector},
			want:  "c||w||trace|0",
			fault: "header.type: Invalid type. Expected: string, given: object",
		},
		{
			name:  "cmd",
			in:    []string{`"header":{"type":"time","cmd":true,"workload":"w","units":{}}`, collector},
			want:  "||w||trace|0",
			fault: "header.cmd: Invalid type. Expected: string, given: boolean",
		},
		{
			name:  "an element of cmd",
			in:    []string{`"header":{"type":"time","cmd":["c",1,2],"workload":"w","units":{}}`, collector},
			want:  "||w||trace|0",
			fault: "header.cmd.1: Invalid type. Expected: string, given: integer",
		},
		{
			name: "an element of args",
			in: []string{
				`"header":{"type":"time","cmd":["c","d"],"args":[null,"a"],"workload":"w","units":{}}`,
				collector,
			},
			want:  "c d||w||trace|0",
			fault: "header.args.0: Invalid type. Expected: string, given: null",
		},
		{
			name:  "header",
			in:    []string{`"header":"x"`, collector},
			want:  "||||trace|0",
			fault: "header: Invalid type. Expected: object, given: string",
		},
		{
			name:  "collector_info",
			in:    []string{`"header":{` + members + `}`, `"collector_info":"x"`},
			want:  "c||w|,time=s,||0",
			fault: "collector_info: Invalid type. Expected: object, given: string",
		},
		{
			name:  "the collector's name",
			in:    []string{`"header":{` + members + `}`, `"collector_info":{"name":["x"]}`},
			want:  "c||w|,time=s,||0",
			fault: "collector_info.name: Invalid type. Expected: string, given: array",
		},
		{
			name:  "postprocessors",
			in:    []string{`"header":{` + members + `}`, collector, `"postprocessors":{}`},
			want:  "c||w|,time=s,|trace|0",
			fault: "postprocessors: Invalid type. Expected: array, given: object",
		},
		{
			name: "a postprocessor",
			in: []string{
				`"header":{` + members + `}`,
				collector,
				`"postprocessors":[{"name":"p"},1,{"name":"q"}]`,
			},
			want:  "c||w|,time=s,|trace|2",
			fault: "postprocessors.1: Invalid type. Expected: object, given: integer",
		},
		{
			name:  "origin",
			in:    []string{`"header":{` + members + `}`, collector, `"origin":1.5`},
			want:  "c||w|,time=s,|trace|0",
			fault: "origin: Invalid type. Expected: string, given: number",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			if !slices.ContainsFunc(test.in, func(m string) bool {
				return strings.HasPrefix(m, `"postprocessors"`)
			}) {
				test.in = append(test.in, `"postprocessors":[]`)
			}
			// Before the resources, after them, and around them, in both layouts.
			n := len(test.in)
			for _, data := range []string{
				`"snapshots":[{"resources":[{"amount":1,"uid":"u","type":"time"}],` +
					`"models":[{"uid":"u","model":"m"}]}]`,
				`"resources":{"u#0":{"amount":[1]}},"resource_type_map":{"u#0":{"uid":"u","type":"time"}},` +
					`"models":[{"uid":"u","model":"m"}]`,
			} {
				for at := range n + 1 {
					in := "{" + strings.Join(slices.Concat(test.in[:at], []string{data}, test.in[at:]), ",") + "}"
					checkFault(t, in, test.want, test.fault)
				}
			}
		})
	}
}

func checkFault(t *testing.T, in, want, fault string) {
	t.Helper()
	h, err := newReader(strings.NewReader(in)).Header()
	if err != nil {
		t.Fatalf("Header: %v", err)
	}
	units := ""
	if len(h.Units) > 0 {
		units = h.Units.ID()
	}
	if got := strings.Join([]string{
		h.Cmd,
		h.Args,
		h.Workload,
		units,
		h.Collector.Name,
		fmt.Sprint(len(h.Postprocessors)),
	}, "|"); got != want {
		t.Errorf("%s: header %s, want %s", in, got, want)
	}
	for way, source := range formattest.Sources {
		for what, got := range map[string][]string{
			"Records":   readAll(source(in)),
			"Resources": readResources(newReader(source(in))),
			"Models":    readModels(newReader(source(in))),
			"Validate":  validateErrors(source(in)),
		} {
			faults := slices.DeleteFunc(slices.Clone(got), func(line string) bool {
				return !strings.HasPrefix(line, "in:") && !strings.HasPrefix(line, "FATAL")
			})
			if len(faults) != 1 || !strings.HasSuffix(faults[0], ": "+fault) || what != "Validate" && len(got) != 2 {
				t.Errorf("%s, %s of %s: %q, want %s", way, what, in, got, fault)
			}
		}
	}
	// With InOrder, members after the resources are another error.
	faults := 0
	for _, line := range readInOrder(strings.NewReader(in)) {
		if strings.HasSuffix(line, fault) {
			faults++
		}
		if strings.HasPrefix(line, "FATAL") {
			t.Errorf("in order: %s", line)
		}
	}
	if faults > 1 {
		t.Errorf("in order: %d faults", faults)
	}
}

// validateErrors returns the errors that Validate yields, without the warnings.
func validateErrors(in io.Reader) []string {
	got := []string{}
	for e := range Format().Validate(in, format.Options{Name: "in"}) {
		if e.Severity != format.Warning {
			got = append(got, e.Error())
		}
	}
	return got
}

// Not all of very many errors are reported.
func TestManyHeaderFaults(t *testing.T) {
	in := `{"postprocessors":[` + strings.Repeat("1,", 1000) +
		`1],"header":{"type":"time"},"collector_info":{},"global":[{"amount":1}]}`
	got := readAll(strings.NewReader(in))
	if len(got) != maxHeaderFaults+1 || !strings.HasSuffix(got[maxHeaderFaults-1],
		"postprocessors.99: more than 99 errors in the header: the rest are not listed") {
		t.Errorf("%d lines, the last fault is %s", len(got), got[len(got)-2])
	}
}

// null is treated as absent, but the errors have its position.
func TestNullHeader(t *testing.T) {
	got := validate(strings.NewReader("{\n \"header\":null,\"collector_info\":{\"name\":\"x\"}," +
		"\"postprocessors\":[],\"snapshots\":[]}"))
	want := []string{
		`SPEC in:2:11: header.type: the type is "", expected time, memory or mixed`,
		"SPEC in:2:11: header: cmd is required",
		"SPEC in:2:11: header: workload is required",
		"SPEC in:2:11: header: units is required",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, in := range []string{
		`{"header":null,"collector_info":{}}`,
		`{"resources":null,"resource_type_map":{}}`,
		`{"global":[{"amount":1,"uid":"a"}],"header":{"type":"time"}}`,
		`{"snapshots":null,"postprocessors":[]}`,
		`{"header":"x","collector_info":{}}`,
	} {
		if !Format().Detect([]byte(in)).Yes {
			t.Errorf("%s isn't recognized", in)
		}
	}
}

// A Reader that can't read the header leaves no temporary file open, even without Close.
func TestFailedHeaderReleases(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	in := head + `"snapshots":[{"resources":[` + strings.Repeat(`{"amount":1},`, 10_000) +
		`{"amount":1}]}],"origin":}`
	r := newReader(formattest.Stream(in))
	r.Limits.MaxSpoolMemory = 1000
	if _, err := r.Header(); err == nil {
		t.Fatal("no error")
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return // another system
	}
	for _, fd := range fds {
		if name, _ := os.Readlink(filepath.Join("/proc/self/fd", fd.Name())); strings.HasPrefix(name, dir) {
			t.Errorf("%s is open", name)
		}
	}
}

// The texts of a member that is written with escape sequences do not overwrite each other.
func TestEscapedUnits(t *testing.T) {
	r := NewReader(strings.NewReader(`{"header":{"units":{"\u006dixed":"\u0042","time":"\u006ds"}},"collector_info":{}}`))
	h, err := r.Header()
	want := traceid.FromPairs(traceid.Param{Key: "mixed", Value: "B"}, traceid.Param{Key: "time", Value: "ms"})
	if diff := cmp.Diff(want, h.Units); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// What only a profile has is listed where it is there, and not where it is empty.
func TestOwnMembers(t *testing.T) {
	for _, test := range []struct {
		name string
		in   string // members of the profile
		want []traceid.Param
	}{
		{"none", `"collector_info":{"name":"trace","params":{}},"postprocessors":[]`, nil},
		{
			"all",
			`"collector_info":{"name":"trace","params":{"a":1},"exit":0},"postprocessors":[{"name":"p","params":{}}],"y":[2]`,
			[]traceid.Param{
				{Key: "collector_info.params", Value: `{"a":1}`}, {Key: "collector_info.exit", Value: "0"},
				{Key: "postprocessors", Value: `[{"name":"p","params":{}}]`}, {Key: "y", Value: "[2]"},
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			profile := `{"origin":"abc","header":{"type":"time","cmd":"c","workload":"w","units":{"time":"s"}},` + test.in + `,"resources":{}}`
			r := NewReader(strings.NewReader(profile))
			defer r.Close()
			h, err := r.Header()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, h.OwnMembers()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
