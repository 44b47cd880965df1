package change_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/internal/chars"
	"perfdata/series"
	"perfdata/series/change"
	"perfdata/series/posted"
	"perfdata/traceid"
)

func TestJSON(t *testing.T) {
	all := []change.Found{{
		Params:  traceid.Of("name", "A<B"),
		Commits: []int{0, 2, 3, 4, 5, 6, 7, 8},
		Points: []change.Point{
			{Index: 4, Lo: 4, Hi: 5, Before: 0, After: 2, Ratio: math.Inf(1), P: 1e-6, Kind: change.Step},
			{Index: 7, Lo: 7, Hi: 7, Before: 2, After: 9, Ratio: 4.5, P: 0.1, Kind: change.Outlier},
		},
	}}
	found := change.Result{All: all, Series: []*series.Series{{Trace: ",name=A<B,"}}}
	found.Findings, found.Changes = change.Findings(all, 0.05, 0.05)
	found.Commits = []string{"a", "b", "c", "d", "e", "f", "g", "h", "i"}
	got := string(found.SeriesJSON(0)) + "\n" + string(chars.JSON(posted.Of(&found)[0]))
	want := `{"trace":",name=A<B,","points":[` +
		`{"index":4,"commit":"f","kind":"step","lo":4,"hi":5,"before":0,"after":2,"ratio":null,"p":1e-06,"q":1e-06},` +
		`{"index":7,"commit":"i","kind":"outlier","lo":7,"hi":7,"before":2,"after":9,"ratio":4.5,"p":0.1,"q":1}]}` + "\n" +
		`{"id":"","kind":"step","commit":"f","first":"f","last":"g","params":{"name":"A<B"},"ratio":null,` +
		`"worse":0,"better":0,"traces":[",name=A<B,"]}`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
