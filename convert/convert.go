package convert

import (
	"fmt"
	"io"
	"iter"

	"perfdata/format"
	"perfdata/perun"
)

// Copy writes the records of src to dst and returns how many it wrote. It is strict: it stops at
// the first error of either. It does not close dst.
//
// The Writer of a format refuses what the format cannot hold. A [Writer] of this package makes it
// fit.
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

// A target makes measurements fit and writes them in one format. It returns the errors of the
// output.
type target interface {
	write(m *measurement) error
	close() error
}

// A Writer writes the records of any format in one format. It makes each record fit, and counts
// how the result differs from the record. The package comment says what it does for each format.
//
// For nanolegacy and keyval, whose files keep related measurements together, a Writer holds all
// records in memory until Close. For the other formats it remembers a little of each name or
// trace.
//
// A Writer serves one goroutine, together with its Survey and the other Writers of that Survey.
type Writer struct {
	// Limits bounds the memory. MaxHeldBytes bounds the records that are held and all else that
	// grows with them, and MaxParams the units of a Perun profile. The other fields are ignored.
	// Set it before the first call of Write.
	Limits format.Limits

	out    *sink
	target target
	name   string
	survey *Survey
	source source
	input  int    // the number of the source among the Survey's
	inputs int    // for which AddHeader was called
	commit string // of the file, if it holds one
	common string // the commit that all records have as an attribute
	begun  bool
	done   bool

	fit     fitter
	repeats repetitions
}

// NewWriter returns a Writer to out in the named format, such as "skiav1", or of a report in the
// Test Anything Protocol, "tap". The Survey of the records to be written provides the header. It
// may be nil: then the header has only what the format requires. The Survey must not be changed
// after.
//
// The cause of the error about an unknown name is [format.ErrUnknown]. If the format requires a
// commit and none is known, the cause is [ErrNoCommit]. If the records are of several commits and
// the format holds one, the error is a [*CommitsError].
func NewWriter(name string, out io.Writer, s *Survey) (*Writer, error) {
	if s == nil {
		s = new(Survey)
	}
	if s.To != "" && s.To != name {
		return nil, fmt.Errorf("the Survey is for format %s, the Writer for %s", s.To, name)
	}
	s.repeats.endSurvey(s)
	w := &Writer{out: &sink{Writer: out}, name: name, survey: s, repeats: s.repeats}
	w.repeats.text = nil // several Writers may share the rest

	var make func(*Writer, *Survey) target
	commitRequired, holdsCommits := false, false

	switch name {
	case nameSkiaV1:
		make, commitRequired = toSkiaV1, true
	case nameNanolegacy:
		make, commitRequired = toNanolegacy, true
	case nameBenchfmt:
		make, holdsCommits = toBenchfmt, true
	case nameKeyval:
		make = toKeyval
	case nameTAP:
		make = toTAP
	case namePerun:
		make = toPerun
	default:
		return nil, fmt.Errorf("%w %q", format.ErrUnknown, name)
	}

	if !holdsCommits {
		var err error
		if w.commit, err = s.commit(name, commitRequired); err != nil {
			return nil, err
		}
	}
	s.countReplaced(w.out)

	w.common = s.commonCommit()
	first := s.inputs.first
	first.own = first.format == name
	w.setSource(first)
	w.input = min(1, s.inputs.n)
	w.target = make(w, s)
	return w, nil
}

// AddHeader begins an input, as [Survey.AddHeader] does: the records that are written next are
// from the input with this header. It is needed only if the Survey has several inputs.
func (w *Writer) AddHeader(h format.Header) {
	w.inputs++
	w.input = w.inputs
	w.setSource(sourceOf(h, w.name))
}

func (w *Writer) setSource(s source) {
	w.source = s
	w.out.headerLinks = s.links
}

// Write writes a record, or the part of it that the format can hold. It keeps none of the memory
// of rec.
//
// It returns the errors of the output, and an error with the cause [format.ErrLimit] where the records
// to be held exceed Limits.MaxHeldBytes. After an error, nothing more can be written.
func (w *Writer) Write(rec *format.Record) error {
	if err := w.begin(); err != nil {
		return err
	}
	m := w.measurement(rec)
	if !w.repeats.irregular && !w.source.own {
		w.fit.setNumber(m)
	}
	hasSamples := w.source.format == nameNanolegacy || !w.repeats.irregular
	if hasSamples && leavesSummariesOut(w.name) {
		if least, ok := w.repeats.isSummary(m, w.input); ok {
			if least != m.value {
				w.out.leftOut(rec, "its samples replace it")
			}
			return nil
		}
	}
	return w.target.write(m)
}

// WriteSamples writes the samples of a measurement. A format without samples has them as
// repetitions of the measurement.
func (w *Writer) WriteSamples(s *format.Samples) error {
	if err := w.begin(); err != nil {
		return err
	}
	m := w.measurement(&format.Record{Params: s.Params, Attrs: s.Attrs})
	if t, ok := w.target.(*nanolegacyTarget); ok {
		return t.writeSamples(m, s.Values)
	}
	for i, value := range s.Values {
		m.value = value
		m.number = i + 1
		if err := w.target.write(m); err != nil {
			return err
		}
	}
	return nil
}

// WriteModel writes a model. A format other than perun cannot hold it.
func (w *Writer) WriteModel(m *perun.Model) error {
	if err := w.begin(); err != nil {
		return err
	}
	if t, ok := w.target.(*perunTarget); ok {
		return t.writeModel(m)
	}
	w.out.countN(LostModels, m.Kind(), 1, func() string { return m.Kind() + " of " + m.UID() })
	return nil
}

// measurement returns the measurement of a record, with its commit.
func (w *Writer) measurement(rec *format.Record) *measurement {
	m := w.fit.fit(rec, &w.source)
	if commit := w.survey.GitHash; commit != "" {
		m.commit = commit
	} else if m.commit == "" && w.common != "" {
		if m.commit = w.common; !w.source.own {
			w.fit.dropAttr(m, paramCommit)
		}
	}
	return m
}

// begin begins the output, if that has not been done, and returns the error that ended it.
func (w *Writer) begin() error {
	if !w.begun {
		w.begun = true
		w.out.limits = w.Limits.WithDefaults()
	}
	return w.out.err
}

// Close completes the output. It does not close the io.Writer. After it has returned nil, further calls
// do so too.
func (w *Writer) Close() error {
	if err := w.begin(); err != nil || w.done {
		return err
	}
	if err := w.target.close(); err != nil {
		return err
	}
	w.done = true
	return nil
}

// Losses returns how the records in the output differ from those given: one Loss of each kind, in
// the order of their first occurrence. The list is complete after Close.
func (w *Writer) Losses() []Loss {
	list := make([]Loss, len(w.out.losses))
	for i, l := range w.out.losses {
		list[i] = *l
	}
	return list
}

// countGaps counts the keyvals whose iterations are not consecutive, for a format that has
// repetitions in order only.
func (w *Writer) countGaps() {
	if n := w.survey.repeats.gaps; n > 0 && !w.repeats.irregular {
		w.out.countN(ChangedIteration, "", n, func() string { return "a key without a value in an iteration" })
	}
}
