package metamorphic

import (
	"bytes"
	"fmt"
	"slices"

	"perfdata/benchfmt"
	"perfdata/format"
	"perfdata/keyval"
	"perfdata/nanolegacy"
	"perfdata/perun"
	"perfdata/skiav1"
)

// written writes a valid document with the format's Writer, and reads it back.
func (c *test) written() error {
	if !c.Valid || c.info.NewWriter == nil || c.random.Chance(50) {
		return nil
	}
	r := c.open(bytes.NewReader(c.Text))
	h, err := r.FileHeader()
	if err != nil {
		return err
	}

	var out bytes.Buffer
	if err := write(&out, h, r); err != nil {
		return err
	}
	for e := range c.info.Validate(bytes.NewReader(out.Bytes()), format.Options{}) {
		if e.Severity != format.Warning {
			return fmt.Errorf("faults are written: %w\n%.1000s", e, out.Bytes())
		}
	}

	rd := reader{text: out.Bytes(), at: same, bare: true}
	got := c.readAs(1, c.open(&out), rd)
	want := c.readAs(2, c.open(bytes.NewReader(c.Text)), reader{text: c.Text, at: same, bare: true})
	if c.Format == "perun" { // the Writer joins the resources of a type
		want.text, got.text = sortedLines(want.text), sortedLines(got.text)
	}
	if err := difference(want, got); err != nil {
		return fmt.Errorf("%w\n%.1000s", err, rd.text)
	}
	return nil
}

// write writes the records of r. For a Perun profile, it writes the resources, from which records
// are made.
func write(out *bytes.Buffer, h format.Header, r format.Reader) error {
	var w format.Writer
	switch h := h.Native.(type) {
	case skiav1.Header:
		w = skiav1.NewWriter(out, h)
	case nanolegacy.Header:
		w = nanolegacy.NewWriter(out, h)
	case benchfmt.Header:
		w = benchfmt.NewWriter(out, h)
	case keyval.Header:
		w = keyval.NewWriter(out, h)
	case perun.Header:

		p := perun.NewWriter(out, h)
		for res, err := range r.(*perun.Reader).Resources() {
			if err != nil {
				return err
			}
			if err := p.WriteResource(res); err != nil {
				return err
			}
		}
		return p.Close()
	}

	for rec, err := range r.Records() {
		if err != nil {
			return err
		}
		if err := w.Write(rec); err != nil {
			return err
		}
	}
	return w.Close()
}

func sortedLines(text []byte) []byte {
	lines := bytes.SplitAfter(text, []byte{'\n'})
	slices.SortFunc(lines, bytes.Compare)
	return bytes.Join(lines, nil)
}
