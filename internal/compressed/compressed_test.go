package compressed_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/gzip"

	"perfdata/format"
	"perfdata/internal/compressed"
	"perfdata/internal/testing/quick"
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
	r, err := compressed.NewReader(bytes.NewReader(data), way,
		format.Limits{MaxDecompressedBytes: max}.WithDefaults(), nil)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// Compressed data is detected and decompressed; every shorter prefix of it is truncated.
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
			for n := 0; n < len(data); n += quick.Of(1, 7) {
				if _, err := unpack(way, data[:n], 1<<30); !errors.Is(err, io.ErrUnexpectedEOF) && !(n == 0 &&
					way == compressed.Zstd) {
					t.Fatalf("%s, %d of %d bytes: %v", way, n, len(data), err)
				}
			}
			if _, err := unpack(way, append(data[:len(data):len(data)], "and more"...), 1<<30); err == nil {
				t.Errorf("%s: no error about trailing data", way)
			}
		}
	}
	// After thousands of inputs. The test's environment may have one or two more.
	if after := runtime.NumGoroutine(); after > before+10 {
		t.Errorf("%d goroutines, before %d", after, before)
	}
}

// Consecutive gzip members, or zstd frames, are one input.
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
		if !errors.Is(err, compressed.ErrSize) || len(got) != 1000 ||
			!strings.Contains(err.Error(), "MaxDecompressedBytes") {
			t.Errorf("%s: %d bytes, %v", way, len(got), err)
		}
	}
}

// Trailing data is an error of its own, unless it can begin another member or frame: then that is
// truncated.
func TestTrailing(t *testing.T) {
	const cutOff, trailing = "is truncated: unexpected EOF", "data after the end of the compressed data"
	magic := map[string]string{compressed.Gzip: "\x1f\x8b\x08", compressed.Zstd: "\x28\xb5\x2f\xfd"}
	for _, way := range ways {
		for _, test := range []struct {
			name, after, want string
		}{
			{
				name:  "a line end",
				after: "\n",
				want:  trailing,
			},
			{
				name:  "a zero",
				after: "\x00",
				want:  trailing,
			},
			{
				name:  "zeros",
				after: strings.Repeat("\x00", 100),
				want:  trailing,
			},
			{
				name:  "text",
				after: "and more",
				want:  trailing,
			},
			{
				name:  "another format",
				after: string(pack(t, ways[(slices.Index(ways, way)+1)%len(ways)], []byte("more"))),
				want:  trailing,
			},
			{
				name:  "almost another member",
				after: "\x1f\x8b\x07more",
				want:  trailing,
			},
			{
				name:  "almost another frame",
				after: "\x28\xb5\x2f\xfemore",
				want:  trailing,
			},
			{
				name:  "almost a frame to pass over",
				after: "\x50\x2a\x4d\x19more",
				want:  trailing,
			},
			{
				name:  "first byte of another",
				after: magic[way][:min(1, len(magic[way]))],
				want:  cutOff,
			},
			{
				name:  "two bytes of another",
				after: magic[way][:min(2, len(magic[way]))],
				want:  cutOff,
			},
			{
				name:  "the beginning of another",
				after: magic[way],
				want:  cutOff,
			},
		} {
			if test.after == "" {
				continue // zlib data is not concatenated
			}
			t.Run(way+"/"+test.name, func(t *testing.T) {
				got, err := unpack(way, append(pack(t, way, []byte("contents")), test.after...), 1<<20)
				if string(got) != "contents" || err == nil || !strings.HasSuffix(err.Error(), test.want) {
					t.Errorf("%q, %v, want %s", got, err, test.want)
				}
				if want := test.want == trailing; errors.Is(err, compressed.ErrTrailing) != want ||
					errors.Is(err, io.ErrUnexpectedEOF) == want {
					t.Errorf("%v has another cause", err)
				}
				if strings.Count(err.Error(), way) != 1 {
					t.Errorf("%v: want the name of the compression once", err)
				}
			})
		}
	}
}

// All kinds of zstd frames can be consecutive, and an input is truncated at any byte except the
// end of a frame.
func TestFrames(t *testing.T) {
	const blocks = 7000 * 20 // in bytes: two blocks
	frames := []string{
		string(pack(t, compressed.Zstd, []byte(strings.Repeat("text of some length ", blocks/20)))),
		string(pack(t, compressed.Zstd, nil)),
		// to be passed over, empty
		"\x50\x2a\x4d\x18\x00\x00\x00\x00",
		// to be passed over, with the magic number in it
		"\x5f\x2a\x4d\x18\x04\x00\x00\x00\x28\xb5\x2f\xfd",
		// a window; a raw block
		"\x28\xb5\x2f\xfd\x00\x00" + "\x09\x00\x00x",
		// its size in one byte; a block that repeats a byte
		"\x28\xb5\x2f\xfd\x20\x05" + "\x2b\x00\x00x",
		// its size in two bytes, from 256 on
		"\x28\xb5\x2f\xfd\x40\x00\x00\x01" + strings.Repeat("\x02\x08\x00x", 2) + "\x01\x00\x00",
		"\x28\xb5\x2f\xfd\xa0\x02\x00\x00\x00" + "\x11\x00\x00xy",                 // in four bytes
		"\x28\xb5\x2f\xfd\xe0\x02\x00\x00\x00\x00\x00\x00\x00" + "\x11\x00\x00xy", // in eight bytes
	}
	data := strings.Join(frames, "")
	ends := map[int]bool{}
	for n, i := 0, 0; i < len(frames); i++ {
		ends[n] = true
		n += len(frames[i])
	}
	for n := range len(data) {
		if n > quick.Of(100, 30) && n < len(frames[0])-quick.Of(100, 10) {
			continue
		}
		_, err := unpack(compressed.Zstd, []byte(data[:n]), 1<<30)
		if ends[n] && err != nil || !ends[n] && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	if got, err := unpack(compressed.Zstd, []byte(data), 1<<30); err != nil || len(got) != blocks+1+5+512+2+2 {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

// Many empty members are not an input without progress.
func TestEmptyMembers(t *testing.T) {
	for _, way := range []string{compressed.Gzip, compressed.Zstd} {
		data := append(bytes.Repeat(pack(t, way, nil), 1000), pack(t, way, []byte("contents"))...)
		r, err := compressed.NewReader(bytes.NewReader(data), way, format.Limits{}.WithDefaults(), nil)
		if err != nil {
			t.Fatal(err)
		}
		var p [20]byte
		if n, err := r.Read(p[:]); string(p[:n]) != "contents" {
			t.Errorf("%s: %q, %v", way, p[:n], err)
		}
	}
}

// zstdBomb returns zstd data of 128 KiB for each 4 bytes.
func zstdBomb(blocks int) []byte {
	return append(append([]byte("\x28\xb5\x2f\xfd\x00\x58"), bytes.Repeat([]byte("\x02\x00\x10 "), blocks)...),
		1, 0, 0)
}

// From 64 MiB on, the compression ratio is bounded.
func TestRatio(t *testing.T) {
	const free = 64 << 20
	for _, test := range []struct {
		name   string
		packed []byte
		ratio  int
		want   int64 // bytes of contents, -1 if they are not refused
	}{
		{
			name:   "few bytes",
			packed: zstdBomb(512),
			ratio:  1000,
			want:   -1,
		},
		{
			name:   "few more bytes",
			packed: append(zstdBomb(512), zstdBomb(1)...),
			ratio:  1000,
			want:   free,
		},
		{
			name:   "many",
			packed: zstdBomb(5000),
			ratio:  1000,
			want:   free,
		},
		{
			name:   "many bytes, with a larger ratio",
			packed: zstdBomb(600),
			ratio:  40_000,
			want:   -1,
		},
		{
			name:   "the compressed bytes allow more",
			packed: append(pack(t, compressed.Zstd, noise(70_000)), zstdBomb(4000)...),
			ratio:  1000,
			want:   1000 * 70_000,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			limits := format.Limits{MaxCompressionRatio: test.ratio}.WithDefaults()
			for way, in := range map[string]io.Reader{
				"at once":      bytes.NewReader(test.packed),
				"byte by byte": iotest.OneByteReader(bytes.NewReader(test.packed)),
			} {
				if quick.Test() && (way == "at once") != (test.ratio > 1000) {
					continue // each of the cases in one of the ways
				}
				r, err := compressed.NewReader(in, compressed.Zstd, limits, nil)
				if err != nil {
					t.Fatal(err)
				}
				n, err := io.Copy(io.Discard, onlyReader{r})
				switch refused := errors.Is(err, compressed.ErrSize) &&
					strings.Contains(err.Error(), "(Limits.MaxCompressionRatio)"); {
				case test.want < 0:
					if err != nil {
						t.Errorf("%s: %d bytes, %v", way, n, err)
					}
				case !refused || n < test.want || n > test.want+8<<20:
					t.Errorf("%s: %d bytes, want %d, %v", way, n, test.want, err)
				}
			}
		})
	}
}

type onlyReader struct{ io.Reader }

// Skippable frames, and the headers of gzip members, do not allow a larger ratio: an input can have
// any amount of these without contents.
func TestPadding(t *testing.T) {
	zeros := make([]byte, 65<<20)
	skippable := append([]byte("\x50\x2a\x4d\x18\x00\x00\x10\x00"), make([]byte, 1<<20)...)
	var member bytes.Buffer
	w := gzip.NewWriter(&member)
	w.Extra, w.Name, w.Comment = make([]byte, 60_000), strings.Repeat("n", 500), strings.Repeat("c", 500)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for way, padding := range map[string][]byte{
		compressed.Zstd: skippable,
		compressed.Gzip: bytes.Repeat(member.Bytes(), 20),
	} {
		t.Run(way, func(t *testing.T) {
			limits := format.Limits{MaxCompressionRatio: 100}.WithDefaults()
			in := bytes.NewReader(append(padding, pack(t, way, zeros)...))
			r, err := compressed.NewReader(in, way, limits, nil)
			if err != nil {
				t.Fatal(err)
			}
			n, err := io.Copy(io.Discard, onlyReader{r})
			if !errors.Is(err, compressed.ErrSize) || n > 64<<20 {
				t.Errorf("%d bytes, %v", n, err)
			}
		})
	}
}

// Each error about the data has a cause of package format, and one of the source is kept.
func TestCauses(t *testing.T) {
	for _, way := range ways {
		data := pack(t, way, []byte(strings.Repeat("some text that is packed ", 100)))
		for i := range data {
			damaged := bytes.Clone(data)
			damaged[i] ^= 0xff
			if _, err := unpack(way, damaged, 1<<20); err != nil && !format.IsFinal(err) {
				t.Errorf("%s, byte %d is damaged: %v", way, i, err)
			}
			broken := errors.New("broken")
			in := io.MultiReader(bytes.NewReader(data[:i]), iotest.ErrReader(broken))
			r, err := compressed.NewReader(in, way, format.Limits{}.WithDefaults(), nil)
			if err == nil {
				_, err = io.ReadAll(r)
			}
			if !errors.Is(err, broken) || format.IsFinal(err) {
				t.Errorf("%s, broken after %d bytes: %v", way, i, err)
			}
		}
	}
	_, err := unpack(compressed.Zstd, []byte("\x28\xb5\x2f\xfd\x00\xb0\x01\x00\x00"), 1<<30)
	if !errors.Is(err, format.ErrLimit) || errors.Is(err, format.ErrSyntax) {
		t.Errorf("a window of 4 GiB: %v", err)
	}
}

// noise returns bytes that cannot be compressed.
func noise(n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{}).Read(b)
	return b
}

// A frame cannot make the decoder allocate a huge window.
func TestWindow(t *testing.T) {
	for _, frame := range [][]byte{
		// a window of 4 GiB
		{0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xb0, 0x01, 0x00, 0x00},
		// one segment of 4 GiB
		{0x28, 0xb5, 0x2f, 0xfd, 0xe0, 0, 0, 0, 0, 1, 0, 0, 0, 0x01, 0x00, 0x00},
		// of 8 EiB
		{0x28, 0xb5, 0x2f, 0xfd, 0xe0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0x01, 0, 0, 1, 2, 3, 4},
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
			t.Errorf("%s: is not detected", way)
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

// Text is not detected as zlib data, even if its first bytes are a zlib header.
func TestDetectText(t *testing.T) {
	for a := range 256 {
		for b := range 256 {
			for _, rest := range []string{
				"",
				"est: a configuration\nBenchmarkX 1 2 ns/op\n",
				"=1",
				"{perf}=2\n",
				strings.Repeat("x", 100),
			} {
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
	for name, want := range map[string]string{
		"a.json.gz": "gzip",
		"a.ZST":     "zstd",
		"a.zz":      "zlib",
		"a.json":    "",
		"gz":        "",
	} {
		if got := compressed.ByName(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if _, err := compressed.NewWriter(nil, "lzma"); err == nil {
		t.Error("no error, want one about the compression")
	}
	if _, err := compressed.NewReader(strings.NewReader(""), "lzma", format.Limits{}, nil); err == nil {
		t.Error("no error, want one about the compression")
	}
}

// Undecided is false only if Detect returns the same for every longer prefix.
func TestUndecided(t *testing.T) {
	for _, in := range []string{
		"goos: linux\n", "{}", "x^2", "(a)", "P*M\x18" + strings.Repeat("x", 10), "x",
		"\x1f\x8b\x07", strings.Repeat("x^", 2200),
		packed(t, compressed.Gzip), packed(t, compressed.Zstd), packed(t, compressed.Zlib),
	} {
		decided := false
		for n := 1; n <= len(in); n++ {
			prefix := []byte(in[:n])
			if decided = decided || !compressed.Undecided(prefix); decided &&
				compressed.Detect(prefix) != compressed.Detect([]byte(in)) {
				t.Errorf("%.20q: decided by %d bytes to be %q", in, n, compressed.Detect(prefix))
				break
			}
		}
		if !decided && len(in) > 4<<10 {
			t.Errorf("%.20q: not decided", in)
		}
	}
	for _, in := range []string{"g", "{", "go", "\n"} {
		if compressed.Undecided([]byte(in)) {
			t.Errorf("%q is not decided", in)
		}
	}
}

// packed returns some compressed text.
func packed(t *testing.T, compression string) string {
	var out bytes.Buffer
	w, err := compressed.NewWriter(&out, compression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, "some text that is compressed"); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
