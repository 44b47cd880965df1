package skiav1

import (
	"bytes"
	"encoding/json"
	"math"
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
	f.Add(`{"results":[{"measurements":{"s":[{"value":"v","measurement":1,"links":{"l":"m"}}]},` +
		`"key":{"k":"v","k2":null}}],"version":1,"key":{"a":"b"},"git_hash":"h"}`)
	f.Add(`{"version":1,"results":[{"key":{"a":1},"measurement":"x"},null,{"measurement":1e999},` +
		`{"measurements":{"":[{}]}}]}`)
	// Results that are similar, with one change of each kind.
	f.Add(`{"version":1,"key":{"k":"f"},"results":[{"key":{"a":"1","b":"x"},` +
		`"measurements":{"s":[{"value":"v","measurement":1},{"measurement":2,"value":"w"}]}},` +
		`{"key":{"a":"2","b":"x"},"measurements":{"s":[{"value":"v","measurement":3},` +
		`{"measurement":4,"value":"w"}]}},` +
		`{"key":{"a":"3","b":"y"},"measurements":{"s":[{"value":"u","measurement":5},` +
		`{"measurement":6,"value":"é"}]}},` +
		`{"key":{"a":"3","k":"y"},"measurements":{"s":[{"value":"u","measurement":5},` +
		`{"measurement":6,"value":""}]}},` +
		`{"key":{"a":"3","b":"y"},"measurement":7},{"key":{"a":"4","b":"y"},"measurement":8}]}`)
	f.Add(`{"version":1,"results":[{"key":{"a":"1"},"measurement":1},{"measurement":null}],"x":[1],` +
		`"links":{},"key":{"k":"f"},"git_hash":"a"}`)
	f.Add("{\"version\":1,\"results\":[{\"key\":{\"\\ud800\":\"\xff\"}}]}")
}

// FuzzReader compares the ways of reading with each other, with an oracle that decodes with
// encoding/json, and with the Writer.
func FuzzReader(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, in string) {
		got := formattest.Whole(newReader(strings.NewReader(in)))
		for way, source := range formattest.Sources {
			if all := formattest.Whole(newReader(source(in))); !formattest.SameReading(got, all) {
				t.Fatalf("seekable and %s (-seekable +%s):\n%s", way, way, cmp.Diff(got, all))
			}
		}
		r := newReader(strings.NewReader(in))
		h, headerErr := r.Header()
		var recs []format.Record
		failed := false
		for rec, err := range r.Records() {
			if err != nil {
				formattest.CheckError(t, in, err)
				failed = true
				continue
			}
			recs = append(recs, *rec.Clone())
		}
		if want, ok := oracle([]byte(in)); ok && headerErr == nil && !failed {
			var shown []string
			for i := range recs {
				shown = append(shown, formattest.Show(&recs[i]))
			}
			if diff := cmp.Diff(want, shown); diff != "" {
				t.Errorf("(-oracle +got):\n%s", diff)
			}
		}
		formattest.CheckValidate(t, Format(), in)

		// The records can be written, except duplicate traces and values out of range, and are
		// read back equal.
		if headerErr != nil {
			return
		}
		if h.GitHash == "" {
			h.GitHash = "none"
		}
		var written []format.Record
		seen := map[string]bool{}
		for i := range recs {
			if id := recs[i].TraceID(); !seen[id] && skiadoc.InRange(recs[i].Value) {
				seen[id] = true
				written = append(written, recs[i])
			}
		}
		var out bytes.Buffer
		formattest.WriteAll(t, NewWriter(&out, h), written)
		h.Key, h.Links = traceid.Merge(h.Key, nil), traceid.Merge(h.Links, nil) // nil if empty
		checkReadBack(t, "written", out.String(), h, written)
	})
}

// FuzzWriter checks that the Writer's output is valid and is read back equal, and that refused
// records leave no trace in it.
func FuzzWriter(f *testing.F) {
	f.Add([]byte("abc"))
	f.Add([]byte("\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17"))
	f.Add([]byte("\x00\x00\x01\x05\x01\x01\x01\x01\x00\x00\x02\x05\x01\x01\x01\x02\x00\x00\x03\x05\x01\x01\x01\x03"))
	f.Fuzz(func(t *testing.T, data []byte) {
		g := formattest.NewGen(data)
		h := Header{GitHash: "h" + g.Text(), Issue: g.Text(), Key: g.Params(2), Links: g.Params(2)}
		limits := format.Limits{}
		if g.N(2) == 1 {
			limits = format.Limits{
				MaxParams:      3 + g.N(3),
				MaxStringBytes: 25 + g.N(20),
				MaxHeaderBytes: 200 + int64(g.N(300)),
				MaxResultBytes: 300 + int64(g.N(1000)),
			}
		}
		var out bytes.Buffer
		w := NewWriter(&out, h)
		w.Limits = limits
		var written []format.Record
		for !g.Done() {
			rec := format.Record{Params: traceid.Merge(h.Key, g.Params(3)), Value: g.Number(), Links: g.Params(2)}
			if w.Write(&rec) == nil {
				written = append(written, rec)
			}
		}
		if w.Close() != nil {
			if out.Len() > 0 || written != nil {
				t.Errorf("%d records and %q were written of a file that can't be", len(written), &out)
			}
			return
		}
		for e := range Format().Validate(strings.NewReader(out.String()), format.Options{Limits: limits}) {
			if e.Severity != format.Warning {
				t.Errorf("written, and invalid: %v\n%s", e, &out)
			}
		}
		h.Key, h.Links = traceid.Merge(h.Key, nil), traceid.Merge(h.Links, nil)
		checkReadBack(t, "written", out.String(), h, written)
	})
}

// FuzzFastPath compares the fast path with the slow path. Two of the bits say how to read. The
// limits on params, texts and results are the defaults where they are 0.
func FuzzFastPath(f *testing.F) {
	generated.AddPairs(f)
	f.Fuzz(func(t *testing.T, in, earlier string, bits, params, text byte, result uint16) {
		limits := format.Limits{MaxParams: int(params), MaxStringBytes: int(text), MaxResultBytes: int64(result)}
		reader := func(slow bool, in string) *Reader {
			r := newReader(strings.NewReader(in))
			r.frame.Slow, r.Limits, r.InOrder, r.MissingAsZero = slow, limits, bits&1 != 0, bits&2 != 0
			return r
		}
		want := formattest.Whole(reader(true, in))
		if diff := cmp.Diff(want, formattest.Whole(reader(false, in))); diff != "" {
			t.Errorf("(-slow +fast):\n%s\nof %s", diff, in)
		}

		// The limit on a result also depends on the memory that the Reader has kept.
		limits.MaxResultBytes = 0
		want = formattest.Whole(reader(true, in))
		r := reader(false, earlier)
		formattest.All(r)
		r.Reset(strings.NewReader(in))
		if diff := cmp.Diff(want, formattest.Whole(r)); diff != "" {
			t.Errorf("(-slow +after another file):\n%s\nof %s\nafter %s", diff, in, earlier)
		}
	})
}

// FuzzTruncation truncates the input: its records are the first records of the whole input.
func FuzzTruncation(f *testing.F) { formattest.FuzzTruncation(f, testFiles(f), readInOrder) }

// FuzzValidate checks that Validate does not panic, and reports the same errors however the input
// arrives, in the order of the input.
func FuzzValidate(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, in string) { formattest.CheckValidate(t, Format(), in) })
}

// These are the oracle's structs: the format as a Go programmer would decode it.
type (
	oracleFile struct {
		Version int               `json:"version"`
		Key     map[string]string `json:"key"`
		Links   map[string]string `json:"links"`
		Results []oracleResult    `json:"results"`
	}
	oracleResult struct {
		Key         map[string]string `json:"key"`
		Measurement *float64          `json:"measurement"`
		// The names are in the order of the file, which a map would lose.
		Measurements oracleMeasurements `json:"measurements"`
	}
	oracleMeasurements []oracleGroup
	oracleGroup        struct {
		name    string
		singles []struct {
			Value       string            `json:"value"`
			Measurement float64           `json:"measurement"`
			Links       map[string]string `json:"links"`
		}
	}
)

func (m *oracleMeasurements) UnmarshalJSON(data []byte) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	if start, err := dec.Token(); err != nil || start != json.Delim('{') {
		return err
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return err
		}
		g := oracleGroup{name: name.(string)}
		if err := dec.Decode(&g.singles); err != nil {
			return err
		}
		*m = append(*m, g)
	}
	return nil
}

var oracleNames = []string{
	"version", "git_hash", "issue", "patchset", "key", "links", "results", "measurement",
	"measurements", "value",
}

// oracle returns the document's records as text. It is not used for documents with errors, and
// returns false for those that it reads differently: with null in a map, or with members' names
// in another case.
func oracle(in []byte) ([]string, bool) {
	var file oracleFile
	if strings.Contains(string(in), "null") || formattest.DiffersInCase(in, oracleNames...) ||
		json.Unmarshal(in, &file) != nil {
		return nil, false
	}
	var want []string
	add := func(key map[string]string, value float64, links map[string]string) {
		rec := format.Record{
			Params: traceid.Merge(traceid.FromMap(file.Key), traceid.FromMap(key)),
			Value:  value,
			Links:  traceid.Merge(traceid.FromMap(file.Links), traceid.FromMap(links)),
		}
		want = append(want, formattest.Show(&rec))
	}
	for _, result := range file.Results {
		if len(result.Measurements) == 0 {
			value := math.NaN()
			if result.Measurement != nil {
				value = *result.Measurement
			}
			add(result.Key, value, nil)
			continue
		}
		for _, g := range result.Measurements {
			for _, single := range g.singles {
				key := map[string]string{}
				for k, v := range result.Key {
					key[k] = v
				}
				key[g.name] = single.Value
				add(key, single.Measurement, single.Links)
			}
		}
	}
	return want, true
}
