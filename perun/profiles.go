package perun

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"perfdata/internal/message"
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

	base := profiles[0] // has the header and the models
	h, err := base.Header()
	if err != nil {
		return err
	}
	w := NewWriter(out, h)
	defer func() {
		if err != nil {
			err = errors.Join(err, w.release())
		}
	}()

	for _, p := range profiles {
		for res, err := range p.Resources() {
			if err != nil {
				return err
			}
			if !w.begun {
				h, _ := p.Header() // it was read before the resource
				base, w = p, NewWriter(out, h)
			}
			if err := w.WriteResource(res); err != nil {
				return fmt.Errorf("%s: %w", p.Name, err)
			}
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

// A ProfileInfo is what a list of profiles says about a profile, for [SortProfiles].
type ProfileInfo struct {
	Header   Header
	Time     time.Time // of the last modification
	Path     string    // of the file that has the profile
	Source   string    // the name under which the profile was added
	Checksum string    // of the stored object, if it is one
}

// sortKeys are the keys of SortProfiles, with how they compare profiles.
var sortKeys = [...]struct {
	name    string
	compare func(a, b *ProfileInfo) int
}{
	{"time", func(a, b *ProfileInfo) int { return a.Time.Compare(b.Time) }},
	{"realpath", func(a, b *ProfileInfo) int { return cmp.Compare(a.Path, b.Path) }},
	{"source", func(a, b *ProfileInfo) int { return cmp.Compare(a.Source, b.Source) }},
	{"type", func(a, b *ProfileInfo) int { return cmp.Compare(a.Header.Type, b.Header.Type) }},
	{"cmd", func(a, b *ProfileInfo) int { return cmp.Compare(a.Header.Cmd, b.Header.Cmd) }},
	{"workload", func(a, b *ProfileInfo) int { return cmp.Compare(a.Header.Workload, b.Header.Workload) }},
	{"collector", func(a, b *ProfileInfo) int {
		return cmp.Compare(a.Header.Collector.Name, b.Header.Collector.Name)
	}},
	{"checksum", func(a, b *ProfileInfo) int { return cmp.Compare(a.Checksum, b.Checksum) }},
}

// SortProfiles sorts profiles by a key: time, realpath, source, type, cmd, workload, collector or
// checksum, which are Perun's names. Profiles with equal keys keep their order, even in
// descending order, which is Perun's default. It is the reference's sort_profiles, except that
// another key is an error; the reference then sorts by time.
func SortProfiles(profiles []ProfileInfo, key string, descending bool) error {
	var names []string
	for _, k := range sortKeys {
		if names = append(names, k.name); k.name != key {
			continue
		}
		slices.SortStableFunc(profiles, func(a, b ProfileInfo) int {
			if descending {
				return k.compare(&b, &a)
			}
			return k.compare(&a, &b)
		})
		return nil
	}
	return fmt.Errorf("sort key %s: want one of %s", message.Quote(key), strings.Join(names, ", "))
}
