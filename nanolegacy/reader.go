package nanolegacy

import (
	"io"
	"iter"

	"perfdata/format"
	"perfdata/internal/jsondoc"
	"perfdata/internal/jsonscan"
	"perfdata/internal/message"
	"perfdata/internal/skiadoc"
)

// A Reader reads the measurements of one file, or their samples. The exported fields configure it
// before first use; their zero values are the defaults. A Reader serves one goroutine.
//
// The file's header applies to all of its measurements, and may come after them. So the Reader
// looks ahead: it skips the results, and then comes back to them. The file is read once if gitHash,
// key and options come before the results or near the end, where the Reader looks first. To look
// ahead in an input that can't seek, the Reader keeps the rest of it, in memory or, if that is
// much, in a temporary file. The Reader's memory depends on the header, on the largest test, and
// on the number of tests: some 20 bytes for each of at most Limits.MaxMembers.
//
// Errors are [format.Error]s. An error about one sub-result, sample, result or test is
// recoverable: that one is left out. An error about a result's options is too: they are ignored
// then. All other errors, such as a syntax error, end the reading.
type Reader struct {
	// Name of the input, for errors.
	Name string

	// Limits bounds the memory and time that the input can make the Reader use. MaxResultBytes
	// applies to one test, with all of its configurations.
	Limits format.Limits

	// InOrder reads the file once, from its beginning to its end. Records have what the header
	// says before the results; a member of the header that comes after them is a recoverable
	// error.
	InOrder bool

	// OptionsAsParams makes options part of a measurement's identity, as Skia Perf's ingest
	// parser does; the package comment has the rule. Otherwise they are attrs, as the
	// specification says.
	OptionsAsParams bool

	// Branches, if not empty, lists the accepted values of the header's param "branch". A file of
	// another branch is refused with [format.ErrSkipped]. A file without this param is accepted.
	Branches []string

	frame  jsondoc.Frame
	header Header

	grammar grammar
	forms   jsonscan.Forms[cachedTest]
	records recorder
}

// A cachedTest is one that later tests may repeat.
type cachedTest struct {
	test
	layouts
	file int // number of the file whose header the layouts have
}

// NewReader returns a Reader of in. It doesn't close in.
func NewReader(in io.Reader) *Reader {
	r := new(Reader)
	r.frame.Reset(in)
	return r
}

// Reset makes r read another input, like a new Reader, with the memory that it has. The exported
// fields stay; they can be changed before the next use. Strings, headers, and cloned records and
// samples of the previous input stay valid. Do not call Reset within an iteration over r.
func (r *Reader) Reset(in io.Reader) {
	r.frame.Reset(in)
	r.header = Header{}
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
// Header succeeds and neither Records nor Samples is called.
func (r *Reader) Close() error { return r.frame.Close() }

// A document is the Reader for its frame.
type document Reader

func (d *document) Begin() (format.Options, *jsondoc.Layout) {
	limits, g := d.Limits.WithDefaults(), &d.grammar
	if limits != g.Limits || d.OptionsAsParams != g.optionsAsParams {
		d.forms.Reset()
	}
	d.Limits, g.Limits, g.PairsName = limits, limits, "params or options"
	g.optionsAsParams, d.records.optionsAsParams = d.OptionsAsParams, d.OptionsAsParams
	return format.Options{Name: d.Name, Limits: limits, InOrder: d.InOrder}, &docFormat.Layout
}

func (d *document) CheckSection(s *jsonscan.Scanner, _ jsondoc.Set) {
	d.grammar.CheckResults(s, &docFormat)
}

func (d *document) CheckHeader(s *jsonscan.Scanner) error {
	h := &d.header
	base := h.layOut(d.OptionsAsParams)
	if !skiadoc.SameKeys(base.params, d.records.base.params) || len(h.Options) != d.grammar.options {
		d.forms.Reset() // what was read of earlier tests depends on them
	}
	d.records.files++
	d.records.base, d.records.record.Commit = base, h.GitHash
	d.grammar.params, d.grammar.options = base.params, len(h.Options)
	if err := skiadoc.CheckBranch(s, h.Key, d.Branches); err != nil {
		return err
	}
	if max := d.Limits.MaxParams; len(base.params) > max {
		text := message.Limit("MaxParams", int64(max), "params of one measurement")
		return jsondoc.ErrorAtStart(s, "(root)", text, format.ErrLimit)
	}
	return nil
}

func (d *document) FileHeader() format.Header {
	h := &d.header
	return format.Header{Commit: h.GitHash, Issue: h.Issue, Patchset: h.Patchset, Params: h.Key, Native: *h}
}

// Records iterates over the file's measurements, in the order of the file. Either Records or
// Samples can be called, once. The end of the iteration, including break, releases all that the
// Reader holds. The next step overwrites the record: see [format.Record]. Records reports faults
// of samples only if they are not JSON.
func (r *Reader) Records() iter.Seq2[*format.Record, error] {
	return func(yield func(*format.Record, error) bool) {
		each := func(name string, k *cachedTest) bool { return r.records.yieldRecords(name, &k.test, &k.layouts, yield) }
		r.read(selectSubResults, each, func(err error) bool { return yield(nil, err) })
	}
}

// Samples iterates over the samples of all results that have an array of them, in the order of
// the file. Either Records or Samples can be called, once: to get both, read the file with two
// Readers. Samples reports faults of sub-results only if they are not JSON. The end of the
// iteration, including break, releases all that the Reader holds.
func (r *Reader) Samples() iter.Seq2[*format.Samples, error] {
	return func(yield func(*format.Samples, error) bool) {
		each := func(name string, k *cachedTest) bool { return r.records.yieldSamples(name, &k.test, &k.layouts, yield) }
		r.read(selectSamples, each, func(err error) bool { return yield(nil, err) })
	}
}

// read reads the file for records or for samples. It calls each after every test, and fault for
// every error. It stops when one returns false.
func (r *Reader) read(what selection, each func(name string, k *cachedTest) bool, fault func(error) bool) {
	if what != r.grammar.selection {
		r.forms.Reset()
		r.grammar.selection = what
	}
	for _, s := range r.frame.Sections((*document)(r), fault) {
		if !r.readResults(s, each) {
			return
		}
	}
}

// readResults reads all tests and calls each after every one. It returns false if the iteration
// is to stop.
func (r *Reader) readResults(s *jsonscan.Scanner, each func(name string, k *cachedTest) bool) bool {
	for name, kind := range s.Members() {
		g := &r.grammar
		test := g.Strings.New(name) // the name of no other test
		g.WarnName(s, test)
		if g.Validation != nil {
			g.trace.params[g.trace.test].Value = test
		}
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
func (r *Reader) readTest(s *jsonscan.Scanner, kind jsonscan.Kind) *cachedTest {
	k, match := r.forms.Next(s)
	if match != nil {
		r.grammar.update(&k.test, match)
		if k.file == r.records.files {
			for i, value := range k.layouts.options {
				*value = k.test.options[i].Value
			}
		} else {
			r.records.layOut(&k.test, &k.layouts)
			k.file = r.records.files
		}
		return k
	}

	if k.test.results == nil {
		// The memory that most tests need. In one piece, a file of 6 KB takes 55% fewer allocations.
		m := new(struct {
			results [2]result
			items   [4]item
			options [6]option
			layouts [2]layout
			values  [6]*string
		})
		k.test.results, k.items, k.test.options = m.results[:0], m.items[:0], m.options[:0]
		k.layouts.results, k.layouts.options = m.layouts[:0], m.values[:0]
	}

	k.file = r.records.files
	r.grammar.read(s, &k.test, kind)
	if r.forms.Keep(s, k.isSound() && len(k.test.results) <= maxLaidOut) {
		r.records.layOut(&k.test, &k.layouts)
	} else {
		k.layouts.results = k.layouts.results[:0]
	}
	return k
}
