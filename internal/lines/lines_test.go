package lines

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// show reads all lines and returns the text of each, with its number and offset.
func show(in io.Reader, max int) (lines []string) {
	r := New(in, max)
	for {
		line, ok := r.Next()
		if !ok {
			break
		}
		s := fmt.Sprintf("%d@%d %q", r.Number(), r.Offset(), line)
		if r.TooLong() {
			s += " too long"
		}
		if !r.Ended() && !r.TooLong() {
			s += " not ended"
		}
		lines = append(lines, s)
	}
	if err := r.Err(); err != nil {
		lines = append(lines, err.Error())
	} else if r.TooLong() && !r.Ended() {
		lines = append(lines, "not ended")
	}
	return lines
}

func TestReader(t *testing.T) {
	for _, test := range []struct {
		in   string
		want []string
	}{
		{"", nil},
		{"a", []string{`1@0 "a" not ended`}},
		{"a\nb\r\n\n\r\nc\r", []string{`1@0 "a"`, `2@2 "b"`, `3@5 ""`, `4@6 ""`, `5@8 "c" not ended`}},
		{"12345678\nx", []string{`1@0 "12345678"`, `2@9 "x" not ended`}},
		{"12345678\r\nx\n", []string{`1@0 "12345678"`, `2@10 "x"`}},
		{"12345678\r", []string{`1@0 "12345678" not ended`}},
		{"123456789\nx\n", []string{`1@0 "12345678" too long`, `2@10 "x"`}},
		{"x\n12345678\rz\ny\n", []string{`1@0 "x"`, `2@2 "12345678" too long`, `3@13 "y"`}},
		{"123456789", []string{`1@0 "12345678" too long`, "not ended"}},
		{"x\n123456789\n", []string{`1@0 "x"`, `2@2 "12345678" too long`}},
		{strings.Repeat("long", 50_000) + "\nx\n", []string{`1@0 "longlong" too long`, `2@200001 "x"`}},
		{strings.Repeat("long", 50_000), []string{`1@0 "longlong" too long`, "not ended"}},
		{"\ufeffa\n\ufeff\n", []string{`1@3 "a"`, `2@5 "\ufeff"`}},
		{"\ufeff", nil},
		{"\xef\xbbx", []string{`1@0 "\xef\xbbx" not ended`}},
		{"\xef\xbb", []string{`1@0 "\xef\xbb" not ended`}},
		{"\xff\xfea\x00", []string{ErrUTF16.Error()}},
		{"\xfe\xff\x00a", []string{ErrUTF16.Error()}},
		{"\xfe", []string{`1@0 "\xfe" not ended`}},
	} {
		t.Run(fmt.Sprintf("%.20q", test.in), func(t *testing.T) {
			for way, in := range map[string]io.Reader{
				"at once":      strings.NewReader(test.in),
				"byte by byte": iotest.OneByteReader(strings.NewReader(test.in)),
				"end with it":  iotest.DataErrReader(strings.NewReader(test.in)),
			} {
				if diff := cmp.Diff(test.want, show(in, 8)); diff != "" {
					t.Errorf("%.20q, %s (-want +got):\n%s", test.in, way, diff)
				}
			}
		})
	}
}

func TestReaderFails(t *testing.T) {
	broken := errors.New("broken")
	want := []string{`1@0 "a"`, "broken"}
	in := io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(broken))
	if diff := cmp.Diff(want, show(in, 8)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := show(stuck{}, 8); !slices.Equal(got, []string{io.ErrNoProgress.Error()}) {
		t.Errorf("%q", got)
	}
}

type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }

// Without lines that are too long, the lines are the same as with bufio.Scanner.
func FuzzReader(f *testing.F) {
	f.Add([]byte("a\nb\r\n\n\r\nc\r"))
	f.Add([]byte("\n\n\r\r\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		if len(in) >= 64<<10 || bytes.HasPrefix(in, []byte("\ufeff")) ||
			bytes.HasPrefix(in, []byte("\xff\xfe")) || bytes.HasPrefix(in, []byte("\xfe\xff")) {
			return
		}
		var want, got []string
		for s := bufio.NewScanner(bytes.NewReader(in)); s.Scan(); {
			want = append(want, s.Text())
		}
		r := New(iotest.HalfReader(bytes.NewReader(in)), 64<<10)
		for line, ok := r.Next(); ok; line, ok = r.Next() {
			got = append(got, string(line))
			if !bytes.HasPrefix(in[r.Offset():], line) || r.Number() != len(got) {
				t.Fatalf("line %d at %d: %q", r.Number(), r.Offset(), line)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-bufio.Scanner +got):\n%s", diff)
		}
	})
}

// A Reader that is reset reads as a new one, with the same memory.
func TestReset(t *testing.T) {
	r := New(strings.NewReader(strings.Repeat("long ", 1000)+"\nrest"), 10)
	r.Next()
	r.Reset(iotest.ErrReader(io.ErrClosedPipe), 20)
	if _, ok := r.Next(); ok || r.Err() != io.ErrClosedPipe {
		t.Errorf("%v, %v", ok, r.Err())
	}
	window := &r.buf[:1][0]
	r.Reset(strings.NewReader("\ufeffa\nb"), 20)
	for i, want := range []string{"a", "b"} {
		line, ok := r.Next()
		if string(line) != want || !ok || r.Number() != i+1 || r.TooLong() {
			t.Errorf("line %d: %q, %v", r.Number(), line, ok)
		}
		if i == 0 && &r.buf[:1][0] != window {
			t.Error("the Reader has another window")
		}
	}
	if r.Offset() != 5 || r.Ended() {
		t.Errorf("the last line is at %d", r.Offset())
	}
}

// Ahead returns the lines in memory, with room after them, and Take reads some of them.
func TestAhead(t *testing.T) {
	text := strings.Repeat("0123456789abcde\n", 10_000)
	r := New(iotest.HalfReader(strings.NewReader(text)), 20)
	ahead := func() string {
		b := r.Ahead()
		if len(b) < Room {
			t.Fatalf("%d bytes without lines", len(b))
		}
		return string(b[:len(b)-Room])
	}
	if got := ahead(); got != "" {
		t.Errorf("%q before reading", got)
	}

	for read := 0; read < 10_000; {
		at := 16 * read
		got := ahead()
		if !strings.HasPrefix(text[at:], got) {
			t.Fatalf("at %d: %q", at, got)
		}
		if n := min(len(got)/16, 3); n > 0 {
			r.Take(16*n, n)
			read += n
		} else if _, ok := r.Next(); ok {
			read++
		}
		if r.Number() != read || r.Offset() != int64(at) || r.End() != int64(16*read) || !r.Ended() {
			t.Fatalf("%d lines: line %d at %d, up to %d", read, r.Number(), r.Offset(), r.End())
		}
	}

	// At the end of a line that is too long, the Reader knows nothing about the lines ahead.
	r = New(strings.NewReader(text), 5)
	if r.Next(); ahead() != "" {
		t.Error("the rest of a long line is ahead")
	}
}

// Small inputs take a small window.
func TestWindow(t *testing.T) {
	for size, want := range map[int]int{1: minWindow, minWindow - Room - 16: minWindow, minWindow: fullWindow, 1 << 20: fullWindow} {
		r := New(strings.NewReader(strings.Repeat("0123456789abcde\n", (size+15)/16)), 100)
		for _, ok := r.Next(); ok; _, ok = r.Next() {
		}
		if cap(r.buf) != want {
			t.Errorf("%d bytes take a window of %d bytes, want %d", size, cap(r.buf), want)
		}
	}
}
