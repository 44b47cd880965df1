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
	in     *bytes.Reader
	random plausible.Random
	max    int // length of a chunk
}

func (c *chunks) Read(p []byte) (int, error) {
	if c.in.Len() > 0 && c.random.Chance(3) {
		return 0, nil
	}
	n, err := c.in.Read(p[:min(len(p), 1+c.random.Below(c.max))])
	if err == nil && c.in.Len() == 0 && c.random.Chance(50) {
		err = io.EOF
	}
	return n, err
}

// Seek implements [io.Seeker].
func (c *chunks) Seek(offset int64, whence int) (int64, error) { return c.in.Seek(offset, whence) }
