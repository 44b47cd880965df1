package convert

import (
	"cmp"
	"slices"

	"perfdata/format"
	"perfdata/nanolegacy"
)

// In the legacy Skia format, a test and configuration have one array of samples, of the measurement
// min_ms. Repetitions of min_ms become such an array.

// writeSamples writes samples, with the params and attrs of a measurement.
func (t *nanolegacyTarget) writeSamples(m *measurement, samples []float64) error {
	if err := t.out.charge(8*len(samples) + 24); err != nil {
		return err
	}
	return t.add(m.withParams(m.base), 1, append(make([]float64, 0, len(samples)), samples...))
}

// canBeSample reports whether the name of an entry is that of samples.
func (e *nanoEntry) canBeSample() bool { return e.hasSub && e.sub == minMS }

// isSample reports whether an entry is one of the samples of its result: it was a sample, or it is
// one of several measurements min_ms without any samples.
func (e *nanoEntry) isSample() bool {
	return e.canBeSample() && (e.number > 0 || e.result.sampled == 0 && e.result.plain > 1)
}

// writeResult writes the entries of a test and configuration.
func (t *nanolegacyTarget) writeResult(w *nanolegacy.Writer, res *nanoResult) error {
	var samples []*nanoEntry
	for e := res.first; e != nil; e = e.next {
		if e.isSample() {
			samples = append(samples, e)
			continue
		}
		if e.samples != nil {
			t.out.count(LostSamples, "", func() string { return t.recordID(e, e.sub) })
			continue
		}
		if err := t.writeEntry(w, e); err != nil {
			return err
		}
	}
	if len(samples) == 0 {
		return nil
	}
	return t.writeArray(w, samples)
}

// writeArray writes the samples of a result, and their least if no measurement says it. Samples
// that are an array in their file need none.
func (t *nanolegacyTarget) writeArray(w *nanolegacy.Writer, samples []*nanoEntry) error {
	slices.SortStableFunc(samples, func(a, b *nanoEntry) int { return cmp.Compare(a.number, b.number) })
	first := samples[0]
	var values []float64
	for _, e := range samples {
		if e.samples != nil {
			values = append(values, e.samples...)
		} else {
			values = append(values, e.value)
		}
	}

	isArray := func(e *nanoEntry) bool { return e.samples != nil }
	if !slices.ContainsFunc(samples, isArray) && (first.number == 0 || first.result.plain == 0) {
		least := *first
		least.value = slices.Min(values)
		if err := t.writeEntry(w, &least); err != nil {
			return err
		}
	}
	fit := t.record(w, first)
	err := w.WriteSamples(&format.Samples{Params: fit.Params, Attrs: fit.Attrs, Values: values})
	if err != nil && t.out.err == nil {
		t.out.count(LostSamples, "", func() string { return shorten(err.Error()) })
		return nil
	}
	return err
}
