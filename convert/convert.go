package convert

import (
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"perfdata/format"
	"perfdata/internal/buffer"
	"perfdata/internal/chars"
	"perfdata/perun"
	"perfdata/series"
	"perfdata/traceid"
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

// A Writer writes the records of any format in one format. It makes each record fit, and counts
// how the result differs from the record. The package comment describes this for each format.
//
// For nanolegacy and keyval, whose files keep related measurements together, a Writer holds all
// records in memory until Close. For the other formats it remembers a little of each name or
// trace.
//
// A Writer serves one goroutine, together with its Survey and the other Writers of that Survey.
type Writer struct {
	out    *sink
	survey *Survey
	kind   kind
	target target
	source source
	input  int    // the number of the source among the Survey's
	inputs int    // for which AddHeader was called
	commit string // of the file, if it holds one
	asIs   bool   // the inputs are of the target's format, with one header
	done   bool

	placers [2]series.Placer // with the commit left out of the identity, and without
	m       measurement
	attrs   []traceid.Param // memory of m

	// What several targets use.
	names  naming
	series identities
}

// NewWriter returns a Writer to out of the records that the Survey has seen. The Survey must not be
// changed after.
//
// The cause of its error is [ErrNoCommit] if the format requires a commit and none is known, and
// [ErrCommits] if the records are of several commits and a file of the format holds one.
func (s *Survey) NewWriter(out io.Writer) (*Writer, error) {
	w := &Writer{out: &sink{Writer: buffer.Whole(out), limits: s.Limits.WithDefaults()}, survey: s, kind: s.kind}
	if c := &s.commits; !s.kind.manyCommits {
		if len(c.known) == 0 {
			c.add(s.header.Commit)
		}
		switch n := len(c.known); {
		case n > 1:
			names := c.shown
			if n > len(names) {
				names = append(names, "...")
			}
			return nil, fmt.Errorf("%w: the measurements are of %d (%s), and a file of format %s holds one",
				ErrCommits, n, chars.Visible(strings.Join(names, ", ")), s.to.Name)
		case c.only == "" && s.kind.needsCommit:
			return nil, fmt.Errorf("%w: format %s requires it", ErrNoCommit, s.to.Name)
		}
		w.commit = c.only
	}

	w.placers, w.asIs = newPlacers(), s.keepsHeader()
	w.source, w.input = s.first, min(1, s.inputs)
	w.names, w.series = naming{bases: s.kind.bases, given: s.first.given}, newIdentities(w.out)

	target, err := s.kind.start(w)
	w.target = target
	return w, err
}

// newPlacers returns a Placer that leaves the commit out, and one for records that keep all params.
func newPlacers() [2]series.Placer {
	return [2]series.Placer{{NotIdentity: []string{paramCommit}}, {NotIdentity: []string{}}}
}

// AddHeader begins an input, as [Survey.AddHeader] does: the records that are written next are
// from the input with this header. It is needed only if the Survey has several inputs.
func (w *Writer) AddHeader(h format.Header) {
	w.inputs++
	w.input = w.inputs
	w.source = w.kind.sourceOf(h)
}

// Write writes a record, or the part of it that the format can hold. It keeps none of the memory
// of rec.
//
// It returns the errors of the output, and an error with the cause [format.ErrLimit] where the
// records to be held exceed Limits.MaxHeldBytes. After an error, nothing more can be written.
func (w *Writer) Write(rec *format.Record) error {
	if w.out.err != nil {
		return w.out.err
	}
	m := w.measure(rec)
	if s := w.survey; len(s.summaries) > 0 && m.number == 0 {
		if samples, ok := s.summaries[s.trace(m.identity, w.input)]; ok {
			if m.value != samples.least && m.value != samples.first {
				w.out.count(LostRecords, "its samples replace it")
			}
			return nil
		}
	}
	return w.target.write(m)
}

// WriteSamples writes the samples of a measurement. A format without samples has them as
// repetitions of the measurement.
func (w *Writer) WriteSamples(s *format.Samples) error {
	if w.out.err != nil {
		return w.out.err
	}
	m := w.measure(&format.Record{Params: s.Params, Attrs: s.Attrs})
	if t, ok := w.target.(interface {
		writeSamples(*measurement, []float64) error
	}); ok {
		return t.writeSamples(m, s.Values)
	}
	for i, value := range s.Values {
		m.value, m.number = value, i+1
		if err := w.target.write(m); err != nil {
			return err
		}
	}
	return nil
}

// WriteModel writes a model. A format other than perun cannot hold it.
func (w *Writer) WriteModel(m *perun.Model) error {
	if w.out.err != nil {
		return w.out.err
	}
	if t, ok := w.target.(interface{ writeModel(*perun.Model) error }); ok {
		return t.writeModel(m)
	}
	w.out.count(lostModels, m.Kind())
	return nil
}

// Close completes the output. It does not close the io.Writer. After it has returned nil, further
// calls do so too.
func (w *Writer) Close() error {
	if w.out.err != nil || w.done {
		return w.out.err
	}
	if err := w.target.close(); err != nil {
		w.out.err = err
		return err
	}
	w.done = true
	return nil
}

// Losses returns how the records in the output differ from those given: one Loss of each kind, in
// the order of their first occurrence. The list is complete after Close.
func (w *Writer) Losses() []Loss { return slices.Clone(w.out.losses) }

// A measurement is a record as targets get it.
type measurement struct {
	rec      *format.Record // as it was given
	own      bool           // it comes from the format of the target
	asIs     bool           // and is written as it is
	params   traceid.Params // all of the record's if it is own, or else its identity
	identity traceid.Params // without the commit, unless it is own, and the number
	number   int            // of the repetition, from 1; 0 if it has none
	attrs    traceid.Params // without the commit
	value    float64
	commit   string
}

// measure returns the measurement of a record. The next call overwrites it.
func (w *Writer) measure(rec *format.Record) *measurement {
	param, _ := rec.Params.Get(paramCommit)
	commit, isAttr := w.source.commitOf(rec, param)

	// A param that is not the commit is a param like others in a format that has both.
	placer := 0
	if other := param != "" && param != commit; w.source.own || other && w.kind.keepsCommit {
		placer = 1
	} else if other {
		w.out.count(lostParams, paramCommit)
	}
	at := w.placers[placer].Identify(rec)
	m := &w.m
	*m = measurement{
		rec: rec, own: w.source.own, asIs: w.asIs, params: rec.Params, identity: at.Identity, number: at.N, attrs: rec.Attrs,
		value: rec.Value, commit: commit,
	}
	if !m.own {
		m.params = m.identity
	}

	if isAttr && !m.own {
		i, _ := rec.Attrs.Find(paramCommit)
		w.attrs = append(append(w.attrs[:0], rec.Attrs[:i]...), rec.Attrs[i+1:]...)
		m.attrs = w.attrs
	}
	return m
}
