package perun

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestResources(t *testing.T) {
	many := new(strings.Builder) // fields, more than are compared one by one
	for i := range 18 {
		fmt.Fprintf(many, `,"f%d":%d`, i, i)
	}
	for _, test := range []struct {
		name, in string
		want     []string
	}{
		{
			name: "a field of the type overrides a column",
			in: head + `"resources":{"a#0":{"order":[5,6],"x":[7,8],"amount":[1,2]}},` +
				`"resource_type_map":{"a#0":{"amount":9}}}`,
			want: []string{`0 {"order":5,"x":7,"amount":9}`, `0 {"order":6,"x":8,"amount":9}`},
		},
		{
			name: "a list after types does not have their arrays",
			in:   head + typesOfA + `,"resources":{"a#0":{"order":[7],"amount":[1]}},"global":[{"uid":"g"}]}`,
			want: []string{`0 {"order":7,"amount":1,"uid":"a","type":"time"}`, `0 {"uid":"g"}`},
		},
		{
			name: "the number of the snapshot is a field",
			in: head + `"resources":{"a#0":{"snapshot":[3,0,0.5,-1,2147483647,9007199254740992,"4"]}},` +
				`"resource_type_map":{"a#0":{}}}`,
			want: []string{
				`3 {"snapshot":3}`, `0 {"snapshot":0}`, `0 {"snapshot":0.5}`, `0 {"snapshot":-1}`,
				`2147483647 {"snapshot":2147483647}`, `0 {"snapshot":9007199254740992}`,
				`0 {"snapshot":"4"}`,
			},
		},
		{
			name: "resources with many fields",
			in: head + `"global":[{"amount":1` + many.String() + `},{"amount":2` + many.String() + `},` +
				`{"amount":3` + many.String() + `,"f17":0}]}`,
			want: []string{
				`0 {"amount":1` + many.String() + `}`, `0 {"amount":2` + many.String() + `}`,
				`FATAL in:1:547: global.2.f17: duplicate member "f17"`,
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := readResources(newReader(strings.NewReader(test.in)))
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
