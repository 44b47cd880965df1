package spool

import (
	"bytes"
	"io"
	"os"
	"testing"
)

func TestSpool(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var want []byte
	for i := range 300_000 {
		want = append(want, byte(i), byte(i>>8))
	}
	for _, maxMemory := range []int64{1, 1000, int64(len(want)) - 1, int64(len(want))} {
		s := New(maxMemory, int64(len(want)))
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
	s := New(1, 100)
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
		s := New(maxMemory, 1<<20)
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
