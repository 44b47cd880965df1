package perfdata_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"perfdata"
	"perfdata/format"
	"perfdata/internal/compressed"
	"perfdata/internal/testing/formattest"
	"perfdata/internal/testing/quick"
)

// inUTF16 returns text in UTF-16 with a byte order mark.
func inUTF16(text string, order binary.AppendByteOrder) string {
	var b []byte
	for _, unit := range utf16.Encode([]rune("\ufeff" + text)) {
		b = order.AppendUint16(b, unit)
	}
	return string(b)
}

// allOf returns the records and errors of an input, in the form of formattest.
func allOf(t *testing.T, in io.Reader) []string {
	t.Helper()
	f, err := perfdata.NewReader(in, "x")
	if err != nil {
		return []string{"open: " + err.Error()}
	}
	return formattest.All(f)
}

// Text with a byte order mark is read as the same text in plain UTF-8, in every format.
func TestEncodings(t *testing.T) {
	for _, file := range []string{
		"testdata/skiav1/example.json", "testdata/skiav1/results_first.json",
		"testdata/skiav1/special_characters.json", "testdata/skiav1/large.json", "testdata/nanolegacy/large.json",
		"testdata/nanolegacy/results_first.json", "testdata/perun/sort.perf",
		"testdata/benchfmt/gotest.txt", "testdata/benchfmt/gotest.json", "testdata/benchfmt/faults.txt",
		"testdata/keyval/example.keyval", "testdata/keyval/crlf.keyval",
	} {
		text := formattest.ReadFile(t, file)
		if len(text) > 1e6 && quick.Test() {
			continue
		}
		want := allOf(t, strings.NewReader(text))
		for name, encoded := range map[string]string{
			"UTF-8 with a mark":      "\ufeff" + text,
			"UTF-16, little-endian":  inUTF16(text, binary.LittleEndian),
			"UTF-16, big-endian":     inUTF16(text, binary.BigEndian),
			"UTF-16, compressed":     string(pack(t, []byte(inUTF16(text, binary.LittleEndian)), compressed.Gzip)),
			"UTF-8 mark, compressed": string(pack(t, []byte("\ufeff"+text), compressed.Zstd)),
		} {
			t.Run(file+", "+name, func(t *testing.T) {
				for way, source := range formattest.Sources {
					if len(encoded) > 10_000 && way == "byte by byte" {
						continue
					}
					if got := allOf(t, source(encoded)); !slices.Equal(want, got) {
						t.Errorf("%s (-plain +encoded):\n%s", way, cmp.Diff(want, got))
					}
				}
			})
		}
	}
}

// Text that is not UTF-16 after its mark ends the reading, with an error that says where.
func TestInvalidUTF16(t *testing.T) {
	const readX = "name=X unit=ns/op = 2 iterations:1"
	bench := inUTF16("BenchmarkX 1 2 ns/op\n", binary.LittleEndian)
	skia := inUTF16(`{"version":1,"git_hash":"x","results":[{"key":{"a":"b"},"measurement":1}]}`, binary.LittleEndian)
	for _, test := range []struct {
		name, in string
		want     []string
		cause    error
	}{
		{
			"an odd last byte", bench + "B",
			[]string{readX, "FATAL x:2:1: reading failed: the UTF-16 text is truncated at byte 44: unexpected EOF"},
			io.ErrUnexpectedEOF,
		},
		{
			"half of a pair", bench + "\x00\xd8B\x00\n\x00",
			[]string{readX, "FATAL x:2:1: reading failed: invalid UTF-16 at byte 44: D800 is half of a surrogate pair"},
			format.ErrSyntax,
		},
		{
			"truncated JSON", skia[:len(skia)-1],
			[]string{"FATAL x:1:74: results: reading failed: the UTF-16 text is truncated at byte 148: unexpected EOF"},
			io.ErrUnexpectedEOF,
		},
		{
			"half of a pair at once", "\xff\xfe\x00\xdc",
			[]string{"open: x:1:1: reading failed: invalid UTF-16 at byte 2: DC00 is half of a surrogate pair"},
			format.ErrSyntax,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			for way, source := range formattest.Sources {
				if diff := cmp.Diff(test.want, allOf(t, source(test.in))); diff != "" {
					t.Errorf("%s (-want +got):\n%s", way, diff)
				}
			}
			f, err := perfdata.NewReader(strings.NewReader(test.in), "x")
			if err == nil {
				_, err = countRecords(f)
			}
			if !errors.Is(err, test.cause) {
				t.Errorf("%v has another cause", err)
			}
		})
	}
}

// Files that only other programs read are named, even if the caller names a format.
func TestOtherFiles(t *testing.T) {
	for name, in := range map[string]string{
		"xz data":             "\xfd7zXZ\x00\x00\x04",
		"bzip2 data":          "BZh91AY&SY\x14",
		"the input is UTF-32": "\xff\xfe\x00\x00{\x00\x00\x00",
	} {
		for way, source := range formattest.Sources {
			_, err := perfdata.Opener{Format: "benchfmt"}.NewReader(source(in), "x")
			if err == nil || !errors.Is(err, format.ErrUnknown) || !strings.HasPrefix(err.Error(), "x:1:1: "+name) {
				t.Errorf("%s, %s: %v", name, way, err)
			}
		}
	}
}

// Validate warns of text that most programs cannot read, and finds what the format's Validate
// finds.
func TestFileValidate(t *testing.T) {
	const run = `{"version":1,"git_hash":"x","results":[{"key":{"a":"b"},"measurement":"y"}]}`
	const hasMark = "x:1:1: warning: the text begins with a byte order mark: want UTF-8 without it, for other programs"
	wrong := "x:1:71: results.0.measurement: Invalid type. Expected: number, given: string"
	for _, test := range []struct {
		name, in string
		want     []string
	}{
		{"UTF-8", run, []string{wrong}},
		{
			"a byte order mark",
			"\ufeff" + run,
			[]string{hasMark, wrong},
		},
		{
			"a byte order mark of the legacy format",
			"\ufeff" + `{"gitHash":"x","results":{"T":{"c":{"ms":1}}}}`,
			[]string{hasMark},
		},
		{
			"a byte order mark of a profile",
			"\ufeff" + `{"header":{"type":"time","units":{"time":"s"},"cmd":"a","args":"","workload":""},` +
				`"collector_info":{"name":"time","params":{}},"postprocessors":[],"snapshots":[]}`,
			[]string{hasMark},
		},
		{
			"UTF-16",
			inUTF16(run, binary.LittleEndian),
			[]string{"x:1:1: warning: the text is UTF-16: want UTF-8, for other programs", wrong},
		},
		{"compressed", string(pack(t, []byte(run), compressed.Gzip)), []string{wrong}},
	} {
		t.Run(test.name, func(t *testing.T) {
			f, err := perfdata.NewReader(strings.NewReader(test.in), "x")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, formattest.Faults(f.Validate())); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			for range f.Validate() {
				break
			}
		})
	}
}

// A stream is recognized by the lines that have arrived: reading the rest may take hours.
func TestDetectStream(t *testing.T) {
	for _, test := range []struct {
		name  string
		lines []string // the last one decides
		want  string
	}{
		{"a result", []string{"BenchmarkX 1 2 ns/op\n"}, "benchfmt"},
		{
			"configuration first",
			[]string{"goos: linux\n", "\n", "pkg: p\n", "BenchmarkX\n", "BenchmarkX 1 2 ns/op\n"},
			"benchfmt",
		},
		{"a line in parts", []string{"g", "oos: linux\nBench", "markX 1", " 2 ns/op", "\n"}, "benchfmt"},
		{
			"events",
			[]string{
				`{"Action":"start","Package":"p"}` + "\n",
				`{"Action":"output","Package":"p","Output":"ok"}` + "\n",
			},
			"benchfmt",
		},
		{"a keyval", []string{"\n", "a{perf}=1\n"}, "keyval"},
		{"a document in one line", []string{`{"version":1,"git_hash":"x","results":[]}` + "\n"}, "skiav1"},
		{"a byte order mark", []string{"\ufeff", "goos: linux\n", "BenchmarkX 1 2 ns/op\n"}, "benchfmt"},
		{"UTF-16", []string{inUTF16("goos: linux\nBenchmarkX 1 2 ns/op\n", binary.LittleEndian)}, "benchfmt"},
	} {
		t.Run(test.name, func(t *testing.T) {
			in, out := io.Pipe()
			go func() {
				for _, line := range test.lines {
					io.WriteString(out, line)
				}
				// Nothing more arrives until the test has seen the format.
			}()
			f, err := perfdata.NewReader(in, "x")
			if err != nil || f.Format.Name != test.want {
				t.Fatalf("%v, %v", f, err)
			}
			out.Close()
			formattest.All(f)
		})
	}
}

// However an input arrives, its format is the same.
func TestDetectChunks(t *testing.T) {
	for _, test := range []struct{ name, in, want string }{
		{"a keyval before results", "a{perf}=1\nBenchmarkX 1 2 ns/op\n", "keyval"},
		{"a result before keyvals", "BenchmarkX 1 2 ns/op\na{perf}=1\nb{perf}=1\n", "benchfmt"},
		{"text before keyvals", "ok\na{perf}=1\nb{perf}=1\n", "keyval"},
		{
			"an event in a document",
			"{\n\"a\":[\n{\"Action\":\"output\",\"Output\":\"\"}\n],\n\"version\":1,\"git_hash\":\"\"}",
			"skiav1",
		},
		{"a document before results", `{"a":1}` + "\nBenchmarkX 1 2 ns/op\n", "benchfmt"},
		{"two members", "{\"gitHash\":\"x\",\n\"version\":1,\n\"results\":{}}", "nanolegacy"},
		{"like zlib", "x^2\nBenchmarkX 1 2 ns/op\n", "benchfmt"},
		{"like a stored object", "profile \nBenchmarkX 1 2 ns/op\n", "benchfmt"},
	} {
		t.Run(test.name, func(t *testing.T) {
			for way, source := range formattest.Sources {
				f, err := perfdata.NewReader(source(test.in), "x")
				if err != nil || f.Format.Name != test.want {
					t.Errorf("%s: %v, %v", way, f, err)
				}
			}
		})
	}
}

// However an input arrives, its format is the same.
func FuzzDetect(f *testing.F) {
	for _, text := range []string{
		"goos: linux\nBenchmarkX 1 2 ns/op\na{perf}=1\n", "a{perf}=1\n\nBenchmarkX 1 2 ns/op\n",
		`{"Action":"output","Output":"ok"}` + "\n" + `{"version":1}`, "{\n\"results\":[]}", "x^\n", "profile \x00",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		detect := func(in io.Reader) string {
			f, err := perfdata.NewReader(in, "x")
			if err != nil {
				return err.Error()
			}
			return f.Format.Name
		}
		want := detect(bytes.NewReader(data))
		for way, source := range formattest.Sources {
			if got := detect(source(string(data))); got != want {
				t.Errorf("%s: %s, want %s", way, got, want)
			}
		}
	})
}

// Whatever follows the byte order mark, every error has a position.
func FuzzUTF16(f *testing.F) {
	f.Add([]byte("BenchmarkX 1 2 ns/op\n"))
	f.Add([]byte{0, 0xd8, 'x', 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		in, err := perfdata.NewReader(bytes.NewReader(append([]byte("\xff\xfe"), data...)), "x")
		if err == nil {
			_, err = countRecords(in)
		}
		if _, ok := errors.AsType[*format.Error](err); err != nil && !ok {
			t.Errorf("%T: %v", err, err)
		}
	})
}
