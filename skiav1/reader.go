package skiav1

import (
	"io"
	"iter"

	"perfdata/format"
	"perfdata/internal/jsondoc"
	"perfdata/internal/jsonscan"
	"perfdata/internal/skiadoc"
	"perfdata/traceid"
)

// A Reader reads the measurements of one file. The exported fields configure it
// before first use; their zero values are the defaults. A Reader serves one goroutine.
//
// The file's header applies to all of its measurements, and may come after them. So the Reader
// looks ahead: it skips the results, and then comes back to them. The file is read once if
// version, git_hash, key and links come before the results or near the end, where the Reader looks
// first.
// To look ahead in an input that can't seek, the Reader keeps the rest of it, in memory or, if
// that is much, in a temporary file. The Reader's memory depends only on the header and on the
// largest result.
//
// Errors are [format.Error]s. An error about one measurement or one result is recoverable: that
// one is left out. All other errors, such as a syntax error, end the reading.
type Reader struct {
	// Name of the input, for errors.
	Name string

	// Limits bounds the memory and time that the input can make the Reader use.
	Limits format.Limits

	// InOrder reads the file once, from its beginning to its end. Records have what the header
	// says before the results; a member of the header that comes after them is a recoverable
	// error.
	InOrder bool

	// MissingAsZero gives a result, or a single measurement, that holds no number or is null the
	// value 0, as the reference does, instead of leaving it out with an error.
	MissingAsZero bool

	// Branches, if not empty, lists the accepted values of the header's param "branch". A file of
	// another branch is refused with [format.ErrSkipped]. A file without this param is accepted.
	Branches []string

	frame  jsondoc.Frame
	header Header

	grammar grammar
	forms   jsonscan.Forms[cachedResult]
	records recorder
}

// A cachedResult is one that later results may repeat.
type cachedResult struct {
	result
	layout
	file int // number of the file whose key the layout has

	// The memory that most results need. As it is here, a file of 6 KB takes a third fewer allocations.
	memory struct {
		pairs  [6]traceid.Param
		groups [2]group
		items  [6]measurement
		base   [12]traceid.Param
		slots  [6]int
	}
}

// NewReader returns a Reader of in. It doesn't close in.
func NewReader(in io.Reader) *Reader {
	r := new(Reader)
	r.frame.Reset(in)
	return r
}

// Reset makes r read another input, like a new Reader, with the memory that it has. The exported
// fields stay; they can be changed before the next use. Strings, headers and cloned records of
// the previous input stay valid. Do not call Reset within an iteration over r.
func (r *Reader) Reset(in io.Reader) {
	r.frame.Reset(in)
	r.header = Header{}
	r.records.record = format.Record{}
}

// Header returns the file's header: all of it, wherever its members are, or with InOrder, the
// part before the results. Each call returns the same header and error. If Header is not called
// before Records, members that records don't depend on may be missing until the end of the
// iteration.
func (r *Reader) Header() (Header, error) {
	err := r.frame.Header((*document)(r))
	return r.header, err
}

// FileHeader returns what Header returns in the form of any format. Native is a [Header].
func (r *Reader) FileHeader() (format.Header, error) { return r.frame.FileHeader((*document)(r)) }

// Close releases what Header may have kept of an input that can't seek. It is needed only if
// Header succeeds and Records isn't called.
func (r *Reader) Close() error { return r.frame.Close() }

// A document is the Reader for its frame.
type document Reader

func (d *document) Begin() (format.Options, *jsondoc.Layout) {
	limits := d.Limits.WithDefaults()
	if d.records.sorted == nil {
		d.records.sorted = d.records.room[:0]
	}
	if limits != d.grammar.Limits {
		d.forms.Reset()
	}
	d.Limits, d.grammar.Limits, d.grammar.missingAsZero = limits, limits, d.MissingAsZero
	d.grammar.PairsName = "params or links"
	return format.Options{Name: d.Name, Limits: limits, InOrder: d.InOrder}, &docFormat.Layout
}

func (d *document) CheckSection(s *jsonscan.Scanner, _ jsondoc.Set) {
	d.grammar.CheckResults(s, &docFormat)
}

func (d *document) CheckHeader(s *jsonscan.Scanner) error {
	h, g := &d.header, &d.grammar
	if !skiadoc.SameKeys(g.key, h.Key) || !skiadoc.SameKeys(g.links, h.Links) {
		d.forms.Reset() // what was made of earlier results depends on the keys
	}
	g.key, g.links, d.records.links = h.Key, h.Links, h.Links
	d.records.record.Commit = h.GitHash
	d.records.files++
	return skiadoc.CheckBranch(s, h.Key, d.Branches)
}

func (d *document) FileHeader() format.Header {
	h := &d.header
	return format.Header{
		Commit: h.GitHash, Issue: h.Issue, Patchset: h.Patchset, Params: h.Key, Links: h.Links, Native: *h,
	}
}

// Records iterates over the file's measurements, in the order of the file. It can be called once.
// The end of the iteration, including break, releases all that the Reader holds. The next step
// overwrites the record: see [format.Record].
func (r *Reader) Records() iter.Seq2[*format.Record, error] {
	// As short as it is, it is inlined, and a loop takes no memory of its own.
	return func(yield func(*format.Record, error) bool) { r.readRecords(yield) }
}

func (r *Reader) readRecords(yield func(*format.Record, error) bool) {
	fault := func(err error) bool { return yield(nil, err) }
	for _, s := range r.frame.Sections((*document)(r), fault) {
		for s.EnterArray(); s.Element(); {
			s.BeginRegion("MaxResultBytes", r.Limits.MaxResultBytes, 0)
			k := r.readResult(s)
			s.EndRegion()
			if s.Err() != nil {
				break
			}
			if !r.records.yield(&k.result, &k.layout, yield) {
				return
			}
		}
	}
}

// readResult reads the result ahead.
func (r *Reader) readResult(s *jsonscan.Scanner) *cachedResult {
	k, match := r.forms.Next(s)
	if k.file != r.records.files {
		k.layout.setKey(r.grammar.key)
		k.file = r.records.files
	}
	if match != nil {
		r.grammar.update(&k.result, match)
		k.layout.update(&k.result)
		return k
	}

	if m := &k.memory; k.result.pairs == nil {
		k.result.pairs, k.result.groups, k.result.items = m.pairs[:0], m.groups[:0], m.items[:0]
		k.layout.base, k.layout.slots = m.base[:0], m.slots[:0]
	}
	r.grammar.read(s, &k.result)
	if k.fault == nil && s.Err() == nil {
		k.layout.make(r.grammar.key, &k.result, &r.records.sorted)
	}
	r.forms.Keep(s, k.isSound())
	return k
}
