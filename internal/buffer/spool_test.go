package buffer

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"perfdata/internal/testing/faulty"
)

func TestSpool(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var want []byte
	for i := range 300_000 {
		want = append(want, byte(i), byte(i>>8))
	}
	for _, maxMemory := range []int64{1, 1000, int64(len(want)) - 1, int64(len(want))} {
		s := NewSpool(maxMemory, int64(len(want)))
		for p := want; len(p) > 0; {
			n, err := s.Write(p[:min(len(p), 777)])
			if err != nil {
				t.Fatal(err)
			}
			p = p[n:]
		}
		if inFile := s.file != nil; inFile != (maxMemory < int64(len(want))) {
			t.Errorf("with %d bytes in memory, in a file: %v", maxMemory, inFile)
		}
		for range 2 {
			got, err := io.ReadAll(s.Reader())
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("with %d bytes in memory: read %d bytes back, %v", maxMemory, len(got), err)
			}
		}
		if _, err := s.Write([]byte{1}); err != ErrFull {
			t.Errorf("writing too much: %v", err)
		}
		for range 2 {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	if files, err := os.ReadDir(os.TempDir()); err != nil || len(files) > 0 {
		t.Errorf("left behind: %v, %v", files, err)
	}
}

func TestNoTempDir(t *testing.T) {
	t.Setenv("TMPDIR", "/nowhere/at/all")
	s := NewSpool(1, 100)
	if _, err := s.Write([]byte("ab")); err == nil {
		t.Error("no error without a folder for temporary files")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestReadAt(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	data := make([]byte, 300_000)
	for i := range data {
		data[i] = byte(i * i >> 3)
	}
	for _, maxMemory := range []int64{1 << 20, 100} {
		s := NewSpool(maxMemory, 1<<20)
		for rest := data; len(rest) > 0; {
			n := min(len(rest), 777)
			if _, err := s.Write(rest[:n]); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		if s.Size() != int64(len(data)) {
			t.Errorf("Size() = %d", s.Size())
		}
		for _, off := range []int{0, 1, 65_535, 65_536, 200_000, len(data) - 1, len(data)} {
			p := make([]byte, 100_000)
			n, err := s.ReadAt(p, int64(off))
			want := data[off:min(len(data), off+len(p))]
			if !bytes.Equal(p[:n], want) || (err == io.EOF) != (n < len(p)) {
				t.Errorf("from %d: %d bytes, %v; want %d", off, n, err, len(want))
			}
		}
		s.Close()
	}
}

// If any call of the temporary file fails, the Spool returns its error, does not return a part of
// the written bytes as the whole, and leaves no file.
func TestFaults(t *testing.T) {
	total := faulty.Check(t, faulty.Subject{
		Forgiven: []string{"remove"}, // Close tries again
		Try: func(script *faulty.Script) (string, error) {
			s := NewSpool(100_000, 1<<20)
			s.create = func() (file, error) {
				if err := script.Err("create"); err != nil {
					return nil, err
				}
				f, err := os.CreateTemp("", "")
				return faulty.OSFile{File: f, Script: script}, err
			}
			s.remove = func(name string) error {
				if err := script.Err("remove"); err != nil {
					return err
				}
				return os.Remove(name)
			}
			got, err := writeAndRead(s)
			return got, errors.Join(err, s.Close())
		},
	})
	t.Logf("%d calls failed", total)
}

// writeAndRead writes to a Spool, even after an error, and returns its contents.
func writeAndRead(s *Spool) (string, error) {
	var failure error
	var text strings.Builder
	chunk := make([]byte, 30_000)
	for i := range 6 {
		_, err := s.Write(fmt.Append(chunk[:0], strings.Repeat(string(rune('a'+i)), 30_000)))
		failure = errors.Join(failure, err)
	}
	if _, err := io.Copy(&text, s.Reader()); err != nil {
		return "", err
	}
	n, err := s.ReadAt(chunk, 120_000)
	text.Write(chunk[:n])
	return text.String(), err
}
