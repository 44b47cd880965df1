package object

import (
	"io"

	"perfdata/format"
	"perfdata/internal/jsonscan"
)

// A profileText is the text of a profile, without its member origin.
type profileText struct {
	in    io.ReadSeeker
	parts []span // all but the member, and the comma that separates it
}

// A span is a part of a text, in bytes.
type span struct{ start, end int64 }

// newProfileText finds the origin of a profile. Its error is a [*format.Error] if the profile is not
// a JSON object.
func newProfileText(profile io.ReadSeeker) (*profileText, error) {
	if _, err := profile.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	s := jsonscan.New(struct{ io.Reader }{profile}, "profile", format.Limits{}.WithDefaults())
	s.AllowNaN()

	t := &profileText{in: profile}
	start, cut := int64(0), int64(-1) // of the next part; of origin, if it was the last member
	last, end := int64(-1), int64(0)  // the ends of the last other member, and of the last one
	s.EnterObject()
	for {
		name, _, ok := s.Member()
		if !ok {
			break
		}
		at := s.NamePosition().Offset
		isOrigin := string(name) == "origin"
		if isOrigin && cut < 0 {
			cut = at
		} else if !isOrigin && cut >= 0 {
			t.parts = append(t.parts, span{start, cut})
			start, cut = at, -1
		}

		s.Skip()
		if end = s.Offset(); !isOrigin {
			last = end
		}
	}

	s.End()
	if cut >= 0 && last >= 0 {
		cut = last // the comma before origin
	}
	if cut >= 0 {
		t.parts = append(t.parts, span{start, cut})
		start = end
	}
	t.parts = append(t.parts, span{start, s.Offset()})
	return t, s.Err()
}

// writeTo writes the text.
func (t *profileText) writeTo(out io.Writer) error {
	for _, part := range t.parts {
		if _, err := t.in.Seek(part.start, io.SeekStart); err != nil {
			return err
		}
		if _, err := io.CopyN(out, t.in, part.end-part.start); err == io.EOF {
			return io.ErrUnexpectedEOF // the profile has become shorter
		} else if err != nil {
			return err
		}
	}
	return nil
}
