// Package metamorphic reads generated documents in ways that must not matter, and compares the
// results: records, errors and offsets. It needs no expected results, so it can read any number of
// documents: the flag -documents of its test says how many.
package metamorphic

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"runtime/debug"
	"strings"

	"github.com/klauspost/compress/zstd"

	"perfdata"
	"perfdata/format"
	"perfdata/internal/testing/plausible"
	"perfdata/perfdatatest"
)

// A Tester reads documents. It keeps a Reader of each format, which reads one document after the
// other. It serves one goroutine.
type Tester struct {
	kept map[string]format.Reader
	gzip *gzip.Writer
	zstd *zstd.Encoder
}

// NewTester returns a Tester that has read nothing.
func NewTester() *Tester {
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(64<<10))
	if err != nil {
		panic(err) // the options are constants
	}
	return &Tester{kept: make(map[string]format.Reader), gzip: gzip.NewWriter(nil), zstd: encoder}
}

// A test is the reading of one document in many ways.
type test struct {
	*Tester
	format string
	seed   uint64
	size   int
	kind   string // "valid", or its fault
	valid  bool
	// detected is false for valid documents of any format, too: keyvals without types, charts without units.
	detected bool
	text     []byte

	random plausible.Random
	info   format.Format
	limits format.Limits // the defaults, or low ones
	want   reading       // in the plain way: all at once, from an input that can seek
}

// String names the document, so that Check can make it again.
func (c *test) String() string { return fmt.Sprintf("%s, seed %d, %s", c.format, c.seed, c.kind) }

// generate makes the document. Half are valid, and most others nearly so.
func (c *test) generate() {
	r := plausible.Random(c.seed)
	c.size, c.kind = plausible.Pick(&r, []int{0, 0, 0, 200, 200, 400, 800, 3000}), "valid"
	switch {
	case r.Below(1000) == 0:
		c.text, c.kind = perfdatatest.Hostile(c.format, r.Uint64(), 2000)
	case r.Chance(50):
		c.text, c.kind = perfdatatest.NearlyValid(c.format, c.seed, c.size)
	default:
		c.text, c.valid = perfdatatest.Valid(c.format, c.seed, c.size), true
	}
}

// Check reads the document of a seed in all ways, and returns how one way differs. A panic is an error too.
func (t *Tester) Check(name string, seed uint64) (err error) {
	c := &test{Tester: t, format: name, seed: seed, random: plausible.Random(^seed)}
	defer func() {
		if p := recover(); p != nil {
			clear(t.kept)
			err = fmt.Errorf("%v: panic: %v\n%s", c, p, debug.Stack())
		}
	}()

	c.generate()
	c.info, _ = perfdata.FormatNamed(name)
	if c.random.Chance(20) {
		c.valid, c.limits = false, c.lowLimits()
	}
	if c.valid {
		_, c.detected = perfdata.Detect(c.text)
	}
	c.want = c.view().read(c.open(bytes.NewReader(c.text)))
	if c.valid && c.want.errors > 0 {
		return fmt.Errorf("%v: %.3000q", c, c.want.lines)
	}
	for _, line := range c.want.lines {
		for _, fault := range []string{" POSITION ", "not sorted", "wrong trace ID"} {
			if strings.Contains(line, fault) {
				return fmt.Errorf("%v: %s", c, line)
			}
		}
	}

	for _, way := range []struct {
		name  string
		check func(*test) error
	}{
		{"in chunks", func(c *test) error { return difference(c.asStream(), c.view().read(c.open(stream{c.chunks()}))) }},
		{"in chunks that can seek", (*test).inSeekableChunks},
		{"from a temporary file", (*test).spooled},
		{"with a Reader that was used before", (*test).again},
		{"after blanks", (*test).shift},

		{"with other white space", (*test).otherSpace},
		{"in another order", func(c *test) error { return c.reordered(&c.random, format.Options{}) }},
		{"in order, with the header first", func(c *test) error { return c.reordered(nil, format.Options{InOrder: true}) }},
		{"compressed", (*test).compress},
		{"in UTF-16", (*test).utf16},
		{"written and read back", (*test).written},
		{"by Validate", (*test).validate},
	} {
		if err := way.check(c); err != nil {
			return fmt.Errorf("%v: %s: %w", c, way.name, err)
		}
	}
	return nil
}

// lowLimits returns limits that many documents exceed.
func (c *test) lowLimits() format.Limits {
	return format.Limits{
		MaxParams:      4 + c.random.Below(10),
		MaxStringBytes: 20 + c.random.Below(60),
		MaxLineBytes:   40 + c.random.Below(200),
		MaxDepth:       3 + c.random.Below(5),
		MaxMembers:     5 + c.random.Below(30),
		MaxHeaderBytes: 100 + int64(c.random.Below(2000)),
		MaxResultBytes: 100 + int64(c.random.Below(2000)),
	}
}

// sameSize reports whether the document must be read as it is, because limits depend on its text.
func (c *test) sameSize() bool { return c.limits != format.Limits{} }

func (c *test) open(in io.Reader) format.Reader {
	return c.info.Open(nil, in, format.Options{Limits: c.limits})
}

// view returns the view of the document as it is.
func (c *test) view() view {
	return view{text: c.text, place: byOffset(func(at int64) int64 { return at })}
}

// isTable reports whether the document is a table, in which blanks and line ends have a meaning.
func (c *test) isTable() bool { return c.info.Unmarked != "" }

// isUTF16 reports whether the text has a byte order mark of UTF-16.
func (c *test) isUTF16() bool {
	return bytes.HasPrefix(c.text, []byte("\xff\xfe")) || bytes.HasPrefix(c.text, []byte("\xfe\xff"))
}

// large reports whether the document is too large for ways that cost much for each byte.
func (c *test) large() bool { return len(c.text) > 50_000 }
