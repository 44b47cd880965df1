package nanolegacy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/skiadoc"
	"perfdata/internal/testing/formattest"
	"perfdata/traceid"
)

func addSeeds(f *testing.F) {
	generated.Add(f)
	for _, file := range testFiles(f) {
		if len(file) < 10_000 {
			f.Add(file)
		}
	}
	f.Add(`{"results":{"T":{"c":{"ms":"x","options":7,"samples":[null,1e999]},"d":[]},"U":null,"V":1},` +
		`"key":{"a":"b","c":null},"gitHash":"h"}`)
	// Tests that are similar, with one change of each kind.
	f.Add(`{"options":{"a":"f","test":"g"},"results":{` +
		`"1":{"c":{"ms":1,"options":{"a":"1","GL_b":"x","n":1},"samples":[1,2]},"d":{"ms":1}},` +
		`"2":{"c":{"ms":2,"options":{"a":"2","GL_b":"x","n":2},"samples":[3,4]},"d":{"ms":2}},` +
		`"3":{"c":{"ms":3,"options":{"a":"é","GL_b":"y","n":2.50},"samples":[5,6]},"d":{"ms":-3e1}},` +
		`"4":{"c":{"ms":4,"options":{"a":"","GL_c":"y","n":"2"},"samples":[7,8]},"d":{"ms":4}},` +
		`"5":{},"6":{"c":{"ms":6,"options":{"a":"1","GL_b":"x","n":1},"samples":[]},"e":{"ms":6}}}}`)
	f.Add(`{"results":{"T":{"c":{"ms":1}}},"x":[1],"options":{"a":"1"},"key":{"k":"f"},"gitHash":"a"}`)
	f.Add("{\"results\":{\"\\ud800\":{\"\xff\":{\"\":1}}}}")
	f.Add(`{"results":{"T":{"c":{"ms":1,"options":{"a":[1,{"b":[],"c":{}},"\/"],"sub_result":"s","config":"t"}}}}}`)
}

// FuzzReader compares the ways of reading with each other, with an oracle that decodes with
// encoding/json, and with the Writer.
func FuzzReader(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, in string) {
		for way, read := range ways {
			got := read(strings.NewReader(in))
			for source, open := range formattest.Sources {
				if all := read(open(in)); !formattest.SameReading(got, all) {
					t.Fatalf("%s, seekable and %s (-seekable +%s):\n%s", way, source, source, cmp.Diff(got, all))
				}
			}
		}
		for _, optionsAsParams := range []bool{false, true} {
			newReader := func() *Reader {
				r := newReader(strings.NewReader(in))
				r.OptionsAsParams = optionsAsParams
				return r
			}
			r := newReader()
			h, headerErr := r.Header()
			recs, failed := []format.Record{}, false
			for rec, err := range r.Records() {
				if err == nil {
					recs = append(recs, *rec.Clone())
					checkOffset(t, in, rec.Offset, rec.Value)
				} else {
					failed = true
					formattest.CheckError(t, in, err)
				}
			}
			samples := []*format.Samples{}
			for s, err := range newReader().Samples() {
				if err == nil {
					samples = append(samples, s.Clone())
					if in[s.Offset] != '[' {
						t.Errorf("samples at %d: %s", s.Offset, in[s.Offset:])
					}
				} else {
					failed = true
					formattest.CheckError(t, in, err)
				}
			}
			if wantRecs, wantSamples, ok := oracle([]byte(in), optionsAsParams); ok && headerErr == nil && !failed {
				shown := []string{}
				for i := range recs {
					shown = append(shown, formattest.Show(&recs[i]))
				}
				if diff := cmp.Diff(wantRecs, shown); diff != "" {
					t.Errorf("records (-oracle +got):\n%s", diff)
				}
				shown = []string{}
				for _, s := range samples {
					shown = append(shown, showSamples(s))
				}
				if diff := cmp.Diff(wantSamples, shown); diff != "" {
					t.Errorf("samples (-oracle +got):\n%s", diff)
				}
			}
			if headerErr == nil && !failed {
				checkRoundTrip(t, h, recs, samples, optionsAsParams)
			}
		}
		checkValidIsReadable(t, in)
	})
}

// checkOffset checks that the offset is the offset of the number.
func checkOffset(t *testing.T, in string, offset int64, number float64) {
	t.Helper()
	var got float64
	if err := json.NewDecoder(strings.NewReader(in[offset:])).Decode(&got); err != nil ||
		math.Float64bits(got) != math.Float64bits(number) {
		t.Errorf("at %d: %v, %v, want %v", offset, got, err, number)
	}
}

// checkRoundTrip writes the records that can be written, and reads them back.
func checkRoundTrip(t *testing.T, h Header, recs []format.Record, samples []*format.Samples, optionsAsParams bool) {
	t.Helper()
	for _, rec := range recs {
		for _, a := range rec.Attrs {
			if optionsAsParams && !hasGL(a.Key) {
				return // it would become a param
			}
		}
	}
	var out bytes.Buffer
	w := NewWriter(&out, h)
	w.OptionsAsParams = optionsAsParams
	var written []format.Record
	for i := range recs {
		if err := w.Write(&recs[i]); err == nil {
			written = append(written, recs[i])
		} else if optionsAsParams && overridesPlace(err) {
			return
		} else if skiadoc.InRange(recs[i].Value) && !strings.HasSuffix(err.Error(), "its trace was written already") {
			t.Fatal(err)
		}
	}
	recs = written
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	h.Key, h.Options = traceid.Merge(h.Key, nil), traceid.Merge(h.Options, nil) // nil if empty
	checkReadBack(t, "written", out.String(), optionsAsParams, h, recs)

	out.Reset()
	w = NewWriter(&out, h)
	w.OptionsAsParams = optionsAsParams
	want := []string{}
	for _, s := range samples {
		want = append(want, showSamples(s))
		if err := w.WriteSamples(s); err != nil {
			return // of attrs and places the same can be said as above
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r := NewReader(&out)
	r.OptionsAsParams = optionsAsParams
	if diff := cmp.Diff(want, readSamples(r)); diff != "" {
		t.Errorf("samples read back (-want +got):\n%s", diff)
	}
}

// FuzzWriter checks that the Writer's output is valid and is read back equal, and that refused
// records leave no trace in it.
func FuzzWriter(f *testing.F) {
	for _, seed := range formattest.Seeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		g := formattest.NewGen(data)
		h := Header{GitHash: g.Text(), Issue: g.Text(), Key: g.Params(2), Options: g.Params(2)}
		limits := format.Limits{}
		if g.N(2) == 1 {
			limits = format.Limits{
				MaxParams:      3 + g.N(5),
				MaxStringBytes: 25 + g.N(20),
				MaxMembers:     8 + g.N(3),
				MaxHeaderBytes: 200 + int64(g.N(300)),
				MaxResultBytes: 300 + int64(g.N(1000)),
			}
		}
		var out bytes.Buffer
		w := NewWriter(&out, h)
		w.Limits, w.OptionsAsParams = limits, g.N(2) == 1
		var records, samples []string
		for !g.Done() {
			place := traceid.Params{
				{Key: configParam, Value: g.Text()},
				{Key: subResultParam, Value: g.Text()},
				{Key: testParam, Value: g.Text()},
			}
			rec := format.Record{Params: traceid.Merge(h.Key, place), Value: g.Number(), Attrs: g.Params(2)}
			if w.OptionsAsParams {
				rec.Params = traceid.Merge(traceid.Merge(rec.Params, h.Options), g.Params(2))
			} else {
				rec.Attrs = traceid.Merge(h.Options, rec.Attrs)
			}
			if g.N(8) > 0 {
				if w.Write(&rec) == nil {
					records = append(records, formattest.Show(&rec))
				}
				continue
			}
			rec.Params = traceid.Merge(rec.Params, traceid.Params{{Key: subResultParam, Value: samplesSubResult}})
			s := format.Samples{Params: rec.Params, Attrs: rec.Attrs}
			for range g.N(4) {
				s.Values = append(s.Values, g.Number())
			}
			if w.WriteSamples(&s) == nil {
				samples = append(samples, showSamples(&s))
			}
		}
		if w.Close() != nil {
			if out.Len() > 0 || records != nil || samples != nil {
				t.Errorf("%d records, %d arrays of samples and %q were written of a file that can't be",
					len(records), len(samples), &out)
			}
			return
		}
		for e := range Format().Validate(strings.NewReader(out.String()), format.Options{Limits: limits}) {
			if e.Severity != format.Warning {
				t.Errorf("written, and invalid: %v\n%s", e, &out)
			}
		}
		newReader := func() *Reader {
			r := newReader(strings.NewReader(out.String()))
			r.Limits, r.OptionsAsParams = limits, w.OptionsAsParams
			return r
		}
		gotRecords, gotSamples := formattest.All(newReader()), readSamples(newReader())
		if !slices.Equal(records, gotRecords) || !slices.Equal(samples, gotSamples) {
			t.Errorf("records (-want +got):\n%s\nsamples:\n%s\nof %s", cmp.Diff(records, gotRecords),
				cmp.Diff(samples, gotSamples), &out)
		}
	})
}

// FuzzFastPath compares the fast path with the slow path. Two of the bits say how to read. The
// limits on params, texts and tests are the defaults where they are 0.
func FuzzFastPath(f *testing.F) {
	generated.AddPairs(f)
	f.Fuzz(func(t *testing.T, in, earlier string, bits, params, text byte, result uint16) {
		limits := format.Limits{MaxParams: int(params), MaxStringBytes: int(text), MaxResultBytes: int64(result)}
		reader := func(slow bool, in string) *Reader {
			r := newReader(strings.NewReader(in))
			r.frame.Slow, r.Limits, r.InOrder, r.OptionsAsParams = slow, limits, bits&1 != 0, bits&2 != 0
			return r
		}
		want := formattest.Whole(reader(true, in))
		if diff := cmp.Diff(want, formattest.Whole(reader(false, in))); diff != "" {
			t.Errorf("records (-slow +fast):\n%s\nof %s", diff, in)
		}
		samples := func(r *Reader) (all []string) {
			for s, err := range r.Samples() {
				if err != nil {
					all = append(all, formattest.ShowError(err))
				} else {
					all = append(all, fmt.Sprint(showSamples(s), " @", s.Offset))
				}
			}
			return all
		}
		wantSamples := samples(reader(true, in))
		if diff := cmp.Diff(wantSamples, samples(reader(false, in))); diff != "" {
			t.Errorf("samples (-slow +fast):\n%s\nof %s", diff, in)
		}

		// The limit on a test also depends on the memory that the Reader has kept.
		limits.MaxResultBytes = 0
		want, wantSamples = formattest.Whole(reader(true, in)), samples(reader(true, in))
		r := reader(false, earlier)
		formattest.All(r)
		r.Reset(strings.NewReader(in))
		if diff := cmp.Diff(want, formattest.Whole(r)); diff != "" {
			t.Errorf("records (-slow +after another file):\n%s\nof %s\nafter %s", diff, in, earlier)
		}
		r.Reset(strings.NewReader(in))
		if diff := cmp.Diff(wantSamples, samples(r)); diff != "" {
			t.Errorf("samples (-slow +after records):\n%s\nof %s", diff, in)
		}
	})
}

// overridesPlace reports whether a record was refused because an option overrides its test or
// config, so several records have the same place.
func overridesPlace(err error) bool {
	return strings.Contains(err.Error(), "written already") || strings.Contains(err.Error(), "options are others")
}

// FuzzTruncation truncates the input: its records are the first records of the whole input.
func FuzzTruncation(f *testing.F) {
	formattest.FuzzTruncation(f, testFiles(f), ways["in order"], ways["samples"])
}

// FuzzValidate checks that Validate does not panic, and reports the same errors however the input
// arrives, in the order of the input.
func FuzzValidate(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, in string) {
		formattest.CheckValidate(t, Format(), in)
		Format().Detect([]byte(in))
	})
}

// These are the oracle's structs: the format as a Go programmer would decode it. They keep the
// order of the members, which a map would lose.
type (
	oracleFile struct {
		Key     map[string]string                          `json:"key"`
		Options map[string]string                          `json:"options"`
		Results ordered[ordered[ordered[json.RawMessage]]] `json:"results"`
	}
	ordered[V any] []struct {
		name  string
		value V
	}
)

func (o *ordered[V]) UnmarshalJSON(data []byte) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	if start, err := dec.Token(); err != nil || start != json.Delim('{') {
		return errors.Join(err, errors.New("no object"))
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return err
		}
		var v V
		if err := dec.Decode(&v); err != nil {
			return err
		}
		*o = append(*o, struct {
			name  string
			value V
		}{name.(string), v})
	}
	return nil
}

// oracle returns the document's records and samples as text. It is not used for documents with
// errors, and returns false for those that it reads differently: with null, or with members'
// names in another case.
func oracle(in []byte, optionsAsParams bool) (recs, samples []string, ok bool) {
	var file oracleFile
	if bytes.Contains(in, []byte("null")) || formattest.DiffersInCase(in, "key", "options", "results") ||
		json.Unmarshal(in, &file) != nil {
		return nil, nil, false
	}
	recs, samples = []string{}, []string{}
	for _, test := range file.Results {
		for _, config := range test.value {
			params, attrs := map[string]string{}, map[string]string{}
			set := func(to map[string]string, from map[string]string) {
				for k, v := range from {
					to[k] = v
				}
			}
			set(params, file.Key)
			set(params, map[string]string{"test": test.name, "config": config.name})
			if optionsAsParams {
				set(params, file.Options)
			} else {
				set(attrs, file.Options)
			}
			for _, m := range config.value {
				if m.name != "options" {
					continue
				}
				var options map[string]json.RawMessage
				if json.Unmarshal(m.value, &options) != nil {
					return nil, nil, false
				}
				for name, value := range options {
					var text string
					isText := json.Unmarshal(value, &text) == nil
					if !isText {
						var b bytes.Buffer
						if json.Compact(&b, value) != nil || bytes.ContainsAny(value, `\`) {
							return nil, nil, false // its strings are written in other ways
						}
						text = b.String()
					}
					if optionsAsParams && isText && !strings.HasPrefix(name, "GL_") {
						params[name] = text
					} else {
						attrs[name] = text
					}
				}
			}
			for _, m := range config.value {
				rec := format.Record{Attrs: traceid.FromMap(attrs)}
				switch m.name {
				case "options":
				case "samples":
					params["sub_result"] = "min_ms"
					s := format.Samples{Params: traceid.FromMap(params), Attrs: rec.Attrs}
					if json.Unmarshal(m.value, &s.Values) != nil {
						return nil, nil, false
					}
					samples = append(samples, showSamples(&s))
				default:
					params["sub_result"] = m.name
					rec.Params = traceid.FromMap(params)
					if json.Unmarshal(m.value, &rec.Value) != nil {
						return nil, nil, false
					}
					recs = append(recs, formattest.Show(&rec))
				}
			}
		}
	}
	return recs, samples, true
}
