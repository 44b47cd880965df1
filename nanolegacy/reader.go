package nanolegacy

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"perfdata/format"
	"perfdata/internal/intern"
	"perfdata/internal/jsonscan"
	"perfdata/internal/message"
	"perfdata/traceid"
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
	scan    *jsonscan.Scanner // nil before first use
	strings intern.Table

	header      Header
	headerErr   error
	headerBytes int64
	seen        members
	hasResults  bool              // there is an object to read
	results     jsonscan.Bookmark // of that object
	resultsEnd  int64             // its offset
	hurry       bool              // the results are to be read as soon as what counts for records is known
	forward     bool              // they are read as they come, with or without hurry
	early       members           // that were read before their turn
	used        bool              // Records or Samples was called
	sampling    bool              // it was Samples

	base   layout // of results that have no options
	shared layout // of a result of a test that has many
	record format.Record
	sample Samples

	shapes    [maxShapes]test // see match.go
	test      *test           // what was read last: one of shapes
	lastShape int             // its index
	newShape  int             // the index of the one to be made anew
	misses    int             // grows with tests that are like none of shapes, and shrinks with others
	tries     int             // tests read

	testName    string
	sorted      []traceid.Param // of one result's options
	text        []byte          // of an option that is no string
	tests       jsonscan.Names  // the names of all
	configs     jsonscan.Names  // of one test
	subResults  jsonscan.Names  // of one configuration
	optionNames jsonscan.Names  // of one object of strings, or options
	unknown     jsonscan.Names  // members of the document that the format doesn't have
}

// NewReader returns a Reader of in. It doesn't close in.
func NewReader(in io.Reader) *Reader { return &Reader{in: in} }

// Header returns the file's header: all of it, wherever its members stand, or with InOrder, what stands before the
// results. It returns the same, and the same error, however often it is called. If it wasn't called before Records,
// members that records don't depend on may be missing until their end.
func (r *Reader) Header() (Header, error) {
	if r.scan == nil {
		r.open()
	}
	return r.header, r.headerErr
}

func (r *Reader) open() {
	r.Limits = r.Limits.WithDefaults()
	r.scan = jsonscan.New(r.in, r.Name, r.Limits)
	r.headerErr = r.readHeader()
}

// FileHeader returns what Header returns, as a [format.Reader] must.
func (r *Reader) FileHeader() (any, error) {
	h, err := r.Header()
	if err != nil {
		return nil, err
	}
	return h, nil
}

// Close releases what Header may have kept of an input that can't seek. It is needed only if neither Records nor
// Samples is called.
func (r *Reader) Close() error {
	if r.scan == nil {
		return nil
	}
	return r.scan.Close()
}

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
	if r.used {
		fault(&format.Error{Name: r.Name, Line: 1, Column: 1, Message: "the file was read already"})
		return
	}
	r.used = true
	defer r.Close()
	if r.scan == nil {
		r.hurry = true
		r.open()
	}
	if r.headerErr != nil {
		fault(r.headerErr)
		return
	}
	if !r.readResults(each) {
		return
	}
	if r.forward && r.scan.Err() == nil && !r.readTail(fault) {
		return
	}
	if err := r.scan.Err(); err != nil {
		fault(err)
	}
}

// readResults reads all tests and calls each after every one. It returns false if the iteration is to stop.
func (r *Reader) readResults(each func() bool) bool {
	if !r.hasResults {
		return true
	}
	s := r.scan
	if !r.forward && !s.Return(r.results) {
		return true
	}
	for s.EnterObject(); ; {
		name, kind, ok := s.Member()
		if !ok {
			break
		}
		if !r.tests.Add(s, name) {
			r.scan.FailRepeated(name)
			break
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
	if !r.forward {
		s.EndAgain(r.resultsEnd)
	}
	return true
}

// members is a set of members of the document.
type members uint

const (
	memberGitHash members = 1 << iota
	memberIssue
	memberPatchset
	memberSource
	memberPatchStorage
	memberKey
	memberOptions
	memberResults
	memberUnknown // one that the format doesn't have
)

func memberOf(name []byte) members {
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
		return memberResults
	}
	return memberUnknown
}

// nextMember reads the name of the document's next member. It is memberUnknown if the format has none of that name.
func (r *Reader) nextMember() (members, bool) {
	name, _, ok := r.scan.Member()
	if !ok {
		return 0, false
	}
	m := memberOf(name)
	if m == memberUnknown {
		return m, r.unknown.Add(r.scan, name) || r.scan.FailRepeated(name)
	}
	if r.seen&m != 0 {
		return m, r.scan.FailRepeated(name)
	}
	r.seen |= m
	return m, true
}

// readHeader reads the document: in order up to the results, else all of it.
func (r *Reader) readHeader() error {
	s := r.scan
	if kind := s.Kind(); kind != jsonscan.Object && kind != jsonscan.None {
		s.Fail(s.TypeError("object"))
	}
	for s.EnterObject(); ; {
		m, ok := r.nextMember()
		if !ok {
			break
		}
		if m != memberResults {
			r.readHeaderMember(m)
		} else if r.beginResults() && r.forward {
			return r.checkHeader()
		}
	}
	s.End()
	switch {
	case s.Err() == nil:
		return r.checkHeader()
	case r.hasResults:
		return s.FirstError(r.results)
	}
	return s.Err()
}

// beginResults stands before the value of results, passes over it unless they can be read at once, and returns whether it is an
// object.
func (r *Reader) beginResults() bool {
	s := r.scan
	switch s.Kind() {
	case jsonscan.Null:
		return s.Null() && false
	case jsonscan.Object:
	case jsonscan.Array:
		e := s.TypeError("object")
		e.Message += "; version 1 of the format has an array here"
		s.Fail(e)
		return false
	default:
		s.Fail(s.TypeError("object"))
		return false
	}
	r.hasResults = true
	if r.forward = r.InOrder || r.hurry && r.knowsHeader(); r.forward {
		return true
	}
	r.results = s.LookPast()
	r.resultsEnd = s.Offset()
	return true
}

// knowsHeader reports whether all is known that records depend on: of what comes behind the results, if that is near the
// input's end.
func (r *Reader) knowsHeader() bool {
	const needed = memberKey | memberOptions
	if r.seen&needed == needed {
		return r.scan.CanSeek()
	}
	p := &Reader{Name: r.Name, Limits: r.Limits, header: r.header, headerBytes: r.headerBytes, seen: r.seen}
	ok := r.scan.PeekLast(func(last *jsonscan.Scanner) {
		p.scan = last
		for {
			m, ok := p.nextMember()
			if !ok {
				break
			}
			p.readHeaderMember(m)
		}
	})
	if !ok || p.seen&needed != needed {
		return false // whatever is wrong is met again, where the places are known
	}
	r.header, r.headerBytes = p.header, p.headerBytes
	r.early = p.seen &^ r.seen
	return true
}

// readHeaderMember reads the value of a member of the document other than results.
func (r *Reader) readHeaderMember(m members) {
	s := r.scan
	if m == memberUnknown || r.early&m != 0 {
		s.Skip()
		return
	}
	s.BeginRegion("MaxHeaderBytes", r.Limits.MaxHeaderBytes, r.headerBytes)
	h := &r.header
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
	r.headerBytes = s.EndRegion()
}

// readHeaderParams reads an object whose values are strings, or null, which counts as absent.
func (r *Reader) readHeaderParams() traceid.Params {
	s := r.scan
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
			r.scan.FailRepeated(name)
			break
		}
		if kind == jsonscan.Null {
			s.Null()
			continue
		}
		p := traceid.Param{Key: r.strings.String(name)}
		p.Value = r.strings.String([]byte(s.WantString()))
		if pairs = append(pairs, p); len(pairs) > r.Limits.MaxParams {
			s.Fail(s.TokenError(message.Limit("MaxParams", int64(r.Limits.MaxParams), "params or options")))
		}
	}
	return traceid.FromPairs(pairs...)
}

// checkHeader checks what can be checked once the header is complete, or as complete as it gets before the results,
// and prepares for reading these.
func (r *Reader) checkHeader() error {
	fault := func(path, message string, cause error) error {
		e := r.scan.ErrorAt(jsonscan.Position{Line: 1, Column: 1}, path, message)
		e.Err = cause
		return e
	}
	branch, ok := r.header.Key.Get("branch")
	if ok && len(r.Branches) > 0 && !slices.Contains(r.Branches, branch) {
		return fault("key.branch", fmt.Sprintf("%q is not one of the branches %q", branch, r.Branches), ErrSkipped)
	}
	r.base = r.header.layOut(r.OptionsAsParams)
	if len(r.base.params) > r.Limits.MaxParams {
		return paramsLimit(r.scan, r.Limits)
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

// readTail reads what follows the results, in order. It returns false if the iteration is to stop.
func (r *Reader) readTail(fault func(error) bool) bool {
	s := r.scan
	if !r.hasResults {
		return true // the header was the whole document
	}
	for {
		m, ok := r.nextMember()
		if !ok {
			break
		}
		if m == memberUnknown || !r.InOrder {
			r.readHeaderMember(m)
			continue
		}
		kind := s.Kind()
		e := s.Error("it comes after the results, too late to count when reading in order")
		e.Recoverable = true
		if s.Skip() && kind != jsonscan.Null && !fault(e) {
			return false
		}
	}
	s.End()
	return true
}
