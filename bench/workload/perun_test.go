package workload

import (
	"bytes"
	"encoding/json"
	"io"
	"testing"
)

// The documents are JSON, with as many resources as they say, and can be read from anywhere.
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
		in := d.ReadSeeker()
		for i := 0; i < len(doc); i += len(doc)/50 + 1 {
			if _, err := in.Seek(int64(i), io.SeekStart); err != nil {
				t.Fatal(err)
			}
			if got, err := io.ReadAll(in); err != nil || !bytes.Equal(got, doc[i:]) {
				t.Fatalf("%s, from byte %d on: not what Bytes has; error %v", name, i, err)
			}
		}
	}
	for name, size := range map[string][2]int64{
		"types": {NewPerunTypes(100, "").Size(), 41e6}, "types, indented": {NewPerunTypes(100, Indent).Size(), 30e6},
		"snapshots": {NewPerunSnapshots(50_000, "").Size(), 443e6}, "snapshots, indented": {NewPerunSnapshots(50_000, Indent).Size(), 786e6},
	} {
		if size[0] < size[1]*98/100 || size[0] > size[1]*102/100 {
			t.Errorf("%s: a million resources take %d bytes, want %d", name, size[0], size[1])
		}
	}
}
