package convert

import (
	"fmt"
	"io"
	"iter"

	"perfdata/format"
)

// Copy writes the records of src to dst and returns how many it wrote. It is strict: it stops at the first error of
// either. It does not close dst.
//
// The Writer of a format refuses what the format cannot hold. A [Writer] of this package makes it fit.
func Copy(dst format.Writer, src iter.Seq2[*format.Record, error]) (int, error) {
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

// A target makes records fit and writes them in one format. Its errors are those of the output.
type target interface {
	write(rec *format.Record) error
	close() error
}

// A Writer writes the records of any format in one format. It makes each record fit, and counts how the result
// differs from the record. The package comment says what it does for each format.
//
// For nanolegacy and keyval, whose files keep related measurements together, a Writer holds all records in memory
// until Close. For the other formats it remembers a little of each name or trace.
//
// A Writer serves one goroutine.
type Writer struct {
	// Limits bounds the memory. MaxHeldBytes bounds the records that are held and all else that grows with them,
	// MaxUniqueTraces the traces that are told apart for skiav1, and MaxParams the units of a Perun profile. The
	// other fields are ignored. Set it before the first call of Write.
	Limits format.Limits

	out    *sink
	target target
	begun  bool
	done   bool
}

// NewWriter returns a Writer to out in the named format, such as "skiav1". The Survey of the records to be written
// provides the header. It may be nil: then the header has only what the format requires.
//
// The cause of the error about an unknown name is [format.ErrUnknown].
func NewWriter(name string, out io.Writer, s *Survey) (*Writer, error) {
	if s == nil {
		s = new(Survey)
	}
	w := &Writer{out: &sink{Writer: out}}
	switch name {
	case "skiav1":
		w.target = toSkiaV1(w.out, s)
	case "nanolegacy":
		w.target = toNanolegacy(w.out, s)
	case "benchfmt":
		w.target = toBenchfmt(w.out, s)
	case "keyval":
		w.target = toKeyval(w.out, s)
	case "perun":
		w.target = toPerun(w.out, s)
	default:
		return nil, fmt.Errorf("%w %q", format.ErrUnknown, name)
	}
	return w, nil
}

// Write writes a record, or the part of it that the format can hold. It keeps none of the memory of rec.
//
// Its errors are those of the output, and one with the cause [format.ErrLimit] where the records to be held exceed
// Limits.MaxHeldBytes. After an error, nothing more can be written.
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

// Close completes the output, which it does not close. After it has returned nil, further calls do so too.
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

// Losses returns how the records in the output differ from those given: one Loss of each kind, in the order of their
// first occurrence. The list is complete after Close.
func (w *Writer) Losses() []Loss {
	list := make([]Loss, len(w.out.losses))
	for i, l := range w.out.losses {
		list[i] = *l
	}
	return list
}
