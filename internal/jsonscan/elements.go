package jsonscan

// minAheadLimit is the lowest MaxStringBytes with which Ahead returns text: what its callers read
// at once is shorter.
const minAheadLimit = 64

// Ahead returns the text after the element that was read last, of the array that was entered
// last, so that the caller can read elements itself. The text is part of what follows, at least
// min bytes, if the input has them and the window has room, and is valid until the next call.
// There is none before the first element, after an error, or while the Scanner must see every
// value.
func (s *Scanner) Ahead(min int) []byte {
	if s.first || s.err != nil || s.general || s.limits.MaxStringBytes < minAheadLimit {
		return nil
	}
	if len(s.buf)-s.pos < min {
		s.fill()
	}
	return s.buf[s.pos:]
}

// Take consumes n bytes of Ahead's text, which hold the given number of elements, each with the comma
// before it.
func (s *Scanner) Take(n, elements int) {
	if elements > 0 {
		s.pos += n
		s.open[len(s.open)-1].index += elements
	}
}
