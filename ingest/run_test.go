package ingest

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"perfdata"
	"perfdata/format"
	"perfdata/internal/testing/corpus"
	"perfdata/series"
	"perfdata/traceid"
)

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
	faulty := `{"version":1,"git_hash":"abc","results":[` + strings.Repeat(`{"key":{"a":"b"}},`, 99) + `{"key":{"a":"b"}}`
	many := faulty + `,{"key":{"a":"b"},"measurement":1}]}`

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
		{name: "faulty", text: faultyV1, want: goodV1Records, faults: 2},
		{name: "faulty, strict", options: RunOptions{Strict: true}, text: faultyV1, err: "in:1:100: results.1: "},
		{name: "many faults", text: many, want: []string{",a=b, abc#1 = 1"}, faults: 100},
		{name: "nothing but faults", text: faulty + "]}", err: "in:1:42: results.0: "},
		{name: "nothing but an identity that is left out", text: v1("commit=x 2"), err: "in: offset 41: no param "},
		{
			name: "a text that Skia ignores",
			text: `{"gitHash":"abc","results":{"t":{"8888":{"min_ms":1.5,"note":"text"}}}}`,
			want: []string{",config=8888,sub_result=min_ms,test=t, abc#1 = 1.5"}, faults: 1,
		},
		{name: "cut off", text: goodV1[:len(goodV1)-2], err: "in:1:178: results.1: "},
		{name: "cut off in the header", text: goodV1[:30], err: "in:1:31: "},
		{name: "compressed and cut off", text: compressed(goodV1)[:60], err: "unexpected EOF"},
		{name: "trailing data", text: goodV1 + "{}", err: "in:1:180: "},
		{name: "unknown format", text: "Hello", err: "in:1:1: "},
		{name: "empty", text: "", err: "in:1:1: "},
		{
			name: "bomb", options: limited(format.Limits{MaxDecompressedBytes: 1 << 20}),
			text: compressed(`{"version":1,"git_hash":"abc","results":[` + strings.Repeat(" ", 2<<20) + "]}"),
			err:  "MaxDecompressedBytes",
		},
		{
			name:    "format named",
			options: RunOptions{Opener: perfdata.Opener{Options: format.Options{Params: traceid.Of("test", "boot")}, Format: "keyval"}},
			text:    "a{perf}=1\n", want: []string{",key=a,test=boot, #1 = 1"},
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
			if message := fmt.Sprint(report.Err); test.err == "" && report.Err != nil || !strings.Contains(message, test.err) {
				t.Errorf("error %s, want %s", message, test.err)
			}
			if report.Faults != test.faults || len(report.FirstFaults) != min(test.faults, maxFaults) {
				t.Errorf("%d faults, first %v, want %d", report.Faults, report.FirstFaults, test.faults)
			}

			content := Content{}
			if test.err == "" {
				sum := sha256.Sum256([]byte(test.text))
				content = Content{Size: int64(len(test.text)), SHA256: sum, Records: len(test.want)}
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
	want := Summary{Files: 1, Records: 2, Failed: 2, Checkpoint: "d/2024/01/02/03/b.json"}
	if diff := cmp.Diff(want, got.summary); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := got.reports["readme"].Err; !errors.Is(err, ErrLayout) {
		t.Errorf("error %v, want ErrLayout", err)
	}
}

// Files in folders and zip files are read alike, several at a time.
func TestRunFileSystems(t *testing.T) {
	options := WalkOptions{Order: ByPath}
	want := ingestFiles(t, Walk(os.DirFS("../testdata"), ".", options), RunOptions{Workers: 4}, nil)
	got := ingestFiles(t, Walk(zipped(t, os.DirFS("../testdata")), ".", options), RunOptions{Workers: 1}, nil)
	if diff := cmp.Diff(want.stored, got.stored); diff != "" || got.summary != want.summary || len(got.stored) < 10 {
		t.Errorf("%+v, want %+v (-folder +zip):\n%s", got.summary, want.summary, diff)
	}
}

// The hash covers the bytes of the file, even if its Reader seeks in it. It is computed only if
// the Sink wants it.
func TestRunHash(t *testing.T) {
	results := strings.Repeat(`{"key":{"a":"b"},"measurement":1},`, maxStart/30)
	large := `{"version":1,"git_hash":"abc","results":[` + results + `{"key":{"a":"c"},"measurement":1}],"links":{"l":"m"}}` + "\n\n"
	for _, text := range []string{goodV1, large, strings.Repeat("a{perf}=1\n\n", maxStart/10)} {
		dir := t.TempDir()
		writeFile(t, filepath.Join(dir, "in"), text)
		for _, noHash := range []bool{false, true} {
			for _, way := range []string{"file", "stream"} {
				files := Walk(os.DirFS(dir), ".", WalkOptions{Order: ByPath})
				if way == "stream" {
					files = texts(map[string]string{"in": text})
				}
				sink := newMemorySink(t)
				sink.noHash = noHash
				var report Report
				if _, err := Run(t.Context(), files, sink, RunOptions{Report: func(r Report) { report = r }}); err != nil {
					t.Fatal(err)
				}
				want := Content{Size: int64(len(text)), Records: len(sink.stored["in"])}
				if !noHash {
					want.SHA256 = sha256.Sum256([]byte(text))
				}
				if diff := cmp.Diff(want, report.Content); diff != "" || report.Err != nil || want.Records == 0 {
					t.Errorf("%s of %.20q: %v (-want +got):\n%s", way, text, report.Err, diff)
				}
			}
		}
	}
}

// A Batch is committed with the whole header, even the parts that come after the records.
func TestRunLateHeader(t *testing.T) {
	results := strings.Repeat(`{"key":{"a":"b"},"measurement":1},`, maxStart/30)
	text := `{"version":1,"git_hash":"abc","key":{},"links":{},"results":[` + results + `{"key":{"a":"c"},"measurement":1}],` +
		`"issue":"5","comment":"` + strings.Repeat("x", maxStart) + `"}`
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "in"), text)
	for _, inMemory := range []bool{false, true} {
		files := Walk(os.DirFS(dir), ".", WalkOptions{Order: ByPath})
		if inMemory {
			files = texts(map[string]string{"in": text})
		}
		sink := &headers{discard{}, nil}
		summary, err := Run(t.Context(), files, sink, RunOptions{})
		if err != nil || summary.Files != 1 || len(sink.committed) != 1 || sink.committed[0].Issue != "5" {
			t.Errorf("%+v, %v, %+v", summary, err, sink.committed)
		}
	}
}

// headers is a Sink of the headers.
type headers struct {
	discard
	committed []format.Header
}

func (h *headers) Begin(context.Context, Source) (Batch, error) { return h, nil }

func (h *headers) Commit(header format.Header, _ Content) error {
	h.committed = append(h.committed, header)
	return nil
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
		var shuffled []File
		for _, name := range names {
			shuffled = append(shuffled, textFile(name, contents[name]))
		}
		got := ingestFiles(t, sequence(shuffled...), RunOptions{Workers: 1 + int(seed%4)}, nil)
		if last := names[len(names)-1]; got.summary.Checkpoint != last {
			t.Errorf("seed %d: the checkpoint is %s, want %s", seed, got.summary.Checkpoint, last)
		}
		got.summary.Checkpoint = want.summary.Checkpoint
		if diff := cmp.Diff(want.stored, got.stored); diff != "" || got.summary != want.summary {
			t.Errorf("seed %d: %+v, want %+v (-want +got):\n%s", seed, got.summary, want.summary, diff)
		}
	}
}

// There may be more workers than files.
func TestRunManyWorkers(t *testing.T) {
	contents := map[string]string{"a": goodV1, "b": "BenchmarkX 1 1 ns/op\n"}
	want := ingestFiles(t, texts(contents), RunOptions{Workers: 1}, nil)
	for _, workers := range []int{-1, 2, math.MaxInt} {
		got := ingestFiles(t, texts(contents), RunOptions{Workers: workers}, nil)
		if diff := cmp.Diff(want.stored, got.stored); diff != "" || got.summary != want.summary {
			t.Errorf("%d workers: %+v, want %+v (-want +got):\n%s", workers, got.summary, want.summary, diff)
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
			for _, strict := range []bool{false, true} {
				if !strict && test.call == "Rollback" {
					continue // nothing is rolled back
				}
				fail := func(call, path string) error {
					if path == "bad" && call == test.call {
						return broken
					}
					return nil
				}
				contents := map[string]string{"a": goodV1, "bad": test.text, "z": goodV1}
				got := ingestFiles(t, texts(contents), RunOptions{Strict: strict}, fail)
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

// A file that Skia Perf's ingestion takes is stored, without its faulty measurements.
func TestReferenceFiles(t *testing.T) {
	for _, path := range append(corpus.Glob(t, corpus.Dir(t, "nanolegacy"), "ingest/*success.json"),
		corpus.Glob(t, corpus.Dir(t, "nanolegacy"), "ingest/unknown_branch.json")...) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got := ingestFiles(t, texts(map[string]string{"in": string(text)}), RunOptions{}, nil)
			if report := got.reports["in"]; report.Err != nil || report.Content.Records == 0 || report.Faults != 1 {
				t.Errorf("%d records, %d faults, %v", report.Content.Records, report.Faults, report.Err)
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
			return &format.Error{Message: "of another file", Severity: format.Recoverable}
		}
		return nil
	}
	got := ingestFiles(t, texts(map[string]string{"a": goodV1}), RunOptions{}, fail)
	if got.summary != (Summary{Failed: 1}) {
		t.Errorf("%+v", got.summary)
	}
}

// Whatever a file has, it is stored as its Reader reads it, or not at all.
func FuzzRun(f *testing.F) {
	for _, text := range []string{
		goodV1, faultyV1,
		"commit: a\nBenchmarkX 1 2 ns/op\nBenchmarkX 1 2 ns/op\n",
		"a{perf}=1\n\na{perf}=2\nb/{perf}=1\nb_{perf}=1\n",
		strings.ReplaceAll(goodV1, `"test":"a"`, `"iteration":"1"`),
		strings.ReplaceAll(goodV1, `"test":"a"`, `"commit":"1"`),
	} {
		f.Add(text, false)
		f.Add(text, true)
	}
	f.Fuzz(func(t *testing.T, text string, strict bool) {
		want, wantErr := 0, error(nil)
		if in, err := perfdata.NewReader(strings.NewReader(text), "in"); err != nil {
			wantErr = err
		} else {
			fault := error(nil)
			for _, err := range in.Records() {
				switch {
				case err == nil:
					want++
				case strict || !isRecoverable(err):
					wantErr = err
				default:
					fault = err
				}
			}
			if want == 0 && wantErr == nil {
				wantErr = fault
			}
		}

		sink := newMemorySink(t)
		var report Report
		_, err := Run(t.Context(), texts(map[string]string{"in": text}), sink, RunOptions{
			Workers: 1, Strict: strict, Report: func(r Report) { report = r },
		})
		if err != nil || sink.open != 0 {
			t.Fatalf("%v, with %d Batches open", err, sink.open)
		}
		stored, ok := sink.stored["in"]
		if ok != (report.Err == nil) {
			t.Fatalf("stored: %t, %v", ok, report.Err)
		}
		faults := errors.Join(append(report.FirstFaults, report.Err)...)
		if errors.Is(faults, series.ErrNoIdentity) {
			return // the Reader does not know about identities
		}
		if ok != (wantErr == nil) || ok && len(stored) != want {
			t.Errorf("%d records, %v; want %d, %v", len(stored), report.Err, want, wantErr)
		}
	})
}
