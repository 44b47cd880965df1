package opening_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"testing/fstest"
	"time"

	"perfdata/format"
	"perfdata/internal/opening"
)

// A file that changes between two reads ends with the cause ErrChanged. One that only loses its name
// does not change.
func TestUnchanged(t *testing.T) {
	const text = "the first version"
	old := time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, test := range []struct {
		name      string
		change    func(name string) error
		want      error
		linuxOnly bool
	}{
		{name: "nothing", change: func(string) error { return nil }},
		{
			name:   "in place",
			change: func(name string) error { return os.WriteFile(name, []byte("another versionXX"), 0o600) },
			want:   format.ErrChanged,
		},
		{
			name: "in place, with the earlier time",
			change: func(name string) error {
				return errors.Join(os.WriteFile(name, []byte("another versionXX"), 0o600), os.Chtimes(name, old, old))
			},
			want:      format.ErrChanged,
			linuxOnly: true,
		},
		{
			name: "longer, with the earlier time",
			change: func(name string) error {
				return errors.Join(os.WriteFile(name, []byte(text+text), 0o600), os.Chtimes(name, old, old))
			},
			want: format.ErrChanged,
		},
		{
			name:   "shorter",
			change: func(name string) error { return os.Truncate(name, 5) },
			want:   format.ErrChanged,
		},
		{name: "removed", change: os.Remove},
		{
			name: "replaced",
			change: func(name string) error {
				return errors.Join(os.WriteFile(name+".new", []byte("another"), 0o600), os.Rename(name+".new", name))
			},
		},
		{name: "another name", change: func(name string) error { return os.Link(name, name+".link") }},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.linuxOnly && runtime.GOOS != "linux" {
				t.Skip("the system does not tell when a file was changed")
			}
			name := filepath.Join(t.TempDir(), "file")
			if err := errors.Join(os.WriteFile(name, []byte(text), 0o600), os.Chtimes(name, old, old)); err != nil {
				t.Fatal(err)
			}
			waitForClock(t, filepath.Dir(name))
			f, err := opening.Open(os.DirFS(filepath.Dir(name)), "file")
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()

			if n, err := io.ReadFull(f, make([]byte, 4)); n != 4 || err != nil {
				t.Fatal(n, err)
			}
			if err := test.change(name); err != nil {
				t.Fatal(err)
			}
			rest, err := io.ReadAll(f)
			if !errors.Is(err, test.want) || err == nil && string(rest) != text[4:] || err != nil && len(rest) > 0 {
				t.Errorf("%q, %v, want %v", rest, err, test.want)
			}

			// Readers that go back see it too.
			if _, err := f.(io.Seeker).Seek(0, io.SeekStart); err != nil {
				t.Fatal(err)
			}
			if _, err := f.Read(make([]byte, 4)); !errors.Is(err, test.want) {
				t.Errorf("read again: %v, want %v", err, test.want)
			}
		})
	}
}

// The last bytes come with io.EOF, wherever the reading began.
func TestLastBytes(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, []byte("abcdef"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := opening.Open(os.DirFS(filepath.Dir(name)), "file")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()

	for _, step := range []struct {
		seek  int64 // where to, or -1
		bytes int
		want  string
		err   error
	}{
		{-1, 10, "abcdef", io.EOF},
		{-1, 10, "", io.EOF},
		{0, 4, "abcd", nil},
		{-1, 2, "ef", io.EOF},
		{2, 2, "cd", nil},
		{2, 10, "cdef", io.EOF},
		{6, 10, "", io.EOF},
		{9, 10, "", io.EOF},
		{0, 5, "abcde", nil},
	} {
		if step.seek >= 0 {
			if at, err := f.(io.Seeker).Seek(step.seek, io.SeekStart); at != step.seek || err != nil {
				t.Fatal(at, err)
			}
		}
		p := make([]byte, step.bytes)
		if n, err := f.Read(p); string(p[:n]) != step.want || err != step.err {
			t.Errorf("%+v: %q, %v", step, p[:n], err)
		}
	}
}

// The sum of a file in a ZIP archive is checked, which happens after its last byte.
func TestZIP(t *testing.T) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	f, err := w.CreateHeader(&zip.FileHeader{Name: "file", Method: zip.Store})
	if err == nil {
		_, err = f.Write([]byte("abcdef"))
	}
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		old, new string
		err      error
	}{{"", "", nil}, {"abcdef", "abcdeX", zip.ErrChecksum}} {
		archive := bytes.Replace(b.Bytes(), []byte(test.old), []byte(test.new), 1)
		fsys, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
		if err != nil {
			t.Fatal(err)
		}
		f, err := opening.Open(fsys, "file")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadAll(f); !errors.Is(err, test.err) {
			t.Errorf("%q: %v, want %v", test.new, err, test.err)
		}
		f.Close()
	}
}

// waitForClock waits until the clock of the file system has moved on, which ticks every few
// milliseconds.
func waitForClock(t *testing.T, dir string) {
	t.Helper()
	modified := func() time.Time {
		name := filepath.Join(dir, "clock")
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		return info.ModTime()
	}
	for first := modified(); modified().Equal(first); {
	}
}

// A source that cannot change, or does not say whether it did, is read without checks.
func TestOthers(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	info, err := r.Stat()
	if err != nil {
		t.Fatal(err)
	}
	if got := opening.Unchanged(r, info); got != fs.File(r) {
		t.Errorf("a pipe became a %T", got)
	}

	f, err := opening.Open(noStat{fstest.MapFS{"a": {Data: []byte("text")}}}, "a")
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(f); string(text) != "text" || err != nil {
		t.Errorf("without Stat: %q, %v", text, err)
	}
	if _, err := opening.Open(fstest.MapFS{}, "a"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

type noStat struct{ fs.FS }

func (n noStat) Open(name string) (fs.File, error) {
	f, err := n.FS.Open(name)
	return noStatFile{f}, err
}

type noStatFile struct{ fs.File }

func (noStatFile) Stat() (fs.FileInfo, error) { return nil, errors.ErrUnsupported }

func TestMissing(t *testing.T) {
	if _, err := opening.Missing(nil).Read(make([]byte, 1)); !errors.Is(err, format.ErrMisuse) {
		t.Error(err)
	}
	if in := io.LimitReader(nil, 0); opening.Missing(in) != in {
		t.Error("another Reader")
	}
}
