package object_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"perfdata/format"
	"perfdata/internal/testing/faulty"
	"perfdata/perun/object"
)

const faultyProfile = `{"header":{"type":"time"},"global":[{"amount":1.5,"uid":"a"}],"models":[]}`

// files returns the names of all files in a folder.
func files(t *testing.T, dir string) string {
	var names []string
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(names, "\n")
}

// Whatever call of a profile fails, nothing is stored.
func TestStoreFaults(t *testing.T) {
	dir := t.TempDir()
	total := faulty.Check(t, faulty.Subject{
		Target: func() string { return files(t, dir) },
		Reset: func() {
			entries, err := os.ReadDir(dir)
			for _, e := range entries {
				err = errors.Join(err, os.RemoveAll(filepath.Join(dir, e.Name())))
			}
			if err != nil {
				t.Fatal(err)
			}
		},
		Try: func(s *faulty.Script) (string, error) {
			sum, err := object.Store(dir, "time", faulty.NewSeeker(s, faultyProfile))
			if err != nil && sum != "" {
				t.Errorf("the name %s and an error", sum)
			}
			return sum, err
		},
	})

	// The output of Write.
	total += faulty.Check(t, faulty.Subject{Try: func(s *faulty.Script) (string, error) {
		var out strings.Builder
		_, err := object.Write(&faulty.Writer{Script: s, Out: &out}, "time", strings.NewReader(faultyProfile))
		return out.String(), err
	}})

	// The input of a Reader.
	var stored bytes.Buffer
	if _, err := object.Write(&stored, "time", strings.NewReader(faultyProfile)); err != nil {
		t.Fatal(err)
	}
	total += faulty.Check(t, faulty.Subject{Try: func(s *faulty.Script) (string, error) {
		r, err := object.NewReader(faulty.NewReader(s, stored.String()), "in", format.Limits{})
		if err != nil {
			return "", err
		}
		var text bytes.Buffer
		_, err = text.ReadFrom(r)
		return text.String(), errors.Join(err, r.Close())
	}})
	t.Logf("%d calls failed", total)
}

// An object that cannot be moved to its place leaves nothing.
func TestStoreCannotRename(t *testing.T) {
	sum, err := object.Write(new(bytes.Buffer), "time", strings.NewReader(faultyProfile))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ name, in string }{
		{"the folder is a file", sum[:2]},
		{"the object is a folder", sum[:2] + "/" + sum[2:] + "/x"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			inTheWay := filepath.Join(dir, test.in)
			if err := os.MkdirAll(filepath.Dir(inTheWay), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(inTheWay, nil, 0o666); err != nil {
				t.Fatal(err)
			}
			before := files(t, dir)
			if got, err := object.Store(dir, "time", strings.NewReader(faultyProfile)); err == nil || got != "" {
				t.Errorf("%q, %v", got, err)
			}
			if after := files(t, dir); after != before {
				t.Errorf("left behind: %s", after)
			}
		})
	}
}
