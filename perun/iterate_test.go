package perun

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/jsonscan"
	"perfdata/internal/testing/formattest"
	"perfdata/internal/testing/quick"
)

// A loop can break: the records before are good, no file is left, and a second loop is refused.
func TestBreak(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	in := `{"resources":{"a#0":{"amount":[` + strings.Repeat("1,", 50_000) + `1],"order":[` +
		strings.Repeat("1,", 50_000) + `1]}},` + typesOfA + `}`
	r := newReader(formattest.Stream(in))
	r.Limits.MaxSpoolMemory = 1
	if got := formattest.First(r); got != "type=time uid=a = 1 order:1" {
		t.Fatal(got)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		t.Errorf("left behind: %v, %v", files, err)
	}
	if diff := cmp.Diff([]string{"FATAL in:1:1: the profile was read already"}, formattest.All(r)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Resources, models and snapshots can be read several times, even if the input can't seek.
func TestAgain(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for name, file := range testFiles(t) {
		want := readResources(newReader(strings.NewReader(file)))
		for way, source := range formattest.Sources {
			r := newReader(source(file))
			r.Limits.MaxSpoolMemory = 1000
			for range 3 {
				if diff := cmp.Diff(want, readResources(r)); diff != "" {
					t.Errorf("%s, %s (-want +got):\n%s", name, way, diff)
				}
				for _, err := range r.Models() {
					if err != nil {
						t.Errorf("%s, %s: %v", name, way, err)
					}
				}
			}
			n := 0
			for _, err := range r.ResourcesBySnapshot() {
				if err == nil {
					n++
				}
			}
			r.Close()
			for _, line := range want {
				if line[0] >= '0' && line[0] <= '9' {
					n--
				}
			}
			if n != 0 {
				t.Errorf("%s, %s: %d more resources by snapshot", name, way, n)
			}
		}
	}
}

// A loop over resources or models can break after any step, an error too. Then the next loop yields all
// of them.
func TestBreakAnywhere(t *testing.T) {
	files := testFiles(t)
	files["no resources"] = `{"header":3,"collector_info":[]}`
	files["faults"] = head + `"global":[1,{"uid":"a"},[]],"models":[2,{}],"resource_type_map":{"t":{},"u":3},` +
		`"resources":{"s":{"amount":[1]},"t":{"amount":[1,"x",2],"order":[1]},"u":{}},` +
		`"snapshots":[3,{"time":[],"resources":[{"amount":1}]},{},{"resources":7}]}`
	for name, file := range files {
		t.Run(name, func(t *testing.T) {
			want := readResources(newReader(strings.NewReader(file)))
			for n := 0; n <= len(want); n += quick.Of(1, 1+len(want)/20) {
				r := newReader(strings.NewReader(file))
				defer r.Close()
				left := n
				for range r.Resources() {
					if left--; left < 0 {
						break
					}
				}
				left = n
				for range r.Models() {
					if left--; left < 0 {
						break
					}
				}
				if got := readResources(r); !slices.Equal(got, want) {
					t.Fatalf("after a break at step %d (-want +got):\n%s", n, cmp.Diff(want, got))
				}
			}
		})
	}
}

// A change of the input between the two readings is an error.
func TestChangedInput(t *testing.T) {
	one := head + `"global":[` + strings.Repeat(`{"uid":"a","amount":1},`, 10_000) + `{"uid":"a","amount":1}]}`
	other := strings.Replace(one, `"amount":1},{`, `"amount":11},{`, 1)
	r := NewReader(formattest.Changing(one, other))
	r.Header() // all of it, for which the resources are passed over
	got := formattest.All(r)
	if last := got[len(got)-1]; !strings.HasPrefix(last, "FATAL ") ||
		!strings.Contains(last, jsonscan.ChangedMessage) {
		t.Error(last)
	}
}

// A clone shares nothing with the Reader.
func TestOwnership(t *testing.T) {
	for name, file := range testFiles(t) {
		var recs []*format.Record
		var resources []*Resource
		var want, wantResources []string
		r := newReader(strings.NewReader(file))
		for res, err := range r.Resources() {
			if err == nil {
				resources = append(resources, res.Clone())
				wantResources = append(wantResources, string(res.Fields.appendJSON(nil, false)))
			}
		}
		for rec, err := range r.Records() {
			if err == nil {
				recs = append(recs, rec.Clone())
				want = append(want, formattest.Show(rec))
			}
		}
		for i := range recs {
			if got := formattest.Show(recs[i]); got != want[i] {
				t.Errorf("%s: record %d: %s, was %s", name, i, got, want[i])
			}
		}
		for i := range resources {
			if got := string(resources[i].Fields.appendJSON(nil, false)); got != wantResources[i] {
				t.Errorf("%s: resource %d: %s, was %s", name, i, got, wantResources[i])
			}
		}
	}
}
