package object

import (
	"io"

	"perfdata/format"
	"perfdata/internal/jsonscan"
)

// A profileText is the text of a profile, without its member origin.
type profileText struct {
	in   io.ReadSeeker
	cuts []span // the member, and the comma that separates it
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
	cut := int64(-1)                 // where origin begins, if it was the last member
	last, end := int64(-1), int64(0) // the ends of the last other member, and of the last one
	for s.EnterObject(); ; {
		name, _, ok := s.Member()
		if !ok {
			break
		}
		at := s.NamePosition().Offset
		isOrigin := string(name) == "origin"
		if isOrigin && cut < 0 {
			cut = at
		} else if !isOrigin && cut >= 0 {
			t.cuts, cut = append(t.cuts, span{cut, at}), -1
		}

		s.Skip()
		end = s.Offset()
		if !isOrigin {
			last = end
		}
	}

	s.End()
	if err := s.Err(); err != nil {
		return nil, err
	}
	if cut >= 0 && last >= 0 {
		cut = last // the comma before origin
	}
	if cut >= 0 {
		t.cuts = append(t.cuts, span{cut, end})
	}
	return t, nil
}

// writeTo writes the text.
func (t *profileText) writeTo(out io.Writer) error {
	at := int64(0)
	for _, cut := range t.cuts {
		if _, err := t.in.Seek(at, io.SeekStart); err != nil {
			return err
		}
		if _, err := io.CopyN(out, t.in, cut.start-at); err == io.EOF {
			return io.ErrUnexpectedEOF // the profile has become shorter
		} else if err != nil {
			return err
		}
		at = cut.end
	}
	if _, err := t.in.Seek(at, io.SeekStart); err != nil {
		return err
	}
	_, err := io.Copy(out, t.in)
	return err
}
