package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"iter"
	"math"
	"slices"

	"perfdata/convert"
	"perfdata/format"
	"perfdata/internal/message"
	"perfdata/internal/opening"
	"perfdata/perun"
)

// A conversion reads its files twice: first for what their measurements have in common. A Writer
// needs to know that beforehand: the header comes first in most formats, and what all measurements
// share belongs there.
//
// Meanwhile a file can change or become unreadable, and what the first reading learned is not valid
// any more. So both readings must have the same tally; otherwise the conversion fails, even if it
// has already printed something.
type conversion struct {
	*tool
	to             format.Format
	outName, split string
	strict, force  bool

	parts    []*convertPart
	byCommit map[string]*convertPart

	tallies map[int]*tally // of the first reading of the files
	losses  []convert.Loss // of all parts
	failure error          // that is not about one of the files, or of a second reading
}

// A convertPart is what goes to one output file: everything, or with --split the measurements of a
// commit.
type convertPart struct {
	commit string
	survey *convert.Survey
	inputs []int // indexes of the files that it comes from
}

// A tally is the outcome of reading an input.
type tally struct {
	format          string
	records, faults int // faults are recoverable errors
	samples, extras int // the samples are among the extras
	stamp           opening.Stamp
	content         uint64 // of the records of a folder or store, which has no stamp
	failure         error  // that ended the first reading
}

// A sink takes what a part has. A [convert.Writer] is one, for the second reading.
type sink interface {
	Write(*format.Record) error
	WriteSamples(*format.Samples) error
	WriteModel(*perun.Model) error
}

// A surveySink is the sink of the first reading.
type surveySink struct{ *convert.Survey }

func (s surveySink) Write(rec *format.Record) error {
	s.Add(rec)
	return nil
}

func (s surveySink) WriteSamples(x *format.Samples) error {
	s.AddSamples(x)
	return nil
}

// WriteModel does nothing: models have nothing in common.
func (s surveySink) WriteModel(*perun.Model) error { return nil }

// maxSplit is the number of files that --split writes.
const maxSplit = 10_000

// look learns what the measurements of an input have in common, and reports its recoverable errors.
// After an error that ends the reading of the input, the others are still read, for their errors.
func (c *conversion) look(in *input) error {
	// A fault of the file may be met twice: among the records and among the samples. The memory for
	// the faults of a file is bounded.
	reported := make(map[string]bool)
	report := func(e *format.Error) {
		if text := e.Error(); !reported[text] {
			if len(reported) < 10_000 {
				reported[text] = true
			}
			c.report(e)
		}
	}
	n, err := c.read(in, nil, func(header format.Header, commit string) (sink, error) {
		return c.surveyOf(in, header, commit)
	}, report)

	c.tallies[in.index] = n
	c.failure = firstError(c.failure, err)
	return n.failure
}

// surveyOf returns the survey of the part for a commit, and begins the input there.
func (c *conversion) surveyOf(in *input, header format.Header, commit string) (sink, error) {
	p := c.byCommit[commit]
	if p == nil {
		if len(c.parts) == maxSplit {
			return nil, fmt.Errorf("--split: more than %d commits", maxSplit)
		}
		p = &convertPart{commit: commit, survey: convert.NewSurvey(c.to)}
		p.survey.Limits = c.limits
		c.parts = append(c.parts, p)
		c.byCommit[commit] = p
	}
	if n := len(p.inputs); n == 0 || p.inputs[n-1] != in.index {
		p.inputs = append(p.inputs, in.index)
		p.survey.AddHeader(header)
	}
	return surveySink{p.survey}, nil
}

// copy writes what an input has for a part. What the first reading left out was reported then.
func (c *conversion) copy(w *convert.Writer, in *input, part *convertPart) error {
	begun := false
	_, err := c.read(in, c.tallies[in.index], func(header format.Header, commit string) (sink, error) {
		if commit != part.commit {
			return nil, nil
		}
		if !begun {
			w.AddHeader(header)
			begun = true
		}
		return w, nil
	}, func(*format.Error) {})
	return err
}

// read reads an input. What it has goes to the sinks of the commits, of which some may be nil. The
// second reading has the tally of the first one, and its errors are about a file that has changed.
// The error is not about the input in the first reading; see the tally's failure.
func (c *conversion) read(
	in *input, first *tally, sinkOf func(header format.Header, commit string) (sink, error),
	report func(*format.Error),
) (n *tally, err error) {
	n = &tally{format: in.info.Name, stamp: in.stamp}
	fail := func(err error) (*tally, error) {
		if first != nil {
			return n, secondPassError(err)
		}
		n.failure = err
		return n, nil
	}
	// The format was detected again, because the file was opened again.
	if first != nil && n.format != first.format {
		return n, in.changed("format was %s, is now %s", first.format, n.format)
	}

	r, err := in.open()
	if err != nil {
		return fail(err)
	}
	header, err := r.FileHeader()
	if err != nil {
		return fail(err)
	}
	// Without --split, there is one part, which also has the headers of inputs without measurements.
	var to sink
	if c.split == "" {
		if to, err = sinkOf(header, ""); err != nil {
			return n, err
		}
	}
	sinkFor := func(rec *format.Record, isModel bool) (sink, error) {
		// Models have no params, so no query selects among them.
		if !isModel {
			if selected, err := c.matches(rec); err != nil || !selected {
				return nil, err
			}
		}
		if c.split == "" {
			return to, nil
		}
		return sinkOf(header, convert.Commit(header, rec))
	}

	for rec, err := range in.records(r) {
		if e, ok := errors.AsType[*format.Error](err); ok && e.Severity == format.Recoverable {
			n.faults++
			report(e)
			continue
		}
		if err != nil {
			return fail(err)
		}
		n.records++
		if in.folder != "" || in.stored != nil {
			n.addContent(rec)
		}

		to, err := sinkFor(rec, false)
		if err == nil && to != nil {
			err = to.Write(rec)
		}
		if err != nil {
			return n, err
		}
	}

	// The extras take another reading, which most files do not need.
	if first != nil {
		if err := in.compare(first, n); err != nil || first.extras == 0 {
			return n, err
		}
	}
	for x, err := range format.Tolerant(in.extras(), report) {
		if err != nil {
			return n, secondPassError(err) // the records could be read
		}

		rec := new(format.Record)
		if n.extras++; x.samples != nil {
			n.samples++
			rec.Params = x.samples.Params
		}
		to, err := sinkFor(rec, x.model != nil)
		switch {
		case err != nil || to == nil:
		case x.samples != nil:
			err = to.WriteSamples(x.samples)
		default:
			err = to.WriteModel(x.model)
		}
		if err != nil {
			return n, err
		}
	}
	// Samples and models are in no content, so they are counted.
	if first != nil && n.extras != first.extras {
		return n, in.changed("had %d samples and models, now has %d", first.extras, n.extras)
	}
	return n, nil
}

// contentSeed is of the hashes of records, which this process compares.
var contentSeed = maphash.MakeSeed()

// addContent adds a record to the content. The order of the records matters: a writer of a second
// pass relies on it.
func (n *tally) addContent(rec *format.Record) {
	text := rec.Params.AppendID(nil)
	text = binary.LittleEndian.AppendUint64(text, math.Float64bits(rec.Value))
	text = rec.Attrs.AppendID(text)
	n.content = n.content*31 + maphash.Bytes(contentSeed, text)
}

// compare returns an error if the second reading had other records than the first.
func (in *input) compare(first, now *tally) error {
	switch {
	case now.records != first.records:
		return in.changed("had %s, now has %d", message.Plural(first.records, "measurement"), now.records)
	case now.faults != first.faults:
		return in.changed("had %s, now has %d", message.Plural(first.faults, "error"), now.faults)
	case !first.stamp.Same(now.stamp) || now.content != first.content:
		return in.changed("it was written to")
	}
	return nil
}

// An extra is a part of an input that is not a record. One of its fields is set.
type extra struct {
	samples *format.Samples
	model   *perun.Model
}

// extras iterates over the samples of an input, or the models of a Perun profile. Records leave
// them out, so this reads the input again.
func (in *input) extras() iter.Seq2[extra, error] {
	return func(yield func(extra, error) bool) {
		f, err := in.open()
		if err != nil {
			yield(extra{}, err)
			return
		}
		switch r := f.Reader.(type) {
		case format.Sampler:
			for s, err := range r.Samples() {
				if !yield(extra{samples: s}, err) {
					return
				}
			}
		case *perun.Reader:
			for m, err := range r.Models() {
				if !yield(extra{model: m}, err) {
					return
				}
			}
		}
	}
}

// writePart writes a part, and keeps its losses.
func (c *conversion) writePart(w *convert.Writer, part *convertPart, files []string) error {
	for _, i := range part.inputs {
		if err := c.withInput(i, files[i], func(in *input) error { return c.copy(w, in, part) }); err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	for _, loss := range w.Losses() {
		// With --split, a user wants one note for all files.
		i := slices.IndexFunc(c.losses, func(l convert.Loss) bool { return l.Kind == loss.Kind })
		if i < 0 {
			c.losses = append(c.losses, loss)
		} else {
			c.losses[i].Add(loss)
		}
	}
	return nil
}

// noteEmpty prints a note for each file without measurements, and reports whether there are any.
func (c *conversion) noteEmpty(files []string) (isEmpty bool) {
	for i, name := range files {
		if n := c.tallies[i]; n.records+n.extras == 0 {
			c.note("%s: no measurements", inputName(name))
			isEmpty = true
		}
	}
	return isEmpty
}

// noteLosses prints a note for each kind of loss, and reports whether anything is missing or
// changed.
func (c *conversion) noteLosses() (lost bool) {
	records, samples := 0, 0
	for _, n := range c.tallies {
		records += n.records
		samples += n.samples
	}
	for _, l := range c.losses {
		lost = lost || !l.Kind.Added()
		hint := ""
		if l.Kind == convert.AddedOptions {
			hint = "; read them with --set nanolegacy.options-as-params=true"
		}
		c.note("%s%s", l, hint)
		// The note about the loss does not say that it is all there was.
		if l.Kind == convert.LostRecords && l.Count == records && samples == 0 {
			c.note("no measurement was converted")
		}
	}
	return lost
}
