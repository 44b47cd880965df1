package metamorphic

import (
	"bytes"
	"fmt"
	"slices"

	"perfdata/format"
	"perfdata/perun"
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
	if err := c.write(&out, h, r); err != nil {
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
func (c *test) write(out *bytes.Buffer, h format.Header, r format.Reader) error {
	w, err := c.info.NewWriter(out, h)
	if err != nil {
		return err
	}

	if p, ok := w.(*perun.Writer); ok {
		for res, err := range r.(*perun.Reader).Resources() {
			if err == nil {
				err = p.WriteResource(res)
			}
			if err != nil {
				return err
			}
		}
		return p.Close()
	}

	for rec, err := range r.Records() {
		if err == nil {
			err = w.Write(rec)
		}
		if err != nil {
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
