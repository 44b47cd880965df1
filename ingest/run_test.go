package ingest

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"perfdata"
	"perfdata/format"
	"perfdata/traceid"
)

// A memorySink stores the records of files as text. It fails the test if Run does not use it as
// Sink and Batch promise.
type memorySink struct {
	t    testing.TB
	fail func(call, path string) error // may be nil

	mu     sync.Mutex
	stored map[string][]string // by path
	calls  map[string][]string // by path, without repeated Adds
	open   int                 // Batches that are neither committed nor rolled back
}

func newMemorySink(t testing.TB) *memorySink {
	return &memorySink{t: t, stored: make(map[string][]string), calls: make(map[string][]string)}
}

func (s *memorySink) call(name, path string) error {
	s.mu.Lock()
	calls := s.calls[path]
	if name != "Add" || calls[len(calls)-1] != "Add" {
		s.calls[path] = append(calls, name)
	}
	s.mu.Unlock()
	if s.fail != nil {
		return s.fail(name, path)
	}
	return nil
}

func (s *memorySink) Begin(ctx context.Context, src Source) (Batch, error) {
	if err := s.call("Begin", src.Path); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open++
	return &memoryBatch{sink: s, src: src, seen: make(map[string]bool)}, nil
}

type memoryBatch struct {
	sink    *memorySink
	src     Source
	records []string
	seen    map[string]bool
	ended   bool
}

func (b *memoryBatch) Add(r *Record) error {
	if b.ended {
		b.sink.t.Error("Add after the end of the Batch")
	}
	if err := b.sink.call("Add", b.src.Path); err != nil {
		return err
	}
	if string(r.ID) != r.Params.ID() || !r.Params.Sorted() || !r.Attrs.Sorted() || r.N < 1 {
		b.sink.t.Errorf("invalid record: %s %+v", r.ID, r)
	}
	place := fmt.Sprintf("%s %s#%d", r.ID, r.Commit, r.N)
	if b.seen[place] {
		b.sink.t.Errorf("%s: %s is repeated", b.src.Path, place)
	}
	b.seen[place] = true
	b.records = append(b.records, fmt.Sprintf("%s = %v", place, r.Value))
	return nil
}

func (b *memoryBatch) Commit(content Content) error {
	if b.ended || content.Records != len(b.records) {
		b.sink.t.Errorf("Commit of %d records, want %d", content.Records, len(b.records))
	}
	if err := b.sink.call("Commit", b.src.Path); err != nil {
		return err
	}
	b.end()
	b.sink.mu.Lock()
	defer b.sink.mu.Unlock()
	b.sink.stored[b.src.Path] = b.records
	return nil
}

func (b *memoryBatch) Rollback() error {
	if b.ended {
		b.sink.t.Error("Rollback after the end of the Batch")
	}
	b.end()
	return b.sink.call("Rollback", b.src.Path)
}

func (b *memoryBatch) end() {
	b.ended = true
	b.sink.mu.Lock()
	defer b.sink.mu.Unlock()
	b.sink.open--
}

// ingested is what Run made of files.
type ingested struct {
	summary Summary
	reports map[string]Report
	stored  map[string][]string
	calls   map[string][]string
}

// ingestFiles runs Run, and fails the test if it fails, or leaves a goroutine or a Batch behind.
func ingestFiles(t *testing.T, files iter.Seq2[File, error], options RunOptions, fail func(call, path string) error) ingested {
	t.Helper()
	got := ingested{reports: make(map[string]Report)}
	options.Report = func(r Report) {
		if _, ok := got.reports[r.File.Path]; ok {
			t.Errorf("%s: a second report", r.File.Path)
		}
		got.reports[r.File.Path] = r
	}
	synctest.Test(t, func(t *testing.T) { // fails if a goroutine is left
		sink := newMemorySink(t)
		sink.fail = fail
		var err error
		got.summary, err = Run(t.Context(), files, sink, options)
		if err != nil || sink.open != 0 {
			t.Errorf("Run returned %v, with %d Batches open", err, sink.open)
		}
		got.stored, got.calls = sink.stored, sink.calls
	})
	if n := got.summary.Files + got.summary.Failed; n != len(got.reports) {
		t.Errorf("%d files in the summary, want %d", n, len(got.reports))
	}
	return got
}

// texts returns Files with the given contents.
func texts(contents map[string]string) iter.Seq2[File, error] {
	return func(yield func(File, error) bool) {
		for _, path := range slices.Sorted(maps.Keys(contents)) {
			if !yield(textFile(path, contents[path]), nil) {
				return
			}
		}
	}
}

func textFile(path, text string) File {
	return File{Path: path, Open: func(context.Context) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(text)), nil
	}}
}

const goodV1 = `{"version":1,"git_hash":"abc","key":{"arch":"x86"},"results":[` +
	`{"key":{"test":"a"},"measurement":1},{"key":{"test":"b"},"measurements":{"stat":[{"value":"min","measurement":2}]}}]}`

var goodV1Records = []string{",arch=x86,test=a, abc#1 = 1", ",arch=x86,stat=min,test=b, abc#1 = 2"}

// Two of four measurements are good.
const faultyV1 = `{"version":1,"git_hash":"abc","key":{"arch":"x86"},"results":[{"key":{"test":"a"},"measurement":1},` +
	`{"key":{"test":"x"}},{"key":{"test":"y"},"measurement":"1"},` +
	`{"key":{"test":"b"},"measurements":{"stat":[{"value":"min","measurement":2}]}}]}`

func TestRun(t *testing.T) {
	compressed := func(text string) string {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		io.WriteString(w, text)
		w.Close()
		return b.String()
	}
	many := `{"version":1,"git_hash":"abc","results":[` + strings.Repeat(`{"key":{"a":"b"}},`, 100)
	many = strings.TrimSuffix(many, ",") + "]}"

	for _, test := range []struct {
		name    string
		options RunOptions
		text    string
		want    []string
		err     string
		faults  int
	}{
		{name: "skiav1", text: goodV1, want: goodV1Records},
		{name: "gzip", text: compressed(goodV1), want: goodV1Records},
		{
			name: "no measurements",
			text: `{"version":1,"git_hash":"abc","results":[]}`,
		},
		{
			name: "nanolegacy",
			text: `{"gitHash":"abc","key":{"arch":"x86"},"results":{"t":{"8888":{"min_ms":1.5,"options":{"o":"p"}}}}}`,
			want: []string{",arch=x86,config=8888,sub_result=min_ms,test=t, abc#1 = 1.5"},
		},
		{name: "faulty", text: faultyV1, err: "in:1:100: results.1: "},
		{
			name: "faulty, good kept", options: RunOptions{KeepGood: true}, text: faultyV1,
			want: goodV1Records, faults: 2,
		},
		{
			name: "many faults", options: RunOptions{KeepGood: true}, text: many,
			faults: 100,
		},
		{
			name: "cut off, good kept", options: RunOptions{KeepGood: true}, text: goodV1[:len(goodV1)-2],
			err: "in:1:178: results.1: ",
		},
		{name: "cut off in the header", text: goodV1[:30], err: "in:1:31: "},
		{name: "compressed and cut off", text: compressed(goodV1)[:60], err: "unexpected EOF"},
		{name: "trailing data", text: goodV1 + "{}", err: "in:1:180: "},
		{name: "unknown format", text: "Hello", err: "in:1:1: "},
		{name: "empty", text: "", err: "in:1:1: "},
		{
			name: "bomb", options: RunOptions{Opener: perfdata.Opener{Limits: format.Limits{MaxDecompressedBytes: 1 << 20}}},
			text: compressed(`{"version":1,"git_hash":"abc","results":[` + strings.Repeat(" ", 2<<20) + "]}"),
			err:  "MaxDecompressedBytes",
		},
		{
			name: "format named", options: RunOptions{Opener: perfdata.Opener{Format: "keyval", Params: traceid.Of("test", "boot")}},
			text: "a{perf}=1\n", want: []string{",key=a,test=boot, #1 = 1"},
		},
		{
			name: "unknown format named", options: RunOptions{Opener: perfdata.Opener{Format: "xml"}},
			text: "a{perf}=1\n", err: `in: unknown format "xml"`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := ingestFiles(t, texts(map[string]string{"in": test.text}), test.options, nil)
			report := got.reports["in"]
			if diff := cmp.Diff(test.want, got.stored["in"]); diff != "" {
				t.Errorf("%v (-want +got):\n%s", report.Err, diff)
			}
			if test.err == "" && report.Err != nil || test.err != "" && (report.Err == nil || !strings.Contains(report.Err.Error(), test.err)) {
				t.Errorf("error %v, want %s", report.Err, test.err)
			}
			if report.Faults != test.faults || len(report.FirstFaults) != min(test.faults, maxFaults) {
				t.Errorf("%d faults, first %v, want %d", report.Faults, report.FirstFaults, test.faults)
			}

			content := Content{}
			if test.err == "" {
				content = Content{Size: int64(len(test.text)), SHA256: sha256.Sum256([]byte(test.text)), Records: len(test.want)}
			}
			if diff := cmp.Diff(content, report.Content); diff != "" {
				t.Errorf("content (-want +got):\n%s", diff)
			}
		})
	}
}

// Errors of the sequence are failed files, and do not end Run.
func TestRunWalkErrors(t *testing.T) {
	fsys := fstest.MapFS{
		"readme":                 {},
		"d/2024/01/02/03/a.txt":  {},
		"d/2024/01/02/03/b.json": {Data: []byte(goodV1)},
	}
	got := ingestFiles(t, Walk(fsys, ".", WalkOptions{}), RunOptions{}, nil)
	if diff := cmp.Diff(Summary{Files: 1, Records: 2, Failed: 2}, got.summary); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := got.reports["readme"].Err; !errors.Is(err, ErrLayout) {
		t.Errorf("error %v, want ErrLayout", err)
	}
}

// The result depends neither on the order of the files nor on the number of workers.
func TestRunOrder(t *testing.T) {
	contents := make(map[string]string)
	for i := range 40 {
		text := fmt.Sprintf("commit: c%d\nBenchmarkX 1 %d ns/op\nBenchmarkX 1 1 ns/op\n", i%3, i)
		switch i % 4 {
		case 1:
			text = strings.Replace(goodV1, "abc", fmt.Sprint("c", i), 1)
		case 2:
			text = fmt.Sprintf("a{perf}=%d\n\na{perf}=1\n", i)
		case 3:
			text = faultyV1
		}
		contents[fmt.Sprint(i)] = text
	}
	want := ingestFiles(t, texts(contents), RunOptions{Workers: 1}, nil)

	for seed := range uint64(10) {
		names := slices.Sorted(maps.Keys(contents))
		rand.New(rand.NewPCG(seed, 0)).Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		shuffled := func(yield func(File, error) bool) {
			for _, name := range names {
				if !yield(textFile(name, contents[name]), nil) {
					return
				}
			}
		}
		got := ingestFiles(t, shuffled, RunOptions{Workers: 1 + int(seed%4)}, nil)
		if diff := cmp.Diff(want.stored, got.stored); diff != "" || got.summary != want.summary {
			t.Errorf("seed %d: %+v, want %+v (-want +got):\n%s", seed, got.summary, want.summary, diff)
		}
	}
}

// Whichever call of a sink fails, that file contributes nothing and is reported, and the others
// are stored.
func TestRunSinkFails(t *testing.T) {
	broken := errors.New("broken sink")
	for _, test := range []struct {
		call  string
		text  string // of the file
		calls []string
		err   string
	}{
		{"Begin", goodV1, []string{"Begin"}, "bad: broken sink"},
		{"Add", goodV1, []string{"Begin", "Add", "Rollback"}, "bad: broken sink"},
		{"Commit", goodV1, []string{"Begin", "Add", "Commit", "Rollback"}, "bad: broken sink"},
		{
			"Rollback", faultyV1, []string{"Begin", "Add", "Rollback"},
			"bad:1:100: results.1: *bad: rollback: broken sink",
		},
	} {
		t.Run(test.call, func(t *testing.T) {
			for _, keepGood := range []bool{false, true} {
				if keepGood && test.call == "Rollback" {
					continue // nothing is rolled back
				}
				fail := func(call, path string) error {
					if path == "bad" && call == test.call {
						return broken
					}
					return nil
				}
				contents := map[string]string{"a": goodV1, "bad": test.text, "z": goodV1}
				got := ingestFiles(t, texts(contents), RunOptions{KeepGood: keepGood}, fail)
				if diff := cmp.Diff(map[string][]string{"a": goodV1Records, "z": goodV1Records}, got.stored); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				if diff := cmp.Diff(test.calls, got.calls["bad"]); diff != "" {
					t.Errorf("calls (-want +got):\n%s", diff)
				}
				report := got.reports["bad"]
				if !errors.Is(report.Err, broken) || !matches(report.Err.Error(), test.err) || report.Content != (Content{}) {
					t.Errorf("%v, want %s", report.Err, test.err)
				}
			}
		})
	}
}

// matches reports whether text is pattern, in which * is any text.
func matches(text, pattern string) bool {
	start, end, found := strings.Cut(pattern, "*")
	if !found {
		return text == pattern
	}
	return strings.HasPrefix(text, strings.TrimSpace(start)) && strings.HasSuffix(text, strings.TrimSpace(end))
}

// A recoverable error that a sink returns is not a fault of the file.
func TestRunSinkFailsRecoverably(t *testing.T) {
	fail := func(call, path string) error {
		if call == "Add" {
			return &format.Error{Message: "of another file", Recoverable: true}
		}
		return nil
	}
	got := ingestFiles(t, texts(map[string]string{"a": goodV1}), RunOptions{KeepGood: true}, fail)
	if got.summary != (Summary{Failed: 1}) {
		t.Errorf("%+v", got.summary)
	}
}

// A fault of the file is something that happens to it while it is read.
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
			want: ErrChanged,
		},
		{
			name: "grows after the end",
			open: func(context.Context) (io.ReadCloser, error) {
				return newChanging(goodV1, func(f *changing) { f.info.size++ }), nil
			},
			want: ErrChanged,
		},
		{
			name: "shrinks",
			open: func(context.Context) (io.ReadCloser, error) {
				return newChanging(goodV1+"  ", func(f *changing) { f.text = goodV1 }), nil
			},
			want: ErrChanged,
		},
		{
			name: "is written again",
			open: func(context.Context) (io.ReadCloser, error) {
				return newChanging(goodV1, func(f *changing) { f.info.modified = hour(2024, 1, 1, 1) }), nil
			},
			want: ErrChanged,
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
			seq := func(yield func(File, error) bool) { _ = yield(f, nil) && yield(textFile("good", goodV1), nil) }
			got := ingestFiles(t, seq, RunOptions{}, nil)
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

// closing returns in, whose Close also counts.
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
	if summary != (Summary{Failed: 1}) || err != nil || !errors.Is(got, ErrChanged) || len(sink.stored) > 0 {
		t.Errorf("%+v, %v, %v", summary, err, got)
	}
}

// A cancelled Run stores nothing of the files in progress, asks for no others, and returns the
// cause.
func TestRunCancel(t *testing.T) {
	cause := errors.New("enough")
	for _, call := range []string{"files", "open", "read", "Begin", "Add", "Commit", "report"} {
		t.Run(call, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				at := func(now string) {
					if now == call {
						cancel(cause)
					}
				}
				sink := newMemorySink(t)
				sink.fail = func(now, _ string) error { at(now); return nil }

				asked := 0
				seq := func(yield func(File, error) bool) {
					for ok := true; ok; asked++ {
						f := textFile(fmt.Sprint(asked), goodV1)
						open := f.Open
						f.Open = func(ctx context.Context) (io.ReadCloser, error) {
							at("open")
							in, err := open(ctx)
							return io.NopCloser(io.MultiReader(in, doing(func() { at("read") }))), err
						}
						at("files")
						ok = yield(f, nil)
					}
				}
				failed := make(map[string]error)
				summary, err := Run(ctx, seq, sink, RunOptions{Workers: 3, Report: func(r Report) {
					at("report")
					if r.Err != nil {
						failed[r.File.Path] = r.Err
					}
				}})

				if err != cause || sink.open != 0 {
					t.Errorf("error %v, with %d Batches open", err, sink.open)
				}
				if summary.Files != len(sink.stored) || summary.Failed != len(failed) || asked > 10 {
					t.Errorf("%+v of %d files, want %d stored and %d failed", summary, asked, len(sink.stored), len(failed))
				}
				for path, err := range failed {
					if !errors.Is(err, cause) {
						t.Errorf("%s: %v", path, err)
					}
				}
				for path, calls := range sink.calls {
					end := calls[len(calls)-1]
					if _, ok := sink.stored[path]; ok != (end == "Commit") || !ok && end != "Rollback" {
						t.Errorf("%s: %q, stored: %t", path, calls, ok)
					}
				}
			})
		})
	}
}

// doing calls a function when it is read, and is empty.
type doing func()

func (d doing) Read([]byte) (int, error) { d(); return 0, io.EOF }

// If the context is cancelled before, nothing is read.
func TestRunCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	sink := newMemorySink(t)
	summary, err := Run(ctx, texts(map[string]string{"a": goodV1, "b": goodV1}), sink, RunOptions{})
	if err != context.Canceled || len(sink.stored) > 0 || summary.Files > 0 || summary.Failed > 1 {
		t.Errorf("%+v, %v", summary, err)
	}
}

// A panic of the sequence of files leaves no worker.
func TestRunPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := newMemorySink(t)
		defer func() {
			if got := recover(); got != "broken sequence" || len(sink.stored) != 1 {
				t.Errorf("panic %v, stored %v", got, sink.stored)
			}
		}()
		Run(t.Context(), func(yield func(File, error) bool) {
			yield(textFile("a", goodV1), nil)
			panic("broken sequence")
		}, sink, RunOptions{})
	})
}

// Whatever a file has, it is stored as its Reader reads it, or not at all.
func FuzzRun(f *testing.F) {
	for _, text := range []string{
		goodV1, faultyV1, "commit: a\nBenchmarkX 1 2 ns/op\nBenchmarkX 1 2 ns/op\n", "a{perf}=1\n\na{perf}=2\nb/{perf}=1\nb_{perf}=1\n",
		strings.ReplaceAll(goodV1, `"test":"a"`, `"iteration":"1"`), strings.ReplaceAll(goodV1, `"test":"a"`, `"commit":"1"`),
	} {
		f.Add(text, false)
		f.Add(text, true)
	}
	f.Fuzz(func(t *testing.T, text string, keepGood bool) {
		want, wantErr := 0, error(nil)
		if in, err := perfdata.NewReader(strings.NewReader(text), "in"); err != nil {
			wantErr = err
		} else {
			for _, err := range in.Records() {
				if err == nil {
					want++
				} else if !keepGood || !isRecoverable(err) {
					wantErr = err
				}
			}
		}

		sink := newMemorySink(t)
		var report Report
		_, err := Run(t.Context(), texts(map[string]string{"in": text}), sink, RunOptions{
			Workers: 1, KeepGood: keepGood, Report: func(r Report) { report = r },
		})
		if err != nil || sink.open != 0 {
			t.Fatalf("%v, with %d Batches open", err, sink.open)
		}
		stored, ok := sink.stored["in"]
		if ok != (report.Err == nil) {
			t.Fatalf("stored: %t, %v", ok, report.Err)
		}
		if _, isIdentity := errors.AsType[identityError](errors.Join(append(report.FirstFaults, report.Err)...)); isIdentity {
			return
		}
		if ok != (wantErr == nil) || ok && len(stored) != want {
			t.Errorf("%d records, %v; want %d, %v", len(stored), report.Err, want, wantErr)
		}
	})
}
