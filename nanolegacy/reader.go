package nanolegacy

import (
	"io"
	"iter"

	"perfdata/format"
	"perfdata/internal/intern"
	"perfdata/internal/jsonscan"
	"perfdata/internal/message"
	"perfdata/internal/skiadoc"
	"perfdata/traceid"
)

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
	// branch is refused with [format.ErrSkipped]. A file without this param is not.
	Branches []string

	in       io.Reader
	general  bool // reads without the fast path, for tests
	doc      skiadoc.Document[Header]
	strings  intern.Table
	sampling bool // Samples was called, not Records

	base   layout // of results that have no options
	shared layout // of a result of a test that has many
	record format.Record
	sample Samples

	shapes [jsonscan.RingSize]test // see match.go
	ring   jsonscan.Ring           // of shapes
	test   *test                   // what was read last: one of shapes

	testName    string
	sorted      []traceid.Param // of one result's options
	text        []byte          // of an option that is no string
	tests       jsonscan.Names  // the names of all
	configs     jsonscan.Names  // of one test
	subResults  jsonscan.Names  // of one configuration
	optionNames jsonscan.Names  // of one object of strings, or options
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
		r.doc = skiadoc.Document[Header]{
			Format: docFormat, In: r.in, Name: r.Name, Limits: r.Limits, InOrder: r.InOrder,
			ReadMember: r.readHeaderMember,
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

// Close releases what Header may have kept of an input that can't seek. It is needed only if Header succeeds and neither
// Records nor Samples is called.
func (r *Reader) Close() error { return r.doc.Close() }

// Records iterates over the file's measurements, in the order of the file. It can be called once, and instead of
// Samples; its end, also by break, releases all that the Reader holds. The record is overwritten by the next step:
// see [format.Record]. Of the samples it reports no fault but what is no JSON.
func (r *Reader) Records() iter.Seq2[*format.Record, error] {
	return func(yield func(*format.Record, error) bool) {
		r.walk(func() bool { return r.yieldRecords(yield) }, func(err error) bool { return yield(nil, err) })
	}
}

// walk reads the file, and calls each after every test, and fault for every error. It stops when one returns false.
func (r *Reader) walk(each func() bool, fault func(error) bool) {
	r.document().Walk(func() bool { return r.readResults(each) }, fault)
}

// readResults reads all tests and calls each after every one. It returns false if the iteration is to stop.
func (r *Reader) readResults(each func() bool) bool {
	s := r.doc.Scan
	for s.EnterObject(); ; {
		name, kind, ok := s.Member()
		if !ok {
			return true
		}
		if !r.tests.Add(s, name) {
			s.FailRepeated(name)
			return true
		}
		r.testName = r.strings.New(name) // none comes a second time
		s.BeginRegion("MaxResultBytes", r.Limits.MaxResultBytes, 0)
		r.readTest(kind)
		s.EndRegion()
		if s.Err() != nil {
			return true
		}
		if !each() {
			return false
		}
	}
}

// docFormat is what is this format's of the document.
var docFormat = skiadoc.Format{
	Member:  memberOf,
	Results: jsonscan.Object,
	Other:   "version 1 of the format has an array here",
	Needed:  memberKey | memberOptions,

	IsNumber: isNumber,
}

// isNumber reports whether s is at the value of a sub-result, or at a sample.
func isNumber(s *jsonscan.Scanner) bool {
	const array = jsonscan.InArray
	if names := s.OpenNames(4); names != nil {
		return names[0] == "results" && names[1] != array && names[2] != array && names[3] != array &&
			names[3] != optionsMember && names[3] != samplesMember
	}
	names := s.OpenNames(5)
	return names != nil && names[0] == "results" && names[1] != array && names[2] != array && names[3] == samplesMember &&
		names[4] == array
}

const (
	memberGitHash = skiadoc.Own << iota
	memberIssue
	memberPatchset
	memberSource
	memberPatchStorage
	memberKey
	memberOptions
)

// memberOf returns the member of the document that has the name.
func memberOf(name []byte) skiadoc.Members {
	switch string(name) {
	case "gitHash":
		return memberGitHash
	case "issue":
		return memberIssue
	case "patchset":
		return memberPatchset
	case "source":
		return memberSource
	case "patch_storage":
		return memberPatchStorage
	case "key":
		return memberKey
	case "options":
		return memberOptions
	case "results":
		return skiadoc.Results
	}
	return skiadoc.Unknown
}

// readHeaderMember reads the value of a member of the document other than results.
func (r *Reader) readHeaderMember(m skiadoc.Members) {
	s, h := r.doc.Scan, &r.doc.Header
	switch {
	case s.Kind() == jsonscan.Null:
		s.Null()
	case m == memberGitHash:
		h.GitHash = s.WantString()
	case m == memberIssue:
		h.Issue = s.WantString()
	case m == memberPatchset:
		h.Patchset = s.WantString()
	case m == memberSource:
		h.Source = s.WantString()
	case m == memberPatchStorage:
		h.PatchStorage = s.WantString()
	case m == memberKey:
		h.Key = r.readHeaderParams()
	case m == memberOptions:
		h.Options = r.readHeaderParams()
	}
}

// readHeaderParams reads an object whose values are strings, or null, which counts as absent.
func (r *Reader) readHeaderParams() traceid.Params {
	s := r.doc.Scan
	if s.Kind() != jsonscan.Object {
		s.Fail(s.TypeError("object"))
		return nil
	}
	r.optionNames.Reset()
	var pairs []traceid.Param
	for s.EnterObject(); ; {
		name, kind, ok := s.Member()
		if !ok {
			break
		}
		if !r.optionNames.Add(s, name) {
			r.doc.Scan.FailRepeated(name)
			break
		}
		if kind == jsonscan.Null {
			s.Null()
			continue
		}
		if !s.Charge(skiadoc.PairCost) {
			break
		}
		p := traceid.Param{Key: r.strings.String(name)}
		p.Value = r.strings.String([]byte(s.WantString()))
		if pairs = append(pairs, p); len(pairs) > r.Limits.MaxParams {
			s.FailLimit(s.TokenError, "MaxParams", int64(r.Limits.MaxParams), "params or options")
		}
	}
	return traceid.FromPairs(pairs...)
}

// checkHeader checks what can be checked once the header is complete, or as complete as it gets before the results,
// and prepares for reading these.
func (r *Reader) checkHeader(bool) error {
	if err := r.doc.CheckBranch(r.doc.Header.Key, r.Branches, format.ErrSkipped); err != nil {
		return err
	}
	r.base = r.doc.Header.layOut(r.OptionsAsParams)
	if len(r.base.params) > r.Limits.MaxParams {
		return paramsLimit(r.doc.Scan, r.Limits)
	}
	return nil
}

// paramsLimit returns the error about a header that has too many params.
func paramsLimit(s *jsonscan.Scanner, limits format.Limits) *format.Error {
	e := s.ErrorAt(jsonscan.Position{Line: 1, Column: 1}, "(root)",
		message.Limit("MaxParams", int64(limits.MaxParams), "params of one measurement"))
	e.Err = format.ErrLimit
	return e
}

// optionsLimit returns the error about an option, whose name was read just now, that is one too many.
func optionsLimit(s *jsonscan.Scanner, limits format.Limits) *format.Error {
	e := s.NameError(message.Limit("MaxParams", int64(limits.MaxParams), "options of one measurement, the file's included"))
	e.Err = format.ErrLimit
	return e
}
