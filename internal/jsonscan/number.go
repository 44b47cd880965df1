package jsonscan

import (
	"io"
	"math"

	"perfdata/internal/number"
)

// Number reads the number ahead. A number that is out of float64's range is well-formed JSON:
// Number returns an infinity, and the caller refuses it.
func (s *Scanner) Number() (float64, bool) {
	if s.pos >= len(s.buf) || kinds[s.buf[s.pos]] != Number {
		if kinds[s.next()] != Number {
			if s.isSpecial(s.next()) {
				return s.scanSpecial(0)
			}
			s.failAhead("a number")
			return 0, false
		}
	}
	// A number has no end mark: only the byte after it says that it has ended. If that is not in the
	// window, more digits may follow.
	f, n := number.Parse(s.buf[s.pos:])
	if n == 0 || s.pos+n == len(s.buf) || n > s.limits.MaxStringBytes {
		// Malformed, too long, or it may go on in the next window.
		return s.scanAnyNumber()
	}
	s.tokenStart = s.pos
	s.pos += n
	return f, true
}

// scanAnyNumber reads the number that begins at s.pos, having brought all of it into the window
// first.
func (s *Scanner) scanAnyNumber() (float64, bool) {
	n := 0
	for {
		for s.pos+n < len(s.buf) && number.InNumber[s.buf[s.pos+n]] {
			n++
		}
		if s.pos+n < len(s.buf) || !s.fill() {
			break
		}
	}

	if s.err != nil {
		return 0, false
	}
	if n > s.limits.MaxStringBytes {
		s.failLimit("MaxStringBytes", int64(s.limits.MaxStringBytes), "bytes of one number")
		return 0, false
	}

	f, m := number.Parse(s.buf[s.pos : s.pos+n])
	if m == 0 && n == 1 && s.pos+1 < len(s.buf) && s.buf[s.pos] == '-' && s.buf[s.pos+1] == 'I' && s.isSpecial('I') {
		return s.scanSpecial(1)
	}
	if m == 0 {
		s.failNumber(s.buf[s.pos : s.pos+n])
		return 0, false
	}
	if s.pos+m == len(s.buf) && (len(s.open) > 0 || s.srcErr != io.EOF) {
		// Inside an array or object something must follow: this may be half of a number only.
		s.failAt(len(s.buf), "the rest of a number")
		return 0, false
	}
	s.tokenStart = s.pos
	s.pos += m
	return f, true
}

// AllowNaN makes the scanner accept NaN, Infinity and -Infinity as numbers. They are not JSON;
// Python's json module writes them.
func (s *Scanner) AllowNaN() { s.allowNaN = true }

// isSpecial reports whether c begins a number that isn't JSON's.
func (s *Scanner) isSpecial(c byte) bool { return s.allowNaN && (c == 'N' || c == 'I') && s.err == nil }

// ForgiveNaN lets the caller skip NaN, Infinity, -Infinity, nan, inf and -inf, which some programs write
// for a number and no JSON has. Member, Element and Kind give the kind NaN to those that begin with a
// letter which begins nothing else, and SkipNaN skips each of them, as SkipForgiving does. All other
// methods fail on them, as they do without ForgiveNaN.
func (s *Scanner) ForgiveNaN() { s.forgivesNaN = true }

// SkipNaN skips the value ahead, whose kind was asked for, if it is one that ForgiveNaN is
// about. It returns whether it was; Token then returns it.
func (s *Scanner) SkipNaN() bool {
	return s.forgivesNaN && s.pos < len(s.buf) && nanBytes[s.buf[s.pos]] && s.skipNaN()
}

// nanBytes are the bytes that a NaN can begin with.
var nanBytes = [256]bool{'N': true, 'I': true, 'n': true, 'i': true, '-': true}

func (s *Scanner) skipNaN() bool {
	for _, word := range [...]string{"NaN", "nan", "Infinity", "-Infinity", "inf", "-inf"} {
		n := 0
		for n < len(word) && (s.pos+n < len(s.buf) || s.fill()) && s.buf[s.pos+n] == word[n] {
			n++
		}
		if n == len(word) {
			s.tokenStart = s.pos
			s.pos += n
			return true
		}
	}
	return false
}

// scanSpecial reads the NaN or Infinity that begins at s.pos, after a sign of the given length.
func (s *Scanner) scanSpecial(sign int) (float64, bool) {
	f, word := math.NaN(), "NaN"
	if s.buf[s.pos+sign] == 'I' {
		f, word = math.Inf(1-2*sign), "-Infinity"[1-sign:]
	}
	if !s.literal(word) {
		return 0, false
	}
	s.tokenStart = s.pos - len(word)
	return f, true
}

// failNumber reports where a malformed number, which begins at s.pos, goes wrong: the first place
// where a digit is missing.
func (s *Scanner) failNumber(b []byte) {
	i := 0
	if b[0] == '-' {
		i++
	}
	for i < len(b) && '0' <= b[i] && b[i] <= '9' {
		i++
	}
	if i > 0 && b[i-1] != '-' && i < len(b) && b[i] == '.' {
		for i++; i < len(b) && '0' <= b[i] && b[i] <= '9'; i++ {
		}
	}
	if last := b[max(i, 1)-1]; last != '-' && last != '.' && i < len(b) {
		i++ // the e
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
	}
	s.failAt(s.pos+i, "a digit")
}
