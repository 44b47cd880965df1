package workload

import (
	"encoding/json"
	"testing"
)

// The documents are JSON, have the right number of resources, and can be read from anywhere.
func TestPerun(t *testing.T) {
	for name, d := range map[string]*Document{
		"types": NewPerunTypes(3, ""), "types, indented": NewPerunTypes(3, Indent),
		"snapshots": NewPerunSnapshots(7, ""), "snapshots, indented": NewPerunSnapshots(7, Indent),
	} {
		doc := d.Bytes()
		var f PerunFile
		if err := json.Unmarshal(doc, &f); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		n := 0
		for key, c := range f.Resources {
			n += len(c.Amount)
			if _, ok := f.Types[key]; !ok || len(c.Size) != len(c.Amount) || c.Amount[0] < 1000 {
				t.Errorf("%s: type %s: %d amounts, %d sizes", name, key, len(c.Amount), len(c.Size))
			}
		}
		for _, s := range f.Snapshots {
			n += len(s.Resources)
			if len(s.Resources[0].Trace) != 3 || s.Resources[0].UID != s.Resources[0].Trace[0] {
				t.Errorf("%s: %+v", name, s.Resources[0])
			}
		}
		if n != d.Records() || f.Header.Cmd == "" {
			t.Errorf("%s: %d resources, want %d", name, n, d.Records())
		}
		checkReadFromAnywhere(t, d, len(doc)/50+1)
	}
	for want, d := range map[float64]*Document{ // with a million resources
		41e6: NewPerunTypes(100, ""), 30e6: NewPerunTypes(100, Indent),
		443e6: NewPerunSnapshots(50_000, ""), 786e6: NewPerunSnapshots(50_000, Indent),
	} {
		checkSize(t, d.Size(), want, 0.02)
	}
}
