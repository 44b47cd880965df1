package perfdata_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"perfdata"
	"perfdata/format"
	"perfdata/internal/compressed"
	"perfdata/internal/corpus"
	"perfdata/internal/formattest"
)

// Every file of a format's folder is detected by its first 64 KiB, and no file of another kind is taken for one.
func TestDetectFolders(t *testing.T) {
	other := map[string]bool{ // files of the folders that aren't of the format, or can't be recognised
		".autoserv_execute": true, "status.log": true, "invalid.json": true, "empty.keyval": true, "lumpy-7": true,
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
	for _, info := range append(perfdata.Formats(), format.Info{Name: "perun"}) {
		filepath.WalkDir("testdata/"+info.Name, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && !other[d.Name()] {
				check(path, info.Name)
			}
			return nil
		})
	}
	for _, path := range []string{"LICENSE", "README.md", "go.mod", "go.sum", "doc.go", "skiav1/schema.json", "testdata/README.md"} {
		check(path, "")
	}
	for _, path := range corpus.Files(t, "json", "*") {
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

// An input that nothing recognises gets an error that says why for each format.
func TestUnknown(t *testing.T) {
	for in, want := range map[string]string{
		`{"version":"1","results":{}}`:   "not skiav1 (version must be a number, and is a string), not nanolegacy (results must hold objects of objects)",
		`{"gitHash":null,"results":3}`:   "not skiav1 (results must be an array, and is a number), not nanolegacy (gitHash must be a string, and is null)",
		`{"a":1}`:                        "not skiav1 (none of version, git_hash and results is there), not nanolegacy (none of gitHash and results is there)",
		`[]`:                             "not skiav1 (it is no JSON object)",
		"":                               "not benchfmt (no line is a benchmark's result), not keyval (its lines are no keyvals)",
		`{"version":true,"git_hash":[]}`: "not skiav1 (version must be a number, and is a boolean)",
	} {
		_, err := perfdata.NewReader(strings.NewReader(in), "x.json")
		if !errors.Is(err, perfdata.ErrFormat) || !strings.HasPrefix(err.Error(), "x.json:1:1: unknown format: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", in, err, want)
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
	for _, file := range []string{"testdata/skiav1/large.json", "testdata/benchfmt/gotest.txt", "testdata/keyval/iterations.keyval"} {
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
					if err == nil || !strings.HasPrefix(err.Error(), "x:1:1: it is compressed more than twice: ") {
						t.Errorf("three times: %v", err)
					}
				}
			}
		}
	}
}

// Of compressed data that is cut off anywhere, what is missing is an error.
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
			if !ok || e.Recoverable || e.Name != "x" {
				t.Errorf("%s: %d of %d bytes: %v", way, n, len(packed), err)
			} else if !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, perfdata.ErrFormat) {
				t.Errorf("%s: %d of %d bytes: %v has another cause", way, n, len(packed), err)
			}
		}
	}
}

// Of what is corrupt, the place is that in the decompressed input.
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
	bomb := append([]byte(`{"version":1,"git_hash":"x","results":[`), bytes.Repeat([]byte(" "), 8<<20)...)
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
		_, err = countRecords(info.NewReader(src, "x", format.Limits{}))
		e, ok := errors.AsType[*format.Error](err)
		if !ok || !strings.Contains(e.Message, "(Limits.MaxDecompressedBytes)") || e.Recoverable {
			t.Errorf("%s: %v", way, err)
		}
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
			var info format.Info
			if info, src, err = perfdata.DetectReader(src, "x"); err == nil {
				r := info.NewReader(src, "x", format.Limits{})
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
