package perun

import (
	"fmt"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/internal/testing/formattest"
)

// The resources of ResourcesBySnapshot come in the order of their snapshots, wherever they are.
func TestSnapshots(t *testing.T) {
	for _, test := range []struct {
		name, in string
		lines    []string
	}{
		{
			name: "as specified",
			in: head + `"snapshots":[{"time":1,"resources":[{"uid":"a","amount":1},` +
				`{"uid":"b","amount":2}]},{"resources":[]},{"resources":[{"uid":"c","amount":3}]}]}`,
			lines: []string{"a 1", "b 2", "c 3"},
		},
		{
			name: "in order",
			in: head + `"resources":{"a#0":{"amount":[1,2],"snapshot":[0,2]},"b#0":{"amount":[3],` +
				`"snapshot":[2]}},` + typesOfA + `}`,
			lines: []string{"a 1", "a 2", "b 3"},
		},
		{
			name:  "in order, with a fault where it is in the file",
			in:    head + `"global":[{"uid":"a","amount":1},§3,{"uid":"b","amount":2}]}`,
			lines: []string{"a 1", "in:§: global.1: Invalid type. Expected: object, given: integer", "b 2"},
		},
		{
			name: "out of order",
			in: head + `"resources":{"a#0":{"amount":[1,2],"snapshot":[1,0]},"b#0":{"amount":[3],` +
				`"snapshot":[0]}},` + typesOfA + `}`,
			lines: []string{"a 2", "b 3", "a 1"},
		},
		{
			name:  "missing number",
			in:    head + `"resources":{"a#0":{"amount":[1,2],"snapshot":["x",-1]}},` + typesOfA + `}`,
			lines: []string{"a 1", "a 2"},
		},
		{
			name:  "global",
			in:    head + `"global":{"resources":[{"uid":"a","amount":1}]}}`,
			lines: []string{"a 1"},
		},
		{
			name:  "very large number",
			in:    head + `"global":[{"uid":"a","amount":1,"snapshot":99999999},{"uid":"b","amount":2}]}`,
			lines: []string{"b 2", "a 1"},
		},
		{
			name: "empty object",
			in:   head[:len(head)-1] + "}",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			formattest.CheckRead(t, test.name, test.in, test.lines, func(in io.Reader) (lines []string) {
				r := newReader(in)
				defer r.Close()
				for res, err := range r.ResourcesBySnapshot() {
					if err != nil {
						lines = append(lines, err.Error())
						continue
					}
					lines = append(lines, res.Fields.FlatText("uid")+" "+res.Fields.FlatText("amount"))
				}
				return lines
			})
		})
	}
}

// With InOrder, the file is read once, so the order is not known before its end.
func TestSnapshotsInOrder(t *testing.T) {
	in := head + `"snapshots":[{"resources":[{"uid":"a","amount":1}]},` +
		`{"resources":[{"uid":"b","amount":2}]}],"global":[{"uid":"c","amount":3},` +
		`{"uid":"d","amount":4,"snapshot":1}]}`
	for way, source := range formattest.Sources {
		var got []string
		for res, err := range inOrder(source(in)).ResourcesBySnapshot() {
			if err != nil {
				got = append(got, formattest.ShowError(err))
				continue
			}
			got = append(got, fmt.Sprintf("%d %s", res.Snapshot, res.Fields.appendJSON(nil, false)))
		}
		want := []string{
			`0 {"uid":"a","amount":1,"snapshot":0}`, `0 {"uid":"c","amount":3}`,
			`1 {"uid":"b","amount":2,"snapshot":1}`, `1 {"uid":"d","amount":4,"snapshot":1}`,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", way, diff)
		}
	}
}
