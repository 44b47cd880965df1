package formattest

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/testing/quick"
)

// CheckRead checks that read returns want for an input, in each way of arriving. The input may have
// marks for the positions in want: see [Marked].
func CheckRead(t testing.TB, name, in string, want []string, read func(io.Reader) []string) {
	t.Helper()
	if strings.Contains(in, "§") {
		in, want = Marked(in, want...)
	}
	for way, source := range Sources {
		if got := read(source(in)); !slices.Equal(want, got) {
			t.Errorf("%s, %s (-want +got):\n%s", name, way, cmp.Diff(want, got))
		}
	}
}

// Marked returns an input without its § marks, and want with each § replaced by the line and
// column of the next mark: a table shows positions in its inputs, so that nobody counts columns.
// Columns are counted in bytes.
func Marked(in string, want ...string) (string, []string) {
	var positions []any
	var text strings.Builder
	line, lineStart := 1, 0
	for _, c := range []byte(strings.ReplaceAll(in, "§", "\x00")) {
		switch c {
		case 0:
			positions = append(positions, fmt.Sprintf("%d:%d", line, text.Len()-lineStart+1))
			continue
		case '\n':
			line, lineStart = line+1, text.Len()+1
		}
		text.WriteByte(c)
	}

	all := strings.ReplaceAll(strings.ReplaceAll(strings.Join(want, "\x00"), "%", "%%"), "§", "%s")
	return text.String(), strings.Split(fmt.Sprintf(all, positions...), "\x00")
}

// CheckError checks that an error is a *format.Error with a position in the input.
func CheckError(t testing.TB, in string, err error) {
	t.Helper()
	var e *format.Error
	if !errors.As(err, &e) || e.Line < 1 || e.Column < 1 || e.Offset < 0 || e.Offset > int64(len(in)) {
		t.Fatalf("error %#v", err)
	}
}

// SameReading reports whether two Readers read the same. If want is a fatal error only, because a
// Reader looked ahead and met the error first, got may have records before it.
func SameReading(got, want []string) bool {
	if len(want) == 1 && strings.HasPrefix(want[0], "FATAL ") && len(got) > 0 {
		return got[len(got)-1] == want[0]
	}
	return slices.Equal(got, want)
}

// CheckForward checks that a Reader whose records are read immediately yields the same as a Reader
// of the same input whose header was read before, and that both have the same header at the end.
func CheckForward(t testing.TB, name string, atOnce, headerFirst format.Reader) {
	t.Helper()
	wantHeader, wantErr := headerFirst.FileHeader()
	want, got := Whole(headerFirst), Whole(atOnce)
	if !SameReading(got, want) {
		t.Errorf("%s (-header first +at once):\n%s", name, cmp.Diff(want, got))
	}
	if header, err := atOnce.FileHeader(); wantErr == nil && err == nil {
		if diff := cmp.Diff(wantHeader, header); diff != "" {
			t.Errorf("%s: header (-first +after the records):\n%s", name, diff)
		}
	}
}

// CheckTruncated checks that a truncated input yields the first records of the full input, and then
// an error.
func CheckTruncated(t testing.TB, what string, got, full []string) {
	t.Helper()
	if len(got) == 0 {
		t.Errorf("%s: nothing was read, want an error", what)
		return
	}
	records, last := got[:len(got)-1], got[len(got)-1]
	if !strings.HasPrefix(last, "FATAL ") {
		t.Errorf("%s: ends with %s, want a fatal error", what, last)
	}
	for i, line := range records {
		if i >= len(full) || line != full[i] {
			t.Errorf("%s: %q is not in the full input", what, line)
			return
		}
	}
}

// FuzzTruncation truncates inputs, and checks that each read returns the first lines of the result
// for the full input.
func FuzzTruncation(f *testing.F, files map[string]string, reads ...func(io.Reader) []string) {
	for _, file := range files {
		if len(file) < 10_000 {
			f.Add(file, 100)
		}
	}
	f.Fuzz(func(t *testing.T, in string, n int) {
		if n < 0 || n >= len(in) {
			return
		}
		for _, read := range reads {
			full, got := read(strings.NewReader(in)), read(strings.NewReader(in[:n]))
			for i, line := range got {
				if i < len(full) && line == full[i] {
					continue
				}
				if i < len(got)-1 || !strings.HasPrefix(line, "FATAL ") && strings.TrimSpace(in[n:]) != "" {
					t.Fatalf("%q is not in the full input: %q", line, full)
				}
			}
		}
	})
}

// CheckValidate checks that Validate yields the same in each way of arriving, in the order of the
// input, and that an input that it accepts is read without errors.
func CheckValidate(t testing.TB, info format.Format, in string) {
	t.Helper()
	find := func(in io.Reader) (found []string) {
		for e := range info.Validate(in, format.Options{Name: "in"}) {
			found = append(found, fmt.Sprintf("%v, offset %d, cause %v, severity %v", e, e.Offset, e.Err, e.Severity))
		}
		return found
	}
	want := find(strings.NewReader(in))
	for way, source := range Sources {
		if got := find(source(in)); !slices.Equal(want, got) {
			t.Fatalf("seekable and %s (-seekable +%s):\n%s", way, way, cmp.Diff(want, got))
		}
	}

	last, valid := int64(0), true
	for e := range info.Validate(strings.NewReader(in), format.Options{}) {
		CheckError(t, in, e)
		if e.Offset < last {
			t.Errorf("out of order: %v", e)
		}
		last, valid = e.Offset, valid && e.Severity == format.Warning
	}
	for _, err := range info.Open(nil, strings.NewReader(in), format.Options{}).Records() {
		if err != nil && valid {
			t.Errorf("Validate accepts the input, but the Reader reports: %v", err)
		}
	}
}

// CheckStops checks that a loop over the errors of Validate can stop at any of them.
func CheckStops(info format.Format, in string) {
	for stop := range Faults(info.Validate(strings.NewReader(in), format.Options{})) {
		i := 0
		for range info.Validate(strings.NewReader(in), format.Options{}) {
			if i++; i > stop {
				break
			}
		}
	}
}

// CheckChangedInput checks that a Reader and Validate report a change of the input, from before to
// after, between two readings. The message is about the change.
func CheckChangedInput(t testing.TB, info format.Format, before, after, message string) {
	t.Helper()
	var read, found []string
	r := info.Open(nil, Changing(before, after), format.Options{Name: "in"})
	r.FileHeader() // looks ahead
	for _, err := range r.Records() {
		if err != nil {
			read = append(read, err.Error())
		}
	}
	for e := range info.Validate(Changing(before, after), format.Options{Name: "in"}) {
		if !errors.Is(e, format.ErrDuplicate) {
			found = append(found, e.Error())
		}
	}
	for _, got := range [][]string{read, found} {
		if len(got) != 1 || !strings.Contains(got[0], message) {
			t.Errorf("got %q, want one error: %s", got, message)
		}
	}
}

// CheckBranches checks the field Branches of a Reader, which reader sets. The input is one
// measurement of the branch dev.
func CheckBranches(t *testing.T, in string, reader func(in string, branches []string) format.Reader) {
	for _, test := range []struct {
		name     string
		branches []string
		in       string
		skipped  bool
	}{
		{"all branches", nil, in, false},
		{"one of the branches", []string{"main", "dev"}, in, false},
		{"another branch", []string{"main"}, in, true},
		{"no branch", []string{"main"}, strings.Replace(in, "branch", "b", 1), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := reader(test.in, test.branches)
			_, err := r.FileHeader()
			if errors.Is(err, format.ErrSkipped) != test.skipped || !test.skipped && err != nil {
				t.Errorf("FileHeader: %v", err)
			}
			if got := All(r); len(got) != 1 {
				t.Errorf("got %q, want a record or an error", got)
			}
		})
	}
}

// CheckSpoolLimit checks that an unseekable input that exceeds MaxSpoolBytes is an error that
// names the limit, and yields no other errors.
func CheckSpoolLimit(t testing.TB, info format.Format, in string) {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	limits := format.Limits{MaxSpoolMemory: 1000, MaxSpoolBytes: 100_000}
	read := All(info.Open(nil, Stream(in), format.Options{Name: "in", Limits: limits}))
	found := Faults(info.Validate(Stream(in), format.Options{Name: "in", Limits: limits}))
	for _, line := range slices.Concat(read, found) {
		if !strings.HasSuffix(line, "more than 100000 (Limits.MaxSpoolBytes)") {
			t.Error(line)
		}
	}
	if len(read) != 1 || len(found) != 1 {
		t.Errorf("%d errors of the Reader, %d of Validate, want one of each", len(read), len(found))
	}
}

// CheckReleased checks that a Reader of an unseekable input keeps no temporary file after an error
// in the header.
func CheckReleased(t *testing.T, info format.Format, in string) {
	t.Helper()
	r := info.Open(nil, Stream(in), format.Options{Name: "in", Limits: format.Limits{MaxSpoolMemory: 1000}})
	if _, err := r.FileHeader(); err == nil {
		t.Fatal("no error, want one about the header")
	}
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("this system does not list open files")
	}
	for _, f := range files {
		if name, _ := os.Readlink("/proc/self/fd/" + f.Name()); strings.Contains(name, "perfdata-spool") {
			t.Errorf("%s is open", name)
		}
	}
	runtime.KeepAlive(r)
}

// A Resetter is a Reader that can read one input after the other.
type Resetter interface {
	format.Reader
	Reset(in io.Reader)
}

// CheckReset reads the files, whole and in part, in many orders with one Reader, which must yield
// what a new one does. The Readers are made by newReader.
func CheckReset[R Resetter](t *testing.T, files map[string]string, newReader func(io.Reader) R) {
	t.Helper()
	names := slices.Sorted(maps.Keys(files))
	rng := rand.New(rand.NewPCG(1, 2))
	r := newReader(strings.NewReader(""))

	for range quick.Of(20, 5) * len(names) {
		name := names[rng.IntN(len(names))]
		in := files[name]
		if rng.IntN(4) == 0 {
			in = in[:rng.IntN(len(in)+1)]
		}
		open := Stream
		if rng.IntN(2) == 0 {
			open = func(s string) io.Reader { return strings.NewReader(s) }
		}

		steps := math.MaxInt
		if rng.IntN(3) == 0 {
			steps = rng.IntN(4)
		}
		headerFirst := rng.IntN(2) == 0

		r.Reset(open(in))
		got, want := readSome(r, headerFirst, steps), readSome(newReader(open(in)), headerFirst, steps)
		if !slices.Equal(want, got) {
			t.Fatalf("%s, %d bytes, %d steps, header first: %v (-new Reader +Reset):\n%s", name, len(in), steps,
				headerFirst, cmp.Diff(want, got))
		}
	}
}

// readSome returns the text of the header, if it is to be read first, of the first steps of the
// iteration, and of the header after that.
func readSome(r format.Reader, headerFirst bool, steps int) []string {
	var got []string
	header := func() {
		h, err := r.FileHeader()
		got = append(got, fmt.Sprintf("%+v, %v", h, err))
	}
	if headerFirst {
		header()
	}
	if steps > 0 {
		for rec, err := range r.Records() {
			got = append(got, ShowStep(rec, err))
			if steps--; steps == 0 {
				break
			}
		}
	}
	header()
	r.Close()
	return got
}

// Allocated returns the number of bytes that f allocates.
func Allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// A HeapReader reads from In. After every Every bytes, and at the end, it measures the memory in
// use. Garbage is not in use.
type HeapReader struct {
	In    io.Reader
	Every int

	before, peak uint64 // before is 0 at first
	left         int
}

func (r *HeapReader) Read(p []byte) (int, error) {
	if r.before == 0 {
		r.before, r.left = heapInUse(), r.Every
	}
	n, err := r.In.Read(p)
	if r.left -= n; r.left <= 0 || err != nil {
		r.left = r.Every
		r.peak = max(r.peak, heapInUse())
	}
	return n, err
}

// Growth returns the largest increase of the memory in use since the first byte was read.
func (r *HeapReader) Growth() int64 {
	return max(0, int64(r.peak)-int64(r.before))
}

func heapInUse() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// Race reports whether the race detector is on. The longest tests then take larger steps, and do
// not count allocations.
var Race = func() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}()
