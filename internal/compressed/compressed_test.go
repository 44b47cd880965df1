package compressed_test

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"

	"perfdata/internal/compressed"
)

var ways = []string{compressed.Gzip, compressed.Zstd, compressed.Zlib}

func pack(t testing.TB, way string, data []byte) []byte {
	t.Helper()
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
	return out.Bytes()
}

func unpack(way string, data []byte, max int64) ([]byte, error) {
	r, err := compressed.NewReader(bytes.NewReader(data), way, max)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// What was packed is recognised and comes back; every shorter piece of it is cut off.
func TestRoundTrip(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, way := range ways {
		for _, text := range []string{"", "a", strings.Repeat("one line of many\n", 20000)} {
			data := pack(t, way, []byte(text))
			if got := compressed.Detect(data[:min(len(data), 64<<10)]); got != way {
				t.Errorf("%s of %d bytes: Detect: %q", way, len(text), got)
			}
			got, err := unpack(way, data, int64(len(text)))
			if err != nil || string(got) != text {
				t.Errorf("%s: %d bytes, want %d: %v", way, len(got), len(text), err)
			}
			for n := range data {
				if _, err := unpack(way, data[:n], 1<<30); !errors.Is(err, io.ErrUnexpectedEOF) && !(n == 0 && way == compressed.Zstd) {
					t.Fatalf("%s, %d of %d bytes: %v", way, n, len(data), err)
				}
			}
			if _, err := unpack(way, append(data[:len(data):len(data)], "and more"...), 1<<30); err == nil {
				t.Errorf("%s: what follows is no error", way)
			}
		}
	}
	// After thousands of inputs; the test's own surroundings may have one or two more.
	if after := runtime.NumGoroutine(); after > before+10 {
		t.Errorf("%d goroutines, before %d", after, before)
	}
}

// Several members of gzip, or frames of zstd, one after the other are one input.
func TestConcatenated(t *testing.T) {
	for _, way := range []string{compressed.Gzip, compressed.Zstd} {
		got, err := unpack(way, append(pack(t, way, []byte("one")), pack(t, way, []byte("two"))...), 6)
		if string(got) != "onetwo" || err != nil {
			t.Errorf("%s: %q, %v", way, got, err)
		}
	}
}

func TestLimit(t *testing.T) {
	for _, way := range ways {
		data := pack(t, way, make([]byte, 1<<20))
		got, err := unpack(way, data, 1000)
		if !errors.Is(err, compressed.ErrSize) || len(got) != 1000 || !strings.Contains(err.Error(), "MaxDecompressedBytes") {
			t.Errorf("%s: %d bytes, %v", way, len(got), err)
		}
	}
}

// A frame can't ask for more memory than there is.
func TestWindow(t *testing.T) {
	for _, frame := range [][]byte{
		{0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xb0, 0x01, 0x00, 0x00},                                                 // a window of 4 GiB
		{0x28, 0xb5, 0x2f, 0xfd, 0xe0, 0, 0, 0, 0, 1, 0, 0, 0, 0x01, 0x00, 0x00},                               // one segment of 4 GiB
		{0x28, 0xb5, 0x2f, 0xfd, 0xe0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0x01, 0, 0, 1, 2, 3, 4}, // of 8 EiB
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := unpack(compressed.Zstd, frame, 1<<30)
		runtime.ReadMemStats(&after)
		if err == nil || after.TotalAlloc-before.TotalAlloc > 8<<20 {
			t.Errorf("%v, %d bytes", err, after.TotalAlloc-before.TotalAlloc)
		}
	}
}

func TestCorrupt(t *testing.T) {
	text := strings.Repeat("some text that is packed ", 100)
	for _, way := range ways {
		data := pack(t, way, []byte(text))
		data[len(data)-2] ^= 0xff // of the checksum; zstd's is its last four bytes, too
		if compressed.Detect(data) != way {
			t.Errorf("%s: isn't recognised", way)
		}
		if way == compressed.Gzip {
			data[len(data)-2] ^= 0xff // it is followed by the length
			data[len(data)-6] ^= 0xff
		}
		if _, err := unpack(way, data, 1<<20); err == nil || !strings.HasPrefix(err.Error(), way+": ") {
			t.Errorf("%s: %v", way, err)
		}
	}
}

// Text is not taken for zlib data, though the first bytes of some would do.
func TestDetectText(t *testing.T) {
	for a := range 256 {
		for b := range 256 {
			for _, rest := range []string{"", "est: a configuration\nBenchmarkX 1 2 ns/op\n", "=1", "{perf}=2\n", strings.Repeat("x", 100)} {
				text := string([]byte{byte(a), byte(b)}) + rest
				printable := a >= ' ' && a < 127 && b >= ' ' && b < 127
				if got := compressed.Detect([]byte(text)); printable && got != "" {
					t.Fatalf("%q: %s", text, got)
				}
			}
		}
	}
	if got := compressed.Detect(nil); got != "" {
		t.Error(got)
	}
}

func TestByName(t *testing.T) {
	for name, want := range map[string]string{"a.json.gz": "gzip", "a.ZST": "zstd", "a.zz": "zlib", "a.json": "", "gz": ""} {
		if got := compressed.ByName(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if _, err := compressed.NewWriter(nil, "lzma"); err == nil {
		t.Error("there is no such compression")
	}
	if _, err := compressed.NewReader(strings.NewReader(""), "lzma", 1); err == nil {
		t.Error("there is no such compression")
	}
}
