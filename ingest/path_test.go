package ingest

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func hour(year, month, day, h int) time.Time {
	return time.Date(year, time.Month(month), day, h, 0, 0, 0, time.UTC)
}

// A parsed path has the results of ParsePath.
type parsed struct {
	Dir  string
	Hour time.Time
	Name string
}

func parse(path string) (p parsed, err error) {
	p.Dir, p.Hour, p.Name, err = ParsePath(path)
	return p, err
}

func TestParsePath(t *testing.T) {
	for _, test := range []struct {
		name string
		path string
		want parsed
	}{
		{
			name: "specification",
			path: "gs://skia-perf/nano-json-v1/2018/08/23/22/Android-Clang/7989dad6c3b2efc10defb8f280f7a8a1a731d5d0.json",
			want: parsed{
				Dir: "skia-perf/nano-json-v1", Hour: hour(2018, 8, 23, 22),
				Name: "Android-Clang/7989dad6c3b2efc10defb8f280f7a8a1a731d5d0.json",
			},
		},
		{"leap day", "b/d/e/2024/02/29/00/x.json", parsed{"b/d/e", hour(2024, 2, 29, 0), "x.json"}},
		{"not a month", "b/d/2018/13/2018/01/02/03/x.json", parsed{"b/d/2018/13", hour(2018, 1, 2, 3), "x.json"}},
		{"year twice", "b/d/2018/2018/01/02/03/x.json", parsed{"b/d/2018", hour(2018, 1, 2, 3), "x.json"}},
		{
			name: "two hours",
			path: "b/d/2018/01/02/03/2019/01/02/03/x.json",
			want: parsed{"b/d", hour(2018, 1, 2, 3), "2019/01/02/03/x.json"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := parse(test.path)
			if diff := cmp.Diff(test.want, got); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
			made, err := MakePath(got.Dir, got.Hour.Add(59*time.Minute), got.Name)
			if want := "gs://" + strings.TrimPrefix(test.path, "gs://"); made != want || err != nil {
				t.Errorf("MakePath: %s, %v, want %s", made, err, want)
			}
		})
	}
}

func TestParsePathErrors(t *testing.T) {
	const (
		noName = "its name does not end in .json"
		noDirs = "no directories YYYY/MM/DD/HH after a bucket and one or more directories"
		empty  = `"" cannot be the name of a directory or file`
	)
	for _, test := range []struct{ name, path, want string }{
		{"empty", "", empty},
		{"other extension", "b/d/2018/08/23/22/x.txt", noName},
		{"only an extension", "b/d/2018/08/23/22/.json", noName},
		{"no directory before the year", "b/2018/08/23/22/x.json", noDirs},
		{"hour 24", "b/d/2018/08/23/24/x.json", noDirs},
		{"day 29", "b/d/2018/02/29/01/x.json", noDirs},
		{"month of one digit", "b/d/2018/8/23/22/x.json", noDirs},
		{"hour of three digits", "b/d/018/08/23/222/x.json", noDirs},
		{"no hour", "b/d/2018/08/23/x.json", noDirs},
		{"hour is the file", "b/d/2018/08/23/22.json", noDirs},
		{"empty directory", "b/d//2018/08/23/22/x.json", empty},
		{"parent directory", "b/d/2018/08/23/22/../x.json", `".." cannot be the name of a directory or file`},
		{"no bucket", "gs:///d/2018/08/23/22/x.json", empty},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := parse(test.path)
			if err == nil || err.Error() != "storage path "+test.path+": "+test.want {
				t.Errorf("%+v, %v; want %s", got, err, test.want)
			}
		})
	}
}

func TestMakePath(t *testing.T) {
	// The hour is that in UTC, whatever the location.
	berlin := time.FixedZone("CEST", 2*60*60)
	got, err := MakePath("skia-perf/nano-json-v1", time.Date(2018, 8, 24, 0, 30, 0, 0, berlin), "a.json")
	if want := "gs://skia-perf/nano-json-v1/2018/08/23/22/a.json"; got != want || err != nil {
		t.Errorf("%s, %v, want %s", got, err, want)
	}

	for _, test := range []struct {
		name      string
		dir, file string
		year      int
	}{
		{"no bucket", "/d", "a.json", 2018},
		{"no directory", "b", "a.json", 2018},
		{"empty directory", "b/d/", "a.json", 2018},
		{"no name", "b/d", "", 2018},
		{"other extension", "b/d", "a.txt", 2018},
		{"parent directory", "b/d", "../a.json", 2018},
		{"directory with an hour", "b/d/2017/01/01/01", "a.json", 2018},
		{"year of five digits", "b/d", "a.json", 20180},
		{"bucket with a scheme", "gs://b/d", "a.json", 2018},
	} {
		t.Run(test.name, func(t *testing.T) {
			p, err := MakePath(test.dir, hour(test.year, 1, 1, 0), test.file)
			if err == nil {
				t.Errorf("%s, want an error", p)
			}
		})
	}
}

func TestHourOf(t *testing.T) {
	for path, want := range map[string]time.Time{
		"2018/08/23/22/x.json":            hour(2018, 8, 23, 22),
		"d/2018/08/23/22/a/b/x.txt":       hour(2018, 8, 23, 22),
		"2018/08/2018/08/23/22/x":         hour(2018, 8, 23, 22),
		"2018/08/23/22":                   {},
		"2018/08/23/22/":                  {},
		"2018/08/23/x":                    {},
		"":                                {},
		"d/2018/8/23/22/x":                {},
		"d/2018/08/23/２２/x":               {},
		"d/2018/08/23/22/2019/01/01/01/x": hour(2018, 8, 23, 22),
	} {
		t.Run(path, func(t *testing.T) {
			got, ok := HourOf(path)
			if !got.Equal(want) && ok || ok == want.IsZero() {
				t.Errorf("%v, %v, want %v", got, ok, want)
			}
		})
	}
}

// HourOf and ParsePath agree with the time package, and what ParsePath accepts has one spelling.
func FuzzPath(f *testing.F) {
	for _, path := range []string{
		"gs://skia-perf/nano-json-v1/2018/08/23/22/Android-Clang/7989.json", "b/d/2024/02/29/00/x.json",
		"b/d/2018/13/2018/01/02/03/x.json", "2018/08/2018/08/23/22/x", "b/d//2018/08/23/22/x.json", "0000/01/01/00/x",
	} {
		f.Add(path)
	}
	f.Fuzz(func(t *testing.T, path string) {
		parts := strings.Split(path, "/")
		hourFrom := func(first int) (time.Time, int) {
			for i := first; i+4 < len(parts); i++ {
				text := strings.Join(parts[i:i+4], "/")
				hour, err := time.Parse(hourLayout, text)
				if err == nil && hour.Format(hourLayout) == text {
					return hour, i
				}
			}
			return time.Time{}, -1
		}

		want, at := hourFrom(0)
		got, ok := HourOf(path)
		if complete := at >= 0 && strings.Join(parts[at+4:], "/") != ""; ok != complete || ok && got != want {
			t.Errorf("HourOf returned %v, %v, want %v, %v", got, ok, want, complete)
		}

		p, err := parse(path)
		if err != nil {
			return
		}
		parts = strings.Split(strings.TrimPrefix(path, "gs://"), "/")
		if want, _ := hourFrom(2); p.Hour != want {
			t.Errorf("ParsePath returned %v, want %v", p.Hour, want)
		}
		if made, err := MakePath(p.Dir, p.Hour, p.Name); made != "gs://"+strings.TrimPrefix(path, "gs://") || err != nil {
			t.Errorf("MakePath returned %v, %v", made, err)
		}
	})
}
