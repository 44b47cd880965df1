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
	inputs []int           // indexes of the files that it comes from
	out    *convert.Writer // of the second reading
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
	n, err := c.read(in, nil, report)
	c.tallies[in.index] = n
	c.failure = firstError(c.failure, err)
	return n.failure
}

// partOf returns the part for a commit, whose survey has the header of the input.
func (c *conversion) partOf(commit string, in *input, header format.Header) (*convertPart, error) {
	// Each part keeps a survey in memory, so their number is bounded.
	const most = 10_000 // files that --split writes
	p := c.byCommit[commit]
	if p == nil {
		if len(c.parts) == most {
			return nil, fmt.Errorf("--split: more than %d commits", most)
		}
		p = &convertPart{commit: commit, survey: convert.NewSurvey(c.to)}
		p.survey.Limits = c.reading.opener.Limits
		c.parts = append(c.parts, p)
		c.byCommit[commit] = p
	}
	// The inputs are read one after the other, so an input that the part already has is its last. The
	// survey numbers the inputs by their headers, so each header is added once.
	if n := len(p.inputs); n == 0 || p.inputs[n-1] != in.index {
		p.inputs = append(p.inputs, in.index)
		p.survey.AddHeader(header)
	}
	return p, nil
}

// A pass is one of the two readings of an input. In the first one, what the input has goes to the surveys
// of the parts; in the second one, to the output of a part.
type pass struct {
	*conversion
	in     *input
	part   *convertPart // in the first reading with --split, nil: each measurement decides
	header format.Header
	first  *tally // of the first reading; nil in it
	now    *tally // of this reading
	report func(*format.Error)
}

// read reads an input. The second reading is that of a part: its errors are about a file that has
// changed. The error is not about the input in the first reading; see the tally's failure.
func (c *conversion) read(in *input, part *convertPart, report func(*format.Error)) (*tally, error) {
	now, first := &tally{format: in.info.Name, stamp: in.stamp}, c.tallies[in.index]
	p := pass{conversion: c, in: in, part: part, first: first, now: now, report: report}
	// The format was detected again, because the file was opened again.
	if first != nil && now.format != first.format {
		return now, in.changed("format was %s, is now %s", first.format, now.format)
	}
	r, header, err := in.openHeader()
	if err != nil {
		return now, p.fail(err)
	}

	p.header = header
	switch {
	case first != nil:
		part.out.AddHeader(header)
	// Without --split, there is one part, which also has the headers of inputs without measurements.
	case c.split == "":
		p.part, _ = c.partOf("", in, header) // one is not too many
	}
	if err := p.records(r); err != nil || now.failure != nil {
		return now, err
	}

	// The extras take another reading, which most files do not need.
	if first != nil {
		if err := in.compare(first, now); err != nil || first.extras == 0 {
			return now, err
		}
	}
	if err := p.extras(); err != nil {
		return now, err
	}
	// Samples and models are in no content, so they are counted.
	if first != nil && now.extras != first.extras {
		return now, in.changed("had %d samples and models, now has %d", first.extras, now.extras)
	}
	return now, nil
}

// fail notes an error that ends the reading of the input. In the first reading, it goes to the tally,
// and the next input is read. In the second one it ends the command: the input could be read before.
func (p *pass) fail(err error) error {
	if p.first != nil {
		return secondPassError(err)
	}
	p.now.failure = err
	return nil
}

// partFor returns the part that a record or an extra goes to: none, if it is not selected, or is of another
// part than the one that the second reading writes.
func (p *pass) partFor(rec *format.Record, isModel bool) (*convertPart, error) {
	// Models have no params, so no query selects among them.
	if !isModel {
		if selected, err := p.matches(rec); err != nil || !selected {
			return nil, err
		}
	}
	if p.split == "" {
		return p.part, nil
	}
	commit := convert.Commit(p.header, rec)
	switch {
	case p.first == nil:
		return p.partOf(commit, p.in, p.header)
	case commit != p.part.commit:
		return nil, nil
	}
	return p.part, nil
}

// records reads the records. Its error is about the output, a limit or a query, and not about the input,
// so it does not go to the tally.
func (p *pass) records(r format.Reader) error {
	var text []byte
	for rec, err := range p.in.records(r) {
		if e, ok := errors.AsType[*format.Error](err); ok && e.Severity == format.Recoverable {
			p.now.faults++
			p.report(e)
			continue
		}
		if err != nil {
			return p.fail(err)
		}
		p.now.records++
		// The order of the records matters: a writer of a second pass relies on it.
		if p.in.folder != "" || p.in.stored != nil {
			text = rec.Params.AppendID(text[:0])
			text = binary.LittleEndian.AppendUint64(text, math.Float64bits(rec.Value))
			text = rec.Attrs.AppendID(text)
			p.now.content = p.now.content*31 + maphash.Bytes(contentSeed, text)
		}

		to, err := p.partFor(rec, false)
		switch {
		case err != nil || to == nil:
		case p.first == nil:
			to.survey.Add(rec)
		default:
			err = to.out.Write(rec)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// extras reads the samples and models.
func (p *pass) extras() error {
	for x, err := range format.Tolerant(p.in.extras(), p.report) {
		if err != nil {
			return secondPassError(err) // the records could be read
		}
		rec := new(format.Record)
		if p.now.extras++; x.samples != nil {
			p.now.samples++
			rec.Params = x.samples.Params
		}

		to, err := p.partFor(rec, x.model != nil)
		switch {
		case err != nil || to == nil:
		case p.first == nil && x.samples != nil:
			to.survey.AddSamples(x.samples)
		case p.first == nil: // models have nothing in common
		case x.samples != nil:
			err = to.out.WriteSamples(x.samples)
		default:
			err = to.out.WriteModel(x.model)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// contentSeed is of the hashes of records, which this process compares.
var contentSeed = maphash.MakeSeed()

// compare returns an error if the second reading had other records than the first.
func (in *input) compare(first, now *tally) error {
	switch {
	// The numbers come before the stamp, because they tell more than that the file was written to.
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
// them out, so this reads the input again. With --samples, the samples are the records, and there
// are no extras.
func (in *input) extras() iter.Seq2[extra, error] {
	return func(yield func(extra, error) bool) {
		f, err := in.open()
		if err != nil {
			yield(extra{}, err)
			return
		}
		switch r := f.Reader.(type) {
		case format.Sampler:
			r.Samples()(func(s *format.Samples, err error) bool { return yield(extra{samples: s}, err) })
		case *perun.Reader:
			r.Models()(func(m *perun.Model, err error) bool { return yield(extra{model: m}, err) })
		}
	}
}

// writePart writes a part, and keeps its losses. It reads the inputs of the part only: with
// --split, most inputs may have nothing of the commit.
func (c *conversion) writePart(w *convert.Writer, part *convertPart, files []string) error {
	part.out = w
	for _, i := range part.inputs {
		err := c.withInput(i, files[i], func(in *input) error {
			_, err := c.read(in, part, func(*format.Error) {}) // the first reading reported them
			return err
		})
		if err != nil {
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
		// Package convert does not know the flags of the tool, so the hint is added here.
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
