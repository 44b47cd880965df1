package perun

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/internal/formattest"
)

// The members of a profile, for those to be put in order.
const (
	header    = `"header":{"type":"time","units":{"time":"s"},"cmd":"c","workload":"w"}`
	collector = `"collector_info":{"name":"trace","params":{}}`
	rest      = `"origin":"abc","postprocessors":[{"name":"p"}]`
	snapshots = `"snapshots":[{"time":"1","resources":[{"amount":1,"uid":"a"},{"amount":2,"uid":"b"},{"uid":"c"}]},{"resources":[{"amount":3}],"time":"2"}]`
	global    = `"global":[{"amount":4,"uid":"a"}]`
	types     = `"resource_type_map":{"a#0":{"uid":"a","type":"time"}}`
	resources = `"resources":{"a#0":{"amount":[5,6]}}`
	models    = `"models":[{"uid":"a","model":"linear"}]`
)

// Where the header is known before the resources are needed, they are read once, and nothing else
// changes.
func TestForward(t *testing.T) {
	large := `"models":[` + strings.Repeat(`{"uid":"a","model":"linear","coeffs":[{"name":"b0","value":1}]},`, 2000) + `{}]`
	for _, test := range []struct {
		name    string
		members []string
		forward bool
	}{
		{"header first", []string{header, collector, rest, snapshots}, true},
		{"header last", []string{snapshots, header, collector, rest}, true},
		{"header first, without postprocessors", []string{header, collector, snapshots}, true},
		{"header around", []string{header, snapshots, collector, rest}, true},
		{"no collector", []string{snapshots, header, rest}, false},
		{"header behind something large", []string{snapshots, header, large, collector, rest}, false},
		{"header before something large", []string{header, collector, rest, snapshots, large, `"x":1`}, true},
		{"something else in the middle", []string{header, snapshots, `"m":[1]`, large, collector, rest, `"x":{"y":1}`}, true},
		{"other members around", []string{`"a":1`, header, snapshots, `"b":2`, collector, rest, `"c":3`}, true},
		{"two sections", []string{snapshots, global, header, collector, rest}, true},
		{"two sections, the first of which is null", []string{`"global":null`, snapshots, header, collector, rest}, true},
		{"two sections, and the end is near the second only", []string{snapshots, large, global, header, collector, rest}, true},
		{"two sections, and a fault between", []string{snapshots, `"x":null 3`, global, header, collector, rest}, false},
		{"models first", []string{models, snapshots, header, collector, rest}, true},
		{"models between", []string{header, collector, rest, models, snapshots}, true},
		{"models first, far away", []string{large, snapshots, header, collector, rest}, true},
		{"models first, and resources", []string{models, resources, types, header, collector, rest}, false},
		{"types after snapshots", []string{snapshots, types, resources, header, collector, rest}, true},
		{"types after resources after snapshots", []string{snapshots, resources, types, header, collector, rest, `"x":1`}, false},
		{"and something large between", []string{header, collector, rest, snapshots, resources, global, types, large, `"x":1`}, false},
		{"resources first", []string{resources, types, header, collector, rest}, false},
		{"types first", []string{types, resources, header, collector, rest}, false},
		{"misplaced resources", []string{snapshots, `"x":{"resources":[]}`, header, collector, rest}, true},
		{"misplaced resources behind the header", []string{header, collector, rest, snapshots, `"x":{"resources":[]}`}, true},
		{"a repeated member", []string{header, snapshots, header, collector, rest}, false},
		{"a member repeated far away", []string{header, `"x":1`, snapshots, large, collector, rest, `"x":1`}, true},
		{"a section repeated", []string{snapshots, header, collector, rest, snapshots}, false},
		{"a fault in the header", []string{snapshots, header, `"collector_info":1`}, false},
		{"a fault before the resources", []string{`"header":{"cmd":1}`, collector, rest, snapshots}, true},
		{"faults after the resources", []string{header, collector, `"postprocessors":[1]`, snapshots, `"origin":2`}, true},
		{"faults around", []string{`"header":{"units":[null]}`, `"postprocessors":1`, snapshots, resources, `"origin":[]`, types, `"collector_info":{"name":3}`}, false},
		{"a fault, and something fatal before it", []string{header, collector, rest, `"snapshots":[{"resources":[{"amount":1},]}]`, `"x":{"resources":[]}`}, true},
		{"a number out of range", []string{header, collector, rest, `"snapshots":[{"resources":[{"amount":1e999},{"amount":1}]}]`}, true},
		{"null", []string{header, collector, rest, `"snapshots":null`}, true},
		{"another kind", []string{header, collector, rest, `"snapshots":1`}, true},
		{"cut off", []string{header, collector, rest, `"snapshots":[{"resources":[{"amount":1}]`}, true},
	} {
		in := "{" + strings.Join(test.members, ",\n ") + "}"
		full := newReader(strings.NewReader(in))
		wantHeader, headerErr := full.Header()
		want := formattest.All(full)
		r := newReader(strings.NewReader(in))
		got := formattest.All(r)
		if !formattest.SameReading(got, want) {
			t.Errorf("%s (-Header first +Records):\n%s", test.name, cmp.Diff(want, got))
		}
		if r.doc.OnePass() != test.forward {
			t.Errorf("%s: forward: %v", test.name, r.doc.OnePass())
		}
		if h, err := r.Header(); headerErr == nil && err == nil && len(got) > 0 && !strings.HasPrefix(got[len(got)-1], "FATAL") {
			byName := cmp.Transformer("byName", func(f Fields) map[string]Value {
				m := map[string]Value{}
				for _, f := range f {
					m[f.Key] = f.Value
				}
				return m
			})
			if diff := cmp.Diff(wantHeader, h, byName); diff != "" {
				t.Errorf("%s (-full header +after Records):\n%s", test.name, diff)
			}
		}
	}
}

// Whatever the order of the members, records read at once are the same as records read after the
// header.
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
		if orders++; formattest.Race && orders%7 != 0 {
			return
		}
		in := "{" + strings.Join(members, ",") + "}"
		headerFirst, atOnce := newReader(strings.NewReader(in)), newReader(strings.NewReader(in))
		headerFirst.Header()
		if diff := cmp.Diff(formattest.All(headerFirst), formattest.All(atOnce)); diff != "" {
			t.Fatalf("%s (-Header first +Records):\n%s", in, diff)
		}
		if atOnce.doc.OnePass() {
			forward++
		}
	}
	if order(0); forward == 0 {
		t.Error("none was read at once")
	}
}
