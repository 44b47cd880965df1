package keyval

import (
	"os"
	"path/filepath"
	"testing"

	"perfdata/internal/faulty"
)

// A faultyFile is a file whose calls fail.
type faultyFile struct {
	*os.File
	script *faulty.Script
}

func (f faultyFile) Write(p []byte) (int, error) {
	w := faulty.Writer{Script: f.script, Out: f.File}
	return w.Write(p)
}

func (f faultyFile) ReadAt(p []byte, off int64) (int, error) {
	if err := f.script.Err("read at"); err != nil {
		return 0, err
	}
	return f.File.ReadAt(p, off)
}

func (f faultyFile) Seek(offset int64, whence int) (int64, error) {
	if err := f.script.Err("Seek"); err != nil {
		return 0, err
	}
	return f.File.Seek(offset, whence)
}

// Whatever call fails, a file to which an iteration was to be appended stays as it was.
func TestAppendFaults(t *testing.T) {
	name := filepath.Join(t.TempDir(), "keyval")
	text, err := appendIteration(nil, iteration(map[string]string{"a": "b"}, map[string]float64{"fps": 12345}), new(writtenKeys))
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
				err = appendTo(faultyFile{f, s}, text)
				return content(), err
			}
			total += faulty.Check(t, faulty.Subject{Target: content, Reset: reset, Try: try})
		})
	}
	t.Logf("%d calls failed", total)
}
