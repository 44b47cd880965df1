package perun

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/testing/formattest"
	"perfdata/internal/testing/quick"
)

// A choice makes decisions from bytes. When the bytes are used up, it always chooses the first
// option.
type choice struct{ bytes string }

// of returns a number below n.
func (c *choice) of(n int) int {
	if len(c.bytes) == 0 {
		return 0
	}
	b := c.bytes[0]
	c.bytes = c.bytes[1:]
	return int(b) % n
}

func (c *choice) from(options ...string) string { return options[c.of(len(options))] }

// A profileMaker makes profiles of similar resources. They have a few shapes: the resources of a
// shape have the same members, and some values differ.
type profileMaker struct {
	choice
	space  string
	shapes [][]string // of each its members' names
	last   [][]string // and their last values
}

func (m *profileMaker) scalar() string {
	return m.from(`"a"`, `"b"`, `"time"`, `"memory"`, `""`, `1`, `2`, `-1`, `10`, `1.5`, `1e5`, `-0`,
		`0.00001`, `null`, `true`, `false`, `NaN`, `-Infinity`, `1e999`,
		`"é"`, `"\u0061"`, `"\\"`, `"a:b"`, `"`+strings.Repeat("long ", 15)+`"`)
}

func (m *profileMaker) value(depth int) string {
	if depth == 0 {
		return m.scalar()
	}
	switch m.of(6) {
	case 0, 1:
		return m.list(depth)
	case 2, 3:
		return m.object(depth, []string{"function", "line", "a", "a:b", "type", "name", "value"})
	case 4:
		return `[{"name":` + m.scalar() + `,"value":` + m.value(depth-1) + `}]`
	}
	return m.scalar()
}

func (m *profileMaker) list(depth int) string {
	var items []string
	for range m.of(3) {
		items = append(items, m.value(depth-1))
	}
	return "[" + strings.Join(items, ","+m.space) + "]"
}

func (m *profileMaker) object(depth int, names []string) string {
	var members []string
	for range m.of(3) {
		i := m.of(len(names))
		members = append(members, `"`+names[i]+`":`+m.value(depth-1))
		names = append(append([]string{}, names[:i]...), names[i+1:]...)
	}
	return "{" + strings.Join(members, ",") + "}"
}

// field returns a value for the member with the name, usually of the same kind.
func (m *profileMaker) field(name string) string {
	switch {
	case m.of(8) == 7:
		return m.value(2)
	case name == "amount":
		return m.from("1", "2", "2.5", "1e3")
	case name == "trace":
		return m.from(`[]`, `["f"]`, `[{"function":"f"}]`, `[{"function":"g"}]`,
			`[{"function":"f"},{"function":"g"}]`, `["f","g"]`)
	case name == "uid":
		return m.from(`"f"`, `"g"`, `{"function":"f","line":1}`, `{"function":"g","line":2}`,
			`{"line":1,"function":"f"}`)
	case name == "type" || name == "subtype":
		return m.from(`"time"`, `"memory"`, `""`, `["time"]`, `["memory"]`, `1e5`, `1e6`)
	}
	return m.value(1)
}

// resource returns a resource that is similar to earlier ones.
func (m *profileMaker) resource() string {
	at := m.of(len(m.shapes))
	names, values := m.shapes[at], m.last[at]
	var members []string
	for i, name := range names {
		if values[i] == "" || m.of(3) == 0 {
			values[i] = m.field(name)
		}
		members = append(members, m.from("", "", "", " ")+`"`+name+`":`+m.from("", "", "", " ")+values[i])
	}
	return "{" + strings.Join(members, ","+m.space) + "}"
}

func (m *profileMaker) resources() string {
	var all []string
	for range m.of(12) {
		all = append(all, m.resource())
	}
	return "[" + strings.Join(all, m.space+","+m.space) + "]"
}

// profile returns a whole profile.
func (m *profileMaker) profile() string {
	m.space = m.from("", " ", "\n  ")
	all := []string{
		"amount", "uid", "type", "subtype", "trace", "x", "a", "a:b", "uid:function", "time",
		"snapshot", "cmd", "unit", "address", `\u0061bc`,
	}
	for range 1 + m.of(3) {
		var names []string
		for i, name := range all {
			if m.of(2) == 1 || i < 2 {
				names = append(names, name)
			}
		}
		if m.of(4) == 1 {
			names[0], names[len(names)-1] = names[len(names)-1], names[0]
		}
		m.shapes = append(m.shapes, names)
		m.last = append(m.last, make([]string, len(names)))
	}
	members := []string{
		`"header":{"type":` + m.from(`"time"`, `"mixed"`, `""`) +
			`,"cmd":"c","workload":"w","units":{"time":"s","memory":"B","time(memory)":"x","100000.0":"y"}}`,
		`"collector_info":{"name":"n"}`, `"postprocessors":[]`,
	}
	for _, region := range []string{"snapshots", "global", "resources", "resource_type_map", "models"} {
		switch {
		case m.of(2) == 0:
		case region == "snapshots":
			var all []string
			for range 1 + m.of(3) {
				time := m.from("", `"time":"1",`, `"time":"2",`, `"time":[1,{"a":2}],`)
				all = append(all, "{"+time+`"resources":`+m.resources()+m.from("",
					`,"models":[`+m.resource()+`]`, `,"time":3`)+"}")
			}
			members = append(members, `"snapshots":[`+strings.Join(all, ",")+"]")
		case region == "global":
			members = append(members, `"global":`+m.resources())
		case region == "resources":
			members = append(members, m.types()...)
		case region == "models":
			members = append(members, `"models":`+m.resources())
		}
	}
	if m.of(3) == 1 {
		members[0], members[len(members)-1] = members[len(members)-1], members[0]
	}
	return "{" + strings.Join(members, ","+m.space) + "}"
}

// types returns the two regions of the layout of types.
func (m *profileMaker) types() []string {
	var types, entries []string
	for i := range 1 + m.of(6) {
		name := fmt.Sprintf(`"t%d":`, i)
		var columns []string
		rows := []int{1, 2, 5, batch + 20}[m.of(4)]
		for _, key := range []string{"amount", "order", "x", "a:b", "type"}[m.of(2):][:1+m.of(4)] {
			// Most are equal, so many are read at once.
			usual, other := m.from("1", "12", "1.5", `"s"`), m.value(2)
			at := m.of(2 * rows)
			values := make([]string, rows)
			for j := range values {
				values[j] = usual
				if j == at {
					values[j] = other
				}
			}
			columns = append(columns, `"`+key+`":[`+strings.Join(values, ","+m.space)+"]")
		}
		types = append(types, name+"{"+strings.Join(columns, ",")+"}")
		entries = append(entries, name+m.resource())
	}
	if m.of(2) == 1 {
		entries[0], entries[len(entries)-1] = entries[len(entries)-1], entries[0]
	}
	return []string{
		`"resources":{` + strings.Join(types, ",") + "}",
		`"resource_type_map":{` + strings.Join(entries, ","+m.space) + "}",
	}
}

// readPlaces returns everything that the Reader, after setUp, reads of a profile, with positions.
func readPlaces(in string, limits format.Limits, setUp func(*Reader)) []string {
	reader := func() *Reader {
		r := newReader(strings.NewReader(in))
		r.Limits = limits
		setUp(r)
		return r
	}
	place := func(err error) string {
		if e, ok := err.(*format.Error); ok {
			return fmt.Sprintf("%s at %d", formattest.ShowError(err), e.Offset)
		}
		return formattest.ShowError(err)
	}
	var got []string
	r := reader()
	for rec, err := range r.Records() {
		if err != nil {
			got = append(got, place(err))
			continue
		}
		got = append(got, fmt.Sprintf("%s at %d", formattest.Show(rec), rec.Offset))
	}
	r = reader()
	for res, err := range r.Resources() {
		if err != nil {
			got = append(got, place(err))
			continue
		}
		got = append(got, fmt.Sprintf("%d %s at %d:%d:%d", res.Snapshot, res.Fields.appendJSON(nil, false),
			res.Offset, res.Line, res.Column))
	}
	r.Close()
	r = reader()
	for m, err := range r.Models() {
		if err != nil {
			got = append(got, place(err))
			continue
		}
		got = append(got, fmt.Sprintf("%s at %d:%d:%d", m.Fields.appendJSON(nil, false), m.Offset, m.Line, m.Column))
	}
	r.Close()
	return got
}

func generally(r *Reader) { r.general = true }

func checkFastPath(t *testing.T, in string, limits format.Limits) {
	t.Helper()
	for name, setUp := range map[string]func(*Reader){
		"as usual":     func(*Reader) {},
		"in order":     func(r *Reader) { r.InOrder = true },
		"header first": func(r *Reader) { r.Header() },
	} {
		fast := readPlaces(in, limits, setUp)
		general := readPlaces(in, limits, func(r *Reader) { generally(r); setUp(r) })
		if diff := cmp.Diff(general, fast); diff != "" {
			t.Fatalf("%s, limits %+v: %s\n(-in the general way +by the fast path):\n%s", name, limits, in, diff)
		}
	}
}

// The fast path reads the same records, positions and errors as the slow path.
func TestFastPath(t *testing.T) {
	const units = `{"header":{"type":"time","cmd":"c","units":{"time":"s","memory":"B","time(x)":"sx",` +
		`"memory(x)":"Bx","time(y)":"sy","100000.0":"five"}},"collector_info":{"name":"x"},`
	for _, test := range []struct {
		name, in string
		limits   format.Limits
	}{
		{
			name: "type as a list",
			in: units + `"global":[{"amount":1,"type":["time"],"uid":"f"},{"amount":2,"type":["memory"],` +
				`"uid":"f"},{"amount":2,"type":[],"uid":"f"},{"amount":2,"type":["time"],"uid":"f"}]}`,
		},
		{
			name: "subtype as a list",
			in: units + `"global":[{"amount":1,"subtype":["x"],"uid":"f"},{"amount":2,"subtype":["y"],` +
				`"uid":"f"},{"amount":2,"subtype":["z"],"uid":"f"}]}`,
		},
		{
			name: "type as an object",
			in: units + `"global":[{"amount":1,"type":{"a":"time"},"uid":"f"},` +
				`{"amount":2,"type":{"a":"memory"},"uid":"f"}]}`,
		},
		{
			name: "type as a number",
			in: units + `"global":[{"amount":1,"type":1e4,"uid":"f"},{"amount":2,"type":1e5,"uid":"f"},` +
				`{"amount":2,"type":2.50,"uid":"f"}]}`,
		},
		{
			name: "subtype as a number",
			in:   units + `"global":[{"amount":1,"subtype":1e4,"uid":"f"},{"amount":2,"subtype":1e5,"uid":"f"}]}`,
		},
		{
			name: "trace that is an object",
			in:   units + `"global":[{"amount":1,"uid":"f","trace":[]},{"amount":2,"uid":"f","trace":{}}]}`,
		},
		{
			name: "field that another overrides",
			in: units + `"global":[{"amount":1,"a":{"b":1},"a:b":"5"},{"amount":2,"a":{"b":2},"a:b":"5"},` +
				`{"amount":2,"a":{"b":3},"a:b":"6"}]}`,
		},
		{
			name: "array that overrides a field",
			in: units + `"resource_type_map":{"s":{"uid":{"a":1}},"t":{"uid":{"a":2}}},` +
				`"resources":{"s":{"amount":[1],"uid:a":[8]},"t":{"amount":[1,2],"uid:a":[8,9]}}}`,
		},
		{
			name: "an entry of the map like a resource",
			in: units + `"resource_type_map":{"s":{"uid":"f"},"t":{"uid":"g"}},` +
				`"resources":{"s":{"amount":[1]},"t":{"amount":[2]}},"global":[{"uid":"f"},{"uid":"g"}]}`,
		},
		{
			name: "depth",
			in: units + `"global":[{"amount":1,"x":[[1]]},{"amount":1,"x":[[2]]}],` +
				`"snapshots":[{"resources":[{"amount":1,"x":[[2]]}]}]}`,
			limits: format.Limits{MaxDepth: 6},
		},
		{
			name: "depth of a value that does not change",
			in: units + `"global":[{"amount":1,"x":[[1]]},{"amount":2,"x":[[1]]}],` +
				`"snapshots":[{"resources":[{"amount":1,"x":[[1]]}]}]}`,
			limits: format.Limits{MaxDepth: 6},
		},
		{
			name: "memory",
			in: units + `"global":[{"amount":1,"x":["a"]},{"amount":1,"x":["b"]},` +
				`{"amount":1,"x":[1,2,3,4,5]},{"amount":1,"x":[1,2,3,4,5,6]}]}`,
			limits: format.Limits{MaxResultBytes: 500},
		},
		{
			name: "flattened",
			in: units + `"global":[{"amount":1,"x":[{"a":1}],"y":[{"a":1}]},` +
				`{"amount":1,"x":["0123456789A"],"y":["0123456789A"]}]}`,
			limits: format.Limits{MaxStringBytes: 20},
		},
		{
			name: "params",
			in: `{"header":{},"collector_info":{},"resource_type_map":{"s":{"uid":"f"},"t":{"uid":"g"}},` +
				`"resources":{"s":{"amount":[1]},"t":{"amount":[2],"x":[3],"y":[4]}}}`,
			limits: format.Limits{MaxParams: 3},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			checkFastPath(t, test.in, test.limits)
		})
	}
}

// FuzzFastPath compares the fast path with the slow path on similar resources, including
// resources that exceed limits.
func FuzzFastPath(f *testing.F) {
	for seed := range quick.Of(40, 30) {
		f.Add(manyBytes(seed), uint16(0), uint16(0))
		f.Add(manyBytes(seed), uint16(400+seed*20), uint16(4+seed%20))
	}
	f.Fuzz(func(t *testing.T, bytes string, resultBytes, params uint16) {
		m := profileMaker{choice: choice{bytes}}
		in := m.profile()
		limits := format.Limits{MaxResultBytes: int64(resultBytes), MaxParams: int(params)}
		if resultBytes > 0 {
			limits.MaxStringBytes, limits.MaxDepth = 100+int(resultBytes)%100, 6+int(resultBytes)%4
		}
		checkFastPath(t, in, limits)

		// The limit on a resource also depends on the memory that the Reader has kept.
		limits.MaxResultBytes = 0
		earlier := profileMaker{choice: choice{bytes[len(bytes)/3:]}}
		reader := func(in string) *Reader {
			r := newReader(strings.NewReader(in))
			r.Limits, r.InOrder = limits, params%2 == 1
			return r
		}
		r := reader(earlier.profile())
		formattest.All(r)
		r.Reset(strings.NewReader(in))
		if diff := cmp.Diff(formattest.Whole(reader(in)), formattest.Whole(r)); diff != "" {
			t.Errorf("(-new Reader +after another file):\n%s\nof %s", diff, in)
		}
	})
}

// An object that matches an earlier one, but exceeds a limit, does not affect later objects.
func TestRefusedMatch(t *testing.T) {
	in := func(trace string) string {
		return `{"amount":1,"uid":"f","type":"` + trace[:1] + `","trace":["` + trace[1:] + `"]},`
	}
	const head = `{"header":{"units":{"a":"x","b":"y"}},"collector_info":{"name":"c"},"global":[`
	var list string
	for i, length := range []int{60, 1, 60, 2, 3, 60, 4, 61, 5, 6, 61, 7} {
		list += in(string("abbaab"[i*5%6]) + strings.Repeat("z", length))
	}
	document := head + strings.TrimSuffix(list, ",") + "]}"
	for _, limit := range []int{70, 100, 200} {
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			read := func(general bool) []string {
				r := NewReader(strings.NewReader(document))
				r.Limits.MaxStringBytes, r.general = limit, general
				return formattest.All(r)
			}
			if diff := cmp.Diff(read(true), read(false)); diff != "" {
				t.Errorf("(-slow +fast):\n%s", diff)
			}
		})
	}
}
