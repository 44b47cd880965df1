package perun

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"perfdata/format"
	"perfdata/internal/corpus"
	"perfdata/internal/formattest"
)

func pack(content string) []byte {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	io.WriteString(w, content)
	w.Close()
	return b.Bytes()
}

const small = `{"header":{"type":"time"},"snapshots":[{"resources":[{"amount":1,"uid":"é"}]}]}`

// The reference's object says what the profile says that it was made of, and storing that gives the same object.
func TestCorpusObject(t *testing.T) {
	packed := formattest.ReadFile(t, corpus.Dir(t, "perun"), "packed-time.object")
	o, err := NewObject(strings.NewReader(packed), "packed", "")
	if err != nil {
		t.Fatal(err)
	}
	profile, err := io.ReadAll(o)
	if err != nil || o.Type != "time" || len(profile) != 450 {
		t.Errorf("%d bytes of type %s, %v", len(profile), o.Type, err)
	}
	want, _, _, _ := read(t, formattest.ReadFile(t, corpus.Dir(t, "perun"), "seed-time-snapshots.perf"))
	want.Header.Origin = ""
	if got, _, _, _ := read(t, string(profile)); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
	var again bytes.Buffer
	sum, err := WriteObject(&again, bytes.NewReader(profile))
	if err != nil || sum != o.Sum() {
		t.Errorf("stored again as %s, %v; want %s", sum, err, o.Sum())
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestStore(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "objects")
	var sums []string
	for name, file := range testFiles(t) {
		r := newReader(strings.NewReader(file))
		h, err := r.Header()
		if err != nil {
			t.Fatal(err)
		}
		if h.Origin != "" || h.Type == "speed" {
			if _, err := StoreObject(dir, strings.NewReader(file)); err == nil {
				t.Errorf("%s: stored, with origin %q and type %q", name, h.Origin, h.Type)
			}
			var out bytes.Buffer
			h.Origin = ""
			if h.Type == "speed" {
				continue
			}
			w := NewWriter(&out, h)
			for res, err := range r.Resources() {
				if err == nil {
					w.WriteResource(res)
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			file = out.String()
		}
		for range 2 { // the second time it is there already
			sum, err := StoreObject(dir, strings.NewReader(file))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if !slices.Contains(sums, sum) {
				sums = append(sums, sum)
			}
			o, err := OpenObject(os.DirFS(dir), sum)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := io.ReadAll(o); err != nil || string(got) != file {
				t.Errorf("%s: read back with %v: %.100s", name, err, got)
			}
			o.Close()
		}
	}
	os.WriteFile(filepath.Join(dir, "ab.changes"), nil, 0o666)
	var got []string
	for sum, err := range Objects(os.DirFS(dir)) {
		if err != nil {
			t.Error(err)
		}
		got = append(got, sum)
	}
	slices.Sort(sums)
	if !slices.Equal(got, sums) {
		t.Errorf("got %q, want %q", got, sums)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "tmp-*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
	if _, err := OpenObject(os.DirFS(dir), strings.Repeat("0", 40)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	for _, sum := range []string{"", "../x", strings.Repeat("A", 40), strings.Repeat("0", 39)} {
		if _, err := OpenObject(os.DirFS(dir), sum); err == nil {
			t.Errorf("opened %q", sum)
		}
	}
	for range Objects(fstest.MapFS{}) {
		t.Error("an object of nothing")
	}
}

// However an object arrives, what is wrong with it is the same error at the same place, as it is: not one of the JSON.
func TestInvalidObjectsInPieces(t *testing.T) {
	profile := head + `"snapshots":[` + strings.Repeat(`{"resources":[{"amount":1,"uid":"é"}]},`, 5000) + `{"resources":[]}]}`
	length := len([]rune(profile))
	good := pack(fmt.Sprintf("profile time %d\x00%s", length, profile))
	for _, test := range []struct {
		name, object, want string
	}{
		{"too short", string(pack(fmt.Sprintf("profile time %d\x00%s", length+1, profile))), fmt.Sprintf("the length is %d, but it has %d", length+1, length)},
		{"too long", string(pack(fmt.Sprintf("profile time %d\x00%s", length-1, profile))), fmt.Sprintf("the length is %d, but it has more", length-1)},
		{"much too long", string(pack(fmt.Sprintf("profile time %d\x00%s", length/2, profile))), fmt.Sprintf("the length is %d, but it has more", length/2)},
		{"unpacked, too long", fmt.Sprintf("profile time %d\x00%s", length-100, profile), fmt.Sprintf("the length is %d, but it has more", length-100)},
		{"cut off", string(good[:len(good)/2]), "it ends too early"},
		{"data after it", string(good) + "x", "there is data after its end"},
	} {
		t.Run(test.name, func(t *testing.T) {
			want := "in:1:1: stored object: " + test.want
			for way, source := range formattest.Sources {
				err := formattest.LastError(Info().NewReader(source(test.object), "in", format.Limits{}))
				e, ok := err.(*format.Error)
				if !ok || e.Error() != want || e.Offset != 0 || e.Recoverable || !errors.Is(err, ErrObject) {
					t.Errorf("%s: %#v, want %s", way, err, want)
				}
				root := strings.Replace(want, "in:1:1:", "in:1:1: (root):", 1)
				if got := formattest.Faults(Info().Validate(source(test.object), "in", format.Limits{})); len(got) != 1 || got[0] != root {
					t.Errorf("%s: Validate: %q, want %s", way, got, want)
				}
			}
		})
	}
}

// The limits on decompressed data hold for stored objects, too.
func TestObjectLimits(t *testing.T) {
	const blanks = 65 << 20
	large := pack(fmt.Sprintf("profile time %d\x00{%s}", blanks+2, strings.Repeat(" ", blanks)))
	for _, test := range []struct {
		name   string
		limits format.Limits
		want   string
	}{
		{"size", format.Limits{MaxDecompressedBytes: 1000}, "in:1:1: stored object: too many decompressed bytes: more than 1000 (Limits.MaxDecompressedBytes)"},
		{"ratio", format.Limits{MaxCompressionRatio: 500}, "in:1:1: stored object: decompressed bytes for each compressed one: more than 500 (Limits.MaxCompressionRatio)"},
		{"none", format.Limits{MaxCompressionRatio: 5000}, "in:1:1: (root): this is no profile: there is neither header nor resources"},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := formattest.LastError(Info().NewReader(bytes.NewReader(large), "in", test.limits))
			if err == nil || err.Error() != test.want {
				t.Errorf("%v, want %s", err, test.want)
			}
		})
	}
	got := formattest.Faults(Info().Validate(bytes.NewReader(large), "in", format.Limits{MaxDecompressedBytes: 1000}))
	if len(got) != 1 || !strings.HasSuffix(got[0], "(Limits.MaxDecompressedBytes)") {
		t.Errorf("Validate: %q", got)
	}
	o, err := NewObject(bytes.NewReader(large), "in", "")
	if err != nil {
		t.Fatal(err)
	}
	o.Limits.MaxDecompressedBytes = 1000
	n, err := io.Copy(io.Discard, o)
	if want := int64(1000 - len("profile time 68157442\x00")); n != want || !errors.Is(err, ErrObject) {
		t.Errorf("%d bytes, %v, want %d", n, err, want)
	}
}

// What is wrong with an object is an error with a place, of the Object or of the Reader that reads it.
func TestInvalidObjects(t *testing.T) {
	good := pack("profile time 79\x00" + small)
	changed := slices.Clone(good)
	changed[len(changed)-1] ^= 1
	for _, test := range []struct {
		name   string
		packed []byte
		sum    string
		want   string
	}{
		{"no zlib", []byte("profile time 79\x00" + small), "", "o:1:1: stored object: it isn't packed with zlib as it must be: zlib: invalid header"},
		{"empty", nil, "", "o:1:1: stored object: it ends too early"},
		{"no header", pack(small + small), "", "o:1:1: stored object: there is no header, such as profile time 450"},
		{"another header", pack("commit time 79\x00" + small), "", `o:1:1: stored object: the header is "commit time 79\x00", expected such as "profile time 450\x00"`},
		{"unknown type", pack("profile speed 79\x00" + small), "", `o:1:1: stored object: the type is "speed", expected time, memory or mixed`},
		{"no length", pack("profile time x\x00" + small), "", `o:1:1: stored object: the length is "x", expected a number`},
		{"too short", pack("profile time 80\x00" + small), "", "o:1:80: stored object: the length is 80, but it has 79"},
		{"too long", pack("profile time 78\x00" + small), "", "stored object: the length is 78, but it has more"},
		{"another type", pack("profile memory 79\x00" + small), "", `o:1:1: stored object: the type is "memory", but the profile's is "time"`},
		{"another name", good, strings.Repeat("0", 40), "stored object: the checksum is "},
		{"a changed checksum", changed, "", "stored object: it isn't packed with zlib as it must be: zlib: invalid checksum"},
		{"data after it", append(slices.Clone(good), 1), "", "stored object: there is data after its end"},
		{"cut off", good[:len(good)-6], "", "stored object: it ends too early"},
	} {
		t.Run(test.name, func(t *testing.T) {
			o, err := NewObject(bytes.NewReader(test.packed), "o", test.sum)
			if err == nil {
				r := newReader(o)
				_, err = r.Header()
			}
			var e *format.Error
			if !errors.As(err, &e) || !errors.Is(err, ErrObject) || e.Line < 1 {
				t.Fatalf("%#v", err)
			}
			if !strings.Contains(err.Error(), strings.TrimPrefix(test.want, "o:1:80: ")) {
				t.Errorf("%v, want %s", err, test.want)
			}
		})
	}
	for n := range good {
		o, err := NewObject(bytes.NewReader(good[:n]), "o", "")
		if err == nil {
			_, err = io.ReadAll(o)
		}
		if !errors.Is(err, ErrObject) || !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("cut off at %d: %v", n, err)
		}
	}
	o, err := NewObject(bytes.NewReader(good), "o", "")
	if err != nil {
		t.Fatal(err)
	}
	if got := readAll(o); len(got) != 1 || got[0] != "type=time uid=é = 1 snapshot:0" {
		t.Errorf("%q", got)
	}
	if o, err = NewObject(strings.NewReader(testFile(t, "time.object")), "o", ""); err != nil {
		t.Fatal(err)
	}
	if got := readAll(o); len(got) != 3 {
		t.Errorf("%q", got)
	}
}

// The format's own constructors take objects too, packed and unpacked, from whatever gives them.
func TestInfoObjects(t *testing.T) {
	info := Info()
	packed := testFile(t, "time.object")
	o, err := NewObject(strings.NewReader(packed), "", "")
	if err != nil {
		t.Fatal(err)
	}
	profile := string(must(io.ReadAll(o)))
	for _, in := range []string{packed, fmt.Sprintf("profile time %d\x00%s", len(profile), profile), profile} {
		if !info.Sniff([]byte(in)) {
			t.Errorf("%.20q isn't recognised", in)
		}
		for way, source := range formattest.Sources {
			n := 0
			for _, err := range info.NewReader(source(in), "in", format.Limits{}).Records() {
				if err != nil {
					t.Errorf("%s, %.20q: %v", way, in, err)
				}
				n++
			}
			if n != 3 {
				t.Errorf("%s, %.20q: %d records", way, in, n)
			}
			for e := range info.Validate(source(in), "in", format.Limits{}) {
				t.Errorf("%s, %.20q: %v", way, in, e)
			}
		}
	}
	for _, in := range []string{packed[:100], "profile time 5\x00{}", "profile x"} {
		if _, err := info.NewReader(strings.NewReader(in), "in", format.Limits{}).FileHeader(); !errors.Is(err, ErrObject) {
			t.Errorf("%.20q: %v", in, err)
		}
	}
	for _, in := range []string{"", "x\x9c", "profil", "x"} {
		if info.Sniff([]byte(in)) {
			t.Errorf("%q is taken for a profile", in)
		}
	}
}
