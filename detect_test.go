package perfdata_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"perfdata"
	"perfdata/format"
	"perfdata/internal/compressed"
	"perfdata/internal/testing/corpus"
	"perfdata/internal/testing/formattest"
	"perfdata/internal/testing/quick"
)

// Every file of a format's folder is detected by its first 64 KiB, and no file of another kind is
// taken for one.
func TestDetectFolders(t *testing.T) {
	other := map[string]bool{ // files of the folders in another format, or without anything by which to recognize it
		".autoserv_execute": true,
		"status.log":        true,
		"invalid.json":      true,
		"empty.keyval":      true,
		"untyped.keyval":    true,
		"lumpy-7":           true,
	}
	check := func(path, name string) {
		data := formattest.ReadFile(t, path)
		if _, ok := perfdata.FormatNamed(name); !ok {
			name = ""
		}
		src, _, err := perfdata.Decompress(strings.NewReader(data), path, format.Limits{})
		if err != nil {
			t.Errorf("%s: %v", path, err)
			return
		}
		prefix, _ := io.ReadAll(io.LimitReader(src, 64<<10))
		info, ok := perfdata.Detect(prefix)
		if info.Name != name || ok != (name != "") {
			t.Errorf("%s: %q, want %q", path, info.Name, name)
		}
	}
	for _, info := range perfdata.Formats() {
		if info.Open == nil {
			continue // it is a folder
		}
		dir := "testdata/" + info.Name
		if _, err := os.Stat(dir); err != nil && info.NewWriter == nil {
			t.Logf("no samples of %s: a format that is only read has its own", info.Name)
			continue
		}
		filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				t.Error(err)
				return err
			}
			isAttrs := d.Name() == "keyval" && filepath.Base(filepath.Dir(path)) != "results"
			if !d.IsDir() && !other[d.Name()] {
				if isAttrs {
					check(path, "")
				} else {
					check(path, info.Name)
				}
			}
			return nil
		})
	}
	for _, path := range []string{"LICENSE", "go.mod", "go.sum", "doc.go", "skiav1/schema.json", "testdata/README.md"} {
		check(path, "")
	}
	for _, path := range corpus.Glob(t, corpus.Dir(t, "json"), "*") {
		check(path, "")
	}
	for _, name := range []string{"skiav1", "nanolegacy", "keyval", "perun"} {
		filepath.WalkDir(corpus.Dir(t, name), func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && !other[d.Name()] && filepath.Ext(path) != ".ndjson" {
				check(path, name)
			}
			return nil
		})
	}
}

// tarHeader returns the first block of a tar archive.
func tarHeader(name string) string {
	var b strings.Builder
	tar.NewWriter(&b).WriteHeader(&tar.Header{Name: name, Mode: 0o644})
	return b.String()
}

// An input that nothing recognizes gets an error that says why.
func TestUnknown(t *testing.T) {
	for _, test := range []struct {
		name, in, want string
	}{
		{"nothing", "", "the input is empty"},
		{"blanks", " \n\t\r\n", "the input is blank"},
		{"a byte order mark", "\ufeff\n", "the input is blank"},
		{"a byte order mark alone", "\ufeff", "the input is empty"},
		{"UTF-16 of another kind", "\xff\xfe[\x00]\x00", "unknown format: a JSON array whose elements are of no known format"},
		{"UTF-16 without a mark", "{\x00\"\x00a\x00", "the input is UTF-16 without a byte order mark: want UTF-8"},
		{
			"UTF-16 without a mark, big-endian",
			"\x00{\x00\"\x00a\x00",
			"the input is UTF-16 without a byte order mark: want UTF-8",
		},
		{"UTF-32", "\xff\xfe\x00\x00{\x00\x00\x00", "the input is UTF-32: want UTF-8"},
		{"UTF-32, big-endian", "\x00\x00\xfe\xff\x00\x00\x00{", "the input is UTF-32: want UTF-8"},
		{"xz", "\xfd7zXZ\x00\x00\x04", "xz data: want it decompressed, with xz -d"},
		{"bzip2", "BZh91AY&SY\x14", "bzip2 data: want it decompressed, with bzip2 -d"},
		{"tar", tarHeader("a.json"), "a tar archive: want the files in it"},
		{"gzipped tar", string(pack(t, []byte(tarHeader("a.json")), compressed.Gzip)), "a tar archive: want the files in it"},
		{"HTML", "\n<!DOCTYPE HTML>\n<html>", "an HTML page: want a file of results"},
		{"HTML without a type", "<html lang=en>", "an HTML page: want a file of results"},
		{"a ZIP archive", "PK\x03\x04\x14\x00", "a ZIP archive: want the files in it"},
		{"bytes", "\x00\x01\x02", "the input is not text"},
		{"Latin-1", "caf\xe9 noir\n", "the input is not text"},
		{"text", "PASS\nok  \tperfdata\t0.1s\n", "unknown format: no line is a benchmark result or a keyval"},
		{
			"text before an object", "Run on 8 CPUs\n\n{\"a\":1}\n",
			"unknown format: text, and maybe JSON from line 3: want the JSON alone",
		},
		{
			"Go benchmarks in a log", "2026-01-02T10:11:12Z BenchmarkA-8 \t 100\t 12 ns/op\n",
			"unknown format: Go benchmarks after other text: want them where lines begin",
		},
		{
			"text before an array", "> bench\n[\n  {}\n]\n",
			"unknown format: text, and maybe JSON from line 2: want the JSON alone",
		},
		{
			"text with colors",
			"\x1b[31mred\x1b[0m caf\xc3\xa9\n",
			"unknown format: no line is a benchmark result or a keyval",
		},
		{
			"an environment file",
			"PORT=8080\nHOST=localhost\n",
			"unknown format: lines of key=value without a tag such as {perf}",
		},
		{
			"a very long line",
			"ok\nBenchmarkX/" + strings.Repeat("x", 4<<20+128<<10) + " 1 1 s\nBenchmarkX 1 1 s\n",
			"unknown format: line 2 is longer than 4 MiB, and the lines after it are not looked at",
		},
		{"one variable", "PORT=8080\n", "unknown format: lines of key=value without a tag such as {perf}"},
		{"all that a key may have", "a_b-c.1é=8080\n", "unknown format: lines of key=value without a tag such as {perf}"},
		{"what a key may not have", "a b=8080\n", "unknown format: no line is a benchmark result or a keyval"},
		{"an array", " []", "unknown format: a JSON array whose elements are of no known format"},
		{
			"an empty object",
			"{}",
			"unknown format: a JSON object without any known member, such as version, gitHash or resources",
		},
		{
			"another object",
			`{"a":1}`,
			"unknown format: a JSON object without any known member, such as version, gitHash or resources",
		},
		{
			"nothing but null",
			`{"git_hash":null,"results":null}`,
			"unknown format: a JSON object without any known member, such as version, gitHash or resources",
		},
		{"no object at last", `{"a":1,"a":2 "b"}`, "unknown format: invalid JSON in line 1, column 14: "},
		{"a wrong version", `{"version":"1","results":{}}`, "unknown format: version is a string: want a number"},
		{
			"wrong results",
			`{"gitHash":null,"results":3}`,
			"unknown format: results is a number: want an array or an object",
		},
		{"a boolean", `{"version":true,"git_hash":[]}`, "unknown format: version is a boolean: want a number"},
		{
			"wrong resources",
			`{"collector_info":7,"resources":[]}`,
			"unknown format: collector_info is a number: want an object",
		},
		{
			"no resources",
			`{"resources":[]}`,
			"unknown format: a JSON object with resources, but without the collector_info of a Perun profile",
		},
		{
			"empty resources",
			`{"resources":{},"header":{}}`,
			"unknown format: a JSON object with resources, but without the collector_info of a Perun profile",
		},
		{
			"results of another kind",
			`{"results":{"a":{"b":1}}}`,
			"unknown format: a JSON object with results, but without the git_hash of Skia Perf",
		},
		{
			"results of another program",
			`{"results":[{"test":"ls","average":0.1}]}`,
			"unknown format: a JSON object with results, but without the git_hash of Skia Perf",
		},
		{
			"a source map",
			`{"version":3,"sources":["a.js"],"mappings":""}`,
			"unknown format: a JSON object with version, but without the git_hash of Skia Perf",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := perfdata.NewReader(strings.NewReader(test.in), "x.json")
			want := "x.json:1:1: " + test.want
			if !errors.Is(err, format.ErrUnknown) || !strings.HasPrefix(err.Error(), want) ||
				!strings.HasSuffix(test.want, " ") && err.Error() != want {
				t.Errorf("%v, want %s", err, want)
			}
		})
	}
}

// A file of Skia Perf without a commit is one nevertheless: it is read with an empty commit, and
// Validate reports the missing member, as the schema does.
func TestWithoutGitHash(t *testing.T) {
	members := []string{
		`"version":1`, `"results":[{"key":{"a":"b"},"measurement":1}]`, `"key":{"c":"d"}`, `"unknown":{"e":[1]}`,
	}
	for _, order := range [][]int{{0, 1}, {1, 0}, {0, 2, 1}, {2, 1, 0}, {3, 0, 1}, {3, 1, 0}, {0, 3, 2, 1}, {2, 3, 1, 0}} {
		in := ""
		for _, i := range order {
			in += "," + members[i]
		}
		in = "{" + in[1:] + "}"
		t.Run(in, func(t *testing.T) {
			f, err := perfdata.NewReader(strings.NewReader(in), "x")
			if err != nil {
				t.Fatal(err)
			}
			h, err := f.FileHeader()
			if f.Format.Name != "skiav1" || h.Commit != "" || err != nil {
				t.Errorf("%s with the commit %q, %v", f.Format.Name, h.Commit, err)
			}
			if n, err := countRecords(f); n != 1 || err != nil {
				t.Errorf("%d records, %v", n, err)
			}

			if f, err = perfdata.NewReader(strings.NewReader(in), "x"); err != nil {
				t.Fatal(err)
			}
			missing := 0
			for e := range f.Validate() {
				if e.Error() == "x:1:1: (root): git_hash is required" && errors.Is(e, format.ErrSchema) {
					missing++
				}
			}
			if missing != 1 {
				t.Errorf("%d errors about the missing git_hash", missing)
			}
		})
	}
}

// A member with the value null is treated as missing, wherever it is.
func TestDetectNull(t *testing.T) {
	for want, members := range map[string][]string{
		"skiav1":     {`"version":1`, `"git_hash":null`, `"results":[]`},
		"nanolegacy": {`"gitHash":null`, `"key":{"a":"b"}`, `"results":{"t":{"c":{"ms":1}}}`},
		"perun":      {`"header":null`, `"collector_info":{"name":"x"}`, `"resources":null`},
	} {
		for _, order := range [][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
			in := "{" + members[order[0]] + "," + members[order[1]] + "," + members[order[2]] + "}"
			if info, ok := perfdata.Detect([]byte(in)); info.Name != want || !ok {
				t.Errorf("%s: %q, want %s", in, info.Name, want)
			}
		}
	}
}

// A line longer than the first prefix doesn't hide the lines after it.
func TestDetectLongLine(t *testing.T) {
	for _, test := range []struct {
		name          string
		before, after string
		want          string
		records       int
		faults        bool // the line is too long for the format
	}{
		{"200 KB before results", line(200_000), "BenchmarkX 1 2 ns/op\n", "benchfmt", 1, false},
		{"1 MiB before results", line(1 << 20), "BenchmarkX 1 2 ns/op\n", "benchfmt", 1, false},
		{"3 MiB before results", line(3 << 20), "BenchmarkX 1 2 ns/op\n", "benchfmt", 1, true},
		{"3 MiB before keyvals", line(3 << 20), "a{perf}=1\nb{perf}=2\n", "keyval", 2, true},
		{"a long result before others", "Benchmark" + line(200_000), "BenchmarkX 1 2 ns/op\n", "benchfmt", 1, false},
		{"a short line before the long one", "ok\n" + line(200_000), "BenchmarkX 1 2 ns/op\n", "benchfmt", 1, false},
		{"ends with the prefix", line(64<<10 - 1), "BenchmarkX 1 2 ns/op\n", "benchfmt", 1, false},
		{"ends one after the prefix", line(64 << 10), "BenchmarkX 1 2 ns/op\n", "benchfmt", 1, false},
		{"ends with the next 64 KiB", line(128<<10 - 1), "BenchmarkX 1 2 ns/op\n", "benchfmt", 1, false},
		{"the only result", "BenchmarkX/" + strings.Repeat("x", 2<<20), " 1 2 ns/op\n", "benchfmt", 0, true},
		{"the only keyval", "a{perf}=" + strings.Repeat("1", 2<<20), "\n", "keyval", 0, true},
		{"and no line that has a meaning", line(200_000), "ok\n", "", 0, false},
		{"and no line at all", strings.Repeat("x", 200_000), "", "", 0, false},
		{"longer than is looked at", line(4<<20 + 128<<10), "BenchmarkX 1 2 ns/op\n", "", 0, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			in := test.before + test.after
			for way, source := range formattest.Sources {
				if way == "byte by byte" && len(in) > quick.Of(1<<20, 1000) ||
					way == "in pieces" && len(in) > quick.Of(1<<30, 1<<20) {
					continue
				}
				info, src, err := perfdata.DetectReader(source(in), "x")
				if info.Name != test.want || (err == nil) != (test.want != "") {
					t.Errorf("%s: %q, want %q: %v", way, info.Name, test.want, err)
				}
				if err != nil {
					continue
				}
				n, fault := countRecords(info.Open(nil, src, format.Options{Name: "x"}))
				if n != test.records || test.faults && fault == nil {
					t.Errorf("%s: %d records, want %d: %v", way, n, test.records, fault)
				}
			}
		})
	}
}

func line(size int) string { return strings.Repeat("x", size) + "\n" }

// An error after the first line that is too long is one of the input.
func TestDetectLongLineError(t *testing.T) {
	broken := errors.New("broken")
	for _, size := range []int{10, 64 << 10, 100 << 10, 1 << 20} {
		in := io.MultiReader(strings.NewReader(strings.Repeat("x", size)), iotest.ErrReader(broken))
		_, _, err := perfdata.DetectReader(in, "x")
		if e, ok := errors.AsType[*format.Error](err); !ok || !errors.Is(err, broken) || e.Name != "x" {
			t.Errorf("%d bytes: %v", size, err)
		}
		in = io.MultiReader(strings.NewReader(line(size)+"BenchmarkX 1 2 s\n"), iotest.ErrReader(broken))
		info, src, err := perfdata.DetectReader(in, "x")
		if err != nil {
			t.Errorf("%d bytes and a result: %v", size, err)
			continue
		}
		if n, err := countRecords(info.Open(nil, src, format.Options{Name: "x"})); n != 1 || !errors.Is(err, broken) {
			t.Errorf("%d bytes and a result: %d records, %v", size, n, err)
		}
	}
}

var ways = []string{compressed.Gzip, compressed.Zstd, compressed.Zlib}

func pack(t testing.TB, data []byte, ways ...string) []byte {
	t.Helper()
	for _, way := range ways {
		var out bytes.Buffer
		w, err := compressed.NewWriter(&out, way)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(data); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		data = out.Bytes()
	}
	return data
}

// countRecords returns how many records there are, and the last error.
func countRecords(r format.Reader) (n int, last error) {
	for _, err := range r.Records() {
		if err != nil {
			last = err
		} else {
			n++
		}
	}
	return n, last
}

// Compressed files are read like others, also one in the other, but no deeper.
func TestCompressed(t *testing.T) {
	for _, file := range []string{
		"testdata/skiav1/large.json",
		"testdata/benchfmt/gotest.txt",
		"testdata/keyval/iterations.keyval",
	} {
		data := []byte(formattest.ReadFile(t, file))
		r, err := perfdata.NewReader(bytes.NewReader(data), file)
		if err != nil {
			t.Fatal(err)
		}
		want, err := countRecords(r)
		if err != nil {
			t.Fatal(err)
		}
		for _, outer := range append([]string{""}, ways...) {
			if outer != "" && len(data) > 1e6 {
				break // what is compressed twice is small
			}
			for _, inner := range ways {
				packed := pack(t, data, inner)
				names := []string{inner}
				if outer != "" {
					packed = pack(t, packed, outer)
					names = []string{outer, inner}
				}
				for _, in := range []io.Reader{bytes.NewReader(packed), struct{ io.Reader }{bytes.NewReader(packed)}} {
					src, got, err := perfdata.Decompress(in, file, format.Limits{})
					if err != nil || strings.Join(got, " ") != strings.Join(names, " ") {
						t.Fatalf("%s, %q: %q, %v", file, names, got, err)
					}
					r, err := perfdata.NewReader(src, file)
					if err != nil {
						t.Fatalf("%s, %q: %v", file, names, err)
					}
					if n, err := countRecords(r); n != want || err != nil {
						t.Errorf("%s, %q: %d records, want %d: %v", file, names, n, want, err)
					}
				}
				if outer == "" {
					continue
				}
				for _, third := range ways {
					_, err := perfdata.NewReader(bytes.NewReader(pack(t, packed, third)), "x")
					if err == nil || !strings.HasPrefix(err.Error(), "x:1:1: compressed more than twice: ") {
						t.Errorf("three times: %v", err)
					}
				}
			}
		}
	}
}

// Compressed data that is truncated anywhere is an error.
func TestCompressedTruncated(t *testing.T) {
	data := []byte(formattest.ReadFile(t, "testdata/skiav1/example.json"))
	for _, way := range append(ways, "gzip zstd", "zlib gzip") {
		packed := pack(t, data, strings.Fields(way)...)
		for n := 4; n < len(packed); n++ {
			r, err := perfdata.NewReader(bytes.NewReader(packed[:n]), "x")
			if err == nil {
				_, err = countRecords(r)
			}
			e, ok := errors.AsType[*format.Error](err)
			if !ok || e.Severity == format.Recoverable || e.Name != "x" {
				t.Errorf("%s: %d of %d bytes: %v", way, n, len(packed), err)
			} else if !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, format.ErrUnknown) {
				t.Errorf("%s: %d of %d bytes: %v has another cause", way, n, len(packed), err)
			}
		}
	}
}

// The position of corrupt data is its position in the decompressed input.
func TestCompressedCorrupt(t *testing.T) {
	data := []byte(formattest.ReadFile(t, "testdata/skiav1/large.json"))
	packed := pack(t, data, compressed.Gzip)
	packed[len(packed)-6] ^= 1 // of the checksum
	r, err := perfdata.NewReader(bytes.NewReader(packed), "x.gz")
	if err != nil {
		t.Fatal(err)
	}
	_, err = countRecords(r)
	e, ok := errors.AsType[*format.Error](err)
	if !ok || !strings.Contains(e.Message, "gzip: invalid checksum") || e.Offset == 0 {
		t.Errorf("%#v", err)
	}
}

// A few bytes can't make their reader produce any number of them.
func TestBomb(t *testing.T) {
	bomb := append([]byte(`{"version":1,"git_hash":"x","results":[`), bytes.Repeat([]byte(" "), 2<<20)...)
	for _, way := range []string{"gzip", "zstd", "zlib", "gzip gzip", "zstd zlib"} {
		packed := pack(t, bomb, strings.Fields(way)...)
		src, _, err := perfdata.Decompress(bytes.NewReader(packed), "x", format.Limits{MaxDecompressedBytes: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		info, src, err := perfdata.DetectReader(src, "x")
		if err != nil {
			t.Fatal(err)
		}
		_, err = countRecords(info.Open(nil, src, format.Options{Name: "x"}))
		e, ok := errors.AsType[*format.Error](err)
		if !ok || !strings.Contains(e.Message, "(Limits.MaxDecompressedBytes)") || e.Severity == format.Recoverable {
			t.Errorf("%s: %v", way, err)
		}
	}
}

// Of data that is compressed twice, what counts is how many times as large as the outermost data
// the contents are.
func TestRatio(t *testing.T) {
	const size = 65 << 20 // the ratio holds from 64 MiB on
	piece := bytes.Repeat([]byte(" "), 1<<20)
	for _, ways := range [][]string{{"zstd"}, {"zstd", "gzip"}, {"gzip", "zstd"}} {
		t.Run(strings.Join(ways, " in "), func(t *testing.T) {
			inner := bytes.Repeat(pack(t, piece, ways[0]), size/len(piece))
			packed := pack(t, inner, ways[1:]...)
			ratio := size / len(inner) / 2
			if len(ways) > 1 {
				ratio = size / len(inner) * 2 // which the inner data alone doesn't exceed
			}
			read := func(ratio int) (int64, error) {
				src, _, err := perfdata.Decompress(bytes.NewReader(packed), "x",
					format.Limits{MaxCompressionRatio: ratio})
				if err != nil {
					t.Fatal(err)
				}
				return io.Copy(io.Discard, src)
			}
			if n, err := read(ratio); !errors.Is(err, compressed.ErrSize) ||
				!strings.Contains(err.Error(), "(Limits.MaxCompressionRatio)") || n >= size {
				t.Errorf("%d bytes of %d: %d bytes, %v", len(packed), size, n, err)
			}
			if len(ways) > 1 && quick.Test() {
				return
			}
			if n, err := read(1 << 30); n != size || err != nil {
				t.Errorf("without the limit: %d bytes, %v", n, err)
			}
		})
	}
}

// Whatever the input, reading it doesn't panic, and its errors have a place.
func FuzzNewReader(f *testing.F) {
	for _, text := range []string{
		`{"version":1,"git_hash":"x","results":[{"key":{"a":"b"},"measurement":1}]}`,
		`{"gitHash":"x","results":{"a":{"b":{"c":1}}}}`, "BenchmarkX 1 2 ns/op\n", "a{perf}=1\n\nb{attr}=2\n", "x^",
	} {
		f.Add([]byte(text))
		for _, way := range ways {
			f.Add(pack(f, []byte(text), way))
			f.Add(pack(f, []byte(text), way, compressed.Zstd))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		src, _, err := perfdata.Decompress(bytes.NewReader(data), "x", format.Limits{MaxDecompressedBytes: 1 << 20})
		if err == nil {
			var info format.Format
			if info, src, err = perfdata.DetectReader(src, "x"); err == nil {
				r := info.Open(nil, src, format.Options{Name: "x"})
				if _, err = r.FileHeader(); err == nil {
					_, err = countRecords(r)
				}
				r.Close()
			}
		}
		if _, ok := errors.AsType[*format.Error](err); err != nil && !ok {
			t.Errorf("%T: %v", err, err)
		}
	})
}
