package report_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/perun/report"
)

// These are the departures from the reference, with their numbers in the package's comment.
func TestDepartures(t *testing.T) {
	lines := func(in string) (got []string) {
		for line, err := range report.FlameLines(newReader(strings.NewReader(in))) {
			got = append(got, fmt.Sprint(line, err))
		}
		return got
	}
	numerical := func(in string) []string {
		got, err := report.NumericalFields(newReader(strings.NewReader(in)).Resources())
		return append(got, fmt.Sprint(err))
	}
	fieldsOf := func(in string) []string {
		got, err := report.FieldNames(newReader(strings.NewReader(in)).Resources())
		return append(got, fmt.Sprint(err))
	}
	unique := func(in string, path string) (got []string) {
		values, err := report.UniqueValues(newReader(strings.NewReader(in)).Resources(), path)
		for _, v := range values {
			got = append(got, v.String())
		}
		return append(got, fmt.Sprint(err))
	}
	curve := func(in string) (got []string) {
		for m, err := range newReader(strings.NewReader(in)).Models() {
			if err == nil {
				_, _, err = report.Curve(m, 2)
			}
			got = append(got, fmt.Sprint(err))
		}
		return got
	}
	best := func(in string) (got []string) {
		models, err := report.FilterModels(newReader(strings.NewReader(in)).Models(), "best-model")
		for _, m := range models {
			got = append(got, m.UID())
		}
		return append(got, fmt.Sprint(err))
	}
	for _, test := range []struct {
		name string
		got  []string
		want []string
	}{
		{
			name: "P6",
			got:  lines(`{"resources":{},"resource_type_map":{}}`),
		},
		{
			name: "P6",
			got:  lines(`{"global":[{"amount":1,"uid":"a"},{"amount":2,"uid":"a","trace":["f",{"x":1,"y":2}]}]}`),
			want: []string{"a 1<nil>", "a;1:2;f 2<nil>"},
		},
		{
			name: "P7",
			got: numerical(`{"global":[{"a":1,"b":"x","c":true},{"a":"x","b":1,"c":true},` +
				`{"a":1,"b":1,"c":true,"d":1}]}`),
			want: []string{"d", "<nil>"},
		},
		{
			name: "P12",
			got:  lines(`{"global":[{"amount":1,"uid":"a;b\nc"}]}`),
			want: []string{"a:b c 1<nil>"},
		},
		{
			name: "P16",
			got: fieldsOf(`{"resources":{"a":{"amount":[1]},"b":{"amount":[],"x":[]}},` +
				`"resource_type_map":{"a":{"uid":"a"},"b":{"y":1}}}`),
			want: []string{"amount", "uid", "<nil>"},
		},
		{
			name: "P17",
			got:  unique(`{"global":[{"a":true},{"a":1},{"a":1.0},{"a":"1"}]}`, "a"),
			want: []string{"True", "1", "1", "<nil>"},
		},
		{
			name: "P17",
			got:  lines(`{"global":[{"amount":1,"uid":"","trace":["f"]},{"amount":2,"uid":""}]}`),
			want: []string{"f 1<nil>", " 2<nil>"},
		},
		{
			name: "P17",
			got: curve(`{"models":[{"uid":"a","model":"exponential","x_start":0,"x_end":1e9,` +
				`"coeffs":{"b0":1,"b1":2}}],"global":[]}`),
			want: []string{"the model exponential of a has no value at 1e+09"},
		},
		{
			name: "P19",
			got:  unique(`{"global":[{"uid":[{"b":1},{"c":2}]}]}`, "uid:"),
			want: []string{`{"b":1}`, `{"c":2}`, "<nil>"},
		},
		{
			name: "P20",
			got: curve(`{"models":[{"uid":"a","model":"linear","x_start":true,"x_end":2,` +
				`"coeffs":{"b0":1,"b1":2}}],"global":[]}`),
			want: []string{"the model linear of a has no number as x_start or x_end"},
		},
		{
			name: "P20",
			got:  best(`{"models":[{"uid":"a","model":"linear","r_square":true}],"global":[]}`),
			want: []string{"the model linear of a has no number as r_square"},
		},
		{
			name: "P20",
			got:  best(`{"models":[{"uid":"a","model":"linear","r_square":null}],"global":[]}`),
			want: []string{"<nil>"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, test.got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
