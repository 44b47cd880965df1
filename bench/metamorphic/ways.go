package metamorphic

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"unicode/utf16"
	"unicode/utf8"

	"perfdata"
	"perfdata/format"
	"perfdata/internal/testing/documents"
	"perfdata/internal/testing/plausible"
	"perfdata/perun"
)

// A stream is an input that cannot seek.
type stream struct{ io.Reader }

// chunks is an input that arrives in chunks of random length. Some are empty, and the last one may
// come with io.EOF.
type chunks struct {
	*bytes.Reader
	random plausible.Random
	max    int // length of a chunk
}

func (c *test) chunks() *chunks {
	return &chunks{Reader: bytes.NewReader(c.text), random: c.random, max: []int{1, 3, 100, 5000}[c.random.Below(4)]}
}

func (c *chunks) Read(p []byte) (int, error) {
	if c.Len() > 0 && c.random.Chance(3) {
		return 0, nil
	}
	n, err := c.Reader.Read(p[:min(len(p), 1+c.random.Below(c.max))])
	if err == nil && c.Len() == 0 && c.random.Chance(50) {
		err = io.EOF
	}
	return n, err
}

// asStream returns the expected result of reading from an input that cannot seek. If a document
// exceeds several limits, a Reader that looks ahead may meet another one first.
func (c *test) asStream() reading {
	if c.sameSize() {
		return c.view().read(c.open(stream{bytes.NewReader(c.text)}))
	}
	return c.want
}

func (c *test) inSeekableChunks() error {
	r := c.open(c.chunks())
	if c.random.Chance(50) && !c.sameSize() {
		r.FileHeader() // first, so that the Reader looks ahead
	}
	return difference(c.want, c.view().read(r))
}

// spooled reads an input that cannot seek, and does not fit in memory. Few documents are enough,
// because temporary files are slow.
func (c *test) spooled() error {
	if !c.random.Chance(3) {
		return nil
	}
	limits := c.limits
	limits.MaxSpoolMemory = 100
	in := stream{bytes.NewReader(c.text)}
	return difference(c.asStream(), c.view().read(c.info.Open(nil, in, format.Options{Limits: limits})))
}

// again reads with the Reader that read the previous documents of the format, some only in part.
func (c *test) again() error {
	open := func(in io.Reader) format.Reader {
		c.kept[c.format] = c.info.Open(c.kept[c.format], in, format.Options{Limits: c.limits})
		return c.kept[c.format]
	}
	if c.random.Chance(10) {
		for range open(stream{bytes.NewReader(c.text)}).Records() {
			if c.random.Chance(50) {
				break
			}
		}
	}
	return difference(c.want, c.view().read(open(bytes.NewReader(c.text))))
}

// windowSize is the size of the window through which the JSON formats read an input.
const windowSize = 64 << 10

// shift reads the document after blanks, so that a window ends in it. If a document exceeds a limit
// and has another fault too, the Reader may meet the other one first.
func (c *test) shift() error {
	blank, window := byte(' '), windowSize
	switch {
	case c.format == "benchfmt", c.isTable():
		blank, window = '\n', windowSize/2
	case c.format == "keyval":
		window = windowSize / 2
	}
	if len(c.text) == 0 || c.isUTF16() || c.large() || c.sameSize() || !c.random.Chance(30) {
		return nil
	}

	n := window - 1 - c.random.Below(len(c.text))
	shifted := append(bytes.Repeat([]byte{blank}, n), c.text...)
	v := view{text: shifted, place: byOffset(func(offset int64) int64 { return max(0, offset-int64(n)) })}
	return difference(c.want, v.read(c.open(c.sometimesStream(shifted))))
}

// sometimesStream returns an input, which cannot seek half of the time.
func (c *test) sometimesStream(text []byte) io.Reader {
	if c.random.Chance(50) {
		return stream{bytes.NewReader(text)}
	}
	return bytes.NewReader(text)
}

// otherSpace reads the document with other white space. It disables the fast path, because forms
// are compared with their white space.
func (c *test) otherSpace() error {
	switch {
	case c.isUTF16() || c.large() || c.sameSize() || c.isTable():
		return nil
	case c.kind == "missing quote":
		return nil // a Reader that begins at the end takes other texts for strings
	}
	changed := c.respaced()

	// Errors about a place between two tokens are compared as errors about the second one.
	want := c.want
	if want.errors > 0 {
		same := &change{pieces: slices.Clone(changed.pieces), oldEnd: len(c.text)}
		for i := range same.pieces {
			same.pieces[i].new = same.pieces[i].old
		}
		v := view{text: c.text, place: byOffset(same.original), noMessages: true}
		want = v.read(c.open(bytes.NewReader(c.text)))
	}
	v := view{text: changed.text, place: byOffset(changed.original), noMessages: true}
	return difference(want, v.read(c.open(bytes.NewReader(changed.text))))
}

// reordered reads the document with the members of objects in another order: a random one, without its own
// header; or with the header first, in one pass if the options say so.
func (c *test) reordered(order *plausible.Random, o format.Options) error {
	if !c.valid || c.format == "benchfmt" || c.format == "keyval" || c.isTable() {
		return nil // it is not JSON
	}
	ordered := func(text []byte) view { return view{text: text, place: byToken(text), bare: order != nil} }
	text := documents.Reordered(c.info, c.seed, c.size, order)
	in := c.sometimesStream(text)
	if o.InOrder {
		in = stream{in}
	}
	want := ordered(c.text).read(c.open(bytes.NewReader(c.text)))
	return difference(want, ordered(text).read(c.info.Open(nil, in, o)))
}

// compress reads the document compressed.
func (c *test) compress() error {
	if c.random.Chance(50) {
		return c.opened(bytes.NewReader(c.zstd.EncodeAll(c.text, nil)))
	}
	var compressed bytes.Buffer
	c.gzip.Reset(&compressed)
	c.gzip.Write(c.text)
	c.gzip.Close()
	return c.opened(&compressed)
}

// opened reads an input that package perfdata decodes.
func (c *test) opened(in io.Reader) error {
	if c.isUTF16() {
		return nil
	}
	o := perfdata.Opener{Options: format.Options{Limits: c.limits}, Format: c.format}
	if c.detected {
		o.Format = ""
	}
	f, err := o.NewReader(in, "")
	if err != nil {
		return err
	}
	if f.Format.Name != c.format {
		return fmt.Errorf("detected as %s", f.Format.Name)
	}
	return difference(c.asStream(), c.view().read(f))
}

// utf16 reads the document in UTF-16.
func (c *test) utf16() error {
	if c.large() || !utf8.Valid(c.text) {
		return nil
	}
	var order binary.AppendByteOrder = binary.LittleEndian
	if c.random.Chance(50) {
		order = binary.BigEndian
	}
	text := order.AppendUint16(nil, 0xfeff)
	for _, unit := range utf16.Encode([]rune(string(c.text))) {
		text = order.AppendUint16(text, unit)
	}
	return c.opened(bytes.NewReader(text))
}

// written writes a valid document with the format's Writer, and reads it back.
func (c *test) written() error {
	if !c.valid || c.info.NewWriter == nil || c.random.Chance(50) {
		return nil
	}
	r := c.open(bytes.NewReader(c.text))
	h, err := r.FileHeader()
	if err != nil {
		return err
	}
	var out bytes.Buffer
	w, err := c.info.NewWriter(&out, h)
	if err != nil {
		return err
	}
	if err := write(w, r); err != nil {
		return err
	}
	for e := range c.info.Validate(bytes.NewReader(out.Bytes()), format.Options{}) {
		if e.Severity != format.Warning {
			return fmt.Errorf("faults are written: %w\n%.1000s", e, out.Bytes())
		}
	}

	text := out.Bytes()
	nowhere := func(int64) string { return "" } // offsets in the two texts cannot be compared
	got := view{text: text, place: nowhere, bare: true}.read(c.open(&out))
	want := view{text: c.text, place: nowhere, bare: true}.read(c.open(bytes.NewReader(c.text)))
	if c.format == "perun" { // the Writer joins the resources of a type
		slices.Sort(want.lines)
		slices.Sort(got.lines)
	}
	if err := difference(want, got); err != nil {
		return fmt.Errorf("%w\n%.1000s", err, text)
	}
	return nil
}

// write writes the records of r. For a Perun profile, it writes the resources, from which records
// are made.
func write(w format.Writer, r format.Reader) error {
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

// validate checks that Validate finds the same errors however the document arrives, and that a
// document that it accepts is read without an error.
func (c *test) validate() error {
	want, valid := c.faults(bytes.NewReader(c.text))
	got, _ := c.faults(stream{c.chunks()})
	if err := difference(want, got); err != nil {
		return err
	}
	switch {
	case c.valid && !valid:
		return fmt.Errorf("%q", want.lines)
	case valid && c.want.errors > 0:
		return fmt.Errorf("it accepts a document that the Reader does not: %.3000q", c.want.lines)
	}
	return nil
}

// faults reads what Validate yields, and reports whether it accepts the document.
func (c *test) faults(in io.Reader) (got reading, valid bool) {
	valid = true
	for e := range c.info.Validate(in, format.Options{Limits: c.limits}) {
		got.lines = append(got.lines, c.view().error(e))
		valid = valid && e.Severity == format.Warning
	}
	return got, valid
}
