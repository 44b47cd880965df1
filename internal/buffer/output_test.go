package buffer

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestBuffer(t *testing.T) {
	var out bytes.Buffer
	b := NewOutput(&out)
	b.Bytes = append(b.Bytes, "small"...)
	if err := b.FlushIfLarge(); err != nil || out.Len() > 0 {
		t.Errorf("a small buffer was written: %q, %v", out.String(), err)
	}
	b.Bytes = append(b.Bytes, make([]byte, flushSize)...)
	if err := b.FlushIfLarge(); err != nil || out.Len() != flushSize+5 {
		t.Errorf("%d bytes were written, %v", out.Len(), err)
	}

	out.Reset()
	b.Bytes = append(b.Bytes, "a"...)
	if err := b.Copy(strings.NewReader("b")); err != nil {
		t.Error(err)
	}
	b.Bytes = append(b.Bytes, "c"...)
	if err := b.Close(); err != nil || out.String() != "abc" || !b.Closed() {
		t.Errorf("%q, %v", out.String(), err)
	}
	if b.Flush() == nil || b.Close() == nil || b.Err() == nil || b.Copy(nil) == nil {
		t.Error("a closed Output has no error")
	}
}

// limited writes up to n bytes of each call.
type limited struct {
	n   int
	err error
}

func (l limited) Write(p []byte) (int, error) { return min(len(p), l.n), l.err }

func TestBufferFails(t *testing.T) {
	broken := errors.New("broken")
	for _, test := range []struct {
		name string
		out  io.Writer
		want error
	}{
		{"error", limited{0, broken}, broken},
		{"short write", limited{1, nil}, io.ErrShortWrite},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := NewOutput(test.out)
			b.Bytes = append(b.Bytes, "text"...)
			if err := b.Flush(); err != test.want {
				t.Errorf("%v, want %v", err, test.want)
			}
			b.Bytes = append(b.Bytes, "more"...)
			if b.Close() != test.want || b.Fail(errors.New("later")) != test.want || b.Err() != test.want ||
				b.Closed() {
				t.Error("the first error did not stay")
			}
		})
	}
	b := NewOutput(io.Discard)
	if b.Fail(broken) != broken || b.Flush() != broken {
		t.Error("Fail has no effect")
	}
}
