package nanolegacy

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/internal/testing/formattest"
)

func TestMeaning(t *testing.T) {
	for _, test := range []struct {
		name, in        string
		optionsAsParams bool
		want            []string
	}{
		{
			name: "the sub-result",
			in: `{"gitHash":"abc","results":{"T":{"c":{"ms":1,"min_ms":2,"bytes":3,"fps":4,"ns/op":5,"count":6,"min":7,` +
				`"":8,"_ms":9,"MB":10}}}}`,
			want: []string{
				"1 ms  abc", "2 ms  abc", "3 bytes  abc", "4 fps  abc", "5 ns/op  abc", "6   abc", "7   abc",
				"8   abc", "9 ms  abc", "10 MB  abc",
			},
		},
		{
			name: "a param",
			in: `{"gitHash":"abc","key":{"unit":"us","improvement_direction":"down"},"results":{"T":{"c":{"ms":1,"x":2}},` +
				`"U":{"c":{"ms":3,"options":{"unit":"s"}}}}}`,
			want: []string{"1 us lower abc", "2 us lower abc", "3 us lower abc"},
		},
		{
			name: "options as params",
			in: `{"gitHash":"abc","options":{"improvement_direction":"up"},"results":{"T":{"c":{"ms":1}},` +
				`"U":{"c":{"ms":2,"options":{"units":"s"}},"d":{"ms":3}}}}`,
			optionsAsParams: true,
			want:            []string{"1 ms higher abc", "2 s higher abc", "3 ms higher abc"},
		},
		{
			name: "similar tests",
			in: `{"gitHash":"abc","results":{` + strings.Join([]string{
				`"T":{"c":{"ms":1,"bytes":2,"options":{"unit":"s","improvement_direction":"up"}},"d":{"ms":3}}`,
				`"U":{"c":{"ms":4,"bytes":5,"options":{"unit":"h","improvement_direction":"up"}},"d":{"ms":6}}`,
				`"V":{"c":{"ms":7,"bytes":8,"options":{"unit":"h","improvement_direction":"down"}},"d":{"ms":9}}`,
			}, ",") + `}}`,
			optionsAsParams: true,
			want: []string{
				"1 s higher abc", "2 s higher abc", "3 ms  abc", "4 h higher abc", "5 h higher abc", "6 ms  abc",
				"7 h lower abc", "8 h lower abc", "9 ms  abc",
			},
		},
		{
			name: "header after the results",
			in:   `{"results":{"T":{"c":{"ms":1}},"U":{"c":{"ms":2}}},"gitHash":"abc"}`,
			want: []string{"1 ms  abc", "2 ms  abc"},
		},
		{
			name: "gitHash after the results, before a large member",
			in: `{"key":{},"options":{},"results":{"T":{"c":{"ms":1}}},"gitHash":"a","x":[` +
				strings.Repeat(`{"gitHash":"b"},`, 10_000) + `1]}`,
			want: []string{"1 ms  a"},
		},
		{
			name: "no gitHash",
			in:   `{"results":{"T":{"c":{"ms":1}}}}`,
			want: []string{"1 ms  "},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			formattest.CheckRead(t, test.name, test.in, test.want, func(in io.Reader) []string {
				r := newReader(in)
				r.OptionsAsParams = test.optionsAsParams
				return formattest.Meanings(r)
			})

			// A Reader that has read another file before.
			formattest.CheckRead(t, test.name, test.in, test.want, func(in io.Reader) []string {
				r := newReader(strings.NewReader(`{"gitHash":"xyz","key":{"unit":"xs"},"results":{"T":{"c":{"ms":1}}}}`))
				r.OptionsAsParams = test.optionsAsParams
				for range r.Records() {
				}
				r.Reset(in)
				return formattest.Meanings(r)
			})
		})
	}
}

// Each sub-result has its own unit, however many there are.
func TestManyUnits(t *testing.T) {
	var in strings.Builder
	var want []string
	for i := range 3000 {
		fmt.Fprintf(&in, `,"s%d":1,"m%d_ms":2`, i, i)
		want = append(want, "1   ", "2 ms  ")
	}
	r := newReader(strings.NewReader(`{"results":{"T":{"c":{` + in.String()[1:] + `}}}}`))
	if diff := cmp.Diff(want, formattest.Meanings(r)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
