package metamorphic

import (
	"bytes"
	"io"

	"perfdata/internal/testing/plausible"
)

// A stream is an input that cannot seek.
type stream struct{ io.Reader }

// chunks is an input that arrives in chunks of random length. Some are empty, and the last one may
// come with io.EOF.
type chunks struct {
	text   []byte
	pos    int
	random plausible.Random
	max    int // length of a chunk
}

func (c *chunks) Read(p []byte) (int, error) {
	if c.pos == len(c.text) {
		return 0, io.EOF
	}
	if c.random.Chance(3) {
		return 0, nil
	}
	n := copy(p, c.text[c.pos:min(len(c.text), c.pos+1+c.random.Below(c.max))])
	c.pos += n
	if c.pos == len(c.text) && c.random.Chance(50) {
		return n, io.EOF
	}
	return n, nil
}

// seekableChunks is chunks that can seek.
type seekableChunks struct{ chunks }

// Seek implements [io.Seeker].
func (c *seekableChunks) Seek(offset int64, whence int) (int64, error) {
	r := bytes.NewReader(c.text)
	if _, err := r.Seek(int64(c.pos), io.SeekStart); err != nil {
		return 0, err
	}
	at, err := r.Seek(offset, whence)
	if err == nil {
		c.pos = min(int(at), len(c.text))
	}
	return at, err
}
