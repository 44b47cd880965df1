package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// With --order time, files are in the order of their last modification, and then of their paths.
func TestLsByTime(t *testing.T) {
	dir := t.TempDir()
	for _, f := range []struct {
		name string
		year int
	}{{"b", 2000}, {"a/x", 2000}, {"c", 1999}, {"d", 2001}} {
		name := filepath.Join(dir, filepath.FromSlash(f.name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		at := time.Date(f.year, 1, 1, 0, 0, 0, 0, time.UTC)
		if err := os.Chtimes(name, at, at); err != nil {
			t.Fatal(err)
		}
	}

	for _, test := range []struct {
		name string
		args []string
		want []string
	}{
		{"all", nil, []string{"c", "a/x", "b", "d"}},
		{"since", []string{"--since", "2000-01-01"}, []string{"a/x", "b", "d"}},
		{"until", []string{"--until", "2001-01-01"}, []string{"c", "a/x", "b"}},
		{"both", []string{"--since", "1999-01-02", "--until", "2001-01-01"}, []string{"a/x", "b"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			want := ""
			for _, name := range test.want {
				want += filepath.Join(dir, filepath.FromSlash(name)) + "\n"
			}
			got, errs, status := runTool(nil, append([]string{"ls", "--order", "time", dir}, test.args...)...)
			if diff := cmp.Diff(want, got); diff != "" || status != 0 {
				t.Errorf("%d, %s (-want +got):\n%s", status, errs, diff)
			}
		})
	}
}
