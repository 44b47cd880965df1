package workload

import (
	"bytes"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"perfdata/format"
)

// renderings are the two renderings of workloads in JSON.
var renderings = []struct {
	name, indent string
}{
	{"indented", Indent},
	{"compact", ""},
}

// checkReadFromAnywhere checks that reading from every step-th byte on gives the same as Bytes.
func checkReadFromAnywhere(t *testing.T, d *Document, step int) {
	t.Helper()
	doc := d.Bytes()
	if n := int64(len(doc)); n != d.Size() {
		t.Fatalf("Size = %d, want %d", d.Size(), n)
	}
	in := d.ReadSeeker()
	for i := 0; i <= len(doc); i += step {
		if _, err := in.Seek(int64(i), io.SeekStart); err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(in); err != nil || !bytes.Equal(got, doc[i:]) {
			t.Fatalf("%d records, from byte %d on: not what Bytes has; error %v", d.Records(), i, err)
		}
	}
}

// checkSize checks a size, with a relative tolerance.
func checkSize(t *testing.T, size int64, want, share float64) {
	t.Helper()
	if s := float64(size); s < want*(1-share) || s > want*(1+share) {
		t.Errorf("%d bytes, want %.0f, give or take %g %%", size, want, 100*share)
	}
}

// A record is the part of a format.Record that the tests check.
type record struct {
	ID           string
	Value        float64
	Links, Attrs map[string]string
}

// checkRecords checks the number of a document's records, and the first and the last record.
func checkRecords(t *testing.T, d *Document, r format.Reader, n int, first, last record) {
	t.Helper()
	var got []record
	for rec, err := range r.Records() {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, record{rec.TraceID(), rec.Value, rec.Links.Map(), rec.Attrs.Map()})
	}
	if len(got) != n || d.Records() != n {
		t.Fatalf("%d records, Records() = %d, want %d", len(got), d.Records(), n)
	}
	if diff := cmp.Diff([]record{first, last}, []record{got[0], got[n-1]}, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("first and last record, -want +got:\n%s", diff)
	}
}
