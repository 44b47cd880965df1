package ingest

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParsePath(t *testing.T) {
	at := func(y, m, d, h int) time.Time { return time.Date(y, time.Month(m), d, h, 0, 0, 0, time.UTC) }
	for path, want := range map[string]StoragePath{
		"gs://skia-perf/nano-json-v1/2018/08/23/22/Android-Clang/7989dad6c3b2efc10defb8f280f7a8a1a731d5d0.json": {
			"skia-perf", "nano-json-v1", at(2018, 8, 23, 22), "Android-Clang/7989dad6c3b2efc10defb8f280f7a8a1a731d5d0.json"},
		"b/d/e/2024/02/29/00/x.json":             {"b", "d/e", at(2024, 2, 29, 0), "x.json"},
		"b/d/2018/13/2018/01/02/03/x.json":       {"b", "d/2018/13", at(2018, 1, 2, 3), "x.json"},
		"b/d/2018/01/02/03/2019/01/02/03/x.json": {"b", "d", at(2018, 1, 2, 3), "2019/01/02/03/x.json"},
	} {
		got, err := ParsePath(path)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", path, err, diff)
		}
		if back := strings.TrimPrefix(got.String(), "gs://"); back != strings.TrimPrefix(path, "gs://") {
			t.Errorf("%s: back as %s", path, back)
		}
		made, err := MakePath(got.Bucket, got.Dir, got.Hour.Add(59*time.Minute), got.Name)
		if diff := cmp.Diff(got, made); diff != "" || err != nil {
			t.Errorf("%s: MakePath: %v (-want +got):\n%s", path, err, diff)
		}
	}
	for path, want := range map[string]string{
		"":                             `"" cannot be the name of a directory or file`,
		"b/d/2018/08/23/22/x.txt":      "its name does not end in .json",
		"b/d/2018/08/23/22/.json":      "its name does not end in .json",
		"b/2018/08/23/22/x.json":       "no directories YYYY/MM/DD/HH after a bucket and one or more directories",
		"b/d/2018/08/23/24/x.json":     "no directories YYYY/MM/DD/HH after a bucket and one or more directories",
		"b/d/2018/02/29/01/x.json":     "no directories YYYY/MM/DD/HH after a bucket and one or more directories",
		"b/d/2018/8/23/22/x.json":      "no directories YYYY/MM/DD/HH after a bucket and one or more directories",
		"b/d/018/08/23/222/x.json":     "no directories YYYY/MM/DD/HH after a bucket and one or more directories",
		"b/d/2018/08/23/x.json":        "no directories YYYY/MM/DD/HH after a bucket and one or more directories",
		"b/d//2018/08/23/22/x.json":    `"" cannot be the name of a directory or file`,
		"b/d/2018/08/23/22/../x.json":  `".." cannot be the name of a directory or file`,
		"gs:///d/2018/08/23/22/x.json": `"" cannot be the name of a directory or file`,
	} {
		if got, err := ParsePath(path); err == nil || err.Error() != "storage path "+path+": "+want {
			t.Errorf("%s: %+v, %v; want %s", path, got, err, want)
		}
	}
}

func TestMakePath(t *testing.T) {
	// The hour is that in UTC, whatever the location.
	berlin := time.FixedZone("CEST", 2*60*60)
	got, err := MakePath("skia-perf", "nano-json-v1", time.Date(2018, 8, 24, 0, 30, 0, 0, berlin), "a.json")
	if want := "gs://skia-perf/nano-json-v1/2018/08/23/22/a.json"; got.String() != want || err != nil {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
	for _, test := range []struct {
		bucket, dir, name string
		year              int
	}{
		{"", "d", "a.json", 2018},
		{"b", "", "a.json", 2018},
		{"b", "d/", "a.json", 2018},
		{"b", "d", "", 2018},
		{"b", "d", "a.txt", 2018},
		{"b", "d", "../a.json", 2018},
		{"b/c", "d", "a.json", 2018},
		{"b", "d/2017/01/01/01", "a.json", 2018},
		{"b", "d", "a.json", 20180},
		{"gs://b", "d", "a.json", 2018},
	} {
		p, err := MakePath(test.bucket, test.dir, time.Date(test.year, 1, 1, 0, 0, 0, 0, time.UTC), test.name)
		if err == nil {
			t.Errorf("%+v: %s", test, p)
		}
	}
}
