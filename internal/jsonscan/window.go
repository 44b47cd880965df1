package jsonscan

import (
	"io"
	"math"

	"perfdata/internal/buffer"
	"perfdata/internal/chars"
)

const (
	minWindow  = 8 << 10  // small files need no more
	fullWindow = 64 << 10 // fits a second-level cache; larger ones were not faster
)

// A window is the part of the input that is in memory.
type window struct {
	buf    []byte
	pos    int      // of the next byte to read, in buf
	base   int64    // offset of buf[0]
	start  Position // of buf[0]
	srcErr error    // what the source returned at its end

	// What locate said last: of buf[counted].
	counted   int
	countedAt Position
}

// newWindow returns an empty window, in the memory of buf, that begins at the given place.
func newWindow(buf []byte, start Position) window {
	return window{buf: buf, base: start.Offset, start: start, countedAt: start}
}

// next skips white space and returns the byte ahead, without reading it. At the end of the
// input it returns 0.
func (s *Scanner) next() byte {
	if s.pos < len(s.buf) {
		if c := s.buf[s.pos]; c > ' ' {
			return c
		}
	}
	return s.nextAfterSpace()
}

// nextAfterSpace is the slow path of next. Bytes up to a space that are not white space begin nothing in
// JSON, and are returned like any other: the caller reports them.
func (s *Scanner) nextAfterSpace() byte {
	for {
		s.pos = chars.AfterSpace(s.buf, s.pos)
		if s.pos < len(s.buf) {
			return s.buf[s.pos]
		}
		if !s.fill() {
			return 0
		}
	}
}

// fill reads more of the input into the window. It may drop bytes before s.pos, so an index into
// the window is valid after it only relative to s.pos. It returns false at the end of the input.
func (s *Scanner) fill() bool {
	if s.srcErr != nil || s.err != nil {
		return false
	}
	if len(s.buf) == cap(s.buf) && !s.makeRoom() {
		return false
	}
	if s.moved { // by a cursor, or to look at the end
		if s.srcErr = s.rewind(s.base + int64(len(s.buf))); s.srcErr != nil {
			return false
		}
	}

	// After a jump to another place, few bytes may be needed there. So the first reads are short,
	// and each is four times as long as the previous one.
	room := s.buf[len(s.buf):cap(s.buf)]
	if 0 < s.shortRead && s.shortRead < len(room) {
		room = room[:s.shortRead]
		s.shortRead *= 4
	} else {
		s.shortRead = 0
	}
	n, err := buffer.Read(s.src, room)
	s.buf, s.srcErr = s.buf[:len(s.buf)+n], err
	return n > 0
}

// makeRoom makes the buffer longer than the window. It drops the bytes before pos, and takes more
// memory only if the needed bytes fill more than half of the buffer: so the length of the buffer
// depends on the longest string, number or match of a form, which limits bound, and moving bytes
// costs less than reading them.
func (s *Scanner) makeRoom() bool {
	if s.region.exceeded(s.base + int64(s.pos)) {
		s.failRegion()
		return false
	}
	size := 2 * cap(s.buf)
	switch {
	case cap(s.buf) < s.full:
		// Nothing is discarded of a small file, so that it can be read again without seeking.
		first := minWindow
		if in, ok := s.src.(interface{ Len() int }); ok {
			first = min(max(in.Len()+1, 512), fullWindow) // for all of it, and room to read the end
		}
		size = max(first, min(4*cap(s.buf), s.full))
	case s.kept() >= cap(s.buf)/2:
		s.discard()
		return true
	case len(s.buf)-s.pos > s.limits.MaxStringBytes:
		s.failLimit("MaxStringBytes", int64(s.limits.MaxStringBytes), "bytes of one string or number")
		return false
	default:
		s.discard()
		if len(s.buf) < cap(s.buf) {
			return true
		}
	}

	s.buf = append(make([]byte, 0, size), s.buf...)
	return true
}

// discard drops bytes that are not needed any more from the window.
func (s *Scanner) discard() {
	n, pos := s.kept(), s.pos
	s.flushPlaces(n)
	start, srcErr := s.locate(n), s.srcErr
	s.window = newWindow(s.buf[:copy(s.buf, s.buf[n:])], start)
	s.pos, s.srcErr = pos-n, srcErr
}

// kept returns the index from which on the window is needed.
func (s *Scanner) kept() int {
	if s.region.keep {
		return max(min(s.pos, int(s.region.begin-s.base)), 0)
	}
	return s.pos
}

// A region is a part of the input whose size is limited.
type region struct {
	limit string // its name
	max   int64  // bytes
	begin int64  // offset
	start int64  // begin, less the bytes that were used before and that were charged
	keep  bool   // see KeepRegion
}

// noRegion has no limit.
var noRegion = region{max: math.MaxInt64}

func (r *region) exceeded(offset int64) bool { return offset-r.start > r.max }

// BeginRegion limits how many bytes may be read or charged from here to EndRegion: to max,
// including the bytes that are already used. Regions don't nest.
func (s *Scanner) BeginRegion(limit string, max, used int64) {
	at := s.Offset()
	s.region = region{limit: limit, max: max, begin: at - used, start: at - used}
}

// KeepRegion keeps the text of the region in memory. Until something is read after its end, PositionAt
// and Reread know all of it.
func (s *Scanner) KeepRegion() { s.region.keep = true }

// EndRegion ends the region and returns how many bytes of its limit are used. It fails if these
// are too many.
func (s *Scanner) EndRegion() (used int64) {
	if s.region.exceeded(s.Offset()) {
		s.failRegion()
	}
	used = s.Offset() - s.region.start
	s.region = noRegion
	return used
}

// Charge counts n bytes of memory against the limit of the region, in addition to the bytes that
// are read: a value that is held may take many times the memory of its text. If that is too much,
// it fails s and returns false.
func (s *Scanner) Charge(n int) bool {
	s.region.start -= int64(n)
	return s.base+int64(s.pos)-s.region.start <= s.region.max || s.failRegion()
}

// Left returns how many bytes may still be read or charged in the region.
func (s *Scanner) Left() int64 { return s.region.max - (s.Offset() - s.region.start) }

// Charged returns how many bytes Charge counted since BeginRegion.
func (s *Scanner) Charged() int { return int(s.region.begin - s.region.start) }

// failRegion fails, and returns false.
func (s *Scanner) failRegion() bool {
	s.failLimit(s.region.limit, s.region.max, "too many bytes")
	return false
}

// An input that can't seek is made seekable where something of it must be read twice or out of
// order: the rest is held, first in memory and then in a temporary file. Skipping the results of
// such an input, and holding only the skipped bytes, would take 45% more instructions: an input
// that can seek need not be skipped.

// A bufferedInput is the rest of an input that couldn't seek.
type bufferedInput struct {
	*io.SectionReader
	spool *buffer.Spool
	end   error // what the input ended with
}

func (h *bufferedInput) Read(p []byte) (n int, err error) {
	if n, err = h.SectionReader.Read(p); err == io.EOF {
		err = h.end
	}
	return n, err
}

// CanSeek reports whether the rest can be read in any order: the input can seek, or is small, or
// was held to its end. It fails s if that takes too much.
func (s *Scanner) CanSeek() bool {
	if s.seeker != nil && s.buffered == nil || s.atEnd() {
		return true
	}
	s.bufferRest()
	return s.buffered != nil && s.buffered.end == io.EOF
}

// bufferRest makes an input seekable from the window on, unless it is that already or the window has
// all of it. It fails s if it can't.
func (s *Scanner) bufferRest() {
	if s.seeker != nil || s.srcErr != nil || s.lost {
		return
	}

	all := buffer.NewSpool(s.limits.MaxSpoolMemory, s.limits.MaxSpoolBytes)
	var end error
	_, err := all.Write(s.buf)
	if err == nil {
		end, err = all.Fill(s.src)
	}
	if err == nil {
		s.buffered = &bufferedInput{io.NewSectionReader(all, 0, all.Size()), all, end}
		s.src, s.seeker, s.seekZero, s.moved = s.buffered, s.buffered, -s.base, true
		return
	}

	s.lost = true
	all.Close()
	if err == buffer.ErrFull {
		s.failLimit("MaxSpoolBytes", s.limits.MaxSpoolBytes,
			"too much has to be looked over to find the end of the header")
	} else {
		s.fail(s.pos, "keeping the input for a second reading: "+err.Error(), err)
	}
}

// Close releases the bytes that were held of the input.
func (s *Scanner) Close() error {
	if s.buffered == nil {
		return nil
	}
	return s.buffered.spool.Close()
}
