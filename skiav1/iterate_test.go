package skiav1

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/jsonscan"
	"perfdata/internal/testing/formattest"
)

// A loop can break: the records before are good, no file is left, and a second loop is refused.
func TestBreak(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	in := `{"results":[` + strings.Repeat(`{"key":{"k":"v"},"measurement":1},`, 10_000) +
		`{"key":{"k":"v"},"measurement":1}],"version":1}`
	r := newReader(formattest.Stream(in))
	r.Limits.MaxSpoolMemory = 1
	if got := formattest.First(r); got != "k=v = 1" {
		t.Fatal(got)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		t.Errorf("left behind: %v, %v", files, err)
	}
	if diff := cmp.Diff([]string{"FATAL in:1:1: the file was read already"}, formattest.All(r)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A change of the input between the two readings is an error.
func TestChangedInput(t *testing.T) {
	one := `{"version":1,"git_hash":"a","results":[` +
		strings.Repeat(`{"key":{"k":"v"},"measurement":1},`, 10_000) + `{"key":{"k":"v"},"measurement":1}]}`
	other := strings.Replace(one, `"measurement":1},{`, `"measurement":11},{`, 1)
	formattest.CheckChangedInput(t, Format(), one, other, jsonscan.ChangedMessage)
}

// The Reader overwrites a record, but not its Clone or its strings.
func TestOwnership(t *testing.T) {
	const in = `{"version":1,"links":{"l":"u"},"results":[
	  {"key":{"test":"one"},"measurements":{"stat":[{"value":"min","measurement":1,"links":{"m":"1"}},` +
		`{"value":"max","measurement":2,"links":{"m":"2"}}]}},
	  {"key":{"test":"two"},"measurements":{"stat":[{"value":"avg","measurement":3,"links":{"m":"3"}}]}}]}`
	var clones []*format.Record
	var strs, want []string
	for rec, err := range NewReader(strings.NewReader(in)).Records() {
		if err != nil {
			t.Fatal(err)
		}
		clones = append(clones, rec.Clone())
		want = append(want, formattest.Show(rec))
		strs = append(strs, rec.Params[0].Value+rec.Params[1].Value)
	}
	for i, clone := range clones {
		if got := formattest.Show(clone); got != want[i] {
			t.Errorf("clone %d: %s, was %s", i, got, want[i])
		}
	}
	if diff := cmp.Diff([]string{"minone", "maxone", "avgtwo"}, strs); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A Reader that refuses the header releases the input without Close.
func TestRefusedHeaderReleasesInput(t *testing.T) {
	formattest.CheckReleased(t, Format(), `{"results":[`+strings.Repeat(`{"key":{"k":"v"},"measurement":1},`,
		10_000)+`{}],"version":2}`)
}

// InOrder yields a record as soon as its result is complete.
func TestInOrderLatency(t *testing.T) {
	in := formattest.Unfinished(`{"version":1,"results":[{"key":{"k":"v"},"measurement":1}`)
	defer in.Close()
	if got := formattest.First(inOrder(in)); got != "k=v = 1" {
		t.Error(got)
	}
}

// An input that can't seek is not held if all that the results depend on comes before them.
func TestHeaderFirstLatency(t *testing.T) {
	in := formattest.Unfinished(`{"version":1,"git_hash":"a","key":{},"links":{},"results":[{"key":{"k":"v"},"measurement":1}`)
	defer in.Close()
	if got := formattest.First(newReader(in)); got != "k=v = 1" {
		t.Error(got)
	}
}
