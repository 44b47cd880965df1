package skiav1

import (
	"fmt"
	"io"
	"iter"

	"perfdata/format"
	"perfdata/internal/intern"
	"perfdata/internal/jsonscan"
	"perfdata/internal/skiadoc"
	"perfdata/traceid"
)

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

	// MissingAsZero gives a result, or a single measurement, that holds no number or is null the value 0, as the reference
	// does, instead of leaving it out with an error.
	MissingAsZero bool

	// Branches, where not empty, names the values of the header's param "branch" that are wanted. A file of another
	// branch is refused with [format.ErrSkipped]. A file without this param is not.
	Branches []string

	in      io.Reader
	general bool // reads without the fast path, for tests
	doc     skiadoc.Document[Header]
	strings intern.Table

	shapes     [jsonscan.RingSize]result // see match.go
	ring       jsonscan.Ring             // of shapes
	result     *result                   // what was read last: one of shapes
	sorted     []traceid.Param           // the pairs of one key
	names      jsonscan.Names            // keys of one object of strings
	groupNames jsonscan.Names            // names in one result's measurements
	unknown    [2]jsonscan.Names         // members that the format doesn't have: of a result, and of a single measurement
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

// Close releases what Header may have kept of an input that can't seek. It is needed only if Header
// succeeds and Records isn't called.
func (r *Reader) Close() error { return r.doc.Close() }

// Records iterates over the file's measurements, in the order of the file. It can be called once; its end, also by
// break, releases all that the Reader holds. The record is overwritten by the next step: see [format.Record].
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
		r.readResult()
		s.EndRegion()
		if s.Err() != nil {
			break
		}
		if !r.yieldResult(yield) {
			return false
		}
	}
	return true
}

// docFormat is what is this format's of the document.
var docFormat = skiadoc.Format{
	Member:  memberOf,
	Results: jsonscan.Array,
	Other:   "the legacy format has an object here",
	Needed:  memberVersion | memberKey | memberLinks,
	Late:    memberVersion,

	IsNumber: isNumber,
}

// isNumber reports whether s is at the value of a measurement.
func isNumber(s *jsonscan.Scanner) bool {
	const array = jsonscan.InArray
	if names := s.OpenNames(3); names != nil {
		return names[0] == "results" && names[1] == array && names[2] == "measurement"
	}
	names := s.OpenNames(6)
	return names != nil && names[0] == "results" && names[1] == array && names[2] == "measurements" && names[3] != array &&
		names[4] == array && names[5] == "measurement"
}

// members is a set of members of an object, of any of the format's.
type members = skiadoc.Members

const (
	memberVersion = skiadoc.Own << iota
	memberGitHash
	memberIssue
	memberPatchset
	memberKey
	memberLinks
	memberMeasurement
	memberMeasurements
	memberValue
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
		return skiadoc.Results
	}
	return skiadoc.Unknown
}

// readHeaderMember reads the value of a member of the document other than results.
func (r *Reader) readHeaderMember(m members) {
	s, h := r.doc.Scan, &r.doc.Header
	switch kind := s.Kind(); {
	case m == memberVersion:
		r.readVersion(kind)
	case kind == jsonscan.Null:
		s.Null()
	case m == memberGitHash:
		h.GitHash = s.WantString()
	case m == memberIssue:
		h.Issue = s.WantString()
	case m == memberPatchset:
		h.Patchset = s.WantString()
	case m == memberKey:
		h.Key = r.readHeaderParams()
	case m == memberLinks:
		h.Links = r.readHeaderParams()
	}
}

func (r *Reader) readVersion(kind jsonscan.Kind) {
	s := r.doc.Scan
	var e *format.Error
	if kind == jsonscan.Number {
		f, ok := s.Number()
		if !ok || f == 1 && s.IsInteger() {
			return
		}
		e = s.TokenError(versionMessage(s.Token()))
	} else {
		e = s.TypeError("integer")
	}
	e.Err = format.ErrVersion
	s.Fail(e)
}

func versionMessage(given []byte) string {
	return fmt.Sprintf("%v %s, expected 1", format.ErrVersion, jsonscan.Clip(string(given)))
}

func (r *Reader) readHeaderParams() traceid.Params {
	pairs, _, fault := r.readPairs(nil, nil)
	if fault != nil {
		fault.Recoverable = false
		r.doc.Scan.Fail(fault)
	}
	return traceid.FromPairs(pairs...)
}

// checkHeader checks what can be checked once the header is complete, or as complete as it gets before the results.
func (r *Reader) checkHeader(complete bool) error {
	if complete && !r.doc.Has(memberVersion) {
		return r.doc.Fault("(root)", "version is required", format.ErrVersion)
	}
	return r.doc.CheckBranch(r.doc.Header.Key, r.Branches, format.ErrSkipped)
}
