package skiav1

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"perfdata/format"
	"perfdata/internal/intern"
	"perfdata/internal/jsonscan"
	"perfdata/traceid"
)

// ErrVersion is the cause of the error about a file whose version is not 1, or that has none.
var ErrVersion = errors.New("unknown format version")

// ErrSkipped is the cause of the error about a file that [Reader].Branches refuses.
var ErrSkipped = errors.New("file should be skipped")

// A Reader reads the measurements of one file. The exported fields configure it before first use; their zero values are
// the defaults. A Reader serves one goroutine.
//
// The file's header counts for all its measurements, and may stand after them. So the Reader looks ahead, passing
// over the results, and then comes back to them: an input that can seek is read a second time; of any other, what
// was passed over is kept, in memory or, where it is much, in a temporary file. An input that can seek is read once if
// version, key and links stand before the results or near the end, which is looked at first. The Reader's memory
// depends on the header and on the largest single result only.
//
// Errors are [format.Error]s. Recoverable are those about one measurement or one result, which is left out. All
// others, such as what is no JSON, end the reading.
type Reader struct {
	// Name of the input, for errors.
	Name string

	// Limits bounds what the input can make the Reader use.
	Limits format.Limits

	// InOrder reads the file once, from its beginning to its end. Records flow at once, with what the
	// header has said until then; a member of the header that comes after the results is a recoverable error.
	InOrder bool

	// MissingAsZero gives a result, or a single measurement, that holds no number the value 0, as the reference does,
	// instead of leaving it out with an error.
	MissingAsZero bool

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
	hasResults  bool              // there is an array to read
	results     jsonscan.Bookmark // of that array
	resultsEnd  int64             // its offset
	hurry       bool              // the results are to be read as soon as what counts for records is known
	forward     bool              // they are read as they come, with or without hurry
	early       members           // that were read before their turn
	used        bool              // Records was called

	shapes     [maxShapes]result // see match.go
	result     *result           // what was read last: one of shapes
	lastShape  int               // its index
	newShape   int               // the index of the one to be made anew
	misses     int               // grows with results that are like none of shapes, and shrinks with others
	tries      int               // results read
	sorted     []traceid.Param   // the pairs of one key
	names      jsonscan.Names    // keys of one object of strings
	groupNames jsonscan.Names    // names in one result's measurements
	unknown    [3]jsonscan.Names // members that the format doesn't have: of the document, a result, a single measurement
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

// Close releases what Header may have kept of an input that can't seek. It is needed only if Records isn't called.
func (r *Reader) Close() error {
	if r.scan == nil {
		return nil
	}
	return r.scan.Close()
}

// Records iterates over the file's measurements, in the order of the file. It can be called once; its end, also by
// break, releases all that the Reader holds. The record is overwritten by the next step: see [format.Record].
func (r *Reader) Records() iter.Seq2[*format.Record, error] {
	return func(yield func(*format.Record, error) bool) {
		if r.used {
			yield(nil, &format.Error{Name: r.Name, Line: 1, Column: 1, Message: "the records were read already"})
			return
		}
		r.used = true
		defer r.Close()
		if r.scan == nil {
			r.hurry = true
			r.open()
		}
		if r.headerErr != nil {
			yield(nil, r.headerErr)
			return
		}
		if !r.readResults(yield) {
			return
		}
		if r.forward && r.scan.Err() == nil && !r.readTail(yield) {
			return
		}
		if err := r.scan.Err(); err != nil {
			yield(nil, err)
		}
	}
}

// readResults yields the records of all results. It returns false if the iteration is to stop.
func (r *Reader) readResults(yield func(*format.Record, error) bool) bool {
	if !r.hasResults {
		return true
	}
	s := r.scan
	if !r.forward && !s.Return(r.results) {
		return true
	}
	for s.EnterArray(); s.Element(); {
		s.BeginRegion("MaxResultBytes", r.Limits.MaxResultBytes, 0)
		r.readResult()
		s.EndRegion()
		if s.Err() != nil {
			return true
		}
		if !r.yieldResult(yield) {
			return false
		}
	}
	if !r.forward {
		s.EndAgain(r.resultsEnd)
	}
	return true
}

// members is a set of members of an object, of any of the format's.
type members uint

const (
	memberVersion members = 1 << iota
	memberGitHash
	memberIssue
	memberPatchset
	memberKey
	memberLinks
	memberResults
	memberMeasurement
	memberMeasurements
	memberValue
	memberUnknown // one that the format doesn't have
)

// memberOf returns the member of the document that has the name.
func memberOf(name []byte) members {
	switch string(name) {
	case "version":
		return memberVersion
	case "git_hash":
		return memberGitHash
	case "issue":
		return memberIssue
	case "patchset":
		return memberPatchset
	case "key":
		return memberKey
	case "links":
		return memberLinks
	case "results":
		return memberResults
	}
	return memberUnknown
}

// nextMember reads the next member's name. It is memberUnknown if the format has none of that name.
func (r *Reader) nextMember() (members, bool) {
	name, _, ok := r.scan.Member()
	if !ok {
		return 0, false
	}
	m := memberOf(name)
	if m == memberUnknown {
		ok = r.firstUnknown(&r.seen, name, 0)
	} else {
		ok = r.first(m, &r.seen, name)
	}
	return m, ok
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

// beginResults stands before the value of results, passes over it unless they can be read at once, and returns whether it is an array.
func (r *Reader) beginResults() bool {
	s := r.scan
	switch s.Kind() {
	case jsonscan.Null:
		return s.Null() && false
	case jsonscan.Array:
	case jsonscan.Object:
		e := s.TypeError("array")
		e.Message += "; the legacy format has an object here"
		s.Fail(e)
		return false
	default:
		s.Fail(s.TypeError("array"))
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
	const needed = memberVersion | memberKey | memberLinks
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
	switch kind := s.Kind(); {
	case m == memberVersion:
		r.readVersion(kind)
	case kind == jsonscan.Null:
		s.Null()
	case m == memberGitHash:
		r.header.GitHash = s.WantString()
	case m == memberIssue:
		r.header.Issue = s.WantString()
	case m == memberPatchset:
		r.header.Patchset = s.WantString()
	case m == memberKey:
		r.header.Key = r.readHeaderParams()
	case m == memberLinks:
		r.header.Links = r.readHeaderParams()
	}
	r.headerBytes = s.EndRegion()
}

func (r *Reader) readVersion(kind jsonscan.Kind) {
	s := r.scan
	var e *format.Error
	if kind == jsonscan.Number {
		f, ok := s.Number()
		if !ok || f == 1 {
			return
		}
		e = s.TokenError(fmt.Sprintf("%v %v, expected 1", ErrVersion, f))
	} else {
		e = s.TypeError("integer")
	}
	e.Err = ErrVersion
	s.Fail(e)
}

func (r *Reader) readHeaderParams() traceid.Params {
	pairs, _, fault := r.readPairs(nil, nil)
	if fault != nil {
		fault.Recoverable = false
		r.scan.Fail(fault)
	}
	return traceid.FromPairs(pairs...)
}

// checkHeader checks what can be checked once the header is complete, or as complete as it gets before the results.
func (r *Reader) checkHeader() error {
	fault := func(path, message string, cause error) error {
		e := r.scan.ErrorAt(jsonscan.Position{Line: 1, Column: 1}, path, message)
		e.Err = cause
		return e
	}
	if (r.seen|r.early)&memberVersion == 0 && !(r.InOrder && r.seen&memberResults != 0) {
		return fault("(root)", "version is required", ErrVersion)
	}
	branch, ok := r.header.Key.Get("branch")
	if ok && len(r.Branches) > 0 && !slices.Contains(r.Branches, branch) {
		return fault("key.branch", fmt.Sprintf("%q is not one of the branches %q", branch, r.Branches), ErrSkipped)
	}
	return nil
}

// readTail reads what follows the results, in order. It returns false if the iteration is to stop.
func (r *Reader) readTail(yield func(*format.Record, error) bool) bool {
	s := r.scan
	if !r.hasResults {
		return true // the header was the whole document
	}
	for {
		m, ok := r.nextMember()
		if !ok {
			break
		}
		if m == memberUnknown || m == memberVersion || !r.InOrder {
			r.readHeaderMember(m)
			continue
		}
		kind := s.Kind()
		e := s.Error("it comes after the results, too late to count when reading in order")
		e.Recoverable = true
		if s.Skip() && kind != jsonscan.Null && !yield(nil, e) {
			return false
		}
	}
	s.End()
	if s.Err() == nil && r.seen&memberVersion == 0 {
		e := s.ErrorAt(jsonscan.Position{Line: 1, Column: 1}, "(root)", "version is required")
		e.Err = ErrVersion
		s.Fail(e)
	}
	return true
}
