package jsonscan

import (
	"io"

	"perfdata/internal/buffer"
)

// An input that can't seek is made seekable where something of it must be read twice or out of
// order: all that follows is held, first in memory and then in a temporary file. To skip the
// results of such an input, and to hold only what is skipped, would take 45% more instructions:
// an input that can seek need not be skipped.

// A heldInput is the rest of an input that couldn't seek.
type heldInput struct {
	*io.SectionReader
	spool *buffer.Spool
	end   error // what the input ended with
}

func (h *heldInput) Read(p []byte) (n int, err error) {
	if n, err = h.SectionReader.Read(p); err == io.EOF {
		err = h.end
	}
	return n, err
}

// CanSeek reports whether what follows can be read in any order: the input can seek, or is small,
// or was held to its end. It fails s if that takes too much.
func (s *Scanner) CanSeek() bool {
	if s.seeker != nil && s.held == nil || s.atEnd() {
		return true
	}
	s.hold()
	return s.held != nil && s.held.end == io.EOF
}

// hold makes an input seekable from the window on, unless it is that already or the window has all
// of it. It fails s if it can't.
func (s *Scanner) hold() {
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
		s.held = &heldInput{io.NewSectionReader(all, 0, all.Size()), all, end}
		s.src, s.seeker, s.seekZero, s.moved = s.held, s.held, -s.base, true
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

// Close releases what was held of the input.
func (s *Scanner) Close() error {
	if s.held == nil {
		return nil
	}
	return s.held.spool.Close()
}
