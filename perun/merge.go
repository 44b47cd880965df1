package perun

import (
	"errors"
	"fmt"
	"io"
)

// Merge writes a profile with the resources of all given profiles, in this order, to out. It is the
// reference's merge_resources_of: the header and the models come from the first profile that has
// resources, or else of the first profile. The header, and so the units and the origin, of the
// others is lost, and their models are.
//
// The profile is in the layout of types, and what a [Writer] requires of a resource, Merge requires
// too. The first error of a profile or of the output ends it, even an error that a Reader calls
// recoverable: then out has a part of a profile. The Readers must not be InOrder, and the caller
// must close them.
func Merge(out io.Writer, profiles ...*Reader) (err error) {
	if len(profiles) == 0 {
		return errors.New("no profiles to merge")
	}
	w, begun := NewWriter(out, Header{}), false
	defer func() {
		if err != nil {
			err = errors.Join(err, w.release())
		}
	}()
	base := profiles[0] // has the header and the models
	begin := func(p *Reader) error {
		h, err := p.Header()
		base, begun = p, true
		w.setHeader(h)
		return err
	}

	for _, p := range profiles {
		for res, err := range p.Resources() {
			if err == nil && !begun {
				err = begin(p)
			}
			if err != nil {
				return err
			}
			if err := w.WriteResource(res); err != nil {
				return fmt.Errorf("%s: %w", p.Name, err)
			}
		}
	}
	if !begun {
		if err := begin(base); err != nil {
			return err
		}
	}

	for m, err := range base.Models() {
		if err != nil {
			return err
		}
		if err := w.WriteModel(m); err != nil {
			return fmt.Errorf("%s: %w", base.Name, err)
		}
	}
	return w.Close()
}
