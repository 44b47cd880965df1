package perfdata_test

import (
	"errors"
	"testing"

	"perfdata"
	"perfdata/benchfmt"
	"perfdata/format"
	"perfdata/keyval"
	"perfdata/keyval/job"
	"perfdata/nanolegacy"
	"perfdata/perun"
	"perfdata/perun/object"
	"perfdata/skiav1"
)

// A Reader without an input gives an error, however it lacks one.
func TestMissingInput(t *testing.T) {
	for name, r := range map[string]format.Reader{
		"skiav1":     skiav1.NewReader(nil),
		"nanolegacy": nanolegacy.NewReader(nil),
		"benchfmt":   benchfmt.NewReader(nil),
		"keyval":     keyval.NewReader(nil),
		"perun":      perun.NewReader(nil),
		"keyval job": job.NewReader(nil, "."),

		"zero skiav1":     new(skiav1.Reader),
		"zero nanolegacy": new(nanolegacy.Reader),
		"zero benchfmt":   new(benchfmt.Reader),
		"zero keyval":     new(keyval.Reader),
		"zero perun":      new(perun.Reader),
		"zero keyval job": new(job.Reader),
	} {
		t.Run(name, func(t *testing.T) {
			steps := 0
			for rec, err := range r.Records() {
				if steps++; rec != nil || !errors.Is(err, format.ErrMisuse) {
					t.Errorf("%v, %v", rec, err)
				}
			}
			if _, err := r.FileHeader(); name != "keyval" && name != "zero keyval" && !errors.Is(err, format.ErrMisuse) {
				t.Errorf("header: %v", err)
			}
			if err := r.Close(); err != nil || steps != 1 {
				t.Errorf("%d steps, Close: %v", steps, err)
			}
		})
	}

	for _, info := range perfdata.Formats() {
		if info.Validate == nil {
			continue // a format of folders
		}
		t.Run("Validate/"+info.Name, func(t *testing.T) {
			var last *format.Error
			for e := range info.Validate(nil, format.Options{Name: "in"}) {
				last = e
			}
			if !errors.Is(last, format.ErrMisuse) {
				t.Error(last)
			}
		})
	}

	for name, open := range map[string]func() error{
		"NewReader":        func() error { _, err := perfdata.NewReader(nil, "in"); return err },
		"NewReader/keyval": func() error { _, err := perfdata.Opener{Format: "keyval"}.NewReader(nil, "in"); return err },
		"Decompress":       func() error { _, _, err := perfdata.Decompress(nil, "in", format.Limits{}); return err },
		"OpenFS":           func() error { _, err := perfdata.OpenFS(nil, "in"); return err },
		"object":           func() error { _, err := object.NewReader(nil, "in", format.Limits{}); return err },
		"zero object":      func() error { _, err := new(object.Reader).Read(make([]byte, 1)); return err },
		"Detect job":       func() error { _, err := job.Format().DetectDir(nil, "."); return err },
	} {
		t.Run(name, func(t *testing.T) {
			if err := open(); !errors.Is(err, format.ErrMisuse) {
				t.Error(err)
			}
		})
	}
}
