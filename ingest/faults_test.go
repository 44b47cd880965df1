package ingest

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
)

// Whatever happens to a file while it is read, it fails, is closed, and contributes nothing.
func TestRunFaults(t *testing.T) {
	broken := errors.New("broken disk")
	for _, test := range []struct {
		name string
		open func(ctx context.Context) (io.ReadCloser, error)
		want error
	}{
		{
			name: "unreadable",
			open: func(context.Context) (io.ReadCloser, error) {
				return nil, &fs.PathError{Op: "open", Path: "in", Err: fs.ErrPermission}
			},
			want: fs.ErrPermission,
		},
		{
			name: "read fails",
			open: func(context.Context) (io.ReadCloser, error) {
				return io.NopCloser(io.MultiReader(strings.NewReader(goodV1[:100]), failing{broken})), nil
			},
			want: broken,
		},
		{
			name: "read fails at the end",
			open: func(context.Context) (io.ReadCloser, error) {
				return io.NopCloser(io.MultiReader(strings.NewReader(goodV1), failing{broken})), nil
			},
			want: broken,
		},
		{
			name: "client hangs up",
			open: func(context.Context) (io.ReadCloser, error) {
				return io.NopCloser(io.MultiReader(strings.NewReader("a{perf}=1\n"), failing{io.ErrUnexpectedEOF})), nil
			},
			want: io.ErrUnexpectedEOF,
		},
		{
			name: "client hangs up late",
			open: func(context.Context) (io.ReadCloser, error) {
				long := strings.NewReader(strings.Repeat("a{perf}=1\n\n", maxStart/10))
				return io.NopCloser(io.MultiReader(long, failing{io.ErrUnexpectedEOF})), nil
			},
			want: io.ErrUnexpectedEOF,
		},
		{
			name: "no progress",
			open: func(context.Context) (io.ReadCloser, error) { return io.NopCloser(failing{nil}), nil },
			want: io.ErrNoProgress,
		},
		{
			name: "no progress late",
			open: func(context.Context) (io.ReadCloser, error) {
				long := strings.NewReader(strings.Repeat("a{perf}=1\n\n", maxStart/10))
				return io.NopCloser(io.MultiReader(long, failing{nil})), nil
			},
			want: io.ErrNoProgress,
		},
		{
			name: "grows",
			open: func(context.Context) (io.ReadCloser, error) {
				return newChanging(goodV1, func(f *changing) { f.text += "\n"; f.info.size++ }), nil
			},
			want: format.ErrChanged,
		},
		{
			name: "grows after the end",
			open: func(context.Context) (io.ReadCloser, error) {
				return newChanging(goodV1, func(f *changing) { f.info.size++ }), nil
			},
			want: format.ErrChanged,
		},
		{
			name: "shrinks",
			open: func(context.Context) (io.ReadCloser, error) {
				return newChanging(goodV1+"  ", func(f *changing) { f.text = goodV1 }), nil
			},
			want: format.ErrChanged,
		},
		{
			name: "is written again",
			open: func(context.Context) (io.ReadCloser, error) {
				return newChanging(goodV1, func(f *changing) { f.info.modified = hour(2024, 1, 1, 1) }), nil
			},
			want: format.ErrChanged,
		},
		{
			name: "cannot be looked at",
			open: func(context.Context) (io.ReadCloser, error) {
				return newChanging(goodV1, func(f *changing) { f.statErr = broken }), nil
			},
			want: broken,
		},
		{
			name: "invalid count",
			open: func(context.Context) (io.ReadCloser, error) { return io.NopCloser(overcounting{}), nil },
		},
		{name: "no Open"},
	} {
		t.Run(test.name, func(t *testing.T) {
			closed := 0
			f := File{Path: "in"}
			if test.open != nil {
				f.Open = func(ctx context.Context) (io.ReadCloser, error) {
					in, err := test.open(ctx)
					if err != nil {
						closed++
						return nil, err
					}
					return closing(in, &closed), nil
				}
			}
			got := ingestFiles(t, sequence(f, textFile("good", goodV1)), RunOptions{}, nil)
			err := got.reports["in"].Err
			if err == nil || test.want != nil && !errors.Is(err, test.want) || !strings.Contains(err.Error(), "in") {
				t.Errorf("error %v, want %v", err, test.want)
			}
			if diff := cmp.Diff(map[string][]string{"good": goodV1Records}, got.stored); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if test.open != nil && closed != 1 {
				t.Errorf("closed %d times", closed)
			}
		})
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

type overcounting struct{}

func (overcounting) Read(p []byte) (int, error) { return len(p) + 1, nil }

// closing returns in with a Close that also increments closed.
func closing(in io.ReadCloser, closed *int) io.ReadCloser {
	c := closer{in, closed}
	if f, ok := in.(fs.File); ok {
		return struct {
			closer
			stater
		}{c, f}
	}
	return c
}

type stater interface{ Stat() (fs.FileInfo, error) }

type closer struct {
	io.ReadCloser
	closed *int
}

func (c closer) Close() error { *c.closed++; return c.ReadCloser.Close() }

// A changing file changes after the first byte has been read.
type changing struct {
	text    string
	read    int
	change  func(*changing)
	info    changingInfo
	statErr error
}

func newChanging(text string, change func(*changing)) *changing {
	return &changing{text: text, change: change, info: changingInfo{size: int64(len(text))}}
}

func (c *changing) Read(p []byte) (int, error) {
	n := copy(p, c.text[c.read:])
	if c.read == 0 {
		n = copy(p, c.text[:1])
		c.change(c)
	}
	c.read += n
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

func (c *changing) Stat() (fs.FileInfo, error) { return c.info, c.statErr }
func (c *changing) Close() error               { return nil }

type changingInfo struct {
	size     int64
	modified time.Time
}

func (i changingInfo) Name() string       { return "in" }
func (i changingInfo) Size() int64        { return i.size }
func (i changingInfo) Mode() fs.FileMode  { return 0 }
func (i changingInfo) ModTime() time.Time { return i.modified }
func (i changingInfo) IsDir() bool        { return false }
func (i changingInfo) Sys() any           { return nil }

// A file on disk that is appended to while it is read fails.
func TestRunChangesOnDisk(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "keyval"), strings.Repeat("a{perf}=1\n\n", 100_000))
	once := sync.OnceFunc(func() {
		f, err := os.OpenFile(filepath.Join(dir, "keyval"), os.O_APPEND|os.O_WRONLY, 0)
		if err == nil {
			_, err = f.WriteString("a{perf}=2\n")
			f.Close()
		}
		if err != nil {
			t.Error(err)
		}
	})
	sink := newMemorySink(t)
	sink.fail = func(call, _ string) error {
		if call == "Add" {
			once()
		}
		return nil
	}
	var got error
	summary, err := Run(t.Context(), Walk(os.DirFS(dir), ".", WalkOptions{Order: ByPath}), sink, RunOptions{
		Report: func(r Report) { got = r.Err },
	})
	if summary != (Summary{Failed: 1}) || err != nil || !errors.Is(got, format.ErrChanged) || len(sink.stored) > 0 {
		t.Errorf("%+v, %v, %v", summary, err, got)
	}
}
