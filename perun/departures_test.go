package perun

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// These are the departures from the reference, with their numbers in the package's comment.
func TestDepartures(t *testing.T) {
	resources := func(in string) []string { return readResources(newReader(strings.NewReader(in))) }
	records := func(in string) []string { return readAll(strings.NewReader(in)) }
	models := func(in string) (got []string) {
		for m, err := range newReader(strings.NewReader(in)).Models() {
			got = append(got, fmt.Sprint(m.UID(), err))
		}
		return got
	}
	for _, test := range []struct {
		name string
		got  []string
		want []string
	}{
		{
			name: "P1",
			got:  resources(`{"global":[1,{"amount":2}]}`),
			want: []string{"in:1:12: global.0: Invalid type. Expected: object, given: integer", `0 {"amount":2}`},
		},
		{
			name: "P1",
			got:  resources(`{"resources":{"a":{"amount":[1,2],"order":[3]}},"resource_type_map":{"a":{}}}`),
			want: []string{
				`0 {"amount":1,"order":3}`,
				"in:1:15: resources.a: the arrays differ in length, and values without a counterpart are " +
					"left out: amount has 2, order has 1",
			},
		},
		{
			name: "P2",
			got:  resources(`{"global":[{"amount":1,"uid":"a"},{"amount":2,"uid":"b"},{"amount":3,"uid":"a"}]}`),
			want: []string{
				`0 {"amount":1,"uid":"a"}`, `0 {"amount":2,"uid":"b"}`, `0 {"amount":3,"uid":"a"}`,
			},
		},
		{
			name: "P3",
			got: models(`{"snapshots":[{"resources":[],"models":[{"uid":"a"}]}],"global":{"resources":[],` +
				`"models":[{"uid":"b"}]},"models":[{"uid":"c"}]}`),
			want: []string{"a<nil>", "b<nil>", "c<nil>"},
		},
		{
			name: "P4",
			got: resources(`{"snapshots":[{"time":"1","resources":[{"time":"2","snapshot":3}]},` +
				`{"resources":[{}]}]}`),
			want: []string{`3 {"time":"2","snapshot":3}`, `1 {"snapshot":1}`},
		},
		{
			name: "P5",
			got:  records(`{"global":[{"amount":1},{"uid":"a"}]}`),
			want: []string{"= 1", "in:1:25: global.1: missing number: amount is required"},
		},
		{
			name: "P5",
			got:  resources(`{"global":[{"uid":"a"}]}`),
			want: []string{`0 {"uid":"a"}`},
		},
		{
			name: "P8",
			got:  resources(`{"global":[{"a":1,"a":2}]}`),
			want: []string{`FATAL in:1:19: global.0.a: duplicate member "a"`},
		},
		{
			name: "P9",
			got:  resources(`{"header":{},"golbal":{"resources":[{"a":1}]}}`),
			want: []string{"in:1:14: golbal: resources are not allowed here and are ignored"},
		},
		{
			name: "P10",
			got:  resources(`{"global":[{"a":NaN,"b":-Infinity}]}`),
			want: []string{`0 {"a":NaN,"b":-Infinity}`},
		},
		{
			name: "P10",
			got:  records(`{"global":[{"amount":NaN}]}`),
			want: []string{"in:1:22: global.0.amount: the amount is not a finite number"},
		},
		{
			name: "P11",
			got:  records(`{"header":{"cmd":"","args":["a","b"]},"global":[{"amount":1}]}`),
			want: []string{"args=a b = 1"},
		},
		{
			name: "P13",
			got: records(`{"header":{"units":{"mixed (time delta)":"us"}},` +
				`"global":[{"amount":1,"type":"mixed","subtype":"time delta"}]}`),
			want: []string{"subtype=time delta type=mixed unit=us = 1"},
		},
		{
			name: "P11",
			got:  records(`{"header":{"cmd":["a","b"]},"global":[{"amount":1}]}`),
			want: []string{"cmd=a b = 1"},
		},
		{
			name: "P1",
			got:  records(`{"header":{"units":[null],"cmd":"a"},"global":[{"amount":1}]}`),
			want: []string{"in:1:20: header.units: Invalid type. Expected: object, given: array", "cmd=a = 1"},
		},
		{
			name: "P18",
			got:  resources("\ufeff" + `{"global":[]}`),
			want: []string{"FATAL in:1:1: found a byte order mark, expected a value"},
		},
		{
			name: "P14",
			got:  resources(`{"global":[{"trace":"main"}]}`),
			want: []string{"in:1:21: global.0.trace: Invalid type. Expected: array, given: string"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, test.got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
