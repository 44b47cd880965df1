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

// reader returns a reader of the text from its beginning.
func (t *profileText) reader() (io.Reader, error) {
	if _, err := t.in.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	var parts []io.Reader
	at := int64(0)
	for _, cut := range t.cuts {
		parts = append(parts, io.LimitReader(t.in, cut.start-at), &gap{t.in, cut.end - cut.start})
		at = cut.end
	}
	return io.MultiReader(append(parts, t.in)...), nil
}

// A gap is an empty Reader that skips a part of another one.
type gap struct {
	in   io.Reader
	size int64
}

func (g *gap) Read([]byte) (int, error) {
	n, err := io.CopyN(io.Discard, g.in, g.size)
	g.size -= n
	switch err {
	case nil:
		err = io.EOF
	case io.EOF:
		err = io.ErrUnexpectedEOF // the profile has become shorter
	}
	return 0, err
}
