package ingest

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"perfdata/internal/testing/quick"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// files returns a file system with empty files.
func files(names ...string) fstest.MapFS {
	fsys := make(fstest.MapFS)
	for _, name := range names {
		fsys[name] = &fstest.MapFile{ModTime: hour(2000, 1, 1, 0)}
	}
	return fsys
}

// walked returns the paths of a walk, and the paths and messages of its errors.
func walked(fsys fs.FS, root string, options WalkOptions) (paths, errs []string) {
	for f, err := range Walk(fsys, root, options) {
		if err != nil {
			errs = append(errs, strings.ReplaceAll(err.Error(), `\`, `/`))
		} else {
			paths = append(paths, f.Path)
		}
	}
	return paths, errs
}

var specified = files(
	"b/x/2018/08/23/22/Clang/a.json",
	"b/x/2018/08/23/22/Clang-2/a.json",
	"b/x/2018/08/23/22/Clang.json",
	"b/x/2018/08/24/00/a.json",
	"b/x/2018/12/31/23/a.json",
	"b/x/2019/01/01/00/a.json",
	"b/a/2018/08/24/00/a.json",
	"b/a/b/2018/08/23/22/a.json",
	"b/1234/arm/2018/08/23/22/a.json",
	"b/2018/2018/08/23/22/a.json",
)

var specifiedOrder = []string{
	"b/1234/arm/2018/08/23/22/a.json",
	"b/2018/2018/08/23/22/a.json",
	"b/a/b/2018/08/23/22/a.json",
	"b/x/2018/08/23/22/Clang-2/a.json",
	"b/x/2018/08/23/22/Clang.json",
	"b/x/2018/08/23/22/Clang/a.json",
	"b/a/2018/08/24/00/a.json",
	"b/x/2018/08/24/00/a.json",
	"b/x/2018/12/31/23/a.json",
	"b/x/2019/01/01/00/a.json",
}

func TestWalk(t *testing.T) {
	for _, test := range []struct {
		name    string
		fsys    fs.FS
		root    string
		options WalkOptions
		want    []string
		errs    []string
	}{
		{name: "storage order", fsys: specified, root: ".", want: specifiedOrder},
		{
			name: "range of hours", fsys: specified, root: ".",
			options: WalkOptions{From: hour(2018, 8, 24, 0).Add(30 * time.Minute), Until: hour(2018, 12, 31, 23)},
			want:    specifiedOrder[6:8],
		},
		{
			name: "until the next hour", fsys: specified, root: "b",
			options: WalkOptions{Until: hour(2018, 12, 31, 23).Add(1)},
			want:    specifiedOrder[:9],
		},
		{name: "a year", fsys: specified, root: "b/x/2018", want: slices.Concat(specifiedOrder[3:6], specifiedOrder[7:9])},
		{
			name: "a month", fsys: specified, root: "b/x/2018/08",
			want: slices.Concat(specifiedOrder[3:6], specifiedOrder[7:8]),
		},
		{name: "a day", fsys: specified, root: "b/x/2018/08/23", want: specifiedOrder[3:6]},
		{
			name: "a month at the top", fsys: files("2018/08/23/22/a.json", "2018/08/24/00/a.json", "2018/09/01/00/a.json"),
			root: "2018/08", want: []string{"2018/08/23/22/a.json", "2018/08/24/00/a.json"},
		},
		{name: "a day at the top", fsys: files("2018/08/23/22/a.json", "2018/08/24/00/a.json"), root: "2018/08/24",
			want: []string{"2018/08/24/00/a.json"}},
		{name: "an hour", fsys: specified, root: "b/x/2018/08/23/22", want: specifiedOrder[3:6]},
		{
			name: "an hour out of range", fsys: specified, root: "b/x/2018/08/23/22",
			options: WalkOptions{From: hour(2018, 8, 23, 23)},
		},
		{name: "below an hour", fsys: specified, root: "b/x/2018/08/23/22/Clang", want: specifiedOrder[5:6]},
		{name: "a file", fsys: specified, root: specifiedOrder[5], want: specifiedOrder[5:6]},
		{
			name: "accept and reject", fsys: specified, root: ".",
			options: WalkOptions{Accept: regexp.MustCompile(`^b/x/`), Reject: regexp.MustCompile(`Clang|2019`)},
			want:    specifiedOrder[7:9],
		},
		{
			name: "misfits", root: ".",
			fsys: files("readme", "d/x.json", "d/2024/x.json", "d/2024/01/x.json", "d/2024/01/02/x.json", "d/2024/01/32/x.json",
				"d/2024/01/02/24/x.json", "d/2024/01/02/03/x.txt", "d/2024/01/02/03/e/.json", "d/2024/01/02/03/x.json"),
			want: []string{"d/2024/01/02/03/x.json"},
			errs: []string{
				"walk d/2024/x.json: no directories YYYY/MM/DD/HH before the name",
				"walk d/x.json: no directories YYYY/MM/DD/HH before the name",
				"walk readme: no directories YYYY/MM/DD/HH before the name",
				"walk d/2024/01/32: the directory is not a day of the month: to read it, walk it as a root of its own",
				"walk d/2024/01/x.json: no directories YYYY/MM/DD/HH before the name",
				"walk d/2024/01/02/24: the directory is not an hour: to read it, walk it as a root of its own",
				"walk d/2024/01/02/x.json: no directories YYYY/MM/DD/HH before the name",
				"walk d/2024/01/02/03/e/.json: the name does not end in .json",
				"walk d/2024/01/02/03/x.txt: the name does not end in .json",
			},
		},
		{
			name: "root of its own", fsys: files("d/2024/01/2024/02/03/04/x.json"), root: "d/2024/01/2024",
			want: []string{"d/2024/01/2024/02/03/04/x.json"},
		},
		{
			name: "rejected misfits", fsys: files("readme", "2024/01/02/03/x.json"), root: ".",
			options: WalkOptions{Reject: regexp.MustCompile("^readme$")},
			want:    []string{"2024/01/02/03/x.json"},
		},
		{
			name: "any name", fsys: files("2024/01/02/03/x.txt", "2024/01/02/03/y.json.gz", "z.txt"), root: ".",
			options: WalkOptions{AnyName: true},
			want:    []string{"2024/01/02/03/x.txt", "2024/01/02/03/y.json.gz"},
			errs:    []string{"walk z.txt: no directories YYYY/MM/DD/HH before the name"},
		},
		{
			name: "by path", fsys: files("b/c.txt", "b-c", "b.c", "a/2024/01/02/03/x.json"), root: ".",
			options: WalkOptions{Order: ByPath},
			want:    []string{"a/2024/01/02/03/x.json", "b-c", "b.c", "b/c.txt"},
		},
		{name: "empty", fsys: files(), root: "."},
		{name: "missing root", fsys: files(), root: "x", errs: []string{"open x: file does not exist"}},
		{name: "invalid root", fsys: files(), root: "/x", errs: []string{"walk /x: invalid argument"}},
		{
			name: "range by path", fsys: files(), root: ".",
			options: WalkOptions{Order: ByPath, From: hour(2000, 1, 1, 1)},
			errs:    []string{"walk .: the options From and Until need the order by hour"},
		},
		{
			name: "resume without an hour", fsys: files(), root: ".",
			options: WalkOptions{After: "x.json"},
			errs:    []string{"walk .: the option After must be the path of a file in the storage layout: want .../YYYY/MM/DD/HH/.../name"},
		},
		{
			name: "unknown order", fsys: files(), root: ".",
			options: WalkOptions{Order: 2},
			errs:    []string{"walk .: unknown Order"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			paths, errs := walked(test.fsys, test.root, test.options)
			if diff := cmp.Diff(test.want, paths); diff != "" {
				t.Errorf("paths (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.errs, errs); diff != "" {
				t.Errorf("errors (-want +got):\n%s", diff)
			}
		})
	}
}

// The fields of a File describe the file.
func TestWalkFile(t *testing.T) {
	modified := time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC)
	fsys := fstest.MapFS{"d/2024/01/02/03/x.json": {Data: []byte("text"), ModTime: modified}}
	for _, order := range []Order{ByHour, ByPath} {
		for f, err := range Walk(fsys, "d", WalkOptions{Order: order}) {
			open := f.Open
			f.Open = nil
			want := File{Path: "d/2024/01/02/03/x.json", Hour: hour(2024, 1, 2, 3), Size: 4, ModTime: modified}
			if diff := cmp.Diff(want, f); diff != "" || err != nil {
				t.Errorf("order %d: %v (-want +got):\n%s", order, err, diff)
			}
			in, err := open(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			in.Close()
		}
	}
}

// A walk yields the files of random trees in the order of their hours and paths, and an error for
// each path that does not fit. Resumed after each file, it yields the files after it.
func TestWalkRandom(t *testing.T) {
	dirs := []string{"2023", "2024", "01", "02", "13", "31", "23", "00", "a", "a-", "a.json"}
	for seed := range uint64(quick.Of(30, 8)) {
		random := rand.New(rand.NewPCG(seed, 0))
		fsys := files()
		var want []string
		for range 30 {
			name := ""
			for range 3 + random.IntN(5) {
				name += dirs[random.IntN(len(dirs))] + "/"
			}
			if random.IntN(2) == 0 { // most random directories are not hours
				name = fmt.Sprintf("%s/2024/01/0%d/0%d/%s/",
					dirs[8+random.IntN(3)], 1+random.IntN(2), random.IntN(2), dirs[random.IntN(len(dirs))])
			}
			fsys[name+"f.json"] = &fstest.MapFile{}
		}
		for name := range fsys {
			want = append(want, name)
		}

		slices.SortFunc(want, func(a, b string) int {
			hourA, _ := HourOf(a)
			hourB, _ := HourOf(b)
			if c := hourA.Compare(hourB); c != 0 {
				return c
			}
			return strings.Compare(a, b)
		})

		// An error about a directory is about all files in it.
		misfit := make(map[string]bool)
		var got []string
		for f, err := range Walk(fsys, ".", WalkOptions{}) {
			if errors.Is(err, ErrLayout) {
				misfit[f.Path] = true
			} else if err != nil {
				t.Fatal(err)
			} else {
				got = append(got, f.Path)
			}
		}

		want = slices.DeleteFunc(want, func(name string) bool {
			for end := range len(name) {
				if name[end] == '/' && misfit[name[:end]] {
					return true
				}
			}
			return misfit[name]
		})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("seed %d (-want +got):\n%s", seed, diff)
		}

		for i, after := range want {
			rest, _ := walked(fsys, ".", WalkOptions{After: after})
			if diff := cmp.Diff(want[i+1:], rest, emptyIsNil); diff != "" {
				t.Fatalf("seed %d, after %s (-want +got):\n%s", seed, after, diff)
			}
		}
		all, _ := walked(fsys, ".", WalkOptions{Order: ByPath})
		if !slices.IsSorted(all) || len(all) != len(fsys) {
			t.Fatalf("seed %d: by path: %q", seed, all)
		}
		for i, after := range all {
			rest, _ := walked(fsys, ".", WalkOptions{Order: ByPath, After: after})
			if diff := cmp.Diff(all[i+1:], rest, emptyIsNil); diff != "" {
				t.Fatalf("seed %d, by path, after %s (-want +got):\n%s", seed, after, diff)
			}
		}
	}
}

var emptyIsNil = cmp.Transformer("list", func(s []string) string { return strings.Join(s, "\n") })

// A walk can be ended at any step, and yields nothing after that.
func TestWalkStop(t *testing.T) {
	fsys := files("readme", "d/2024/01/02/x", "d/2024/01/02/03/x", "d/2024/01/02/03/y/x.json", "d/2024/01/02/04/x.json",
		"e/2024/01/02/03/x.json", "e/2024/01/99/03/x.json")
	for _, order := range []Order{ByHour, ByPath} {
		total := 0
		for range Walk(fsys, ".", WalkOptions{Order: order}) {
			total++
		}
		for stop := range total {
			n := 0
			for range Walk(fsys, ".", WalkOptions{Order: order}) { // a step after the end is a panic
				if n == stop {
					break
				}
				n++
			}
		}
	}
}

// Zip files, folders and buckets are file systems like others.
func TestWalkFileSystems(t *testing.T) {
	dir := t.TempDir()
	for name := range specified {
		writeFile(t, filepath.Join(dir, filepath.FromSlash(name)), "")
	}
	bucket := make(fstest.MapFS) // as package blob of gocloud.dev presents it
	for name := range specified {
		bucket[name] = &fstest.MapFile{Mode: fs.ModeIrregular}
	}
	for name, fsys := range map[string]fs.FS{"zip": zipped(t, specified), "folder": os.DirFS(dir), "bucket": bucket} {
		t.Run(name, func(t *testing.T) {
			paths, errs := walked(fsys, ".", WalkOptions{})
			if diff := cmp.Diff(specifiedOrder, paths); diff != "" || errs != nil {
				t.Errorf("%v (-want +got):\n%s", errs, diff)
			}
		})
	}
}

// zipped returns a zip file of a file system.
func zipped(t *testing.T, fsys fs.FS) fs.FS {
	t.Helper()
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	if err := w.AddFS(fsys); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := zip.NewReader(bytes.NewReader(archive.Bytes()), int64(archive.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestWalkLinks(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "d/2024/01/02/03/x.json"), "text")
	for link, to := range map[string]string{
		"d/2024/01/02/03/file.json":    "x.json",
		"d/2024/01/02/03/dir.json":     ".",
		"d/2024/01/02/03/missing.json": "nothing",
		"e":                            "d",
	} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Skip("no symbolic links: ", err)
		}
	}

	var got []string
	for f, err := range Walk(os.DirFS(dir), ".", WalkOptions{}) {
		if err != nil && f.Path != "d/2024/01/02/03/missing.json" {
			f.Path = err.Error()
		}
		got = append(got, fmt.Sprint(f.Path, " ", f.Size))
	}

	want := []string{
		"walk e: symbolic link above the files of an hour is not followed 0",
		"walk d/2024/01/02/03/dir.json: symbolic link to a directory is not followed 0",
		"d/2024/01/02/03/file.json 4",
		"d/2024/01/02/03/missing.json 0",
		"d/2024/01/02/03/x.json 4",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A listing is a file system that records which directories are read, and changes or fails some.
type listing struct {
	fs.FS
	read   []string
	change func(dir string, entries []fs.DirEntry) ([]fs.DirEntry, error)
}

func (l *listing) ReadDir(dir string) ([]fs.DirEntry, error) {
	l.read = append(l.read, dir)
	entries, err := fs.ReadDir(l.FS, dir)
	if l.change != nil {
		return l.change(dir, entries)
	}
	return entries, err
}

// Directories out of range are not read, and others when it is their turn.
func TestWalkReads(t *testing.T) {
	l := &listing{FS: specified}
	for range Walk(l, ".", WalkOptions{From: hour(2018, 12, 31, 0)}) {
		break
	}
	want := []string{
		".", "b", "b/1234", "b/1234/arm", "b/1234/arm/2018", "b/2018", "b/2018/2018",
		"b/a", "b/a/2018", "b/a/b", "b/a/b/2018", "b/x", "b/x/2018", "b/x/2019",
		"b/x/2018/12", "b/x/2018/12/31", "b/x/2018/12/31/23",
	}
	if diff := cmp.Diff(want, l.read); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A directory that cannot be read is an error, and the walk continues.
func TestWalkUnreadable(t *testing.T) {
	broken := errors.New("broken disk")
	for _, dir := range []string{"b", "b/x/2018", "b/x/2018/08", "b/x/2018/08/23", "b/x/2018/08/23/22"} {
		l := &listing{FS: specified, change: func(name string, entries []fs.DirEntry) ([]fs.DirEntry, error) {
			if name == dir {
				return nil, broken
			}
			return entries, nil
		}}
		want := slices.DeleteFunc(slices.Clone(specifiedOrder), func(name string) bool {
			return strings.HasPrefix(name, dir+"/")
		})

		var got []string
		failed := 0
		for f, err := range Walk(l, ".", WalkOptions{}) {
			if err == nil {
				got = append(got, f.Path)
				continue
			}
			failed++
			if e, ok := errors.AsType[*fs.PathError](err); !ok || e.Path != dir || f.Path != dir || !errors.Is(err, broken) {
				t.Errorf("%s: %s: %v", dir, f.Path, err)
			}
		}
		if diff := cmp.Diff(want, got, emptyIsNil); diff != "" || failed != 1 {
			t.Errorf("%s: %d errors (-want +got):\n%s", dir, failed, diff)
		}
	}
}

// An entry with a name that leads elsewhere is an error, and not followed.
func TestWalkInvalidNames(t *testing.T) {
	for _, name := range []string{"", ".", "..", "a/b", "/"} {
		for _, order := range []Order{ByHour, ByPath} {
			l := &listing{FS: specified, change: func(dir string, entries []fs.DirEntry) ([]fs.DirEntry, error) {
				return append(slices.Clip(entries), misnamed{entries[0], name}), nil
			}}
			n := 0
			for _, err := range Walk(l, "b/a/b", WalkOptions{Order: order}) {
				if err != nil {
					n++
				}
			}
			if n != len(l.read) {
				t.Errorf("%q: %d errors, want %d", name, n, len(l.read))
			}
		}
	}
}

type misnamed struct {
	fs.DirEntry
	name string
}

func (m misnamed) Name() string { return m.name }
