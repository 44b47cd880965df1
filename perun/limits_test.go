package perun

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"perfdata/format"
	"perfdata/internal/jsondoc"
	"perfdata/internal/jsonscan"
	"perfdata/internal/testing/formattest"
	"perfdata/internal/testing/quick"
)

func TestLimits(t *testing.T) {
	many := formattest.Members
	for _, test := range []struct {
		name   string
		limits format.Limits
		in     string
		want   string
	}{
		{
			name:   "depth",
			limits: format.Limits{MaxDepth: 4},
			in:     head + `"global":[{"x":[[]]}]}`,
			want:   "arrays and objects nest too deep: more than 4 (Limits.MaxDepth)",
		},
		{
			name:   "string",
			limits: format.Limits{MaxStringBytes: 20},
			in:     head + `"global":[{"uid":"0123456789012345678901"}]}`,
			want:   "bytes of one string: more than 20 (Limits.MaxStringBytes)",
		},
		{
			name:   "fields",
			limits: format.Limits{MaxParams: 5},
			in:     head + `"global":[` + many(6) + `]}`,
			want:   "global.0.k5: fields of one resource: more than 5 (Limits.MaxParams)",
		},
		{
			name:   "flattened fields",
			limits: format.Limits{MaxParams: 5},
			in:     head + `"global":[{"a":` + many(5) + `,"amount":1}]}`,
			want:   "global.0: flattened fields of one resource: more than 5 (Limits.MaxParams)",
		},
		{
			name:   "arrays",
			limits: format.Limits{MaxParams: 2},
			in:     head + typesOfA + `,"resources":{"a#0":{"a":[],"b":[],"c":[]}}}`,
			want:   "resources.a#0.c: arrays of one resource type: more than 2 (Limits.MaxParams)",
		},
		{
			name:   "units",
			limits: format.Limits{MaxParams: 2},
			in:     `{"header":{"units":` + many(3) + `}}`,
			want:   "header.units.k2: units: more than 2 (Limits.MaxParams)",
		},
		{
			name:   "header",
			limits: format.Limits{MaxHeaderBytes: 100},
			in:     head + `"machine":"` + strings.Repeat("x", 100) + `"}`,
			want:   "machine: too many bytes: more than 100 (Limits.MaxHeaderBytes)",
		},
		{
			name:   "resource",
			limits: format.Limits{MaxResultBytes: 50},
			in:     head + `"global":[{"uid":"` + strings.Repeat("x", 50) + `"}]}`,
			want:   "global.0.uid: too many bytes: more than 50 (Limits.MaxResultBytes)",
		},
		{
			name:   "array",
			limits: format.Limits{MaxResultBytes: 50},
			in:     head + typesOfA + `,"resources":{"a#0":{"amount":[` + strings.Repeat("1,", 100) + `1]}}}`,
			want:   "resources.a#0.amount: too many bytes: more than 50 (Limits.MaxResultBytes)",
		},
		{
			name:   "flattened fields of a resource type",
			limits: format.Limits{MaxParams: 3},
			in:     head + typesOfA + `,"resources":{"a#0":{"amount":[1],"order":[1]}}}`,
			want:   "resource_type_map.a#0: flattened fields of one resource: more than 3 (Limits.MaxParams)",
		},
		{
			name:   "unknown region",
			limits: format.Limits{MaxHeaderBytes: 1000},
			in:     head + `"x":[` + strings.Repeat("[],", 30) + `[]]}`,
			want:   "x.8: too many bytes: more than 1000 (Limits.MaxHeaderBytes)",
		},
		{
			name:   "postprocessors",
			limits: format.Limits{MaxHeaderBytes: 1000},
			in:     head + `"postprocessors":[` + strings.Repeat("{},", 30) + `{}]}`,
			want:   "postprocessors.5: too many bytes: more than 1000 (Limits.MaxHeaderBytes)",
		},
		{
			name:   "names of members",
			limits: format.Limits{MaxHeaderBytes: 1000},
			in:     `{"` + strings.Repeat("x", 500) + `":0,"` + strings.Repeat("y", 500) + `":0}`,
			want:   "y: too many bytes: more than 1000 (Limits.MaxHeaderBytes)",
		},
		{
			name:   "args",
			limits: format.Limits{MaxHeaderBytes: 1000},
			in:     `{"header":{"args":[` + strings.Repeat(`"",`, 100) + `""]}}`,
			want:   "header.args.28: too many bytes: more than 1000 (Limits.MaxHeaderBytes)",
		},
		{
			name:   "list in a resource",
			limits: format.Limits{MaxResultBytes: 1000},
			in:     head + `"global":[{"x":[` + strings.Repeat("0,", 100) + `0]}]}`,
			want:   "global.0.x.17: too many bytes: more than 1000 (Limits.MaxResultBytes)",
		},
		{
			name:   "time of a snapshot",
			limits: format.Limits{MaxResultBytes: 1000},
			in:     head + `"snapshots":[{"time":[` + strings.Repeat("0,", 100) + `0]}]}`,
			want:   "snapshots.0.time.19: too many bytes: more than 1000 (Limits.MaxResultBytes)",
		},
		{
			name:   "time of a snapshot, after the resources",
			limits: format.Limits{MaxResultBytes: 1000},
			in:     head + `"snapshots":[{"resources":[],"time":[` + strings.Repeat("0,", 100) + `0]}]}`,
			want:   "snapshots.0.time.19: too many bytes: more than 1000 (Limits.MaxResultBytes)",
		},
		{
			name:   "list in an array",
			limits: format.Limits{MaxResultBytes: 1000},
			in:     head + typesOfA + `,"resources":{"a#0":{"amount":[1],"order":[[` + strings.Repeat("0,", 100) + `0]]}}}`,
			want:   "resources.a#0.order.0.19: too many bytes: more than 1000 (Limits.MaxResultBytes)",
		},
		{
			name:   "members",
			limits: format.Limits{MaxMembers: 4},
			in:     head + `"global":[` + many(5) + `]}`,
			want: "global.0.k4: members of an object and the objects around it: " +
				"more than 4 (Limits.MaxMembers)",
		},
		{
			name:   "members of a nested object",
			limits: format.Limits{MaxMembers: 4},
			in:     head + `"global":[{"amount":1,"a":` + many(5) + `}]}`,
			want: "global.0.a.k4: members of an object and the objects around it: " +
				"more than 4 (Limits.MaxMembers)",
		},
		{
			name:   "flattened value of an array",
			limits: format.Limits{MaxStringBytes: 500},
			in:     head + typesOfA + `,"resources":{"a#0":{"amount":[1],"order":[` + doubling(20) + `]}}}`,
			want:   "resources.a#0.order.0: the flattened form is too large: more than 500 (Limits.MaxStringBytes)",
		},
		{
			name:   "flattened time of a snapshot",
			limits: format.Limits{MaxStringBytes: 500},
			in:     head + `"snapshots":[{"time":` + doubling(20) + `,"resources":[]}]}`,
			want:   "snapshots.0.time: the flattened form is too large: more than 500 (Limits.MaxStringBytes)",
		},
		{
			name:   "resource types",
			limits: format.Limits{MaxMembers: 4},
			in:     head + `"resource_type_map":{"a":{},"b":{},"c":{},"d":{},"e":{}}}`,
			want:   "resource_type_map.e: resource types: more than 4 (Limits.MaxMembers)",
		},
		{
			name:   "flattened resource",
			limits: format.Limits{MaxStringBytes: 500},
			in: head + `"global":[{"amount":1,"a":` + strings.Repeat(`{"a":`, 20) + `"x"` +
				strings.Repeat("}", 20) + `}]}`,
			want: "global.0: the flattened form is too large: more than 500 (Limits.MaxStringBytes)",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := newReader(strings.NewReader(test.in))
			r.Limits = test.limits
			got := formattest.All(r)
			if last := got[len(got)-1]; !strings.HasPrefix(last, "FATAL ") || !strings.HasSuffix(last, test.want) {
				t.Errorf("%+v:\n got %s\nwant %s", test.limits, last, test.want)
			}
		})
	}
}

// doubling returns a nested object whose flattened form doubles with every level.
func doubling(depth int) string {
	return strings.Repeat(`{"a":`, depth) + `"x"` + strings.Repeat("}", depth)
}

// The error about an input that can't seek and exceeds MaxSpoolBytes names the limit.
func TestSpoolLimit(t *testing.T) {
	in := `{"resources":{"a#0":{"amount":[` + strings.Repeat("1,", 100_000) + `1]}},` + typesOfA + `}`
	formattest.CheckSpoolLimit(t, Format(), in)
}

// A file truncated at any byte has a fatal error, and only records of the whole file. If the
// Reader looks ahead, it has no records.
func TestTruncation(t *testing.T) {
	for name, whole := range testFiles(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			end := len(strings.TrimRight(whole, " \n")) // the file is whole without its last newline
			full := readInOrder(strings.NewReader(whole))
			step := quick.Of(1, 1+len(whole)/130)
			if len(whole) > 10_000 {
				step = quick.Of(61, 661)
			}
			for n := 0; n < end; n += step {
				for _, r := range []*Reader{
					newReader(strings.NewReader(whole[:n])),
					newReader(formattest.Stream(whole[:n])),
					inOrder(strings.NewReader(whole[:n])),
				} {
					got := formattest.All(r)
					formattest.CheckTruncated(t, fmt.Sprintf("%d bytes", n), got, full)
					if !r.doc.OnePass() && len(got) > 1 {
						t.Errorf("%d bytes: %q", n, got)
					}
				}
			}
		})
	}
}

// The memory does not depend on the number of resources, nor on the length of arrays.
func TestMemory(t *testing.T) {
	const n = 200_000
	long := `{"resources":{"a#0":{"amount":[` + strings.Repeat("1.5, ", n) + `1],"address":[` +
		strings.Repeat("1234567, ", n) + `1]}},` + typesOfA + `}`
	snapshots := head + `"snapshots":[{"resources":[` +
		strings.Repeat(`{"amount":1,"uid":{"function":"f","line":1},"trace":[{"function":"f"}]},`, n/10) + `{"amount":1}]}]}`
	for name, in := range map[string]string{"arrays": long, "snapshots": snapshots} {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		records := 0
		most := uint64(0)
		for _, err := range newReader(strings.NewReader(in)).Records() {
			if err != nil {
				t.Fatal(err)
			}
			if records++; records%(n/40) == 0 {
				runtime.GC()
				runtime.ReadMemStats(&after)
				most = max(most, after.HeapAlloc-min(before.HeapAlloc, after.HeapAlloc))
			}
		}
		runtime.ReadMemStats(&after)
		if most > 2<<20 {
			t.Errorf("%s: %d bytes", name, most)
		}
		if perRecord := float64(after.Mallocs-before.Mallocs) / float64(records); !formattest.Race &&
			perRecord > 0.1 {
			t.Errorf("%s: %.2f allocations a record", name, perRecord)
		}
	}
}

// At least the memory that is held is charged.
func TestCosts(t *testing.T) {
	for _, test := range []struct {
		name string
		cost int
		of   reflect.Type
	}{
		{"value", valueCost, reflect.TypeFor[Value]()},
		{"field", fieldCost, reflect.TypeFor[Field]()},
		{"nested", nestedCost, reflect.TypeFor[nested]()},
		{"tool", toolCost - nestedCost, reflect.TypeFor[Tool]()},
		{"string", stringCost, reflect.TypeFor[string]()},
	} {
		t.Run(test.name, func(t *testing.T) {
			if size := int(test.of.Size()); test.cost < size {
				t.Errorf("costs %d, and takes %d bytes", test.cost, size)
			}
		})
	}
	for in, cost := range map[string]int{
		`1`: 0, `"x"`: 0, `[]`: nestedCost, `{}`: nestedCost,
		`[1,[2,{}]]`:                           3*nestedCost + 4*valueCost,
		`{"a":1,"b":{"c":[null,true]},"d":""}`: 3*nestedCost + 4*fieldCost + 2*valueCost,
	} {
		s := jsonscan.New(strings.NewReader(in), "", format.Limits{}.WithDefaults())
		s.BeginRegion("MaxResultBytes", 1<<20, 0)
		readValue(s, func(b []byte) string { return string(b) })
		if charged := int(s.EndRegion()) - len(in); charged != cost {
			t.Errorf("%s: charged %d, want %d", in, charged, cost)
		}
	}
}

// Fewer errors are listed if they are long. An error that many models repeat takes little time.
func TestValidateLongFaults(t *testing.T) {
	long := strings.Repeat("x", 400)
	var all []string
	for i := range 6000 {
		all = append(all, fmt.Sprintf(`{"%s":{"%s":1,"%s":2}}`, long, long, long+fmt.Sprint(i)))
	}
	in := head + `"global":[` + strings.ReplaceAll(strings.Join(all, ","), "2}}", `2,"`+long+`":3}}`) + "]}"
	found, bytes := 0, 0
	last := ""
	for e := range Format().Validate(strings.NewReader(in), format.Options{}) {
		found++
		bytes += len(e.Path) + len(e.Message)
		last = e.Message
	}
	if bytes > 4<<20 || found >= 6000 || !strings.HasPrefix(last, "too many errors with long names") {
		t.Errorf("%d faults of %d bytes, the last of them: %s", found, bytes, last)
	}
	in = head + `"global":[],"models":[` + strings.Repeat("0,", jsondoc.MaxFound+100) + `0]}`
	if got := validate(strings.NewReader(in)); len(got) != jsondoc.MaxFound+1 {
		t.Errorf("%d faults of models", len(got))
	}
}

// MaxMembers bounds the names of nested objects together.
func TestValidateMembers(t *testing.T) {
	in := `{"a":1,"b":{"c":1,"d":{"e":1,"f":1,"g":1}},"h":{"i":1,"j":1}}`
	for limit, want := range map[int]int{6: 1, 7: 0} {
		got := 0
		for e := range Format().Validate(strings.NewReader(in), format.Options{Limits: format.Limits{MaxMembers: limit}}) {
			if strings.HasSuffix(e.Message, "(Limits.MaxMembers)") {
				got++
			}
		}
		if got != want {
			t.Errorf("limit %d: %d errors, want %d", limit, got, want)
		}
	}
}
