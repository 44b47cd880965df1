package keyval

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/testing/formattest"
	"perfdata/internal/testing/quick"
)

func TestLimits(t *testing.T) {
	long := strings.Repeat("x", 30)
	for _, test := range []struct {
		name   string
		limits format.Limits
		in     string
		want   []string
	}{
		{
			name:   "a long line is left out, and does not end an iteration",
			limits: format.Limits{MaxLineBytes: 12},
			in: "a{perf}=1\n" + long + "\nb{perf}=2\n\nc{perf}=3\n" + strings.Repeat(" ",
				13) + "\nd{perf}=12345\nd{perf}=1234\r\n\n\nc{perf}=3\nd{perf}=123\n\n" + long,
			want: []string{
				"in:2:1: bytes in one line: more than 12 (Limits.MaxLineBytes)",
				"iteration=1 key=a = 1", "iteration=1 key=b = 2",
				"in:6:1: bytes in one line: more than 12 (Limits.MaxLineBytes)",
				"in:7:1: bytes in one line: more than 12 (Limits.MaxLineBytes)",
				"iteration=2 key=c = 3", "iteration=2 key=d = 1234",
				"iteration=4 key=c = 3", "iteration=4 key=d = 123",
				"in:14:1: bytes in one line: more than 12 (Limits.MaxLineBytes)",
			},
		},
		{
			name:   "a long iteration",
			limits: format.Limits{MaxResultBytes: 15},
			in:     "a{perf}=1\nb=23\n\na{perf}=1\nb=2345\n\na{perf}=1\nb=23456\n\n",
			want: []string{
				"iteration=1 key=a = 1",
				"iteration=1 key=b = 23",
				"iteration=2 key=a = 1",
				"iteration=2 key=b = 2345",
				"FATAL in:8:1: bytes in one iteration: more than 15 (Limits.MaxResultBytes)",
			},
		},
		{
			name:   "attributes",
			limits: format.Limits{MaxParams: 2},
			in:     "a{attr}=1\nb{attr}=2\na{attr}=3\nv=1\n\nc{attr}=1\nd{attr}=1\ne{attr}=1\nv=1\n",
			want: []string{
				"iteration=1 key=v = 1 a:3 b:2",
				"FATAL in:8:1: attributes in one iteration: more than 2 (Limits.MaxParams)",
			},
		},
		{
			name:   "keys",
			limits: format.Limits{MaxMembers: 3},
			in:     "a=1\nb=1\nb=2\nc=3\n\na=1\nb=1\nc=1+-1\nd=1\n\n",
			want: []string{
				"iteration=1 key=a = 1",
				"iteration=1 key=b = 2",
				"iteration=1 key=c = 3",
				"FATAL in:8:1: keys in one iteration: more than 3 (Limits.MaxMembers)",
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			formattest.CheckRead(t, test.name, test.in, test.want, func(in io.Reader) []string {
				r := newReader(in)
				r.Limits = test.limits
				return formattest.All(r)
			})
		})
	}
}

// A line of 1 MiB is read, and a longer one is left out.
func TestLongLines(t *testing.T) {
	const max = 1 << 20
	head := "a{attr}="
	value := strings.Repeat("x", max-len(head))
	in := head + value + "\nb{perf}=1\n\n" + head + value + "\r\nb{perf}=2\n\n" + head + value + "y\nb{perf}=3\n"
	for rec, err := range newReader(strings.NewReader(in)).Records() {
		switch {
		case err != nil:
			want := "in:7:1: bytes in one line: more than 1048576 (Limits.MaxLineBytes)"
			if formattest.ShowError(err) != want {
				t.Errorf("%s, want %s", formattest.ShowError(err), want)
			}
		case rec.Value == 3:
			if len(rec.Attrs) > 0 {
				t.Error("the long line was read")
			}
		default:
			if v, _ := rec.Attrs.Get("a"); v != value {
				t.Errorf("%v: an attribute of %d bytes", rec.Value, len(v))
			}
		}
	}
}

func TestReadError(t *testing.T) {
	broken := errors.New("broken")
	want := []string{"iteration=1 key=a = 1", "FATAL in:3:1: reading failed: broken"}
	r := newReader(io.MultiReader(strings.NewReader("a=1\n\nb=2"), iotest.ErrReader(broken)))
	if diff := cmp.Diff(want, formattest.All(r)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, err := range NewReader(iotest.ErrReader(broken)).Records() {
		if !errors.Is(err, broken) {
			t.Errorf("%v, want %v underneath", err, broken)
		}
	}
}

func TestReadOnce(t *testing.T) {
	r := newReader(strings.NewReader("a=1\n\na=2\nx\n\n"))
	for range r.Records() {
		break
	}
	if diff := cmp.Diff([]string{"FATAL in:1:1: the input was already read: call Records or Iterations " +
		"once"}, formattest.All(r)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for it, err := range r.Iterations() {
		if err == nil {
			t.Errorf("%v was read again", it)
		}
	}
	// A break at an error stops the reading.
	for _, err := range newReader(strings.NewReader("x\na=1\ny\n")).Records() {
		if err != nil {
			break
		}
	}
}

func TestIterations(t *testing.T) {
	in := "\na{perf}=1\n  b{attr}=x\nc=2+-1\n\nd{attr}=y\n\n \nb{attr}=z\na{perf}=3\n\nb{attr}=z\na{perf}=4\n\n"
	var got []*Iteration
	for it, err := range newReader(strings.NewReader(in)).Iterations() {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, it.Clone())
	}
	want := []*Iteration{
		{Index: 1, Position: format.Position{Offset: 0, Line: 1, Column: 1}},
		{
			Index:    2,
			Position: format.Position{Offset: 1, Line: 2, Column: 1},
			Attr:     params("b", "x"),
			Perf:     []Keyval{{"a", 1, 1}, {"c", 2, 23}, {"c_dev", 1, 23}},
		},
		{Index: 3, Position: format.Position{Offset: 31, Line: 6, Column: 1}, Attr: params("d", "y")},
		{Index: 4, Position: format.Position{Offset: 42, Line: 8, Column: 1}},
		{
			Index:    5,
			Position: format.Position{Offset: 44, Line: 9, Column: 1},
			Attr:     params("b", "z"),
			Perf:     []Keyval{{"a", 3, 54}},
		},
		{
			Index:    6,
			Position: format.Position{Offset: 65, Line: 12, Column: 1},
			Attr:     params("b", "z"),
			Perf:     []Keyval{{"a", 4, 75}},
		},
	}
	for _, it := range got {
		if len(it.Attr) == 0 {
			it.Attr = nil
		}
		if len(it.Perf) == 0 {
			it.Perf = nil
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Hostile inputs take little memory and time.
func TestHostile(t *testing.T) {
	// An iteration with very many keys, and then many with few of them.
	var in strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&in, "key%d=1\nkey%d=2\n", i, i)
	}
	in.WriteString("\n")
	for i := range 2500 {
		for j := range 20 {
			fmt.Fprintf(&in, "key%d=1\n", i+j)
		}
		in.WriteString("key0=x\n\n") // a fault, so that no pattern is made
	}
	// Many faults.
	in.WriteString(strings.Repeat("fault\n", 50_000))
	records, faults := 0, 0
	taken := formattest.Allocated(func() {
		for _, err := range newReader(strings.NewReader(in.String())).Records() {
			if err != nil {
				faults++
			} else {
				records++
			}
		}
	})
	if records != 50_000+2500*20 || faults != 2500+50_000 {
		t.Errorf("%d records, %d faults", records, faults)
	}
	if taken > 40<<20 {
		t.Errorf("it took %d bytes", taken)
	}
}

// The strings of iteration numbers share memory.
func TestAllocations(t *testing.T) {
	var in strings.Builder
	const iterations = 20_000
	for i := range iterations {
		fmt.Fprintf(&in, "build{attr}=R99\ncore{attr}=%d\na{perf}=%d\nb{perf}=%d.5\n\n", i%8, i, i)
	}
	allocs := testing.AllocsPerRun(2, func() {
		n := 0
		for rec, err := range NewReader(strings.NewReader(in.String())).Records() {
			if err != nil || len(rec.Attrs) != 2 {
				t.Fatal(err)
			}
			n++
		}
		if n != 2*iterations {
			t.Fatal(n)
		}
	})
	if perRecord := allocs / (2 * iterations); perRecord > 0.01 {
		t.Errorf("%.3f allocations a record", perRecord)
	}
}

func testFiles(t testing.TB) map[string]string {
	t.Helper()
	return formattest.Files(t, "../testdata/keyval/*.keyval", 5)
}

// A file truncated at any byte has the iterations of the whole file, except for its last one. The
// format has no end mark, so a truncated file may be valid; but if it is truncated within a line,
// Validate warns.
func TestTruncation(t *testing.T) {
	for name, whole := range testFiles(t) {
		full := iterations(newReader(strings.NewReader(whole)))
		for n := 0; n < len(whole); n += quick.Of(1, 3) {
			for way, source := range formattest.Sources {
				got := iterations(newReader(source(whole[:n])))
				cut := fmt.Sprintf("in:%d:", 1+strings.Count(whole[:n], "\n"))
				for i, it := range got {
					if last := i == len(got)-1 || strings.HasPrefix(it, cut); !last && it != full[i] {
						t.Errorf("%s, %d bytes, %s: %s is not in the whole file", name, n, way, it)
					}
				}
			}
			faults := validate(strings.NewReader(whole[:n]))
			warned := len(faults) > 0 && strings.HasSuffix(faults[len(faults)-1], "the file may be truncated")
			if within := n > 0 && whole[n-1] != '\n'; warned != within {
				t.Errorf("%s, %d bytes: warned: %v", name, n, warned)
			}
		}
	}
}

// iterations returns the text of everything that the Reader yields.
func iterations(r *Reader) (got []string) {
	for it, err := range r.Iterations() {
		if err != nil {
			got = append(got, formattest.ShowError(err))
		} else {
			got = append(got, fmt.Sprintf("%d at %d, line %d: %v %v", it.Index, it.Offset, it.Line, it.Attr, it.Perf))
		}
	}
	return got
}
