package skiav1

import (
	"io"
	"iter"

	"perfdata/format"
	"perfdata/internal/jsonscan"
	"perfdata/internal/skiadoc"
)

// A Reader reads the measurements of one file. The exported fields configure it
// before first use; their zero values are the defaults. A Reader serves one goroutine.
//
// The file's header applies to all of its measurements, and may come after them. So the Reader
// looks ahead: it passes over the results, and then comes back to them. It reads an input that
// can seek a second time. It keeps what it passed over of any other input, in memory or, if that
// is much, in a temporary file. An input that can seek is read once if version, key and links
// come before the results or near the end, where the Reader looks first. The Reader's memory
// depends only on the header and on the largest result.
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

	in      io.Reader
	general bool // reads without the fast path, for tests
	doc     skiadoc.Document[Header]
	grammar grammar
	forms   jsonscan.Forms[known]
	records recorder
}

// A known result is one that later results may repeat.
type known struct {
	result
	layout
}

// NewReader returns a Reader of in. It doesn't close in.
func NewReader(in io.Reader) *Reader { return &Reader{in: in} }

// Header returns the file's header: all of it, wherever its members are, or with InOrder, the
// part before the results. Each call returns the same header and error. If Header is not called
// before Records, members that records don't depend on may be missing until the end of the
// iteration.
func (r *Reader) Header() (Header, error) {
	err := r.document().Open()
	return r.doc.Header, err
}

// document returns the reader of the document, which it makes at first use.
func (r *Reader) document() *skiadoc.Document[Header] {
	if r.doc.Check == nil {
		r.Limits = r.Limits.WithDefaults()
		r.grammar.limits, r.grammar.missingAsZero = r.Limits, r.MissingAsZero
		r.doc = skiadoc.Document[Header]{
			Format: docFormat, In: r.in, Name: r.Name, Limits: r.Limits, InOrder: r.InOrder,
			ReadMember: func(m members) { r.doc.Header.readMember(&r.grammar, r.doc.Scan, m) },
			Check:      r.checkHeader,
			General:    r.general,
		}
	}
	return &r.doc
}

// FileHeader returns what Header returns in the form of any format. Native is a [Header].
func (r *Reader) FileHeader() (format.Header, error) {
	h, err := r.Header()
	if err != nil {
		return format.Header{}, err
	}
	return h.fileHeader(), nil
}

// Close releases what Header may have kept of an input that can't seek. It is needed only if Header
// succeeds and Records isn't called.
func (r *Reader) Close() error { return r.doc.Close() }

// Records iterates over the file's measurements, in the order of the file. It can be called once.
// The end of the iteration, including break, releases all that the Reader holds. The next step
// overwrites the record: see [format.Record].
func (r *Reader) Records() iter.Seq2[*format.Record, error] {
	return func(yield func(*format.Record, error) bool) {
		r.document().Walk(
			func() bool { return r.readResults(yield) },
			func(err error) bool { return yield(nil, err) },
		)
	}
}

// readResults yields the records of all results. It returns false if the iteration is to stop.
func (r *Reader) readResults(yield func(*format.Record, error) bool) bool {
	s := r.doc.Scan
	for s.EnterArray(); s.Element(); {
		s.BeginRegion("MaxResultBytes", r.Limits.MaxResultBytes, 0)
		k := r.readResult(s)
		s.EndRegion()
		if s.Err() != nil {
			break
		}
		if !r.records.yield(&k.result, &k.layout, yield) {
			return false
		}
	}
	return true
}

// readResult reads the result ahead.
func (r *Reader) readResult(s *jsonscan.Scanner) *known {
	k, match := r.forms.Next(s)
	if match != nil {
		r.grammar.update(&k.result, match)
		k.layout.update(&k.result)
		return k
	}

	r.grammar.read(s, &k.result)
	if k.fault == nil && s.Err() == nil {
		k.layout.make(r.doc.Header.Key, &k.result)
	}
	r.forms.Keep(s, k.isSound())
	return k
}

// checkHeader checks the header, which is complete, or as complete as it gets before the results,
// and prepares for these.
func (r *Reader) checkHeader(complete bool) error {
	if complete && !r.doc.Has(memberVersion) {
		return r.doc.Fault("(root)", "version is required", format.ErrVersion)
	}
	h := &r.doc.Header
	r.grammar.key, r.grammar.links, r.records.links = h.Key, h.Links, h.Links
	return r.doc.CheckBranch(h.Key, r.Branches, format.ErrSkipped)
}
