package main

import (
	"fmt"
	"iter"
	"slices"

	"perfdata/convert"
	"perfdata/format"
	"perfdata/perun"
)

// A conversion reads its files twice: first for what their measurements have in common. A Writer
// needs to know that beforehand: the header comes first in most formats, and what all measurements
// share belongs there.
type conversion struct {
	*tool
	to             format.Format
	outName, split string
	strict, force  bool

	parts    []*convertPart
	byCommit map[string]*convertPart

	tallies map[int]convertTally // of the first reading of the files
	losses  []convert.Loss       // of all parts
	empty   bool                 // a file has no measurements
	failed  bool                 // a file cannot be read to its end
	failure error                // of a second reading
}

// A convertPart is what goes to one output file: everything, or with --split the measurements of a
// commit.
type convertPart struct {
	commit string
	survey *convert.Survey
	inputs []int // indexes of the files that it comes from
}

// A convertTally is the outcome of reading an input for a conversion.
type convertTally struct {
	fingerprint
	samples, extras int // the samples are among the extras
}

// newPart returns an empty part, with the limits of the flags.
func (c *conversion) newPart(commit string) *convertPart {
	p := &convertPart{commit: commit, survey: convert.NewSurvey(c.to)}
	p.survey.Limits = c.limits
	return p
}

// begin notes that an input has something of the part.
func (p *convertPart) begin(in *input, header format.Header) {
	p.inputs = append(p.inputs, in.index)
	p.survey.AddHeader(header)
}

// maxSplit is the number of files that --split writes.
const maxSplit = 10_000

// part returns the part for a commit, and begins the input there.
func (c *conversion) part(in *input, header format.Header, commit string) (*convertPart, error) {
	if c.split == "" {
		return c.parts[0], nil
	}
	p := c.byCommit[commit]
	if p == nil {
		if len(c.parts) == maxSplit {
			return nil, fmt.Errorf("--split: more than %d commits", maxSplit)
		}
		p = c.newPart(commit)
		c.parts = append(c.parts, p)
		c.byCommit[commit] = p
	}
	if n := len(p.inputs); n == 0 || p.inputs[n-1] != in.index {
		p.begin(in, header)
	}
	return p, nil
}

// look learns what the measurements of an input have in common, and reports its errors.
func (c *conversion) look(in *input) {
	r, err := in.open()
	if err != nil {
		c.fatal(err)
		return
	}

	header, err := r.FileHeader()
	if err != nil {
		c.fatal(err)
		return
	}
	if c.split == "" {
		c.parts[0].begin(in, header)
	}

	// A fault of the file may be met twice: among the records and among the samples. The memory for
	// the faults of a file is bounded.
	reported := make(map[string]bool)
	report := func(err error) {
		if text := err.Error(); !reported[text] {
			if len(reported) < 10_000 {
				reported[text] = true
			}
			c.report(err)
		}
	}

	n := convertTally{}
	n.fingerprint, err = in.readWithFingerprint(r, c.selected(func(rec *format.Record) error {
		part, err := c.part(in, header, c.commitOf(header, rec))
		if err == nil {
			part.survey.Add(rec)
		}
		return err
	}), report)
	if err != nil {
		c.failure = firstError(c.failure, err)
		return
	}

	if n.failure != nil {
		c.fatal(n.failure)
		return
	}

	n.samples, n.extras, err = c.eachExtra(in, header, func(x extra, commit string) error {
		part, err := c.part(in, header, commit)
		if err == nil && x.samples != nil {
			part.survey.AddSamples(x.samples)
		}
		return err
	}, report)
	if err != nil {
		c.failure = firstError(c.failure, err)
	}
	c.tallies[in.index] = n
}

// commitOf returns the commit of a record, if measurements are split by it.
func (c *conversion) commitOf(header format.Header, rec *format.Record) string {
	if c.split == "" {
		return ""
	}
	return convert.Commit(header, rec)
}

// fatal reports an error that ends the reading of a file. The others are still read, for their
// errors.
func (c *conversion) fatal(err error) {
	c.report(err)
	c.failed = true
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

// eachExtra calls do with the models of an input and the samples that match, and returns how many samples
// and how many of both there are in all.
func (c *conversion) eachExtra(
	in *input, header format.Header, do func(x extra, commit string) error, report func(error),
) (samples, all int, err error) {
	for x, failed := range in.extras() {
		switch {
		case failed != nil && isRecoverable(failed):
			report(failed)
			continue
		case failed != nil:
			return 0, 0, secondPassError(failed) // the records could be read
		}

		// Models have no params, so no query selects among them.
		rec, selected := new(format.Record), true
		if all++; x.samples != nil {
			samples++
			rec.Params = x.samples.Params
			selected, err = c.matches(rec)
		}
		if err == nil && selected {
			err = do(x, c.commitOf(header, rec))
		}
		if err != nil {
			return 0, 0, err
		}
	}
	return samples, all, nil
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

// copy writes what an input has for a part. What the first reading left out was reported then.
func (c *conversion) copy(w *convert.Writer, in *input, part *convertPart) error {
	first := c.tallies[in.index]
	// The format was detected again, because the file was opened again.
	if in.info.Name != first.format {
		return in.changed("format was %s, is now %s", first.format, in.info.Name)
	}
	r, err := in.open()
	if err != nil {
		return secondPassError(err)
	}

	header := format.Header{}
	if len(part.inputs) > 1 || c.split != "" { // otherwise the Writer knows it
		if header, err = r.FileHeader(); err != nil {
			return secondPassError(err)
		}
		w.AddHeader(header)
	}

	now, err := in.readWithFingerprint(r, c.selected(func(rec *format.Record) error {
		if c.commitOf(header, rec) != part.commit {
			return nil
		}
		return w.Write(rec)
	}), func(error) {})
	if err == nil {
		err = in.compare(first.fingerprint, now)
	}
	if err != nil || first.extras == 0 {
		return err
	}

	_, extras, err := c.eachExtra(in, header, func(x extra, commit string) error {
		switch {
		case commit != part.commit:
			return nil
		case x.samples != nil:
			return w.WriteSamples(x.samples)
		}
		return w.WriteModel(x.model)
	}, func(error) {})
	// Samples and models are in no fingerprint, so they are counted.
	if err == nil && extras != first.extras {
		err = in.changed("had %d samples and models, now has %d", first.extras, extras)
	}
	return err
}

// noteEmpty prints a note for each file without measurements.
func (c *conversion) noteEmpty(files []string) {
	for i, name := range files {
		if n := c.tallies[i]; n.records+n.extras == 0 {
			c.note("%s: no measurements", inputName(name))
			c.empty = true
		}
	}
}

// noteLosses prints a note for each kind of loss, and reports whether anything is missing or
// changed, or there is nothing.
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
	return lost || c.empty
}
