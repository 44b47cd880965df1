package object_test

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata"
	"perfdata/format"
	"perfdata/internal/testing/corpus"
	"perfdata/internal/testing/formattest"
	"perfdata/perun"
	"perfdata/perun/object"
)

func pack(content string) []byte {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	io.WriteString(w, content)
	w.Close()
	return b.Bytes()
}

const (
	head  = `{"header":{"type":"time"},`
	small = head + `"snapshots":[{"resources":[{"amount":1,"uid":"é"}]}]}` // 79 characters
)

func testFile(t testing.TB) string { return formattest.ReadFile(t, "../../testdata/perun/time.object") }

// newReader returns a Reader of an object, or fails.
func newReader(t *testing.T, in io.Reader, limits format.Limits) *object.Reader {
	t.Helper()
	r, err := object.NewReader(in, "o", limits)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The reference's object has the contents of its source. Storing its profile again gives the same
// object.
func TestCorpus(t *testing.T) {
	o := newReader(t, strings.NewReader(formattest.ReadFile(t, corpus.Dir(t, "perun"), "packed-time.object")),
		format.Limits{})
	profile, err := io.ReadAll(o)
	if err != nil || o.Type != "time" || len(profile) != 450 {
		t.Errorf("%d bytes of type %s, %v", len(profile), o.Type, err)
	}
	show := func(profile string) (got []string) {
		r := perun.NewReader(strings.NewReader(profile))
		h, err := r.Header()
		h.Origin = ""
		got = append(got, fmt.Sprint(h, err))
		for res, err := range r.Resources() {
			got = append(got, fmt.Sprint(res.Snapshot, res.Fields, err))
		}
		return got
	}
	want := show(formattest.ReadFile(t, corpus.Dir(t, "perun"), "seed-time-snapshots.perf"))
	if diff := cmp.Diff(want, show(string(profile))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	var again bytes.Buffer
	sum, err := object.Write(&again, o.Type, bytes.NewReader(profile))
	if err != nil || sum != o.Sum() {
		t.Errorf("stored again as %s, %v; want %s", sum, err, o.Sum())
	}
}

func TestInvalid(t *testing.T) {
	good := pack("profile time 79\x00" + small)
	changed := slices.Clone(good)
	changed[len(changed)-1] ^= 1
	for _, test := range []struct {
		name   string
		packed []byte
		want   string
	}{
		{
			name:   "not zlib",
			packed: []byte(small),
			want:   "not compressed with zlib: zlib: invalid header",
		},
		{
			name: "empty",
			want: "unexpected end",
		},
		{
			name:   "missing header",
			packed: pack(small + small),
			want:   "missing header: want such as profile time 450",
		},
		{
			name:   "truncated header",
			packed: pack("profile time"),
			want:   "unexpected end",
		},
		{
			name:   "another header",
			packed: pack("commit time 79\x00" + small),
			want:   `the header is "commit time 79\x00", want such as "profile time 450\x00"`,
		},
		{
			name:   "unknown type",
			packed: pack("profile speed 79\x00" + small),
			want:   `the type is "speed", want time, memory or mixed`,
		},
		{
			name:   "length that is not a number",
			packed: pack("profile time x\x00" + small),
			want:   `the length is "x", want a number`,
		},
		{
			name:   "negative length",
			packed: pack("profile time -1\x00" + small),
			want:   `the length is "-1", want a number`,
		},
		{
			name:   "too short",
			packed: pack("profile time 80\x00" + small),
			want:   "the length is 80, but it has 79",
		},
		{
			name:   "too long",
			packed: pack("profile time 78\x00" + small),
			want:   "the length is 78, but it has more",
		},
		{
			name:   "another type",
			packed: pack("profile memory 79\x00" + small),
			want:   `the type is "memory", but the profile's is "time"`,
		},
		{
			name:   "wrong checksum",
			packed: changed,
			want:   "not compressed with zlib: zlib: invalid checksum",
		},
		{
			name:   "trailing data",
			packed: append(slices.Clone(good), 1),
			want:   "data after its end",
		},
		{
			name:   "truncated",
			packed: good[:len(good)-6],
			want:   "unexpected end",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			want := "o:1:1: stored object: " + test.want
			o, err := object.NewReader(bytes.NewReader(test.packed), "o", format.Limits{})
			if err == nil {
				_, err = perun.NewReader(o).Header()
			}
			if err == nil || err.Error() != want || !errors.Is(err, object.ErrInvalid) {
				t.Errorf("%v, want %s", err, want)
			}
		})
	}
}

func TestTruncated(t *testing.T) {
	good := pack("profile time 79\x00" + small)
	for n := range good {
		o, err := object.NewReader(bytes.NewReader(good[:n]), "o", format.Limits{})
		if err == nil {
			_, err = io.ReadAll(o)
		}
		if !errors.Is(err, object.ErrInvalid) || !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("cut off at %d: %v", n, err)
		}
	}
}

// However an object arrives, its error is the same, with the same position, and is not an error
// of the JSON.
func TestInvalidInPieces(t *testing.T) {
	profile := head + `"snapshots":[` + strings.Repeat(`{"resources":[{"amount":1,"uid":"é"}]},`, 2000) +
		`{"resources":[]}]}`
	length := len([]rune(profile))
	for _, test := range []struct {
		name, object, want string
	}{
		{
			name:   "too short",
			object: fmt.Sprintf("profile time %d\x00%s", length+1, profile),
			want:   fmt.Sprintf("the length is %d, but it has %d", length+1, length),
		},
		{
			name:   "too long",
			object: fmt.Sprintf("profile time %d\x00%s", length-1, profile),
			want:   fmt.Sprintf("the length is %d, but it has more", length-1),
		},
		{
			name:   "much too long",
			object: fmt.Sprintf("profile time %d\x00%s", length/2, profile),
			want:   fmt.Sprintf("the length is %d, but it has more", length/2),
		},
		{
			name:   "another type",
			object: fmt.Sprintf("profile memory %d\x00%s", length, profile),
			want:   `the type is "memory", but the profile's is "time"`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			want := "in:1:1: stored object: " + test.want
			for _, in := range []string{test.object, string(pack(test.object))} {
				for way, source := range formattest.Sources {
					r, err := perfdata.NewReader(source(in), "in")
					if err == nil {
						err = formattest.LastError(r)
					}
					e, ok := err.(*format.Error)
					if !ok || e.Error() != want || e.Offset != 0 || e.Severity == format.Recoverable ||
						!errors.Is(err, object.ErrInvalid) {
						t.Errorf("%s: %#v, want %s", way, err, want)
					}
				}
			}
			o := newReader(t, strings.NewReader(test.object), format.Limits{})
			root := "in:1:1: (root): stored object: " + test.want
			got := formattest.Faults(perun.Format().Validate(o, format.Options{Name: "in"}))
			if len(got) != 1 || strings.Replace(got[0], "o:", "in:", 1) != root {
				t.Errorf("Validate: %q, want %s", got, root)
			}
		})
	}
}

// The limits on decompressed data hold for stored objects, too.
func TestLimits(t *testing.T) {
	const blanks = 65 << 20 // the ratio is bounded from 64 MiB on
	var packed bytes.Buffer
	w, _ := zlib.NewWriterLevel(&packed, zlib.BestSpeed)
	fmt.Fprintf(w, "profile time %d\x00{", blanks+2)
	for range blanks >> 20 {
		io.WriteString(w, strings.Repeat(" ", 1<<20))
	}
	io.WriteString(w, "}")
	w.Close()
	large := packed.Bytes()
	for _, test := range []struct {
		name   string
		limits format.Limits
		want   string
	}{
		{
			name:   "size",
			limits: format.Limits{MaxDecompressedBytes: 1000},
			want:   "stored object: too many decompressed bytes: more than 1000 (Limits.MaxDecompressedBytes)",
		},
		{
			name:   "ratio",
			limits: format.Limits{MaxCompressionRatio: 500},
			want:   "stored object: too many decompressed bytes: more than 500 times the",
		},
		{
			name:   "none",
			limits: format.Limits{MaxCompressionRatio: 5000},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := newReader(t, bytes.NewReader(large), test.limits)
			n, err := io.Copy(io.Discard, o)
			if test.want == "" {
				if err != nil || n != blanks+2 {
					t.Errorf("%d bytes, %v", n, err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), test.want) || !errors.Is(err, object.ErrInvalid) {
				t.Errorf("%v, want %s", err, test.want)
			}
			if want := test.limits.MaxDecompressedBytes - int64(len("profile time 68157442\x00")); want > 0 &&
				n != want {
				t.Errorf("%d bytes, want %d", n, want)
			}
		})
	}
}

// Package perfdata opens objects, compressed or not, from whatever source.
func TestOpenedByPerfdata(t *testing.T) {
	packed := testFile(t)
	profile, err := io.ReadAll(newReader(t, strings.NewReader(packed), format.Limits{}))
	if err != nil {
		t.Fatal(err)
	}
	for name, in := range map[string]string{
		"compressed":   packed,
		"decompressed": fmt.Sprintf("profile time %d\x00%s", len(profile), profile),
		"the profile":  string(profile),
	} {
		t.Run(name, func(t *testing.T) {
			for way, source := range formattest.Sources {
				r, err := perfdata.NewReader(source(in), "in")
				if err != nil {
					t.Fatal(err)
				}
				n := 0
				for _, err := range r.Records() {
					if err != nil {
						t.Errorf("%s: %v", way, err)
					}
					n++
				}
				if n != 3 {
					t.Errorf("%s: %d records", way, n)
				}
			}
		})
	}
}

func TestDetect(t *testing.T) {
	for in, want := range map[string]bool{
		"profile time 5\x00{}": true,
		"profile x\x00":        true, // which NewReader has an error about
		"profile x":            false,
		"profile " + strings.Repeat("x", 100) + "\x00": false,
		"profil": false,
		"":       false,
		small:    false,
	} {
		if got := object.Detect([]byte(in)); got != want {
			t.Errorf("%q: %v", in, got)
		}
	}
}

// FuzzReader checks that the error about invalid data is ErrInvalid.
func FuzzReader(f *testing.F) {
	f.Add([]byte(testFile(f)))
	f.Add(pack("profile time 79\x00" + small))
	f.Add(pack(""))
	f.Fuzz(func(t *testing.T, in []byte) {
		for _, data := range [][]byte{in, pack(string(in))} {
			o, err := object.NewReader(bytes.NewReader(data), "o", format.Limits{})
			if err == nil {
				_, err = io.Copy(io.Discard, o)
			}
			if e, ok := errors.AsType[*format.Error](err); err != nil && (!ok ||
				!errors.Is(err, object.ErrInvalid) || e.Line < 1) {
				t.Errorf("%#v", err)
			}
		}
	})
}
