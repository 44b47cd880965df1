package keyval

import (
	"os"
	"path/filepath"
	"testing"

	"perfdata/internal/testing/faulty"
)

// Whatever call fails, a file to which an iteration was to be appended stays as it was.
func TestAppendFaults(t *testing.T) {
	name := filepath.Join(t.TempDir(), "keyval")
	it := iteration(map[string]string{"a": "b"}, map[string]float64{"fps": 12345})
	text, err := appendIteration(nil, it)
	if err != nil {
		t.Fatal(err)
	}
	content := func() string {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	total := 0
	for _, before := range []string{"", "a{perf}=1\n\n", "a{perf}=1\n", "a{perf}=1"} {
		t.Run(before, func(t *testing.T) {
			reset := func() {
				if err := os.WriteFile(name, []byte(before), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			try := func(s *faulty.Script) (string, error) {
				f, err := os.OpenFile(name, os.O_RDWR|os.O_APPEND, 0)
				if err != nil {
					return "", err
				}
				defer f.Close()
				err = appendTo(faulty.OSFile{File: f, Script: s}, text)
				return content(), err
			}
			total += faulty.Check(t, faulty.Subject{Target: content, Reset: reset, Try: try})
		})
	}
	t.Logf("%d calls failed", total)
}
