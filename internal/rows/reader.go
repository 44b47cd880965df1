package rows

import (
	"bytes"
	"cmp"
	"io"
	"io/fs"
	"iter"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strings"

	"perfdata/format"
	"perfdata/internal/jsondoc"
	"perfdata/internal/jsonscan"
	"perfdata/internal/jsontree"
	"perfdata/internal/opening"
)

// A Reader reads the measurements of one file of a runner, or of a folder. The documentation of package
// runners, whose Reader it is, says more.
type Reader struct {
	// Name of the input, for errors.
	Name string

	// Limits bounds the memory and time that the input can make the Reader use.
	Limits format.Limits

	// InOrder reads the file once, from its beginning to its end. Records have the members of the
	// file that precede the results; members after them are a recoverable error.
	InOrder bool

	// Summaries also yields statistics, such as means, of results that have the single values. They
	// have the param stat.
	Summaries bool

	// KeepFailed yields the values of runs that failed, if the format says so, instead of errors.
	KeepFailed bool

	given   *Spec
	spec    *Spec // given, or its Other
	started bool  // see start
	fsys    fs.FS // of a folder
	dir     string
	frame   jsondoc.Frame

	members []*jsontree.Tree // of the Head; nil if it is absent
	header  Header
	faults  []*format.Error // of the header, that were not reported yet
	trees   jsontree.Reader
	maker   Maker
	warn    bool // warnings are wanted, and faults in order
}

// A NativeHeader is a Header with maps, for users.
type NativeHeader struct {
	Commit string            `json:"commit,omitempty"`
	Params map[string]string `json:"params,omitempty"`
	Attrs  map[string]string `json:"attrs,omitempty"`
	Links  map[string]string `json:"links,omitempty"`
}

// New returns a Reader of in, which is an error if the spec is nil. It doesn't close in.
func New(in io.Reader, spec *Spec) *Reader {
	r := &Reader{given: spec, spec: spec}
	r.Reset(in)
	return r
}

// NewFolder returns a Reader of a folder, which is an error if the spec is nil. Its Name is the name
// of fsys.
func NewFolder(fsys fs.FS, dir string, spec *Spec) *Reader {
	r := New(nil, spec)
	r.fsys, r.dir = fsys, dir
	return r
}

// SpecOf returns the Spec of a format, or nil if it is not one of a runner.
func SpecOf(f format.Format) *Spec {
	var r format.Reader
	switch {
	case f.Open != nil:
		r = f.Open(nil, strings.NewReader(""), format.Options{})
	case f.OpenDir != nil:
		r = f.OpenDir(nil, ".", format.Options{})
	}
	if r, ok := r.(*Reader); ok {
		return r.given
	}
	return nil
}

// Reset makes r read another input, like a new Reader, with the memory that it has. The exported
// fields stay; they can be changed before the next use. Strings, headers and cloned records of
// the previous input stay valid. Do not call Reset within an iteration over r.
func (r *Reader) Reset(in io.Reader) {
	r.Close()
	r.frame.Slow = r.given != nil && r.given.Slow
	r.frame.Reset(in)
	r.started, r.fsys, r.header, r.faults, r.maker.skipped = false, nil, Header{}, nil, 0
}

// Warn makes Records also yield warnings, and the errors of a result in the order of the file, as
// validation does.
func (r *Reader) Warn() { r.warn = true }

// Close releases everything that r holds.
func (r *Reader) Close() error { return r.frame.Close() }

// Skipped returns how many results were left out because they hold no measurements, or because they are
// statistics of other results.
func (r *Reader) Skipped() int { return r.maker.skipped }

// FileHeader returns what the file says about all of its results. Native is a [NativeHeader].
func (r *Reader) FileHeader() (format.Header, error) {
	if r.given == nil {
		return format.Header{}, r.noFormat()
	}
	if r.start(); r.isObject() {
		return r.frame.FileHeader((*document)(r))
	}
	return (*document)(r).FileHeader(), nil
}

// isObject reports whether the input is a document that is an object.
func (r *Reader) isObject() bool { return r.spec.layout != nil && r.fsys == nil }

// Records iterates over the file's measurements, in the order of the file. It can be called once.
// The end of the iteration, including break, releases everything that the Reader holds. The next
// step overwrites the record: see [format.Record].
func (r *Reader) Records() iter.Seq2[*format.Record, error] {
	return func(yield func(*format.Record, error) bool) {
		each := func(rec *format.Record, err error) bool {
			if e, ok := err.(*format.Error); ok {
				switch {
				case e.Severity == format.Warning && !r.warn:
					return true
				case e.Offset == 0 && e.Message == "the input is empty" && r.given.IfEmpty != "":
					e.Message += ": " + r.given.IfEmpty
				}
			}
			return yield(rec, err)
		}

		if r.given == nil {
			yield(nil, r.noFormat())
			return
		}

		r.start()
		switch {
		case r.fsys != nil:
			o, _ := (*document)(r).Begin()
			r.maker.Open(Header{}, o.Limits)
			r.maker.yield, r.maker.stopped = each, false
			r.maker.Begin(jsontree.None())
			r.spec.ReadFolder(&Folder{Maker: &r.maker, FS: r.fsys, Dir: r.dir, Name: o.Name, Limits: o.Limits, spec: r.spec})
		case r.isObject():
			r.readDocument(each)
		default:
			r.readResults(each)
		}
	}
}

// noFormat returns the error of a Reader without the format of a runner.
func (r *Reader) noFormat() *format.Error {
	return &format.Error{
		Name: r.Name, Position: format.Position{Line: 1, Column: 1},
		Message: "the Reader has no format of a runner: want one of a package in runners", Err: format.ErrMisuse,
	}
}

// start prepares for a file. If the format has two specs, it chooses that of the document.
func (r *Reader) start() {
	if r.started || r.fsys != nil {
		return
	}
	r.started = true
	s := r.frame.Scanner((*document)(r))
	if r.given.NaN {
		s.AllowNaN()
	}
	spec := r.given
	if spec.Other != nil && (s.IsArray() || spec.isNamed(s.Beginning(32<<10))) {
		spec = spec.Other
	}
	if r.spec != spec {
		r.spec = spec
		r.trees.Forget()
	}
}

// readDocument reads a document that is an object.
func (r *Reader) readDocument(yield func(*format.Record, error) bool) {
	more := true
	fault := func(err error) bool {
		e, ok := err.(*format.Error)
		more = yield(nil, err) && ok && e.Severity != format.Fatal
		return more
	}
	for _, s := range r.frame.Sections((*document)(r), fault) {
		if more = r.yieldFaults(s.Offset(), yield) && r.readSection(s, yield); !more {
			return
		}
	}
	if more {
		r.yieldFaults(math.MaxInt64, yield)
	}
}

// yieldFaults yields the faults of the header that are before the offset.
func (r *Reader) yieldFaults(before int64, yield func(*format.Record, error) bool) bool {
	for len(r.faults) > 0 && r.faults[0].Offset < before {
		e := r.faults[0]
		if r.faults = r.faults[1:]; !yield(nil, e) {
			return false
		}
	}
	return true
}

// readSection reads the results of a section. It returns false if the iteration is to stop.
func (r *Reader) readSection(s *jsonscan.Scanner, yield func(*format.Record, error) bool) bool {
	switch r.spec.Shape {
	case InArray:
		return r.readArray(s, yield)
	case Embedded:
		return r.readEmbedded(s, yield)
	}
	for name, kind := range s.Members() {
		r.maker.Group = string(name)
		more := true
		switch {
		case r.spec.Shape == ByName:
			more = r.readResult(s, yield)
		case kind == jsonscan.Array:
			more = r.readArray(s, yield)
		default:
			e := s.SkipTypeError("array")
			e.Severity, e.Err = format.Recoverable, format.ErrSchema
			more = yield(nil, e)
		}
		if !more {
			return false
		}
	}
	return true
}

// readEmbedded reads the results of the document that a text is.
func (r *Reader) readEmbedded(s *jsonscan.Scanner, yield func(*format.Record, error) bool) bool {
	at := s.Error("")
	text, ok := s.Text()
	if !ok {
		return true
	}

	each := func(rec *format.Record, err error) bool {
		if e, ok := err.(*format.Error); ok {
			inner := *e
			inner.Name, inner.Position, inner.Path = at.Name, at.Position, strings.TrimSuffix(at.Path+"."+e.Path, ".")
			if e.Severity == format.Fatal {
				inner.Severity = format.Recoverable
			}
			return yield(nil, &inner)
		}
		if rec != nil {
			rec.Offset = at.Offset
		}
		return yield(rec, err)
	}

	outer := r.spec
	defer func() { r.spec = outer }()
	r.spec = outer.Other
	r.trees.Forget()
	inner := jsonscan.New(bytes.NewReader(bytes.Clone(text)), at.Name, r.Limits)
	defer inner.Close()

	if outer.Slow {
		inner.DisableFastPath()
	}
	if !r.readArray(inner, each) {
		return false
	}
	inner.End()
	if err := inner.Err(); err != nil {
		return each(nil, err)
	}
	return true
}

// readArray reads an array of results.
func (r *Reader) readArray(s *jsonscan.Scanner, yield func(*format.Record, error) bool) bool {
	for s.EnterArray(); s.Element(); {
		if !r.readResult(s, yield) {
			return false
		}
	}
	return true
}

// readNamed reads a document that is an object of results by name. A repeated name is the name of
// another result.
func (r *Reader) readNamed(s *jsonscan.Scanner, yield func(*format.Record, error) bool) bool {
	for s.EnterObject(); ; {
		name, _, ok := s.Member()
		if !ok {
			return true
		}
		if r.maker.Group = string(name); !r.readResult(s, yield) {
			return false
		}
	}
}

// readLines reads one result after another, to the end of the input.
func (r *Reader) readLines(s *jsonscan.Scanner, yield func(*format.Record, error) bool) bool {
	for n := 0; ; n++ {
		switch {
		case r.spec.InText && !s.PassText() && n > 0, s.Kind() == jsonscan.None:
			return true
		case !r.readResult(s, yield):
			return false
		case !s.More():
			return true
		}
	}
}

// readResult reads a result. It returns false if the iteration is to stop.
func (r *Reader) readResult(s *jsonscan.Scanner, yield func(*format.Record, error) bool) bool {
	s.BeginRegion("MaxResultBytes", r.Limits.MaxResultBytes, 0)
	s.KeepRegion() // for errors about what was read
	tree := r.trees.Read(s, r.spec.Row)
	s.EndRegion()
	switch {
	case s.Err() != nil:
		return true
	case !r.warn:
		return r.makeRecords(tree, yield)
	}

	// Validation has the errors in the order of the text, unless there are many.
	const maxSorted = 4096
	var errs []*format.Error
	flush := func() bool {
		slices.SortStableFunc(errs, byOffset)
		stops := slices.ContainsFunc(errs, func(e *format.Error) bool { return !yield(nil, e) })
		errs = errs[:0]
		return !stops
	}
	more := r.makeRecords(tree, func(_ *format.Record, err error) bool {
		if e, ok := err.(*format.Error); ok {
			errs = append(errs, e)
		}
		return len(errs) < maxSorted || flush()
	})
	return flush() && more
}

// makeRecords yields what becomes of a result. Its faults come first.
func (r *Reader) makeRecords(tree *jsontree.Tree, yield func(*format.Record, error) bool) bool {
	if slices.ContainsFunc(tree.Faults, func(e *format.Error) bool { return !yield(nil, e) }) {
		return false
	}
	if !tree.Root().Has() {
		return true
	}
	r.maker.yield, r.maker.stopped = yield, false
	r.maker.Begin(tree.Root())
	r.spec.Records(&r.maker, tree.Root())
	if len(tree.Faults) == 0 {
		r.maker.End()
	}
	return !r.maker.Stopped()
}

// readResults reads a document that is the results.
func (r *Reader) readResults(yield func(*format.Record, error) bool) {
	defer r.Close()
	s := r.frame.Scanner((*document)(r))
	if err := r.frame.Use(); err != nil {
		yield(nil, err)
		return
	}

	r.maker.Open(r.header, r.Limits)
	read := r.readArray
	switch r.spec.Shape {
	case InLines:
		read = r.readLines
	case ByName:
		read = r.readNamed
	}

	if !read(s, yield) {
		return
	}
	s.End()
	if err := s.Err(); err != nil {
		yield(nil, err)
	}
}

// byOffset compares errors by their position.
func byOffset(a, b *format.Error) int { return cmp.Compare(a.Offset, b.Offset) }

// A document is the Reader for its frame.
type document Reader

func (d *document) Begin() (format.Options, *jsondoc.Layout) {
	limits := d.Limits.WithDefaults()
	if limits != d.Limits {
		d.trees.Forget()
	}
	d.Limits = limits
	d.maker.Summaries, d.maker.KeepFailed = d.Summaries, d.KeepFailed
	d.members = append(d.members[:0], make([]*jsontree.Tree, len(d.given.Head))...)
	return format.Options{Name: d.Name, Limits: limits, InOrder: d.InOrder}, cmp.Or(d.given.layout, &noLayout)
}

func (d *document) ReadMember(s *jsonscan.Scanner, m jsondoc.Set) {
	i := bits.TrailingZeros32(uint32(m)) - len(d.spec.Sections)
	if m == jsondoc.Unknown {
		s.Skip()
		return
	}
	var one jsontree.Reader
	tree := one.Read(s, d.spec.Head[i].Type)
	if len(tree.Faults) > 0 && d.frame.IsEarly(s) {
		s.Fail(tree.Faults[0]) // the fault needs its line
		return
	}
	d.members[i] = tree
}

func (d *document) CheckSection(s *jsonscan.Scanner, _ jsondoc.Set) {
	if want := kinds[d.spec.Shape]; s.Kind() != want {
		e := s.TypeError(want.String())
		e.Err = format.ErrSchema
		s.Fail(e)
	}
}

func (d *document) CheckHeader(*jsonscan.Scanner) error {
	d.header = Header{}
	if d.spec.Header != nil {
		d.spec.Header(&d.header, func(name string) jsontree.Value {
			i := slices.IndexFunc(d.spec.Head, func(m jsontree.Member) bool { return m.Name == name })
			return d.members[i].Root()
		})
	}
	d.header.Sort() // before the maker, which shares its params, sorts them
	d.maker.Open(d.header, d.Limits)

	// A member of another type is treated as absent.
	d.faults = nil
	for _, tree := range d.members {
		if tree != nil {
			d.faults = append(d.faults, tree.Faults...)
		}
	}
	slices.SortStableFunc(d.faults, byOffset)
	return nil
}

func (d *document) FileHeader() format.Header {
	h := d.header
	native := NativeHeader{
		h.Commit, maps.Collect(h.Params.All()), maps.Collect(h.Attrs.All()), maps.Collect(h.Links.All()),
	}
	return format.Header{Commit: h.Commit, Params: h.Params.Clone(), Links: h.Links.Clone(), Native: native}
}

// FormatOf returns the format of a Spec, with everything that its Reader adds.
func FormatOf(spec *Spec) format.Format {
	f := spec.Format
	if f.Extensions == nil {
		f.Extensions = []string{".json"}
	}
	if spec.Fits != nil {
		f.Detect = detector(spec)
	}
	f.Settings = append(f.Settings, format.Setting{
		Name:  "summaries",
		Usage: "true reads statistics, too, of results that have the single values",
		Set:   opening.Bool(func(r *Reader) *bool { return &r.Summaries }),
	})

	own := func() format.Format { return f }
	open := func(reuse format.Reader, in io.Reader, o format.Options) (*Reader, *format.Error) {
		r, ok := reuse.(*Reader)
		if !ok || r.given != spec {
			r = &Reader{given: spec, spec: spec}
		}
		r.Reset(in)
		r.Name, r.Limits, r.InOrder = o.Name, o.Limits, o.InOrder
		r.Summaries, r.KeepFailed = false, false
		return r, opening.Configure(own, r, o)
	}

	if spec.Records != nil {
		f.Open, f.Validate = opening.With(open), opening.Validating(open, opening.ValidateRecords)
	}
	if spec.ReadFolder != nil {
		f.DetectDir = func(fsys fs.FS, dir string) (bool, error) {
			if fsys == nil {
				return false, opening.ErrNoFiles
			}
			return spec.DetectFolder(&Folder{FS: fsys, Dir: dir, Limits: format.Limits{}.WithDefaults(), spec: spec})
		}
		f.OpenDir = func(fsys fs.FS, dir string, o format.Options) format.Reader {
			r := NewFolder(fsys, dir, spec)
			r.Name, r.Limits = o.Name, o.Limits
			if err := opening.Configure(own, r, o); err != nil {
				return opening.Refuse(err)
			}
			return r
		}
	}
	return f
}
