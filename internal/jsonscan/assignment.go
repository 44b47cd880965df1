package jsonscan

import "bytes"

// PassAssignment reads the beginning of a script that assigns the document to a variable, as in
// "window.DATA = {}": the name and the equals sign. If something else is ahead, it reads nothing.
// Otherwise, one semicolon may follow the document, and End reads it.
func (s *Scanner) PassAssignment(name string) {
	if s.next() != name[0] || !s.literal(name) {
		return
	}
	if s.next() != '=' {
		s.failAhead("=")
		return
	}
	s.pos++
	s.assigned = true
}

// passSemicolon reads the semicolon ahead, if there is one and the document is assigned.
func (s *Scanner) passSemicolon() {
	if s.assigned && s.next() == ';' {
		s.pos++
	}
}

// withoutSemicolon returns the end of a document without what may follow it.
func (s *Scanner) withoutSemicolon(text []byte) []byte {
	if s.assigned {
		text = bytes.TrimSuffix(bytes.TrimRight(text, " \n\r\t"), []byte{';'})
	}
	return text
}
