package keyval

import (
	"strconv"

	"perfdata/internal/buffer"
)

// numerals makes strings of ascending numbers, one for each iteration.
type numerals struct {
	last    int
	digits  []byte // of last
	strings buffer.Strings
}

func (n *numerals) string(i int) string {
	if i != n.last+1 || !n.increment() {
		n.digits = strconv.AppendInt(n.digits[:0], int64(i), 10)
	}
	n.last = i
	return n.strings.New(n.digits)
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
