package nanolegacy

import (
	"errors"
	"io"
	"iter"

	"perfdata/format"
	"perfdata/internal/jsonscan"
	"perfdata/internal/message"
	"perfdata/internal/skiadoc"
)

// ErrSkipped is the cause of the error about a file that [Reader].Branches refuses.
var ErrSkipped = errors.New("file should be skipped")

// A Reader reads the measurements of one file, or the samples behind them. The exported fields configure it before
// first use; their zero values are the defaults. A Reader serves one goroutine.
//
// The file's header counts for all its measurements, and may stand after them. So the Reader looks ahead, passing
// over the results, and then comes back to them: an input that can seek is read a second time; of any other, what
// was passed over is kept, in memory or, where it is much, in a temporary file. An input that can seek is read once if
// key and options stand before the results or near the end, which is looked at first. The Reader's memory depends on
// the header, on the largest single test, and, with some 20 bytes each, on the number of tests, of which a file may
// have Limits.MaxMembers.
//
// Errors are [format.Error]s. Recoverable are those about one sub-result, one sample, one result or one test, which
// is left out, and about a result's options, which don't count then. All others, such as what is no JSON, end the
// reading.
type Reader struct {
	// Name of the input, for errors.
	Name string

	// Limits bounds what the input can make the Reader use. What MaxResultBytes counts is one test, with all its
	// configurations.
	Limits format.Limits

	// InOrder reads the file once, from its beginning to its end. Records flow at once, with what the
	// header has said until then; a member of the header that comes after the results is a recoverable error.
	InOrder bool

	// OptionsAsParams makes options part of a measurement's identity, as Skia Perf's ingest parser does; the package
	// comment has the rule. Otherwise they are attrs, as the specification says.
	OptionsAsParams bool

	// Branches, where not empty, names the values of the header's param "branch" that are wanted. A file of another
	// branch is refused with ErrSkipped. A file without this param is not.
	Branches []string

	in      io.Reader
	general bool // reads without the fast path, for tests
	doc     skiadoc.Document[Header]
	tests   jsonscan.Names // the names of all tests
	grammar grammar
	forms   jsonscan.Forms[known]
	records recorder
}

// A known test is one that later tests may repeat.
type known struct {
	test
	layouts []layout // of its results
}

// NewReader returns a Reader of in. It doesn't close in.
func NewReader(in io.Reader) *Reader { return &Reader{in: in} }

// Header returns the file's header: all of it, wherever its members stand, or with InOrder, what stands before the
// results. It returns the same, and the same error, however often it is called. If it wasn't called before Records,
// members that records don't depend on may be missing until their end.
func (r *Reader) Header() (Header, error) {
	err := r.document().Open()
	return r.doc.Header, err
}

// document returns what reads the document, which is made at the first use.
func (r *Reader) document() *skiadoc.Document[Header] {
	if r.doc.Check == nil {
		r.Limits = r.Limits.WithDefaults()
		r.grammar.limits, r.grammar.optionsAsParams = r.Limits, r.OptionsAsParams
		r.records.optionsAsParams = r.OptionsAsParams
		r.doc = skiadoc.Document[Header]{
			Format: docFormat, In: r.in, Name: r.Name, Limits: r.Limits, InOrder: r.InOrder,
			ReadMember: func(m skiadoc.Members) { r.doc.Header.readMember(&r.grammar, r.doc.Scan, m) },
			Check:      r.checkHeader,
			General:    r.general,
		}
	}
	return &r.doc
}

// FileHeader returns what Header returns, as a [format.Reader] must.
func (r *Reader) FileHeader() (any, error) {
	h, err := r.Header()
	if err != nil {
		return nil, err
	}
	return h, nil
}

// Close releases what Header may have kept of an input that can't seek. It is needed only if Header succeeds and neither
// Records nor Samples is called.
func (r *Reader) Close() error { return r.doc.Close() }

// Records iterates over the file's measurements, in the order of the file. It can be called once, and instead of
// Samples; its end, also by break, releases all that the Reader holds. The record is overwritten by the next step:
// see [format.Record]. Of the samples it reports no fault but what is no JSON.
func (r *Reader) Records() iter.Seq2[*format.Record, error] {
	return func(yield func(*format.Record, error) bool) {
		r.walk(
			func(name string, k *known) bool { return r.records.yieldRecords(name, &k.test, k.layouts, yield) },
			func(err error) bool { return yield(nil, err) },
		)
	}
}

// Samples iterates over the samples of all results that have an array of them, in the order of the file. It can be
// called once, and instead of Records: who wants both reads the file with two Readers. Of the sub-results it
// reports no fault but what is no JSON. Its end, also by break, releases all that the Reader holds.
func (r *Reader) Samples() iter.Seq2[*Samples, error] {
	return func(yield func(*Samples, error) bool) {
		r.grammar.sampling = true
		r.walk(
			func(name string, k *known) bool { return r.records.yieldSamples(name, &k.test, k.layouts, yield) },
			func(err error) bool { return yield(nil, err) },
		)
	}
}

// walk reads the file. It calls each after every test, and fault for every error. It stops when one returns false.
func (r *Reader) walk(each func(name string, k *known) bool, fault func(error) bool) {
	r.document().Walk(func() bool { return r.readResults(each) }, fault)
}

// readResults reads all tests and calls each after every one. It returns false if the iteration is to stop.
func (r *Reader) readResults(each func(name string, k *known) bool) bool {
	s := r.doc.Scan
	for name, kind := range s.Members(&r.tests) {
		test := r.grammar.strings.New(name) // the name of no other test
		s.BeginRegion("MaxResultBytes", r.Limits.MaxResultBytes, 0)
		k := r.readTest(s, kind)
		s.EndRegion()
		if s.Err() != nil {
			return true
		}
		if !each(test, k) {
			return false
		}
	}
	return true
}

// readTest reads the test ahead, whose name was read.
func (r *Reader) readTest(s *jsonscan.Scanner, kind jsonscan.Kind) *known {
	k, match := r.forms.Next(s)
	if match != nil {
		r.grammar.update(&k.test, match)
		k.test.update(k.layouts)
		return k
	}

	r.grammar.read(s, &k.test, kind)
	k.layouts = r.records.layOut(&k.test, k.layouts)
	r.forms.Keep(s, k.isSound() && len(k.results) <= maxLaidOut)
	return k
}

// checkHeader checks the header, which is complete, or as complete as it gets before the results, and prepares for these.
func (r *Reader) checkHeader(bool) error {
	h := &r.doc.Header
	if err := r.doc.CheckBranch(h.Key, r.Branches, ErrSkipped); err != nil {
		return err
	}
	r.records.base = h.layOut(r.OptionsAsParams)
	r.grammar.params, r.grammar.options = r.records.base.params, len(h.Options)
	if len(r.grammar.params) > r.Limits.MaxParams {
		return paramsLimit(r.doc.Scan, r.Limits)
	}
	return nil
}

// paramsLimit returns the error about a header that has too many params.
func paramsLimit(s *jsonscan.Scanner, limits format.Limits) *format.Error {
	return s.ErrorAt(jsonscan.Position{Line: 1, Column: 1}, "(root)",
		message.Limit("MaxParams", int64(limits.MaxParams), "params of one measurement"))
}

// optionsLimit returns the error about an option, whose name was read just now, that is one too many.
func optionsLimit(s *jsonscan.Scanner, limits format.Limits) *format.Error {
	return s.NameError(message.Limit("MaxParams", int64(limits.MaxParams), "options of one measurement, the file's included"))
}
