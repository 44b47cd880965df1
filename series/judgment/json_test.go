package judgment_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/series"
	"perfdata/series/compare"
	"perfdata/traceid"
)

func TestJSON(t *testing.T) {
	s := &series.Series{Trace: ",name=A<B,", Identity: traceid.Of("name", "A<B"), Unit: "ns/op", ByUnit: true}
	c := compare.NewComparer(compare.DefaultOptions())
	tests := []struct {
		name string
		old  []float64
		new  []float64
		want string
	}{
		{
			"values", []float64{10, 10, 10, 10, 10}, []float64{20, 20, 20, 20, 20},
			`{"trace":",name=A<B,","params":{"name":"A<B"},"unit":"ns/op","better":"lower","by_unit":true,` +
				`"old":{"n":5,"median":10,"lo":null,"hi":10},"new":{"n":5,"median":20,"lo":null,"hi":20},` +
				`"ratio":2,"hodges_lehmann":2,"lo":2,"hi":2,"p":0.007936507936507936,"q":null,"verdict":"worse","since":null,"needed":null,"reason":null}`,
		},
		{
			"few values", []float64{10}, []float64{20},
			`{"trace":",name=A<B,","params":{"name":"A<B"},"unit":"ns/op","better":"lower","by_unit":true,` +
				`"old":{"n":1,"median":10,"lo":null,"hi":null},"new":{"n":1,"median":20,"lo":null,"hi":null},` +
				`"ratio":2,"hodges_lehmann":2,"lo":null,"hi":null,"p":1,"q":null,"verdict":"unknown","since":null,"needed":4,"needed_of":"values on each side","reason":null}`,
		},
		{
			"no value", nil, []float64{20},
			`{"trace":",name=A<B,","params":{"name":"A<B"},"unit":"ns/op","better":"lower","by_unit":true,` +
				`"old":{"n":0,"median":null,"lo":null,"hi":null},"new":{"n":1,"median":null,"lo":null,"hi":null},` +
				`"ratio":null,"hodges_lehmann":null,"lo":null,"hi":null,"p":null,"q":null,"verdict":"unknown","since":null,"needed":null,` +
				`"reason":"there is no value on one side"}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			row := c.Samples(tt.old, tt.new, format.Lower, false)
			row.Series = s
			got, err := row.MarshalJSON()
			if err != nil || !json.Valid(got) {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
