package perun

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/internal/testing/formattest"
)

// Snapshots, and the resources of ResourcesBySnapshot, come in the order of their numbers,
// wherever the resources are.
func TestSnapshots(t *testing.T) {
	for _, test := range []struct {
		name, in  string
		snapshots []string
		lines     []string
	}{
		{
			name: "as specified",
			in: head + `"snapshots":[{"time":1,"resources":[{"uid":"a","amount":1},` +
				`{"uid":"b","amount":2}]},{"resources":[]},{"resources":[{"uid":"c","amount":3}]}]}`,
			snapshots: []string{"0 a b", "1", "2 c"},
			lines:     []string{"a 1", "b 2", "c 3"},
		},
		{
			name: "in order",
			in: head + `"resources":{"a#0":{"amount":[1,2],"snapshot":[0,2]},"b#0":{"amount":[3],` +
				`"snapshot":[2]}},` + typesOfA + `}`,
			snapshots: []string{"0 a", "1", "2 a b"},
			lines:     []string{"a 1", "a 2", "b 3"},
		},
		{
			name: "out of order",
			in: head + `"resources":{"a#0":{"amount":[1,2],"snapshot":[1,0]},"b#0":{"amount":[3],` +
				`"snapshot":[0]}},` + typesOfA + `}`,
			snapshots: []string{"0 a b", "1 a"},
			lines:     []string{"a 2", "b 3", "a 1"},
		},
		{
			name:      "missing number",
			in:        head + `"resources":{"a#0":{"amount":[1,2],"snapshot":["x",-1]}},` + typesOfA + `}`,
			snapshots: []string{"0 a a"},
			lines:     []string{"a 1", "a 2"},
		},
		{
			name:      "global",
			in:        head + `"global":{"resources":[{"uid":"a","amount":1}]}}`,
			snapshots: []string{"0 a"},
			lines:     []string{"a 1"},
		},
		{
			name:      "very large number",
			in:        head + `"global":[{"uid":"a","amount":1,"snapshot":99999999},{"uid":"b","amount":2}]}`,
			snapshots: []string{"in:1:83: the snapshot's number is above 16777216", "0 b"},
			lines:     []string{"in:1:83: the snapshot's number is above 16777216", "b 2"},
		},
		{
			name: "empty object",
			in:   head[:len(head)-1] + "}",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			for way, source := range formattest.Sources {
				var got []string
				r := newReader(source(test.in))
				for snap, err := range r.Snapshots() {
					if err != nil {
						got = append(got, err.Error())
						continue
					}
					line := fmt.Sprint(snap.Number)
					for _, res := range snap.Resources {
						uid, _ := res.Fields.Get("uid")
						line += " " + uid.String()
					}
					got = append(got, line)
				}
				r.Close()
				if diff := cmp.Diff(test.snapshots, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", way, diff)
				}
				var lines []string
				r = newReader(source(test.in))
				for res, err := range r.ResourcesBySnapshot() {
					if err != nil {
						lines = append(lines, err.Error())
						continue
					}
					uid, _ := res.Fields.Get("uid")
					amount, _ := res.Fields.Get("amount")
					lines = append(lines, uid.String()+" "+amount.String())
				}
				r.Close()
				if diff := cmp.Diff(test.lines, lines); diff != "" {
					t.Errorf("%s: by snapshot (-want +got):\n%s", way, diff)
				}
			}
		})
	}
}

// With InOrder, a resource of a snapshot that was yielded already is an error.
func TestSnapshotsInOrder(t *testing.T) {
	in := head + `"snapshots":[{"resources":[{"uid":"a","amount":1}]},` +
		`{"resources":[{"uid":"b","amount":2}]}],"global":[{"uid":"c","amount":3},` +
		`{"uid":"d","amount":4,"snapshot":1}]}`
	for way, source := range formattest.Sources {
		var got []string
		for snap, err := range inOrder(source(in)).Snapshots() {
			if err != nil {
				got = append(got, formattest.ShowError(err))
				continue
			}
			for _, res := range snap.Resources {
				got = append(got, fmt.Sprintf("%d %s", snap.Number, res.Fields.appendJSON(nil, false)))
			}
		}
		want := []string{
			`0 {"uid":"a","amount":1,"snapshot":0}`,
			"in:1:175: snapshot 0 was yielded already",
			`1 {"uid":"b","amount":2,"snapshot":1}`, `1 {"uid":"d","amount":4,"snapshot":1}`,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", way, diff)
		}
	}
}
