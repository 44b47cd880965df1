package workload

import (
	"bytes"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/keyval"
)

func TestKeyvalIsValid(t *testing.T) {
	for e := range keyval.Validate(NewKeyval(1000).Reader(), "workload", format.Limits{}) {
		t.Error(e)
	}
}

func TestKeyvalReadFromAnywhere(t *testing.T) {
	d := NewKeyval(3)
	doc := d.Bytes()
	in := d.ReadSeeker()
	for i := range len(doc) + 1 {
		if _, err := in.Seek(int64(i), io.SeekStart); err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(in); err != nil || !bytes.Equal(got, doc[i:]) {
			t.Fatalf("from byte %d on: not what Bytes has; error %v", i, err)
		}
	}
}

func TestKeyvalSize(t *testing.T) {
	if size := NewKeyval(300_000).Size(); size < 66e6*95/100 || size > 66e6*105/100 {
		t.Errorf("300,000 iterations take %d bytes, want 66 MB, give or take 5 %%", size)
	}
}

func TestKeyvalRecords(t *testing.T) {
	d := NewKeyval(1000)
	type record struct {
		ID    string
		Value float64
		Attrs map[string]string
	}
	var first, last record
	n := 0
	for rec, err := range keyval.NewReader(d.Reader()).Records() {
		if err != nil {
			t.Fatal(err)
		}
		last = record{rec.TraceID(), rec.Value, rec.Attrs.Map()}
		if n == 0 {
			first = last
		}
		n++
	}
	if n != 5000 || d.Records() != n {
		t.Errorf("%d records, Records() = %d, want 5000", n, d.Records())
	}
	want := []record{
		{",iteration=1,key=bytes_page_reads,", 18607535, map[string]string{"build": "lumpy-release-R99-14469.8.0", "core": "cpu7"}},
		{",iteration=1000,key=watts_energy_rate,", 5.211041, map[string]string{"build": "lumpy-release-R99-14469.8.0", "core": "cpu3"}},
	}
	if diff := cmp.Diff(want, []record{first, last}); diff != "" {
		t.Errorf("first and last record, -want +got:\n%s", diff)
	}
}
