package perun_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/perun"
)

// The values of a column keep their texts wherever values that are not numbers are among them. Others
// have the text that Python writes.
func TestMixedColumns(t *testing.T) {
	const rows = 300 // several batches
	for name, odd := range map[string][]int{
		"none":          {},
		"first":         {0},
		"second":        {1},
		"last of batch": {127},
		"next batch":    {128},
		"some":          {3, 4, 140, 299},
	} {
		for _, value := range []struct{ json, text string }{
			{`"a"`, "a"},
			{`[1.50, 2]`, "1.5,2"},
			{`null`, "None"},
			{`1.50`, "1.5"},
			{`-0`, "0"},
			{strings.Repeat("7", 100), strings.Repeat("7", 100)},
		} {
			t.Run(name+" "+value.text, func(t *testing.T) {
				var values, want []string
				for row := range rows {
					values, want = append(values, strconv.Itoa(row)), append(want, strconv.Itoa(row))
				}
				for _, row := range odd {
					values[row], want[row] = value.json, value.text
				}

				in := fmt.Sprintf(`{"resources": {"a": {"amount": [%s], "order": [%s]}}, "resource_type_map": {"a": {}}, `+
					`"header": {}, "collector_info": {}}`, "1"+strings.Repeat(", 1", rows-1), strings.Join(values, ", "))
				var got []string
				for rec, err := range perun.NewReader(strings.NewReader(in)).Records() {
					if err != nil {
						t.Fatal(err)
					}
					text, _ := rec.Attrs.Get("order")
					got = append(got, text)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		}
	}
}
