package store

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"perfdata/ingest"
)

// The checkpoint of a tree goes forward only, by the hour and then by the path.
func TestCheckpoint(t *testing.T) {
	onEach(t, func(t *testing.T, newDatabase func() string) {
		name := newDatabase()
		s := open(t, name)
		const bucket = "gs://results"
		for _, test := range []struct {
			tree, path string
			want       string
		}{
			{bucket, "b/2026/11/23/07/b.json", "b/2026/11/23/07/b.json"},
			{bucket, "b/2026/11/23/06/c.json", "b/2026/11/23/07/b.json"},
			{bucket, "a/2026/11/23/07/z.json", "b/2026/11/23/07/b.json"},
			{bucket, "b/2026/11/23/07/b.json", "b/2026/11/23/07/b.json"},
			{bucket, "b/2026/11/23/07/c.json", "b/2026/11/23/07/c.json"},
			{bucket, "a/2026/11/23/08/a.json", "a/2026/11/23/08/a.json"},
			{"another", "a/2026/01/01/00/a.json", "a/2026/01/01/00/a.json"},
			{bucket, "a/2027/01/01/00/a.json", "a/2027/01/01/00/a.json"},
		} {
			if err := s.AdvanceCheckpoint(t.Context(), test.tree, test.path); err != nil {
				t.Fatal(err)
			}
			if got, err := s.Checkpoint(t.Context(), test.tree); got != test.want || err != nil {
				t.Errorf("after %s: %q, %v; want %q", test.path, got, err, test.want)
			}
		}

		if got, err := s.Checkpoint(t.Context(), "unknown"); got != "" || err != nil {
			t.Errorf("a tree without a checkpoint: %q, %v", got, err)
		}
		for _, test := range []struct {
			tree, path string
			want       error
		}{
			{bucket, "a.json", ingest.ErrLayout},
			{bucket, "", fs.ErrInvalid},
			{"", "a/2026/11/23/07/b.json", fs.ErrInvalid},
			{"a\x00", "a/2026/11/23/07/b.json", fs.ErrInvalid},
		} {
			t.Run(fmt.Sprintf("%q %q", test.tree, test.path), func(t *testing.T) {
				if err := s.AdvanceCheckpoint(t.Context(), test.tree, test.path); !errors.Is(err, test.want) {
					t.Errorf("error %v, want %v", err, test.want)
				}
			})
		}
	})
}
