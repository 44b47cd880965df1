package keyval

import (
	"strconv"
	"strings"
)

// numerals makes strings of ascending numbers, one for each iteration. They share chunks of
// memory, as in package intern.
type numerals struct {
	chunk  strings.Builder
	last   int
	digits []byte // of last
}

func (n *numerals) string(i int) string {
	const chunkSize = 1 << 10
	if i != n.last+1 || !n.increment() {
		n.digits = strconv.AppendInt(n.digits[:0], int64(i), 10)
	}
	n.last = i
	if n.chunk.Cap()-n.chunk.Len() < len(n.digits) {
		n.chunk.Reset()
		n.chunk.Grow(chunkSize)
	}
	start := n.chunk.Len()
	n.chunk.Write(n.digits)
	return n.chunk.String()[start:]
}

// increment adds one to the digits. It returns false if the number needs another digit.
func (n *numerals) increment() bool {
	for i := len(n.digits) - 1; i >= 0; i-- {
		if n.digits[i] < '9' {
			n.digits[i]++
			return true
		}
		n.digits[i] = '0'
	}
	return false
}
