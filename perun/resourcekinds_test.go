package perun

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// resourcesOf reads resources from the JSON of a list.
func resourcesOf(t *testing.T, list string) (all []*Resource) {
	t.Helper()
	for res, err := range newReader(strings.NewReader(`{"global":` + list + `}`)).Resources() {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, res.Clone())
	}
	return all
}

// Perun makes one resource type of resources that are equal in all fields that are not collected,
// and takes its collected fields from the first one.
func TestResourceKinds(t *testing.T) {
	const refused = "resource: it has the collected fields %s, but an earlier one of its snapshot that is equal " +
		"in all others has %s, and Perun loses or refuses such resources: use the layout of types"
	for _, test := range []struct{ name, in, want string }{
		{
			name: "a field that the first one lacks",
			in:   `[{"amount":1,"uid":"u","type":"t"},{"amount":2,"order":1,"uid":"u","type":"t"}]`,
			want: fmt.Sprintf(refused, "amount, order", "amount"),
		},
		{
			name: "a field that only the first one has",
			in: `[{"amount":1,"order":1,"uid":{"f":"u","l":1},"type":"t"},{"amount":3,"uid":"v","type":"t"},` +
				`{"type":"t","uid":{"f":"u","l":1},"amount":2}]`,
			want: fmt.Sprintf(refused, "amount", "amount, order"),
		},
		{
			name: "another field",
			in:   `[{"amount":1,"address":1,"uid":"u","type":"t"},{"amount":2,"timestamp":1,"uid":"u","type":"t"}]`,
			want: fmt.Sprintf(refused, "amount, timestamp", "amount, address"),
		},
		{
			name: "after the snapshots",
			in: `[{"amount":1,"snapshot":0,"uid":"u","type":"t"},{"amount":2,"order":1,"uid":"u","type":"t"},` +
				`{"amount":2,"exclusive":1,"uid":"u","type":"t"}]`,
			want: fmt.Sprintf(refused, "amount, exclusive", "amount, order"),
		},
		{
			name: "the same fields in another order",
			in:   `[{"amount":1,"order":1,"uid":"u","type":"t"},{"type":"t","order":2,"uid":"u","amount":2}]`,
		},
		{
			name: "another field that is not collected",
			in:   `[{"amount":1,"uid":"u","type":"t"},{"amount":2,"order":1,"uid":"u","type":"t","x":null}]`,
		},
		{
			name: "swapped values",
			in:   `[{"amount":1,"uid":"t","type":"u"},{"amount":2,"order":1,"uid":"u","type":"t"}]`,
		},
		{
			name: "another snapshot",
			in: `[{"amount":1,"uid":"u","type":"t","snapshot":0},` +
				`{"amount":2,"order":1,"uid":"u","type":"t","snapshot":1}]`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, snapshots := range []bool{false, true} {
				var out bytes.Buffer
				var want, errs []string
				w := NewWriter(&out, Header{Type: "time", Collector: Tool{Name: "c"}})
				w.Snapshots = snapshots
				for _, res := range resourcesOf(t, test.in) {
					if err := w.WriteResource(res); err != nil {
						errs = append(errs, err.Error())
					} else {
						want = append(want, string(objectOf(res.Fields...).AppendKey(nil)))
					}
				}
				if err := w.Close(); err != nil {
					t.Fatal(err)
				}

				var wantErrs []string
				if test.want != "" && snapshots {
					wantErrs = []string{test.want}
				}
				if diff := cmp.Diff(wantErrs, errs); diff != "" {
					t.Errorf("%v: errors (-want +got):\n%s", layout, diff)
				}
				slices.Sort(want)
				c, _, _, _ := read(t, out.String())
				if diff := cmp.Diff(want, c.Resources); diff != "" {
					t.Errorf("%v (-want +got):\n%s", layout, diff)
				}
			}
		})
	}
}

// A refused record leaves the Writer as it was.
func TestResourceKindsOfRecords(t *testing.T) {
	_, _, recs, _ := read(t, `{"header":{"type":"time"},"collector_info":{"name":"c"},`+
		`"global":[{"amount":1,"order":1,"uid":"u","type":"time"},{"amount":2,"uid":"u","type":"time"}]}`)
	var out bytes.Buffer
	w := NewWriter(&out, Header{Type: "time", Collector: Tool{Name: "c"}})
	w.Snapshots = true
	if err := w.Write(recs[0]); err != nil {
		t.Error(err)
	}
	if err := w.Write(recs[1]); err == nil || !strings.Contains(err.Error(), "use the layout of types") {
		t.Error(err)
	}
	if err := errors.Join(w.Write(recs[0]), w.Close()); err != nil {
		t.Error(err)
	}
	if c, _, _, _ := read(t, out.String()); len(c.Records) != 2 || c.Records[0] != c.Records[1] {
		t.Errorf("wrote %q", c.Records)
	}
}
