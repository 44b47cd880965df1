package metamorphic

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"perfdata"
	"perfdata/format"
	"perfdata/internal/jsondoc"
	"perfdata/internal/jsontree"
	"perfdata/internal/rows"
)

func (c *test) chunks() *chunks {
	return &chunks{in: bytes.NewReader(c.Text), random: c.random, max: []int{1, 3, 100, 5000}[c.random.Below(4)]}
}

// inChunks reads an input that cannot seek, and arrives in chunks.
func (c *test) inChunks() error {
	return difference(c.asStream(), c.read(1, c.open(stream{c.chunks()})))
}

// asStream returns the expected result of reading from an input that cannot seek. If a document
// exceeds several limits, a Reader that looks ahead may meet another one first.
func (c *test) asStream() reading {
	if c.sameSize() {
		return c.read(2, c.open(stream{bytes.NewReader(c.Text)}))
	}
	return c.want
}

func (c *test) inSeekableChunks() error {
	r := c.open(c.chunks())
	if c.random.Chance(50) && !c.sameSize() {
		r.FileHeader() // first, so that the Reader looks ahead
	}
	return difference(c.want, c.read(1, r))
}

// spooled reads an input that cannot seek, and does not fit in memory. Few documents are enough,
// because temporary files are slow.
func (c *test) spooled() error {
	if !c.random.Chance(3) {
		return nil
	}
	limits := c.limits
	limits.MaxSpoolMemory = 100
	r := c.info.Open(nil, stream{bytes.NewReader(c.Text)}, format.Options{Limits: limits})
	return difference(c.asStream(), c.read(1, r))
}

// again reads with the Reader that read the previous documents of the format, some only in part.
func (c *test) again() error {
	open := func(in io.Reader) format.Reader {
		c.kept[c.Format] = c.info.Open(c.kept[c.Format], in, format.Options{Limits: c.limits})
		return c.kept[c.Format]
	}
	if c.random.Chance(10) {
		for range open(stream{bytes.NewReader(c.Text)}).Records() {
			if c.random.Chance(50) {
				break
			}
		}
	}
	return difference(c.want, c.read(1, open(bytes.NewReader(c.Text))))
}

// windowSize is the size of the window through which the JSON formats read an input.
const windowSize = 64 << 10

// shift reads the document after blanks, so that a window ends in it. If a document exceeds a limit
// and has another fault too, the Reader may meet the other one first.
func (c *test) shift() error {
	blank, window := byte(' '), windowSize
	switch {
	case c.Format == "benchfmt", c.isTable():
		blank, window = '\n', windowSize/2
	case c.Format == "keyval":
		window = windowSize / 2
	}
	if len(c.Text) == 0 || c.isUTF16() || c.large() || c.sameSize() || !c.random.Chance(30) {
		return nil
	}

	n := window - 1 - c.random.Below(len(c.Text))
	c.shifted = append(bytes.Repeat([]byte{blank}, n), c.Text...)
	rd := reader{text: c.shifted, at: func(offset int64) int64 { return max(0, offset-int64(n)) }}
	var in io.Reader = bytes.NewReader(c.shifted)
	if c.random.Chance(50) {
		in = stream{in}
	}
	return difference(c.want, c.readAs(1, c.open(in), rd))
}

// otherSpace reads the document with other white space. It disables the fast path, because forms
// are compared with their white space.
func (c *test) otherSpace() error {
	var changed *change
	switch {
	case c.isUTF16() || c.large() || c.sameSize() || c.isTable():
		return nil
	case c.Kind == "missing quote":
		return nil // a Reader that begins at the end takes other texts for strings
	case c.isJSON():
		changed = respace(c.Text, c.documentPieces(), c.Valid, &c.random)
	case c.Format == "keyval":
		changed = respaceLines(c.Text, &c.random)
	default:
		changed = respaceFields(c.Text, &c.random)
	}

	// Errors about a place between two tokens are compared as errors about the second one.
	want := c.want
	if want.errors > 0 {
		rd := reader{text: c.Text, at: unchanged(c.Text, changed.pieces).original, noMessages: true}
		want = c.readAs(2, c.open(bytes.NewReader(c.Text)), rd)
	}
	rd := reader{text: changed.text, at: changed.original, noMessages: true}
	return difference(want, c.readAs(1, c.open(bytes.NewReader(changed.text)), rd))
}

// unordered returns the paths of the objects whose members have no order, in documents of the
// format. In all others, the order of records, or the text of an attr, depends on it.
func unordered(name string, isArray bool) [][]string {
	var paths []string
	switch name {
	case "skiav1":
		paths = []string{
			"", "key", "links", "results/*", "results/*/key", "results/*/measurements/*/*",
			"results/*/measurements/*/*/links",
		}
	case "nanolegacy":
		paths = []string{"", "key", "options", "results/*/*/options"}
	case "perun":
		paths = []string{
			"", "header", "header/units", "collector_info", "resource_type_map", "resource_type_map/*",
			"resource_type_map/*/uid", "resources/*", "snapshots/*", "snapshots/*/resources/*",
			"snapshots/*/resources/*/uid", "global", "global/*", "global/resources/*", "global/resources/*/uid",
		}
	default:
		f, _ := perfdata.FormatNamed(name)
		if spec := rows.SpecOf(f); spec != nil && spec.Array != nil && isArray {
			return unorderedOf(spec.Array)
		} else if spec != nil {
			return unorderedOf(spec)
		}
	}

	var all [][]string
	for _, p := range paths {
		elements := strings.Split(p, "/")
		if p == "" {
			elements = nil
		}
		all = append(all, elements)
	}
	return all
}

// unorderedOf is unordered for a runner's format: the objects that have no other members than the ones
// that its Spec names.
func unorderedOf(spec *rows.Spec) (all [][]string) {
	var results []string
	if spec.Layout != nil {
		all = append(all, nil)
		for i, name := range spec.Layout.Names {
			m := jsondoc.Set(1) << i
			if t := spec.Types[m]; t != nil {
				all = appendUnordered(all, t, []string{name}, nil)
			}
			if m&spec.Layout.Sections != 0 {
				results = []string{name, "*"}
			}
		}
		if spec.Grouped {
			results = append(results, "*")
		}
	} else if !spec.Lines {
		results = []string{"*"}
	}
	return appendUnordered(all, spec.Row, results, nil)
}

// appendUnordered appends the paths of unordered objects in a value, which is in values of other types.
func appendUnordered(all [][]string, t *jsontree.Type, path []string, in []*jsontree.Type) [][]string {
	if t == nil || slices.Contains(in, t) {
		return all
	}
	in = append(slices.Clip(in), t)
	if t.Kinds&jsontree.Objects != 0 && t.Others == nil {
		all = append(all, path)
	}
	for _, m := range t.Members {
		all = appendUnordered(all, m.Type, append(slices.Clip(path), m.Name), in)
	}
	all = appendUnordered(all, t.Others, append(slices.Clip(path), "*"), in)
	if t.Kinds&jsontree.Objects != 0 {
		return all // an element would have the path of a member
	}
	return appendUnordered(all, t.Elements, append(slices.Clip(path), "*"), in)
}

// otherOrder reads the document with the members of objects in another order.
func (c *test) otherOrder() error {
	if !c.Valid || !c.isJSON() {
		return nil
	}
	isArray := bytes.HasPrefix(bytes.TrimLeft(c.Text, jsonSpace), []byte("["))
	changed := shuffle(c.Text, c.documentPieces(), unordered(c.Format, isArray), nil, &c.random)

	var in io.Reader = bytes.NewReader(changed.text)
	if c.random.Chance(50) {
		in = stream{in}
	}
	rd := reader{text: changed.text, at: changed.original, bare: true}
	got := c.readAs(1, c.open(in), rd)
	want := c.readAs(2, c.open(bytes.NewReader(c.Text)), reader{text: c.Text, at: same, bare: true})
	return difference(want, got)
}

// inOrder reads the document, with its header first, in one pass.
func (c *test) inOrder() error {
	if !c.Valid || !c.isJSON() {
		return nil
	}
	last := []string{"resource_type_map", "resources", "snapshots", "global", "models", "results"}
	if spec := rows.SpecOf(c.info); spec != nil && spec.Layout != nil {
		last = nil
		for i, name := range spec.Layout.Names {
			if spec.Layout.Sections&(1<<i) != 0 {
				last = append(last, name)
			}
		}
	}
	rank := func(name string) int { return slices.Index(last, name) }
	changed := shuffle(c.Text, c.documentPieces(), [][]string{nil, {"snapshots", "*"}, {"global"}}, rank, &c.random)

	in := stream{bytes.NewReader(changed.text)}
	f, _ := perfdata.FormatNamed(c.Format)
	r := f.Open(nil, in, format.Options{InOrder: true})
	return difference(c.want, c.readAs(1, r, reader{text: changed.text, at: changed.original}))
}

// compress reads the document compressed.
func (c *test) compress() error {
	c.compressed.Reset()
	text := c.compressed.Bytes()
	if c.random.Chance(50) {
		c.gzip.Reset(&c.compressed)
		c.gzip.Write(c.Text)
		c.gzip.Close()
		text = c.compressed.Bytes()
	} else {
		text = c.zstd.EncodeAll(c.Text, text)
	}
	return c.opened(bytes.NewReader(text))
}

// opened reads an input that package perfdata decodes.
func (c *test) opened(in io.Reader) error {
	if c.isUTF16() {
		return nil
	}
	o := perfdata.Opener{Options: format.Options{Limits: c.limits}, Format: c.Format}
	detect := c.Valid && (c.Format != "keyval" || bytes.Contains(c.Text, []byte("{perf}=")))
	if detect {
		o.Format = ""
	}
	f, err := o.NewReader(in, "")
	if err != nil {
		return err
	}
	if f.Format.Name != c.Format {
		return fmt.Errorf("detected as %s", f.Format.Name)
	}
	return difference(c.asStream(), c.read(1, f))
}

// utf16 reads the document in UTF-16.
func (c *test) utf16() error {
	if c.large() || !utf8.Valid(c.Text) {
		return nil
	}
	var order binary.AppendByteOrder = binary.LittleEndian
	if c.random.Chance(50) {
		order = binary.BigEndian
	}
	text := order.AppendUint16(nil, 0xfeff)
	for _, unit := range utf16.Encode([]rune(string(c.Text))) {
		text = order.AppendUint16(text, unit)
	}
	return c.opened(bytes.NewReader(text))
}

// validate checks that Validate finds the same errors however the document arrives, and that a
// document that it accepts is read without an error.
func (c *test) validate() error {
	want, valid := c.faults(0, bytes.NewReader(c.Text))
	got, _ := c.faults(1, stream{c.chunks()})
	if err := difference(want, got); err != nil {
		return err
	}
	switch {
	case c.Valid && !valid:
		return errors.New(string(want.text))
	case valid && c.want.errors > 0:
		return fmt.Errorf("it accepts a document that the Reader does not: %s", firstLine(c.want.text[c.want.last:]))
	}
	return nil
}

// faults reads what Validate yields, and reports whether it accepts the document.
func (c *test) faults(buffer int, in io.Reader) (got reading, valid bool) {
	c.reads++
	rd := reader{text: c.Text, at: same}
	got.text = c.buffers[1+buffer][:0]
	valid = true
	for e := range c.info.Validate(in, format.Options{Limits: c.limits}) {
		got.text, _ = rd.error(got.text, e)
		valid = valid && e.Severity == format.Warning
	}
	c.buffers[1+buffer] = got.text
	return got, valid
}
