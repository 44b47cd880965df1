package perfdata

import (
	"fmt"
	"io"
	"iter"
	"strings"
	"unicode/utf8"

	"perfdata/format"
	"perfdata/internal/message"
	"perfdata/internal/visible"
)

// Convert writes the records of src to dst, and returns how many it has written. It is strict: it stops at the first
// error of either. It doesn't close dst.
//
// A format's own Writer refuses what the format can't hold. One that [NewWriter] returns makes it fit.
func Convert(dst format.Writer, src iter.Seq2[*format.Record, error]) (int, error) {
	n := 0
	for rec, err := range src {
		if err != nil {
			return n, err
		}
		if err := dst.Write(rec); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// A target writes records in one format, having made them fit. Its errors are those of the output.
type target interface {
	write(rec *format.Record) error
	close() error
}

// targets is the table of the formats that are written: one entry each.
func targets() []struct {
	format string
	make   func(*sink, *Survey) target
} {
	return []struct {
		format string
		make   func(*sink, *Survey) target
	}{
		{"skiav1", toSkiaV1},
		{"nanolegacy", toNanolegacy},
		{"benchfmt", toBenchfmt},
		{"keyval", toKeyval},
		{"perun", toPerun},
	}
}

// A Writer writes the records of any format in one format, having made them fit; it counts in what they differ then from
// what they were. The section "Converting" of the package comment says what it does for each format.
//
// For nanolegacy and keyval, in which related measurements stand together, it holds all records in memory until Close. For
// the others it remembers something of each name or trace. A Writer serves one goroutine.
type Writer struct {
	// Limits bounds the memory: MaxHeldBytes is how much the records take that are held, and what else grows with them,
	// MaxUniqueTraces how many traces are told apart for skiav1, and MaxParams how many units a profile of Perun has. It is
	// set before the first call of Write. The other fields are not used.
	Limits format.Limits

	out    *sink
	target target
	begun  bool
	done   bool
}

// NewWriter returns a Writer to out of the format with that name, such as "skiav1", for the records that were surveyed,
// by which it makes the header. The Survey may be nil; then it has no header but what the format requires.
func NewWriter(name string, out io.Writer, s *Survey) (*Writer, error) {
	if s == nil {
		s = new(Survey)
	}
	for _, t := range targets() {
		if t.format == name {
			w := &Writer{out: &sink{Writer: out}}
			w.target = t.make(w.out, s)
			return w, nil
		}
	}
	return nil, fmt.Errorf("unknown format %q", name)
}

// Write writes a record, or what the format can hold of it. Its errors are those of the output, and one that names
// Limits.MaxHeldBytes; after an error, nothing more can be written. It keeps none of the memory of rec.
func (w *Writer) Write(rec *format.Record) error {
	if !w.begun {
		w.begin()
	}
	if w.out.err != nil {
		return w.out.err
	}
	return w.target.write(rec)
}

func (w *Writer) begin() {
	w.begun = true
	w.out.limits = w.Limits.WithDefaults()
}

// Close completes the output. It doesn't close it. It may be called again and then returns nil, if it returned nil
// before.
func (w *Writer) Close() error {
	if !w.begun {
		w.begin()
	}
	if w.out.err != nil || w.done {
		return w.out.err
	}
	if err := w.target.close(); err != nil {
		return err
	}
	w.done = true
	return nil
}

// Losses returns in what the records that were written differ from those that were given, each kind once, in the order in
// which they came up. They are complete once Close has returned.
func (w *Writer) Losses() []Loss {
	list := make([]Loss, len(w.out.losses))
	for i, l := range w.out.losses {
		list[i] = *l
	}
	return list
}

// A Loss is one kind of difference between records and what was written of them. It is safe to show: long texts of the input
// are cut off, and control characters are escaped.
type Loss struct {
	What    string // "attributes left out"
	Count   int
	Example string // iterations="100" of ,name=X,

	// Added: nothing is missing or changed, there is more, such as a param that the format requires.
	Added bool
}

// String returns "attributes left out: 3, such as iterations=100 of ,name=X,".
func (l Loss) String() string { return fmt.Sprintf("%s: %d, such as %s", l.What, l.Count, l.Example) }

// A sink is where a target writes to, and what it reports.
type sink struct {
	io.Writer
	err    error // of the Writer
	limits format.Limits
	held   int64 // of limits.MaxHeldBytes
	losses []*Loss
}

func (s *sink) Write(p []byte) (int, error) {
	n, err := s.Writer.Write(p)
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	if err != nil {
		s.err = err
	}
	return n, err
}

// lost counts a difference. The example is made for the first of its kind.
func (s *sink) lost(what string, example func() string) { s.count(what, 1, false, example) }

// added counts an addition.
func (s *sink) added(what string, example func() string) { s.count(what, 1, true, example) }

func (s *sink) count(what string, n int, added bool, example func() string) {
	for _, l := range s.losses {
		if l.What == what {
			l.Count += n
			return
		}
	}
	s.losses = append(s.losses, &Loss{What: what, Count: n, Example: clip(example()), Added: added})
}

// maxExample is how many bytes of an example are shown.
const maxExample = 1500

// clip returns a text of the input as an example shows it.
func clip(text string) string {
	if len(text) <= maxExample {
		return visible.String(text)
	}
	n := maxExample
	for n > maxExample-utf8.UTFMax && !utf8.RuneStart(text[n]) {
		n--
	}
	return visible.String(text[:n]) + "..."
}

// What is counted.
const (
	lostRecords = "measurements left out"
	lostAttrs   = "attributes left out"
	lostLinks   = "links left out"
	lostHeader  = "members of the header left out"
	changedText = "params with other characters"
)

// What a [Loss] is about for which a user may want to do something.
const (
	// AddedOptions: params were written as options to a legacy file of Skia Perf. To read them back as params, set
	// OptionsAsParams of nanolegacy's Reader.
	AddedOptions = "measurements with params that are written as options"

	// AddedGitHash: the commit isn't known. A [Survey] can be told it.
	AddedGitHash = "git hashes that aren't known"
)

// pairOf shows a pair of a record.
func pairOf(key, value string, rec *format.Record) func() string {
	return func() string { return fmt.Sprintf("%s=%s of %s", shorten(key), message.Quote(value), rec.TraceID()) }
}

// leftOut counts a record that can't be written.
func (s *sink) leftOut(rec *format.Record, why string) {
	s.lost(lostRecords, func() string { return shorten(rec.TraceID()) + ": " + why })
}

// refused counts a record that a format's Writer refuses.
func (s *sink) refused(rec *format.Record, err error) {
	// The id, which may be long, is said already.
	s.leftOut(rec, strings.TrimPrefix(err.Error(), "measurement "+rec.TraceID()+": "))
}

// shorten returns a text of the input such that another has room after it.
func shorten(text string) string {
	const most = maxExample / 3
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "..."
}

// dropLinks counts the links of a record.
func (s *sink) dropLinks(rec *format.Record) {
	for _, p := range rec.Links {
		s.lost(lostLinks, pairOf(p.Key, p.Value, rec))
	}
}

// dropAttrs counts the attributes of a record.
func (s *sink) dropAttrs(rec *format.Record) {
	for _, p := range rec.Attrs {
		s.lost(lostAttrs, pairOf(p.Key, p.Value, rec))
	}
}
