package drift_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/series"
	"perfdata/series/drift"
	"perfdata/skiav1"
)

// collect collects the files of a folder, in the order of their names.
func collect(t *testing.T, c *drift.Collector, side int, dir string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	placer := series.Placer{NotIdentity: []string{"commit", "commit-time"}}
	slices.Sort(files)
	for _, name := range files {
		c.File(side, filepath.Base(name))
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		for rec, err := range skiav1.NewReader(f).Records() {
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Add(placer.Identify(rec).Identity, rec.Value); err != nil {
				t.Fatal(err)
			}
		}
		f.Close()
	}
}

// Each recorded case is explained. The cases are not part of the project: see the tables of the
// other tests for smaller ones.
func TestOracles(t *testing.T) {
	cases, err := filepath.Glob("../../../shared/oracles/drift/*/expected.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range cases {
		dir := filepath.Dir(name)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			var want struct{ Expected map[string]any }
			if err := json.Unmarshal(text, &want); err != nil {
				t.Fatal(err)
			}
			var c drift.Collector
			collect(t, &c, series.Old, filepath.Join(dir, "old"))
			collect(t, &c, series.New, filepath.Join(dir, "new"))
			report := c.Report()

			text, err = json.Marshal(report)
			if err != nil {
				t.Fatal(err)
			}
			got := make(map[string]any)
			if err := json.Unmarshal(text, &got); err != nil {
				t.Fatal(err)
			}
			got["exit"] = 0.0
			if report.HasDrifted() {
				got["exit"] = 3.0
			}
			t.Logf("%s", text)
			for member, value := range want.Expected {
				if diff := cmp.Diff(value, got[member]); diff != "" {
					t.Errorf("%s (-want +got):\n%s", member, diff)
				}
			}
		})
	}
}
