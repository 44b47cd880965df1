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
	Document
	random plausible.Random
	info   format.Format
	limits format.Limits // the defaults, or low ones
	want   reading       // in the plain way: all at once, from an input that can seek
}

// Check reads the document in all ways, and returns how one way differs. A panic is an error too.
func (t *Tester) Check(d Document) (err error) {
	defer func() {
		if p := recover(); p != nil {
			clear(t.kept)
			err = fmt.Errorf("%v: panic: %v\n%s", d, p, debug.Stack())
		}
	}()

	c := test{Tester: t, Document: d, random: plausible.Random(^d.Seed)}
	c.info, _ = perfdata.FormatNamed(d.Format)
	if c.random.Chance(20) {
		c.Valid, c.limits = false, c.lowLimits()
	}
	c.want = c.plain()
	if c.Valid && c.want.errors > 0 {
		return fmt.Errorf("%v: %.3000q", d, c.want.lines)
	}
	for _, line := range c.want.lines {
		for _, fault := range []string{" POSITION ", "not sorted", "wrong trace ID"} {
			if strings.Contains(line, fault) {
				return fmt.Errorf("%v: %s", d, line)
			}
		}
	}

	for _, way := range []struct {
		name  string
		check func(*test) error
	}{
		{"in chunks", (*test).inChunks},
		{"in chunks that can seek", (*test).inSeekableChunks},
		{"from a temporary file", (*test).spooled},
		{"with a Reader that was used before", (*test).again},
		{"after blanks", (*test).shift},

		{"with other white space", (*test).otherSpace},
		{"in another order", (*test).otherOrder},
		{"in order", (*test).inOrder},
		{"compressed", (*test).compress},
		{"in UTF-16", (*test).utf16},
		{"written and read back", (*test).written},
		{"by Validate", (*test).validate},
	} {
		if err := way.check(&c); err != nil {
			return fmt.Errorf("%v: %s: %w", d, way.name, err)
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
func (c *test) view() view { return view{text: c.Text, place: byOffset(same)} }

// plain reads the document in the plain way.
func (c *test) plain() reading { return c.view().read(c.open(bytes.NewReader(c.Text))) }

func (c *test) isJSON() bool { return c.Format != "benchfmt" && c.Format != "keyval" && !c.isTable() }

// isTable reports whether the document is a table, in which blanks and line ends have a meaning.
func (c *test) isTable() bool { return c.info.Unmarked != "" }

// isUTF16 reports whether the text has a byte order mark of UTF-16.
func (c *test) isUTF16() bool {
	return bytes.HasPrefix(c.Text, []byte("\xff\xfe")) || bytes.HasPrefix(c.Text, []byte("\xfe\xff"))
}

// large reports whether the document is too large for ways that cost much for each byte.
func (c *test) large() bool { return len(c.Text) > 50_000 }
