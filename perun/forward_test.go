package perun

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/internal/testing/formattest"
	"perfdata/internal/testing/quick"
)

// The members of a profile, for profiles with different orders.
const (
	header    = `"header":{"type":"time","units":{"time":"s"},"cmd":"c","workload":"w"}`
	collector = `"collector_info":{"name":"trace","params":{}}`
	rest      = `"origin":"abc","postprocessors":[{"name":"p"}]`
	snapshots = `"snapshots":[{"time":"1","resources":[{"amount":1,"uid":"a"},{"amount":2,"uid":"b"},` +
		`{"uid":"c"}]},{"resources":[{"amount":3}],"time":"2"}]`
	global    = `"global":[{"amount":4,"uid":"a"}]`
	types     = `"resource_type_map":{"a#0":{"uid":"a","type":"time"}}`
	resources = `"resources":{"a#0":{"amount":[5,6]}}`
	models    = `"models":[{"uid":"a","model":"linear"}]`
)

// If the header is known before the resources, a profile is read once, with the same records and
// errors.
func TestForward(t *testing.T) {
	large := `"models":[` + strings.Repeat(`{"uid":"a","model":"linear","coeffs":[{"name":"b0","value":1}]},`,
		2000) + `{}]`
	for _, test := range []struct {
		name    string
		members []string
		forward bool
	}{
		{
			name:    "header first",
			members: []string{header, collector, rest, snapshots},
			forward: true,
		},
		{
			name:    "header last",
			members: []string{snapshots, header, collector, rest},
			forward: true,
		},
		{
			name:    "header first, without postprocessors",
			members: []string{`"origin":"abc"`, header, collector, snapshots},
			forward: true,
		},
		{
			name:    "header before and after the resources",
			members: []string{header, snapshots, collector, rest},
			forward: true,
		},
		{
			name:    "missing collector",
			members: []string{snapshots, header, rest},
		},
		{
			name:    "header after a large member",
			members: []string{snapshots, header, large, collector, rest},
		},
		{
			name:    "header before a large member",
			members: []string{header, collector, rest, snapshots, large, `"x":1`},
			forward: true,
		},
		{
			name:    "other members between",
			members: []string{header, snapshots, `"m":[1]`, large, collector, rest, `"x":{"y":1}`},
			forward: true,
		},
		{
			name:    "other members before and after",
			members: []string{`"a":1`, header, snapshots, `"b":2`, collector, rest, `"c":3`},
			forward: true,
		},
		{
			name:    "two sections",
			members: []string{snapshots, global, header, collector, rest},
			forward: true,
		},
		{
			name:    "two sections, the first null",
			members: []string{`"global":null`, snapshots, header, collector, rest},
			forward: true,
		},
		{
			name:    "two sections, the first far from the end",
			members: []string{snapshots, large, global, header, collector, rest},
			forward: true,
		},
		{
			name:    "two sections and an error between",
			members: []string{snapshots, `"x":null 3`, global, header, collector, rest},
		},
		{
			name:    "models first",
			members: []string{models, snapshots, header, collector, rest},
			forward: true,
		},
		{
			name:    "models between",
			members: []string{header, collector, rest, models, snapshots},
			forward: true,
		},
		{
			name:    "models first, far away",
			members: []string{large, snapshots, header, collector, rest},
			forward: true,
		},
		{
			name:    "models first, and resources",
			members: []string{models, resources, types, header, collector, rest},
		},
		{
			name:    "types after snapshots",
			members: []string{snapshots, types, resources, header, collector, rest},
			forward: true,
		},
		{
			name:    "types after resources after snapshots",
			members: []string{snapshots, resources, types, header, collector, rest, `"x":1`},
		},
		{
			name:    "large member between",
			members: []string{header, collector, rest, snapshots, resources, global, types, large, `"x":1`},
		},
		{
			name:    "resources first",
			members: []string{resources, types, header, collector, rest},
		},
		{
			name:    "types first",
			members: []string{types, resources, header, collector, rest},
		},
		{
			name:    "misplaced resources",
			members: []string{snapshots, `"x":{"resources":[]}`, header, collector, rest},
			forward: true,
		},
		{
			name:    "misplaced resources after the header",
			members: []string{header, collector, rest, snapshots, `"x":{"resources":[]}`},
			forward: true,
		},
		{
			name:    "duplicate member",
			members: []string{header, snapshots, header, collector, rest},
		},
		{
			name:    "duplicate member far away",
			members: []string{header, `"x":1`, snapshots, large, collector, rest, `"x":1`},
			forward: true,
		},
		{
			name:    "duplicate section",
			members: []string{snapshots, header, collector, rest, snapshots},
		},
		{
			name:    "error in the header",
			members: []string{snapshots, header, `"collector_info":1`},
		},
		{
			name:    "error before the resources",
			members: []string{`"header":{"cmd":1}`, collector, rest, snapshots},
			forward: true,
		},
		{
			name:    "errors after the resources",
			members: []string{header, collector, `"postprocessors":[1]`, snapshots, `"origin":2`},
		},
		{
			name: "errors before and after the resources",
			members: []string{
				`"header":{"units":[null]}`,
				`"postprocessors":1`,
				snapshots,
				resources,
				`"origin":[]`,
				types,
				`"collector_info":{"name":3}`,
			},
		},
		{
			name: "error after a fatal one",
			members: []string{
				header,
				collector,
				rest,
				`"snapshots":[{"resources":[{"amount":1},]}]`,
				`"x":{"resources":[]}`,
			},
			forward: true,
		},
		{
			name:    "number out of range",
			members: []string{header, collector, rest, `"snapshots":[{"resources":[{"amount":1e999},{"amount":1}]}]`},
			forward: true,
		},
		{
			name:    "null",
			members: []string{header, collector, rest, `"snapshots":null`},
			forward: true,
		},
		{
			name:    "another kind",
			members: []string{header, collector, rest, `"snapshots":1`},
			forward: true,
		},
		{
			name:    "truncated",
			members: []string{header, collector, rest, `"snapshots":[{"resources":[{"amount":1}]`},
			forward: true,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			in := "{" + strings.Join(test.members, ",\n ") + "}"
			full := newReader(strings.NewReader(in))
			wantHeader, headerErr := full.Header()
			want := formattest.All(full)
			r := newReader(strings.NewReader(in))
			got := formattest.All(r)
			if !formattest.SameReading(got, want) {
				t.Errorf("(-Header first +Records):\n%s", cmp.Diff(want, got))
			}
			if r.doc.OnePass() != test.forward {
				t.Errorf("forward: %v", r.doc.OnePass())
			}
			if h, err := r.Header(); headerErr == nil && err == nil && len(got) > 0 &&
				!strings.HasPrefix(got[len(got)-1], "FATAL") {
				byName := cmp.Transformer("byName", func(f Fields) map[string]Value {
					m := map[string]Value{}
					for _, f := range f {
						m[f.Key] = f.Value
					}
					return m
				})
				if diff := cmp.Diff(wantHeader, h, byName); diff != "" {
					t.Errorf("(-full header +after Records):\n%s", diff)
				}
			}
		})
	}
}

// In any order of the members, reading once gives the same records as reading the header first.
func TestForwardOrders(t *testing.T) {
	members := []string{header, collector, rest, models, snapshots, types, resources}
	orders, forward := 0, 0
	var order func(n int)
	order = func(n int) {
		if n < len(members) {
			for i := n; i < len(members); i++ {
				members[n], members[i] = members[i], members[n]
				order(n + 1)
				members[n], members[i] = members[i], members[n]
			}
			return
		}
		if orders++; orders%quick.Of(3, 23) != 0 || formattest.Race && orders%7 != 0 {
			return
		}
		in := "{" + strings.Join(members, ",") + "}"
		headerFirst, atOnce := newReader(strings.NewReader(in)), newReader(strings.NewReader(in))
		headerFirst.Header()
		if want, got := formattest.All(headerFirst), formattest.All(atOnce); !slices.Equal(got, want) {
			t.Fatalf("%s (-Header first +Records):\n%s", in, cmp.Diff(want, got))
		}
		if atOnce.doc.OnePass() {
			forward++
		}
	}
	if order(0); forward == 0 {
		t.Error("none was read at once")
	}
}
