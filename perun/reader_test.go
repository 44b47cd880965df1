package perun

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/testing/formattest"
	"perfdata/internal/testing/quick"
)

// readResources returns the resources and errors that the Reader yields.
func readResources(r *Reader) []string {
	got := []string{}
	for res, err := range r.Resources() {
		if err != nil {
			got = append(got, formattest.ShowError(err))
			continue
		}
		got = append(got, fmt.Sprintf("%d %s", res.Snapshot, res.Fields.appendJSON(nil, false)))
	}
	return got
}

func newReader(in io.Reader) *Reader {
	r := NewReader(in)
	r.Name = "in"
	return r
}

func inOrder(in io.Reader) *Reader {
	r := newReader(in)
	r.InOrder = true
	return r
}

func readAll(in io.Reader) []string     { return formattest.All(newReader(in)) }
func readInOrder(in io.Reader) []string { return formattest.All(inOrder(in)) }

func testFile(t testing.TB, name string) string {
	t.Helper()
	return formattest.ReadFile(t, "../testdata/perun", name)
}

func testFiles(t testing.TB) map[string]string {
	t.Helper()
	return formattest.Files(t, "../testdata/perun/*.perf", 7)
}

const (
	head     = `{"header":{"type":"time","units":{"time":"s"},"cmd":"c","workload":"w"},`
	typesOfA = `"resource_type_map":{"a#0":{"uid":"a","type":"time"},"b#0":{"uid":"b"}}`
	isA      = "cmd=c type=time uid=a unit=s workload=w"
)

func TestReader(t *testing.T) {
	for _, test := range []struct {
		name string
		in   string
		want []string
	}{
		{
			name: "empty file",
			in:   `§`,
			want: []string{"FATAL in:§: the input is empty"},
		},
		{
			name: "not a profile",
			in:   `§{"a":1}`,
			want: []string{"FATAL in:§: (root): this is not a profile: it has neither header nor resources"},
		},
		{
			name: "not an object",
			in:   `§[]`,
			want: []string{"FATAL in:§: Invalid type. Expected: object, given: array"},
		},
		{
			name: "missing resources",
			in:   head + `"postprocessors":[]}`,
			want: []string{},
		},
		{
			name: "null members",
			in: head + `"resources":null,"snapshots":null,"global":null,"models":null,"origin":null,` +
				`"postprocessors":null,"collector_info":null}`,
			want: []string{},
		},
		{
			name: "types, map last",
			in: `{"resources":{"a#0":{"amount":[1,2.5],"order":[7,8.0]}},` + typesOfA + `,` + head[1:] +
				`"collector_info":{"name":"trace"}}`,
			want: []string{
				"cmd=c collector=trace type=time uid=a unit=s workload=w = 1 order:7",
				"cmd=c collector=trace type=time uid=a unit=s workload=w = 2.5 order:8.0",
			},
		},
		{
			name: "types, map first, in another order",
			in:   head + typesOfA + `,"resources":{"b#0":{"amount":[1]},"a#0":{"amount":[2]},§"b#1":{"amount":[3]}}}`,
			want: []string{
				"cmd=c type=time uid=b unit=s workload=w = 1",
				isA + " = 2",
				"in:§: resources.b#1: the resource type is not in resource_type_map",
			},
		},
		{
			name: "all kinds of values in arrays",
			in: head + typesOfA + `,"resources":{"a#0":{"x":["é",true,null,{"b":1,"a":[2]},[1,{"c":3}],` +
				`1e3,-0],"amount":[1,2,3,4,5,6,7]}}}`,
			want: []string{
				isA + " = 1 x:é", isA + " = 2 x:True", isA + " = 3 x:None", isA + " = 4 x:2:1",
				isA + " = 5 x:1,3", isA + " = 6 x:1000.0", isA + " = 7 x:0",
			},
		},
		{
			name: "a list after types does not have their arrays",
			in: head + typesOfA + `,"resources":{"a#0":{"order":[7],"amount":[1]}},"global":[{"uid":"a","amount":2}],` +
				`"models":[]}`,
			want: []string{isA + " = 1 order:7", isA + " = 2"},
		},
		{
			name: "properties win over arrays",
			in: head + `"resource_type_map":{"a#0":{"uid":"a","order":9,"amount":4}},` +
				`"resources":{"a#0":{"amount":[1,2],"order":[7,8]}}}`,
			want: []string{isA + " = 4 order:9", isA + " = 4 order:9"},
		},
		{
			name: "a type without arrays has one resource",
			in: head + `"resource_type_map":{"a#0":{"uid":"a","amount":4},"b#0":{"uid":"b"}},` +
				`"resources":{"a#0":{},§"b#0":{}}}`,
			want: []string{isA + " = 4", "in:§: resources.b#0: missing number: amount is required"},
		},
		{
			name: "snapshots",
			in: head + `"snapshots":[{"time":"0.1","resources":[` +
				`{"amount":1,"uid":{"line":3,"function":"f","source":"s.c"},` +
				`"subtype":"x","trace":[{"function":"f","line":3},"g"]}]},
			{"resources":[{"amount":2,"uid":"u","type":"memory"}],"models":[],"time":0.2},{"resources":[]},` +
				`{"time":null,"resources":[{"amount":3,"uid":"u","snapshot":7,"time":"own"}]}]}`,
			want: []string{
				"cmd=c subtype=x type=time uid=s.c:f:3 unit=s workload=w = 1 snapshot:0 time:0.1 trace:f:3," +
					"g uid:function:f uid:line:3 uid:source:s.c",
				"cmd=c type=memory uid=u workload=w = 2 snapshot:1 time:0.2",
				"cmd=c type=time uid=u unit=s workload=w = 3 snapshot:7 time:own",
			},
		},
		{
			name: "global, and lists of resources",
			in: head + `"global":{"time":"1.5","resources":[{"amount":1,"uid":"a"}]},` +
				`"resources":[{"amount":2,"uid":"a"}]}`,
			want: []string{isA + " = 1 time:1.5", isA + " = 2"},
		},
		{
			name: "units",
			in: `{"header":{"units":{"t":"s","t(x)":"ms","t (y)":"us"}},"global":[{"amount":1,"type":"t"},` +
				`{"amount":2,"type":"t","subtype":"x"},{"amount":3,"type":"t","subtype":"y"},` +
				`{"amount":4,"type":"t","subtype":"z"},{"amount":5,"type":"u"}]}`,
			want: []string{
				"type=t unit=s = 1",
				"subtype=x type=t unit=ms = 2",
				"subtype=y type=t unit=us = 3",
				"subtype=z type=t unit=s = 4",
				"type=u = 5",
			},
		},
		{
			name: "args may be a list, null and empty are absent",
			in: `{"header":{"type":null,"args":["-a","b"],"cmd":""},` +
				`"global":[{"amount":1,"uid":"u","type":""},{"amount":2,"uid":null,"type":null,"subtype":null}]}`,
			want: []string{"args=-a b uid=u = 1", "args=-a b = 2"},
		},
		{
			name: "resources of changing shape",
			in: head + `"global":[{"amount":1,"uid":"a","trace":[{"func":"f","line":1}]},` +
				`{"amount":2,"uid":"a","trace":[{"func":"g","line":2}]},
			{"amount":3,"uid":"bb","trace":[{"func":"g","line":2}]},{"amount":4,"uid":"bb","trace":[]},` +
				`{"uid":"a","amount":5,"type":"memory"},{"uid":"b","amount":6,"type":"time"},` +
				`{"uid":"b","amount":6,"type":""},{"uid":"b","amount":7,"type":"memory"}]}`,
			want: []string{
				isA + " = 1 trace:f:1",
				isA + " = 2 trace:g:2",
				"cmd=c type=time uid=bb unit=s workload=w = 3 trace:g:2",
				"cmd=c type=time uid=bb unit=s workload=w = 4 trace:",
				"cmd=c type=memory uid=a workload=w = 5",
				"cmd=c type=time uid=b unit=s workload=w = 6",
				"cmd=c type=time uid=b unit=s workload=w = 6",
				"cmd=c type=memory uid=b workload=w = 7",
			},
		},
		{
			name: "units that come and go with the subtype",
			in: `{"header":{"type":"t","units":{"t(x)":"ms","t(y)":"us"}},` +
				`"global":[{"amount":1,"subtype":"x"},{"amount":2,"subtype":"z"},{"amount":3,"subtype":"y"},` +
				`{"amount":4,"subtype":"x"}]}`,
			want: []string{
				"subtype=x type=t unit=ms = 1",
				"subtype=z type=t = 2",
				"subtype=y type=t unit=us = 3",
				"subtype=x type=t unit=ms = 4",
			},
		},

		// Recoverable errors.
		{
			name: "amounts that are not numbers",
			in: head + typesOfA + `,"resources":{"a#0":{"amount":[1,§"2",§null,§NaN,§1e999,3]}},` +
				`"global":[§{"uid":"a"},{"uid":"a","amount":§"x"},{"uid":"a","amount":§1e999},` +
				`{"uid":"a","amount":§-Infinity},{"uid":"a","amount":4}]}`,
			want: []string{
				isA + " = 1",
				"in:§: resources.a#0.amount.1: Invalid type. Expected: number, given: string",
				"in:§: resources.a#0.amount.2: Invalid type. Expected: number, given: null",
				"in:§: resources.a#0.amount.3: the amount is not a finite number",
				"in:§: resources.a#0.amount.4: the amount is not a finite number",
				isA + " = 3",
				"in:§: global.0: missing number: amount is required",
				"in:§: global.1.amount: Invalid type. Expected: number, given: string",
				"in:§: global.2.amount: the amount is not a finite number",
				"in:§: global.3.amount: the amount is not a finite number",
				isA + " = 4",
			},
		},
		{
			name: "arrays of different lengths",
			in:   head + typesOfA + `,"resources":{§"a#0":{"amount":[1,2,3],"order":[4]},"b#0":{"amount":[5]}}}`,
			want: []string{
				isA + " = 1 order:4",
				"in:§: resources.a#0: the arrays differ in length, and values without a counterpart are " +
					"left out: amount has 3, order has 1",
				"cmd=c type=time uid=b unit=s workload=w = 5",
			},
		},
		{
			name: "types that are not valid",
			in: head + `"resource_type_map":{"a#0":§7,"b#0":{"uid":"b","trace":§"main"},` +
				`"c#0":{"uid":"c"}},"resources":{"a#0":{"amount":[1]},"b#0":{"amount":[1]},"c#0":§[1],§"c#1":1}}`,
			want: []string{
				"in:§: resource_type_map.a#0: Invalid type. Expected: object, given: integer",
				"in:§: resource_type_map.b#0.trace: Invalid type. Expected: array, given: string",
				"in:§: resources.c#0: Invalid type. Expected: object, given: array",
				"in:§: resources.c#1: the resource type is not in resource_type_map",
			},
		},
		{
			name: "missing array, missing amount",
			in:   head + typesOfA + `,"resources":{"a#0":{"amount":§5},§"b#0":{"order":[1,2]}}}`,
			want: []string{
				"in:§: resources.a#0.amount: Invalid type. Expected: array, given: integer",
				"in:§: resources.b#0: missing number: amount is required",
			},
		},
		{
			name: "missing amount, empty array",
			in:   head + typesOfA + `,"resources":{"a#0":{"amount":[1]},"b#0":{"order":[]}}}`,
			want: []string{isA + " = 1"},
		},
		{
			name: "trace that is not an array",
			in: head + `"snapshots":[{"resources":[{"amount":1,"uid":"a","trace":§{"x":1}},` +
				`{"amount":2,"uid":"a","trace":null}]}]}`,
			want: []string{
				"in:§: snapshots.0.resources.0.trace: Invalid type. Expected: array, given: object",
				isA + " = 2 snapshot:0 trace:None",
			},
		},
		{
			name: "regions and snapshots of the wrong type",
			in: head + `"snapshots":[§1,§{"time":"0"},{"resources":§7},{"resources":[§3]}],` +
				`"global":§8,"resources":§"x"}`,
			want: []string{
				"in:§: snapshots.0: Invalid type. Expected: object, given: integer",
				"in:§: snapshots.1: resources is required",
				"in:§: snapshots.2.resources: Invalid type. Expected: array, given: integer",
				"in:§: snapshots.3.resources.0: Invalid type. Expected: object, given: integer",
				"in:§: global: Invalid type. Expected: object, given: integer",
				"in:§: resources: Invalid type. Expected: object, given: string",
			},
		},
		{
			name: "missing map",
			in:   head + `"resources":§{"a#0":{"amount":[1]}},§"other":{"resources":[]},§"more":[{"resources":[]}]}`,
			want: []string{
				"in:§: resources: resource_type_map is required",
				"in:§: other: resources are not allowed here and are ignored",
				"in:§: more: resources are not allowed here and are ignored",
			},
		},

		// Errors that end the reading.
		{
			name: "truncated",
			in:   head + `"global":[{"amount":1§`,
			want: []string{"FATAL in:§: global.0.amount: unexpected end of input, expected the rest of a number"},
		},
		{
			name: "trailing data",
			in:   head + `"global":[]} §x`,
			want: []string{"FATAL in:§: data after the end of the document"},
		},
		{
			name: "duplicate region",
			in:   head + `"global":[],§"global":[]}`,
			want: []string{`FATAL in:§: global: duplicate member "global"`},
		},
		{
			name: "duplicate type",
			in:   head + `"resource_type_map":{"a":{},§"a":{}}}`,
			want: []string{`FATAL in:§: resource_type_map.a: duplicate member "a"`},
		},
		{
			name: "duplicate type of resources",
			in:   head + typesOfA + `,"resources":{"a#0":{"amount":[1]},§"a#0":{"amount":[1]}}}`,
			want: []string{isA + " = 1", `FATAL in:§: resources.a#0: duplicate member "a#0"`},
		},
		{
			name: "duplicate array",
			in:   head + typesOfA + `,"resources":{"a#0":{"amount":[1],§"amount":[1]}}}`,
			want: []string{`FATAL in:§: resources.a#0.amount: duplicate member "amount"`},
		},
		{
			name: "duplicate field",
			in:   head + `"global":[{"amount":1,§"amount":1}]}`,
			want: []string{`FATAL in:§: global.0.amount: duplicate member "amount"`},
		},
		{
			name: "not UTF-8",
			in:   head + `"global":[{"uid":"` + "§\xff" + `"}]}`,
			want: []string{"FATAL in:§: global.0.uid: a string holds byte 0xff, which is not valid UTF-8"},
		},
		{
			name: "header of the wrong type",
			in:   `{"header":§[],"global":[]}`,
			want: []string{"in:§: header: Invalid type. Expected: object, given: array"},
		},
		{
			name: "cmd of the wrong type",
			in:   `{"header":{"cmd":§1},"global":[]}`,
			want: []string{"in:§: header.cmd: Invalid type. Expected: string, given: integer"},
		},
		{
			name: "syntax error in an array",
			in:   head + typesOfA + `,"resources":{"a#0":{"amount":[1,2 §3]}}}`,
			want: []string{"FATAL in:§: resources.a#0.amount.1: found '3', expected a comma or ]"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			formattest.CheckRead(t, test.name, test.in, test.want, readAll)
		})
	}
}

// InOrder yields records before the rest of the file has arrived. Members that come too late are
// errors.
func TestInOrder(t *testing.T) {
	for _, test := range []struct {
		name, in string
		want     []string
	}{
		{
			name: "snapshots",
			in: head + `"snapshots":[{"time":"1","resources":[{"amount":1,"uid":"a"}]}],"models":[],` +
				`"collector_info":§{"name":"x"},"machine":§{}}`,
			want: []string{
				isA + " = 1 snapshot:0 time:1",
				"in:§: collector_info: must come before the resources when reading in order",
				"in:§: machine: must come before the resources when reading in order",
			},
		},
		{
			name: "map first",
			in:   head + typesOfA + `,"resources":{"a#0":{"amount":[1]}},"global":[{"amount":2,"uid":"a"}]}`,
			want: []string{isA + " = 1", isA + " = 2"},
		},
		{
			name: "map last",
			in:   head + `"resources":{"a#0":{"amount":[1]}},` + typesOfA + `}`,
			want: []string{
				"in:1:85: resources: resource_type_map must come before the resources when reading in order",
				"in:1:128: resource_type_map: must come before the resources when reading in order",
			},
		},
		{
			name: "models first",
			in:   `{"models":[{"uid":"a","model":"linear"}],` + head[1:] + `"global":[{"amount":2,"uid":"a"}]}`,
			want: []string{isA + " = 2"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			formattest.CheckRead(t, test.name, test.in, test.want, readInOrder)
		})
	}
	in := formattest.Unfinished(head + `"snapshots":[{"time":"1","resources":[{"amount":1,"uid":"a"}`)
	defer in.Close()
	if got, want := formattest.First(inOrder(in)), isA+" = 1 snapshot:0 time:1"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A resource type is found if its name ends at the end of the window.
func TestTypeNameAtWindowEnd(t *testing.T) {
	const (
		first  = head + `"resources":{"a":{"amount":[1]},"b":{"amount":[2]}},"resource_type_map":{"b":{"uid":"`
		second = `"},"a"`
	)
	for shift := -3; shift <= 3; shift++ {
		in := first + strings.Repeat("x", 64<<10-len(first)-len(second)+shift) + second + `:{"uid":"y"}}}`
		for way, source := range formattest.Sources {
			if got := readAll(source(in)); len(got) != 2 ||
				!strings.HasSuffix(got[0], "uid=y unit=s workload=w = 1") && !strings.Contains(got[0], "uid=y ") {
				t.Errorf("shifted by %d, %s: %.300q", shift, way, got)
			}
		}
	}
	// Many names, so that some end there by chance: a map in another order.
	const n = 5000
	var resources, types []string
	for i := range n {
		resources = append(resources, fmt.Sprintf(`"t%d":{"amount":[%d]}`, i, i))
		types = append(types, fmt.Sprintf(`"t%d":{"uid":"u%d"}`, n-1-i, n-1-i))
	}
	in := head + `"resources":{` + strings.Join(resources, ",") + `},"resource_type_map":{` +
		strings.Join(types, ",") + "}}"
	count := 0
	for rec, err := range newReader(strings.NewReader(in)).Records() {
		if err != nil {
			t.Fatal(err)
		}
		if uid, _ := rec.Params.Get("uid"); uid != fmt.Sprint("u", count) || rec.Value != float64(count) {
			t.Fatalf("%s = %v, want u%d", uid, rec.Value, count)
		}
		count++
	}
	if count != n {
		t.Errorf("%d records, want %d", count, n)
	}
}

// If the amount of a record is its resource type's, the record has the position of the type.
func TestOffsetOfSharedAmount(t *testing.T) {
	const in = `{"header":{"type":"time","cmd":"c"},"resource_type_map":{"a":{"amount":5},"b":{},"c":{"amount":7}},` +
		`"resources":{"b":{"amount":[1,2]},"a":{"q":[1,2]},"c":{"q":[3],"amount":[4]}}}`
	want := []int64{
		int64(strings.Index(in, "[1,2]")) + 1, int64(strings.Index(in, "[1,2]")) + 3,
		int64(strings.Index(in, `"a":{"q"`)), int64(strings.Index(in, `"a":{"q"`)),
		int64(strings.Index(in, "[4]")) + 1,
	}
	var got []int64
	for rec, err := range newReader(strings.NewReader(in)).Records() {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, rec.Offset)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The time of a snapshot may come after its resources, except with InOrder.
func TestTimeLast(t *testing.T) {
	in := head + `"snapshots":[{"models":[{"a":"]"}],"resources":[{"amount":1,"uid":"a"}],"time":"1"}]}`
	formattest.CheckRead(t, "the time last", in, []string{isA + " = 1 snapshot:0 time:1"}, readAll)
	want := []string{
		isA + " = 1 snapshot:0",
		"in:1:152: snapshots.0.time: must come before the resources when reading in order",
	}
	formattest.CheckRead(t, "the time last, in order", in, want, readInOrder)

	// A fault of the resources is reported before one of the time, which is read ahead of them.
	in = `{"header":{},"collector_info":{},"snapshots":[{"resources":[{"a":}],"models":[],"time":"`
	want = []string{"FATAL in:1:66: snapshots.0.resources.0.a: found '}', expected a value"}
	formattest.CheckRead(t, "two faults", in, want, readAll)
	in = strings.Replace(in, `"a":`, `"a":1`, 1)
	want = []string{"FATAL in:1:90: snapshots.0.time: unexpected end of input, expected the end of the string"}
	formattest.CheckRead(t, "a fault", in, want, readAll)
}

// Arrays of any length are read correctly.
func TestLongArrays(t *testing.T) {
	for _, n := range []int{1, batch - 1, batch, batch + 1, 3*batch + 7, quick.Of(20_000, 2*batch)} {
		for _, sep := range []string{",", ", ", ",\n        ", " ,\r\n                                "} {
			var amounts, orders, texts, want []string
			for i := range n {
				amount, order, text := fmt.Sprint(i), fmt.Sprint(int64(i)*1_000_000_007), fmt.Sprintf("%d.5", i)
				switch i % 97 {
				case 13:
					amount = fmt.Sprintf("%d.%03d", i, i%1000)
				case 40:
					amount = fmt.Sprintf("-%d", i)
				case 41:
					amount, text = fmt.Sprintf("%de-2", i), "1.25e3"
				case 57:
					text = `"s"`
				case 58:
					amount = "12345678901234567890"
				}
				amounts, orders, texts = append(amounts, amount), append(orders, order), append(texts, text)
				f, _ := strconv.ParseFloat(amount, 64)
				text = strings.Trim(strings.Replace(text, "1.25e3", "1250.0", 1), `"`)
				want = append(want, fmt.Sprintf("%s = %v order:%s x:%s", isA, f, order, text))
			}
			in := `{"resources":{"a#0":{"amount":[` + strings.Join(amounts, sep) +
				`],"order":[` + strings.Join(orders, sep) + `],"x":[` + strings.Join(texts, sep) + `]}},` +
				typesOfA + `,` + head[1:len(head)-1] + `}`
			for way, source := range formattest.Sources {
				if way == "byte by byte" && n > 1000 {
					continue
				}
				got := readAll(source(in))
				if !slices.Equal(got, want) {
					t.Fatalf("%d values, %s, %q (-want +got):\n%.2000s", n, way, sep, cmp.Diff(want, got))
				}
				if got := readResources(newReader(source(in))); len(got) != n ||
					got[n-1] != fmt.Sprintf(`0 {"amount":%s,"order":%s,"x":%s,"uid":"a","type":"time"}`,
						amounts[n-1], orders[n-1], texts[n-1]) {
					t.Fatalf("%d resources, the last one %s", len(got), got[len(got)-1])
				}
			}
		}
	}
}

func TestHeader(t *testing.T) {
	for way, source := range formattest.Sources {
		r := newReader(source(testFile(t, "memory_deep.perf")))
		for range 2 {
			h, err := r.Header()
			if err != nil {
				t.Fatalf("%s: %v", way, err)
			}
			machine, _ := h.Other.Get("machine")
			got := fmt.Sprintf("%s %s %q %q %q %s %s %v %d", h.Origin[:4], h.Type, h.Cmd, h.Args, h.Workload,
				h.Collector.Name, h.Units.ID(), h.Collector.Params, len(machine.Fields()))
			if want := `9d1f memory "./render" "" "scene.json" memory ,memory=B, {"sampling":0.001,` +
				`"no_source":["unreachable"]} 6`; got != want {
				t.Errorf("%s: %s\nwant %s", way, got, want)
			}
		}
		h, err := r.FileHeader()
		if _, ok := h.Native.(Header); !ok || err != nil {
			t.Errorf("FileHeader() = %T, %v", h.Native, err)
		}
		if want := ",cmd=._render,collector=memory,workload=scene.json,"; h.Params.ID() != want {
			t.Errorf("FileHeader() has the params %s, want %s", h.Params.ID(), want)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestOffsets(t *testing.T) {
	in := head + typesOfA + `,"resources":{"a#0":{"order":[1,2],"amount":[ 11,22]}},"global":[ {"amount":3}]}`
	got := formattest.AtOffsets(t, newReader(strings.NewReader(in)), in, 2)
	if diff := cmp.Diff([]string{"11", "22", `{"`}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestModelsInOrder(t *testing.T) {
	r := NewReader(strings.NewReader(`{}`))
	r.InOrder = true
	for _, err := range r.Models() {
		var e *format.Error
		if !errors.As(err, &e) || e.Severity == format.Recoverable {
			t.Errorf("%v", err)
		}
	}
}
