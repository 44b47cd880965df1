package keyval

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"perfdata/internal/testing/formattest"
	"perfdata/internal/testing/quick"
)

// An early is an input that arrives in parts. Each Read returns the rest of a part, and calls next
// before the next part.
type early struct {
	parts []string
	next  func(part int)
	part  int
}

func (r *early) Read(p []byte) (int, error) {
	if r.part == len(r.parts) {
		return 0, io.EOF
	}
	r.next(r.part)
	n := copy(p, r.parts[r.part])
	r.part++
	return n, nil
}

// An iteration is yielded once its blank line arrived, even if the iteration before had more lines.
func TestEarly(t *testing.T) {
	yielded := 0
	in := &early{
		parts: []string{"a{attr}=x\nb=1\nc=2\n\n", "a{attr}=x\nb=1\nc=2\n\n", "a{attr}=y\nb=1\n\n", "a{attr}=x\nb=12",
			"3\nc=2\n", "\n", "a{attr}=", "zz\nb=1\n\n",
			"a{attr}=x\nb=1\n \t\n", "a{attr}=x\nb=2\n\n"},
	}
	complete := []int{0, 1, 2, 3, 3, 3, 4, 4, 5, 6}
	in.next = func(part int) {
		if yielded != complete[part] {
			t.Errorf("part %d is read after %d iterations, want %d", part, yielded, complete[part])
		}
	}

	var got []string
	for it, err := range NewReader(in).Iterations() {
		if err != nil {
			t.Fatal(err)
		}
		yielded++
		got = append(got, fmt.Sprint(it.Attr, it.Perf))
	}
	want := []string{
		"[{a x}] [{b 1 10} {c 2 14}]",
		"[{a x}] [{b 1 29} {c 2 33}]",
		"[{a y}] [{b 1 48}]",
		"[{a x}] [{b 123 63} {c 2 69}]",
		"[{a zz}] [{b 1 85}]",
		"[{a x}] [{b 1 100}]",
		"[{a x}] [{b 2 117}]",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Iterations that are partly in memory are matched as those that are completely in memory.
func TestMatchAcrossReads(t *testing.T) {
	var b strings.Builder
	for i := range 200 {
		fmt.Fprintf(&b, "host{attr}=h%d\r\n", i/7)
		for k := range 40 - i%11/10*30 {
			fmt.Fprintf(&b, "key%d{perf}=%d.%d\r\n", k, i*k, i)
		}
		b.WriteString("\r\n")
	}
	text := b.String()

	want := formattest.All(NewReader(iotest.OneByteReader(strings.NewReader(text))))
	for name, in := range map[string]io.Reader{
		"at once":   strings.NewReader(text),
		"by halves": iotest.HalfReader(strings.NewReader(text)),
		"with EOF":  iotest.DataErrReader(strings.NewReader(text)),
	} {
		if diff := cmp.Diff(want, formattest.All(NewReader(in))); diff != "" {
			t.Errorf("%s (-byte by byte +got):\n%s", name, diff)
		}
	}

	// An input that fails within an iteration.
	broken := errors.New("broken")
	for _, n := range []int{len(text) - 1, len(text) - 3, len(text) - 10, len(text) / 2} {
		in := io.MultiReader(strings.NewReader(text[:n]), iotest.ErrReader(broken))
		var last error
		for _, err := range NewReader(in).Records() {
			last = err
		}
		if !errors.Is(last, broken) {
			t.Errorf("%d bytes: %v", n, last)
		}
	}
}

// Keys of any length are matched, and nothing that only begins like them.
func TestMatchLongKeys(t *testing.T) {
	for _, n := range []int{0, 1, 20, 24, 25, 50, 54, 55, 56, 57, 58, 61, 62, 63, 64, 110, 117, 118, 119, 120, 130, 200} {
		key, attr := strings.Repeat("k", n), strings.Repeat("a", n)
		first := "x{attr}=1\n" + key + "{perf}=1\n" + attr + "{attr}=v\n" + key + "2{perf}=2.5\n"
		for name, second := range map[string]string{
			"equal":              first,
			"other values":       strings.NewReplacer("=1", "=-12.5e-3", "=v", "=ww").Replace(first),
			"many digits":        strings.ReplaceAll(first, "2.5", "2."+strings.Repeat("5", 100)),
			"leading zeros":      strings.ReplaceAll(first, "2.5", "002.5"),
			"infinite":           strings.ReplaceAll(first, "2.5", "1e999"),
			"no value":           strings.ReplaceAll(first, "2.5", ""),
			"fewer lines":        first[:strings.Index(first, key+"2")],
			"cut off in the key": first[:len(first)-len("k2{perf}=2.5\n")] + "\n",
			"without key":        first[:strings.Index(first, key+"2")] + strings.Repeat("k", max(0, n-1)) + "\n",
			"another last byte":  strings.ReplaceAll(first, "2{perf}=", "2{perf}:"),
			"another key":        strings.ReplaceAll(first, "2{perf}", "3{perf}"),
			"longer attribute":   strings.ReplaceAll(first, "=v", "="+strings.Repeat("v", 300)),
		} {
			in := first + "\n" + second + "\n" + first
			t.Run(fmt.Sprintf("%d/%s", n, name), func(t *testing.T) {
				even := (n+len(name))%2 == 0
				if !quick.Test() || !even {
					checkRead(t, in)
				}
				if !quick.Test() || even {
					checkRead(t, strings.ReplaceAll(in, "\n", "\r\n"))
				}
			})
		}
	}
}

// A line's offset is that of its key, in every iteration that resembles the previous one.
func TestOffsetAfterSpace(t *testing.T) {
	const in = "  a{perf}=1\n\tb{attr}=x\n c=2\n\n" + "  a{perf}=3\n\tb{attr}=x\n c=4\n\n" + "  a{perf}=5 \n\tb{attr}=x\n c=6\n"
	r := NewReader(strings.NewReader(in))
	var got []string
	for rec, err := range r.Records() {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, in[rec.Offset:][:1]+strconv.FormatFloat(rec.Value, 'g', -1, 64))
	}
	if diff := cmp.Diff([]string{"a1", "c2", "a3", "c4", "a5", "c6"}, got); diff != "" {
		t.Errorf("keys at the offsets, with the values (-want +got):\n%s", diff)
	}
}
