package utf16text

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"

	"perfdata/format"
)

func TestDetect(t *testing.T) {
	for _, test := range []struct {
		name, prefix string
		want         bool
	}{
		{"little-endian", "\xff\xfea\x00", true},
		{"big-endian", "\xfe\xff\x00a", true},
		{"nothing after the mark", "\xff\xfe", true},
		{"half a character", "\xff\xfe\x00", true},
		{"UTF-32, little-endian", "\xff\xfe\x00\x00a\x00\x00\x00", false},
		{"UTF-32, big-endian", "\x00\x00\xfe\xff", false},
		{"UTF-8", "\xef\xbb\xbfa", false},
		{"no mark", "a\x00b\x00", false},
		{"half a mark", "\xff", false},
		{"nothing", "", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := Detect([]byte(test.prefix)); got != test.want {
				t.Errorf("%v", got)
			}
		})
	}
}

func TestReader(t *testing.T) {
	for _, test := range []struct {
		name, in string // big-endian, without the mark
		want     string
		err      string
		cause    error
	}{
		{"nothing", "", "", "", nil},
		{"ASCII", "\x00a\x00\n", "a\n", "", nil},
		{"two and three bytes", "\x00\xb5\x22\x1e", "µ∞", "", nil},
		{"a pair", "\xd8\x3d\xde\x00\x00b", "😀b", "", nil},
		{"another mark", "\xfe\xff", "\ufeff", "", nil},
		{"the replacement character", "\xff\xfd", "\ufffd", "", nil},
		{
			"a low surrogate",
			"\x00a\xdc\x00\x00b",
			"a",
			"invalid UTF-16 at byte 4: DC00 is half of a surrogate pair",
			format.ErrSyntax,
		},
		{
			"a high surrogate",
			"\x00a\xd8\x00\x00b",
			"a",
			"invalid UTF-16 at byte 4: D800 is half of a surrogate pair",
			format.ErrSyntax,
		},
		{
			"a high surrogate last",
			"\x00a\xd8\x00",
			"a",
			"invalid UTF-16 at byte 4: D800 is half of a surrogate pair",
			format.ErrSyntax,
		},
		{
			"two high surrogates",
			"\xd8\x00\xd8\x00\xdc\x00",
			"",
			"invalid UTF-16 at byte 2: D800 is half of a surrogate pair",
			format.ErrSyntax,
		},
		{
			"an odd last byte",
			"\x00a\x00",
			"a",
			"the UTF-16 text is truncated at byte 4: unexpected EOF",
			io.ErrUnexpectedEOF,
		},
		{
			"an odd byte in a pair",
			"\xd8\x00\xdc",
			"",
			"the UTF-16 text is truncated at byte 2: unexpected EOF",
			io.ErrUnexpectedEOF,
		},
	} {
		for _, order := range []string{"big-endian", "little-endian"} {
			in := []byte("\xfe\xff" + test.in)
			if order == "little-endian" {
				for i := 0; i+1 < len(in); i += 2 {
					in[i], in[i+1] = in[i+1], in[i]
				}
				if n := len(in); test.name == "an odd byte in a pair" || test.name == "an odd last byte" {
					in[n-1] = 'x'
				}
			}
			t.Run(test.name+", "+order, func(t *testing.T) {
				for way, source := range ways {
					got, err := io.ReadAll(NewReader(source(bytes.NewReader(in))))
					if string(got) != test.want {
						t.Errorf("%s: %q, want %q", way, got, test.want)
					}
					message := ""
					if err != nil {
						message = err.Error()
					}
					if message != test.err || !errors.Is(err, test.cause) {
						t.Errorf("%s: %v, want %s", way, err, test.err)
					}
				}
			})
		}
	}
}

// ways are ways in which an input may arrive.
var ways = map[string]func(io.Reader) io.Reader{
	"at once":         func(in io.Reader) io.Reader { return in },
	"byte by byte":    iotest.OneByteReader,
	"in halves":       iotest.HalfReader,
	"data with error": iotest.DataErrReader,
	"short reads":     func(in io.Reader) io.Reader { return shortReads{in} },
}

// shortReads has io.Reader.Read read at most 3 bytes, and sometimes none.
type shortReads struct{ io.Reader }

func (r shortReads) Read(p []byte) (int, error) {
	if len(p)%2 == 0 && len(p) > 100 {
		return r.Reader.Read(p[:3])
	}
	return r.Reader.Read(p[:min(len(p), 1)])
}

// A reader with room for one byte gets all text, a byte at a time.
func TestShortBuffer(t *testing.T) {
	got, err := io.ReadAll(iotest.OneByteReader(NewReader(strings.NewReader("\xfe\xff\xd8\x3d\xde\x00\x22\x1e\x00b"))))
	if string(got) != "😀∞b" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

// The error of the source is returned after all text before it, even inside a character.
func TestSourceError(t *testing.T) {
	broken := errors.New("broken")
	for _, in := range []string{
		"", "\xfe", "\xfe\xff", "\xfe\xff\x00a", "\xfe\xff\x00a\x00",
		"\xfe\xff\x00a\xd8\x00", "\xfe\xff\x00a\xd8\x00\xdc",
	} {
		want := ""
		if len(in) >= 4 {
			want = "a"
		}
		got, err := io.ReadAll(NewReader(io.MultiReader(strings.NewReader(in), iotest.ErrReader(broken))))
		if string(got) != want || err != broken {
			t.Errorf("%q: %q, %v", in, got, err)
		}
	}
}

// A source that returns nothing is an error, not an endless loop.
func TestNoProgress(t *testing.T) {
	if _, err := io.ReadAll(NewReader(nothing{})); err != io.ErrNoProgress {
		t.Error(err)
	}
}

type nothing struct{}

func (nothing) Read([]byte) (int, error) { return 0, nil }

// The Reader agrees with package unicode/utf16 about all text up to the first error.
func FuzzReader(f *testing.F) {
	f.Add([]byte("a\x00b\x00"), false, uint8(0))
	f.Add([]byte("\xd8\x3d\xde\x00"), true, uint8(1))
	f.Add([]byte("\xd8\x3d\xd8"), true, uint8(2))
	f.Add(bytes.Repeat([]byte("\xd8\x3d\xde\x00\x00a"), 4000), true, uint8(0))
	names := []string{"at once", "byte by byte", "in halves", "data with error", "short reads"}
	f.Fuzz(func(t *testing.T, data []byte, isBig bool, way uint8) {
		var order binary.ByteOrder = binary.LittleEndian
		in := little + string(data)
		if isBig {
			order, in = binary.BigEndian, big+string(data)
		}
		var units []uint16
		for i := 0; i+1 < len(data); i += 2 {
			units = append(units, order.Uint16(data[i:]))
		}
		whole := utf16.Decode(units)
		valid := slices.Equal(utf16.Encode(whole), units)

		source := ways[names[int(way)%len(names)]]
		got, err := io.ReadAll(NewReader(source(strings.NewReader(in))))
		if (err == nil) != (valid && len(data)%2 == 0) || !strings.HasPrefix(string(whole), string(got)) {
			t.Fatalf("%q, %v; want %q, valid is %v", got, err, string(whole), valid)
		}
		truncated := errors.Is(err, io.ErrUnexpectedEOF)
		switch {
		case err == nil && string(got) != string(whole):
			t.Errorf("%q, want %q", got, string(whole))
		case truncated && len(data)%2 == 0, err != nil && !truncated && !errors.Is(err, format.ErrSyntax):
			t.Error(err)
		}
	})
}
