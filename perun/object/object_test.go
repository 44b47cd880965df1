package object_test

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

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

func TestStore(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "objects")
	var sums []string
	for name, file := range formattest.Files(t, "../../testdata/perun/*.perf", 7) {
		h, err := perun.NewReader(strings.NewReader(file)).Header()
		if err != nil {
			t.Fatal(err)
		}
		if h.Type == "speed" {
			if _, err := object.Store(dir, h.Type, strings.NewReader(file)); err == nil {
				t.Errorf("%s: stored, with type %q", name, h.Type)
			}
			continue
		}
		for range 2 { // the second time, it exists
			sum, err := object.Store(dir, h.Type, strings.NewReader(file))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if !slices.Contains(sums, sum) {
				sums = append(sums, sum)
			}
			o, err := object.Open(os.DirFS(dir), sum, format.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			want := regexp.MustCompile(`"origin": "[^"]*",\s*|,\s*"origin": "[^"]*"`).ReplaceAllString(file, "")
			if got, err := io.ReadAll(o); err != nil || string(got) != want {
				t.Errorf("%s: read back with %v: %.100s", name, err, got)
			}
			o.Close()
		}
	}

	os.WriteFile(filepath.Join(dir, "ab.changes"), nil, 0o666) // not an object
	var got []string
	for sum, err := range object.List(os.DirFS(dir)) {
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
		t.Errorf("temporary files are left: %q", left)
	}
	for range object.List(fstest.MapFS{}) {
		t.Error("an object in an empty folder")
	}
}

func TestOpenErrors(t *testing.T) {
	empty := fstest.MapFS{}
	if _, err := object.Open(empty, strings.Repeat("0", 40), format.Limits{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	for _, sum := range []string{"", "../x", strings.Repeat("A", 40), strings.Repeat("0", 39)} {
		if _, err := object.Open(empty, sum, format.Limits{}); err == nil {
			t.Errorf("opened %q", sum)
		}
	}
	other := strings.Repeat("0", 40)
	o, err := object.Open(fstest.MapFS{"00/" + other[2:]: {Data: pack("profile time 79\x00" + small)}}, other,
		format.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(o); !errors.Is(err, object.ErrInvalid) ||
		!strings.Contains(err.Error(), "the checksum is ") {
		t.Errorf("%v", err)
	}
	if n, again := o.Read(make([]byte, 1)); n != 0 || !errors.Is(again, object.ErrInvalid) {
		t.Errorf("read again: %d bytes, %v", n, again)
	}
}

// An object whose header is at fault is closed.
func TestOpenClosesInvalid(t *testing.T) {
	name := strings.Repeat("0", 40)
	file := &closing{Reader: strings.NewReader("profile speed 1\x00{}")}
	if _, err := object.Open(oneFile{file}, name, format.Limits{}); !errors.Is(err, object.ErrInvalid) || !file.closed {
		t.Errorf("%v, closed is %v", err, file.closed)
	}
}

// oneFile is a file system in which all names are the same file.
type oneFile struct{ fs.File }

func (f oneFile) Open(string) (fs.File, error) { return f.File, nil }

type closing struct {
	io.Reader
	closed bool
}

func (c *closing) Stat() (fs.FileInfo, error) { return nil, errors.ErrUnsupported }
func (c *closing) Close() error               { c.closed = true; return nil }

// List goes on after a folder that cannot be read, and stops where the caller does.
func TestListErrors(t *testing.T) {
	name := func(c string) string { return c + c + "/" + strings.Repeat(c, 38) }
	folder := unreadable{fstest.MapFS{name("a"): {}, name("b"): {}, name("c"): {}}, "bb"}
	show := func(steps int) (got []string) {
		for sum, err := range object.List(folder) {
			if got = append(got, fmt.Sprintf("%.2s %v", sum, err)); len(got) == steps {
				break
			}
		}
		return got
	}
	want := []string{"aa <nil>", " open bb: permission denied", "cc <nil>"}
	for steps := 1; steps <= 3; steps++ {
		if diff := cmp.Diff(want[:steps], show(steps)); diff != "" {
			t.Errorf("%d steps (-want +got):\n%s", steps, diff)
		}
	}
	missing := unreadable{fstest.MapFS{}, "."}
	for sum, err := range object.List(missing) {
		if sum != "" || !errors.Is(err, fs.ErrPermission) {
			t.Errorf("%q, %v", sum, err)
		}
	}
}

// unreadable is a file system with a folder that cannot be read.
type unreadable struct {
	fstest.MapFS
	folder string
}

func (u unreadable) Open(name string) (fs.File, error) {
	if name == u.folder {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return u.MapFS.Open(name)
}

func (u unreadable) ReadDir(name string) ([]fs.DirEntry, error) {
	if _, err := u.Open(name); err != nil {
		return nil, err
	}
	return u.MapFS.ReadDir(name)
}

// Write removes the origin, wherever it is, and changes nothing else.
func TestOrigin(t *testing.T) {
	for _, test := range []struct{ name, in, want string }{
		{"none", " { \"a\" : [1,\n{\"origin\":2}] } \n", " { \"a\" : [1,\n{\"origin\":2}] } \n"},
		{"first", `{"origin":"f7f3", "a":{"b":1}}`, `{"a":{"b":1}}`},
		{"between", "{\"a\":1,\n  \"origin\": \"é\",\n  \"b\":2}", "{\"a\":1,\n  \"b\":2}"},
		{"last", `{"a":"origin", "origin" : {"x":["}"]} }`, `{"a":"origin" }`},
		{"alone", `{ "origin":null }`, `{  }`},
		{"several", `{"origin":1,"origin":2,"a":1,"origin":3,"b":2,"origin":4,"origin":5}`, `{"a":1,"b":2}`},
		{"escaped", `{"\u006frigin":1,"a":NaN}`, `{"a":NaN}`},
		{"long", `{"a":"` + strings.Repeat("x", 100_000) + `","origin":"` + strings.Repeat("y", 100_000) + `","b":1}`,
			`{"a":"` + strings.Repeat("x", 100_000) + `","b":1}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out bytes.Buffer
			sum, err := object.Write(&out, "time", strings.NewReader(test.in))
			if err != nil {
				t.Fatal(err)
			}
			o := newReader(t, &out, format.Limits{})
			got, err := io.ReadAll(o)
			if diff := cmp.Diff(test.want, string(got)); diff != "" || err != nil || sum != o.Sum() {
				t.Errorf("%s, %v (-want +got):\n%s", sum, err, diff)
			}
		})
	}

	for _, test := range []struct{ name, in, want string }{
		{"not JSON", "{\n\"a\":x}", "profile:2:5: a: found 'x', expected a value"},
		{"not an object", "[]", "profile:1:1: found '[', expected an object"},
		{"more data", `{"a":1}{}`, "profile:1:8: data after the end of the document"},
		{"truncated", `{"origin":""`, "profile:1:13: origin: unexpected end of input, expected a comma or }"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out bytes.Buffer
			sum, err := object.Write(&out, "time", strings.NewReader(test.in))
			if sum != "" || err == nil || err.Error() != test.want || out.Len() > 0 {
				t.Errorf("%q, %v; %d bytes were written", sum, err, out.Len())
			}
		})
	}
}

// An object that cannot be written is an error, and has no name.
func TestWriteErrors(t *testing.T) {
	full := errors.New("full")
	sum, err := object.Write(formattest.FailingWriter(full), "time", strings.NewReader(small))
	if sum != "" || !errors.Is(err, full) {
		t.Errorf("%q, %v", sum, err)
	}
	if sum, err = object.Write(io.Discard, "speed", strings.NewReader(small)); sum != "" || err == nil ||
		err.Error() != `the profile's type is "speed", want time, memory or mixed` {
		t.Errorf("%q, %v", sum, err)
	}

	// The folder of objects is a file, or below one.
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{file, filepath.Join(file, "objects")} {
		if sum, err := object.Store(dir, "time", strings.NewReader(small)); sum != "" || err == nil {
			t.Errorf("%s: %q, %v", dir, sum, err)
		}
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
	profile := head + `"snapshots":[` + strings.Repeat(`{"resources":[{"amount":1,"uid":"é"}]},`, 5000) +
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
	const blanks = 65 << 20
	large := pack(fmt.Sprintf("profile time %d\x00{%s}", blanks+2, strings.Repeat(" ", blanks)))
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

func ExampleStore() {
	dir, err := os.MkdirTemp("", "objects")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	profile := strings.NewReader(`{"header":{"type":"time"},"global":[{"uid":"f","amount":1.5}]}`)
	h, err := perun.NewReader(profile).Header()
	if err != nil {
		panic(err)
	}
	sum, err := object.Store(dir, h.Type, profile)
	if err != nil {
		panic(err)
	}

	for name, err := range object.List(os.DirFS(dir)) {
		if err != nil {
			panic(err)
		}
		obj, err := object.Open(os.DirFS(dir), name, format.Limits{})
		if err != nil {
			panic(err)
		}
		defer obj.Close()
		for rec, err := range perun.NewReader(obj).Records() {
			fmt.Println(rec.TraceID(), rec.Value, err)
		}
		fmt.Println(obj.Type, name, obj.Sum() == sum)
	}
	// Output:
	// ,type=time,uid=f, 1.5 <nil>
	// time a3214f97edfd0e62a5f110bbdf0cb493bf692685 true
}

// An object can also be written anywhere. Data that is not an object, or cut off, is an error.
func ExampleWrite() {
	var stored bytes.Buffer
	sum, err := object.Write(&stored, "time", strings.NewReader(`{"header":{"type":"time"}}`))
	if err != nil {
		panic(err)
	}
	cut := bytes.NewReader(stored.Bytes()[:stored.Len()-4])
	r, err := object.NewReader(cut, sum, format.Limits{})
	if err == nil {
		defer r.Close()
		_, err = io.Copy(io.Discard, r)
	}
	fmt.Println(errors.Is(err, object.ErrInvalid))
	// Output: true
}
