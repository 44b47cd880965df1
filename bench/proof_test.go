package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The program reads at least as often as it should, and finds no difference.
func TestMetamorphic(t *testing.T) {
	var out strings.Builder
	if err := printMetamorphic(&out, "keyval", 100, 0); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "\n| keyval | ") {
		t.Errorf("no row of the format:\n%s", &out)
	}
	if err := printMetamorphic(&out, "csv", 100, 0); err == nil {
		t.Error("csv: no error")
	}
}

// All fuzz targets are found, with the folders of their packages.
func TestFuzzTargets(t *testing.T) {
	targets, err := fuzzTargets(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, target := range targets {
		names = append(names, target.String())
		if !strings.HasPrefix(target.pkg+"/", "perfdata/") || !filepath.IsAbs(target.dir) {
			t.Errorf("%v: package %s in folder %s", target, target.pkg, target.dir)
		}
	}
	for _, want := range []string{"skiav1.FuzzReader", "perun/object.FuzzReader", "internal/lines.FuzzReader", "perfdata.FuzzDetect"} {
		if !slices.Contains(names, want) {
			t.Errorf("%s is not in %q", want, names)
		}
	}
}

func TestProgress(t *testing.T) {
	for _, test := range []struct {
		line string
		want []string
	}{
		{"fuzz: elapsed: 0s, gathering baseline coverage: 0/2 completed", nil},
		{"fuzz: elapsed: 1m3s, execs: 20000 (10916/sec), new interesting: 15 (total: 17)", []string{"20000", "15"}},
		{"PASS", nil},
	} {
		t.Run(test.line, func(t *testing.T) {
			var got []string
			if m := progress.FindStringSubmatch(test.line); m != nil {
				got = m[1:]
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Small inputs come first, and large ones are left out.
func TestSmallInputs(t *testing.T) {
	dir := t.TempDir()
	for name, size := range map[string]int{"b": 10, "a": 10, "c": 1, "large": maxKeptInput + 1} {
		if err := os.WriteFile(filepath.Join(dir, name), make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := smallInputs(dir)
	if diff := cmp.Diff([]string{"c", "a", "b"}, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if got, err := smallInputs(filepath.Join(dir, "missing")); len(got) > 0 || err != nil {
		t.Errorf("a missing folder: %q, %v", got, err)
	}
}
