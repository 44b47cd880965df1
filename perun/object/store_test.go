package object_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/testing/formattest"
	"perfdata/perun"
	"perfdata/perun/object"
)

func TestStore(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "objects")
	var sums []string
	for name, file := range formattest.Files(t, "../../testdata/perun/*.perf", 7) {
		h, err := perun.NewReader(strings.NewReader(file)).Header()
		if err != nil {
			t.Fatal(err)
		}
		if h.Type == "speed" {
			if _, err := object.Store(dir, h.Type, strings.NewReader(file)); err == nil {
				t.Errorf("%s: stored, with type %q", name, h.Type)
			}
			continue
		}
		for range 2 { // the second time, it exists
			sum, err := object.Store(dir, h.Type, strings.NewReader(file))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if !slices.Contains(sums, sum) {
				sums = append(sums, sum)
			}
			o, err := object.Open(os.DirFS(dir), sum, format.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			want := regexp.MustCompile(`"origin": "[^"]*",\s*|,\s*"origin": "[^"]*"`).ReplaceAllString(file, "")
			if got, err := io.ReadAll(o); err != nil || string(got) != want {
				t.Errorf("%s: read back with %v: %.100s", name, err, got)
			}
			o.Close()
		}
	}

	os.WriteFile(filepath.Join(dir, "ab.changes"), nil, 0o666) // not an object
	var got []string
	for sum, err := range object.List(os.DirFS(dir)) {
		if err != nil {
			t.Error(err)
		}
		got = append(got, sum)
	}
	slices.Sort(sums)
	if !slices.Equal(got, sums) {
		t.Errorf("got %q, want %q", got, sums)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "tmp-*")); len(left) > 0 {
		t.Errorf("temporary files are left: %q", left)
	}
	for range object.List(fstest.MapFS{}) {
		t.Error("an object in an empty folder")
	}
}

func TestOpenErrors(t *testing.T) {
	empty := fstest.MapFS{}
	if _, err := object.Open(empty, strings.Repeat("0", 40), format.Limits{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	for _, sum := range []string{"", "../x", strings.Repeat("A", 40), strings.Repeat("0", 39)} {
		if _, err := object.Open(empty, sum, format.Limits{}); err == nil {
			t.Errorf("opened %q", sum)
		}
	}
	other := strings.Repeat("0", 40)
	o, err := object.Open(fstest.MapFS{"00/" + other[2:]: {Data: pack("profile time 79\x00" + small)}}, other,
		format.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(o); !errors.Is(err, object.ErrInvalid) ||
		!strings.Contains(err.Error(), "the checksum is ") {
		t.Errorf("%v", err)
	}
	if n, again := o.Read(make([]byte, 1)); n != 0 || !errors.Is(again, object.ErrInvalid) {
		t.Errorf("read again: %d bytes, %v", n, again)
	}
}

// An object whose header is at fault is closed.
func TestOpenClosesInvalid(t *testing.T) {
	name := strings.Repeat("0", 40)
	file := &closing{Reader: strings.NewReader("profile speed 1\x00{}")}
	if _, err := object.Open(oneFile{file}, name, format.Limits{}); !errors.Is(err, object.ErrInvalid) || !file.closed {
		t.Errorf("%v, closed is %v", err, file.closed)
	}
}

// oneFile is a file system in which all names are the same file.
type oneFile struct{ fs.File }

func (f oneFile) Open(string) (fs.File, error) { return f.File, nil }

type closing struct {
	io.Reader
	closed bool
}

func (c *closing) Stat() (fs.FileInfo, error) { return nil, errors.ErrUnsupported }
func (c *closing) Close() error               { c.closed = true; return nil }

// List goes on after a folder that cannot be read, and stops where the caller does.
func TestListErrors(t *testing.T) {
	name := func(c string) string { return c + c + "/" + strings.Repeat(c, 38) }
	folder := unreadable{fstest.MapFS{name("a"): {}, name("b"): {}, name("c"): {}}, "bb"}
	show := func(steps int) (got []string) {
		for sum, err := range object.List(folder) {
			if got = append(got, fmt.Sprintf("%.2s %v", sum, err)); len(got) == steps {
				break
			}
		}
		return got
	}
	want := []string{"aa <nil>", " open bb: permission denied", "cc <nil>"}
	for steps := 1; steps <= 3; steps++ {
		if diff := cmp.Diff(want[:steps], show(steps)); diff != "" {
			t.Errorf("%d steps (-want +got):\n%s", steps, diff)
		}
	}
	missing := unreadable{fstest.MapFS{}, "."}
	for sum, err := range object.List(missing) {
		if sum != "" || !errors.Is(err, fs.ErrPermission) {
			t.Errorf("%q, %v", sum, err)
		}
	}
}

// unreadable is a file system with a folder that cannot be read.
type unreadable struct {
	fstest.MapFS
	folder string
}

func (u unreadable) Open(name string) (fs.File, error) {
	if name == u.folder {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return u.MapFS.Open(name)
}

func (u unreadable) ReadDir(name string) ([]fs.DirEntry, error) {
	if _, err := u.Open(name); err != nil {
		return nil, err
	}
	return u.MapFS.ReadDir(name)
}

// Write removes the origin, wherever it is, and changes nothing else.
func TestOrigin(t *testing.T) {
	for _, test := range []struct{ name, in, want string }{
		{"none", " { \"a\" : [1,\n{\"origin\":2}] } \n", " { \"a\" : [1,\n{\"origin\":2}] } \n"},
		{"first", `{"origin":"f7f3", "a":{"b":1}}`, `{"a":{"b":1}}`},
		{"between", "{\"a\":1,\n  \"origin\": \"é\",\n  \"b\":2}", "{\"a\":1,\n  \"b\":2}"},
		{"last", `{"a":"origin", "origin" : {"x":["}"]} }`, `{"a":"origin" }`},
		{"alone", `{ "origin":null }`, `{  }`},
		{"several", `{"origin":1,"origin":2,"a":1,"origin":3,"b":2,"origin":4,"origin":5}`, `{"a":1,"b":2}`},
		{"escaped", `{"\u006frigin":1,"a":NaN}`, `{"a":NaN}`},
		{"long", `{"a":"` + strings.Repeat("x", 100_000) + `","origin":"` + strings.Repeat("y", 100_000) + `","b":1}`,
			`{"a":"` + strings.Repeat("x", 100_000) + `","b":1}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out bytes.Buffer
			sum, err := object.Write(&out, "time", strings.NewReader(test.in))
			if err != nil {
				t.Fatal(err)
			}
			o := newReader(t, &out, format.Limits{})
			got, err := io.ReadAll(o)
			if diff := cmp.Diff(test.want, string(got)); diff != "" || err != nil || sum != o.Sum() {
				t.Errorf("%s, %v (-want +got):\n%s", sum, err, diff)
			}
		})
	}

	for _, test := range []struct{ name, in, want string }{
		{"not JSON", "{\n\"a\":x}", "profile:2:5: a: found 'x', expected a value"},
		{"not an object", "[]", "profile:1:1: found '[', expected an object"},
		{"more data", `{"a":1}{}`, "profile:1:8: data after the end of the document"},
		{"truncated", `{"origin":""`, "profile:1:13: origin: unexpected end of input, expected a comma or }"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out bytes.Buffer
			sum, err := object.Write(&out, "time", strings.NewReader(test.in))
			if sum != "" || err == nil || err.Error() != test.want || out.Len() > 0 {
				t.Errorf("%q, %v; %d bytes were written", sum, err, out.Len())
			}
		})
	}
}

// An object that cannot be written is an error, and has no name.
func TestWriteErrors(t *testing.T) {
	full := errors.New("full")
	sum, err := object.Write(formattest.FailingWriter(full), "time", strings.NewReader(small))
	if sum != "" || !errors.Is(err, full) {
		t.Errorf("%q, %v", sum, err)
	}
	if sum, err = object.Write(io.Discard, "speed", strings.NewReader(small)); sum != "" || err == nil ||
		err.Error() != `the profile's type is "speed", want time, memory or mixed` {
		t.Errorf("%q, %v", sum, err)
	}

	// The folder of objects is a file, or below one.
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{file, filepath.Join(file, "objects")} {
		if sum, err := object.Store(dir, "time", strings.NewReader(small)); sum != "" || err == nil {
			t.Errorf("%s: %q, %v", dir, sum, err)
		}
	}
}
