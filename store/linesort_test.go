package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestLineSorter(t *testing.T) {
	for _, test := range []struct {
		name            string
		lines, maxBytes int
	}{
		{"nothing", 0, 10}, {"in memory", 100, 1 << 20}, {"a line in each part", 10, 1}, {"the last part is full", 4, 12},
		{"parts that are joined", 2 * maxParts, 1}, {"lines longer than a buffer", 20, 3 * mergeBuffer},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			s := &lineSorter{maxBytes: test.maxBytes}
			defer s.close()
			var want []string
			for range test.lines {
				line := fmt.Sprintf("%05d\n", r.IntN(1000))
				if strings.Contains(test.name, "long") {
					line = strings.Repeat("x", r.IntN(2*mergeBuffer)) + line
				}
				want = append(want, line)
				if err := s.add([]byte(line)); err != nil {
					t.Fatal(err)
				}
			}
			slices.Sort(want)
			var got bytes.Buffer
			if err := s.writeTo(&got); err != nil {
				t.Fatal(err)
			}
			check(t, "lines", strings.Join(want, ""), got.String())
		})
	}
}

// An error of the temporary file is that of the sorter.
func TestLineSorterFails(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "missing"))
	t.Setenv("TMP", filepath.Join(t.TempDir(), "missing")) // on Windows
	s := &lineSorter{maxBytes: 1}
	defer s.close()
	err := errors.Join(s.add([]byte("b\n")), s.add([]byte("a\n")))
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v, want that of the temporary file", err)
	}
}
