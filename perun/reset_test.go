package perun

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/internal/testing/formattest"
)

// After Reset, a Reader reads like a new one, although it remembers earlier files.
func TestReset(t *testing.T) {
	files := formattest.Files(t, "../testdata/perun/*", 1)
	for _, header := range []string{
		`"header":{"type":"time","units":{"time":"s"},"cmd":"c","workload":"w"},"collector_info":{"name":"n"}`,
		`"header":{"type":"time","units":{"time":"ms"},"cmd":"c","workload":"w"},"collector_info":{"name":"n"}`,
		`"header":{"type":"time","units":{"time":"s"},"cmd":"d","workload":"w"},"collector_info":{"name":"n"}`,
		`"header":{"type":"mixed","units":{"memory":"B"},"cmd":"c"},"collector_info":{"name":"o"},"x":[1]`,
		`"header":{"type":"time","units":3,"cmd":"c"},"collector_info":{"name":"o"}`,
	} {
		var resources []string
		for i := range 9 {
			resources = append(resources, fmt.Sprintf(
				`{"uid":{"function":"f%d"},"type":"time","subtype":"s","amount":%d,"trace":[{"function":"g"}]}`, i%2, i))
		}
		list := "[" + strings.Join(resources, ",") + "]"
		files["snapshots "+header] = "{" + header + `,"snapshots":[{"time":"1","resources":` + list + `}]}`
		files["global "+header] = `{"global":{"resources":` + list + `},` + header + "}"
		files["types "+header] = "{" + header + `,"resources":{"f#0":{"amount":[1,2,3],"order":[7,8,9]}},` +
			`"resource_type_map":{"f#0":{"uid":"f","type":"time"}}}`
	}

	nested := `{"header":{},"collector_info":{},"global":[{"amount":1,"x":[[1],[2]]},` +
		`{"amount":2,"x":[[2],[3]]},{"amount":3,"x":[[1],[4]]},{"amount":4,"x":[[1],[4]]}]}`
	t.Run("cut in an array", func(t *testing.T) {
		r := inOrder(strings.NewReader(""))
		for n := len(nested) / 2; n < len(nested); n++ {
			for _, in := range []string{nested, nested[:n]} {
				r.Reset(strings.NewReader(in))
				want, got := formattest.Whole(inOrder(strings.NewReader(in))), formattest.Whole(r)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatalf("%d bytes (-new Reader +Reset):\n%s", len(in), diff)
				}
			}
		}
	})
	t.Run("header first", func(t *testing.T) { formattest.CheckReset(t, files, newReader) })
	t.Run("in order", func(t *testing.T) { formattest.CheckReset(t, files, inOrder) })
}
