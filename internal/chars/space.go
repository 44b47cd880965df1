package chars

import (
	"encoding/binary"
	"math/bits"
)

// AfterSpace returns the index in b, from i on, of the first byte that is not JSON's white space, or
// len(b). In an indented array of numbers, a quarter of the text is white space.
func AfterSpace(b []byte, i int) int {
	const spaces = ' ' * Lowest
	for i < len(b) {
		switch b[i] {
		case '\n', ' ':
			// Usually a line's indentation follows, or one space.
			for i++; i+8 <= len(b); i += 8 {
				if x := binary.LittleEndian.Uint64(b[i:]) ^ spaces; x != 0 {
					i += bits.TrailingZeros64(x) / 8
					break
				}
			}
		case '\r', '\t':
			i++
		default:
			return i
		}
	}
	return i
}
