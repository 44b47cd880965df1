package skiav1

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/formattest"
	"perfdata/traceid"
)

func addSeeds(f *testing.F) {
	for _, file := range testFiles(f) {
		if len(file) < 10_000 {
			f.Add(file)
		}
	}
	f.Add(`{"results":[{"measurements":{"s":[{"value":"v","measurement":1,"links":{"l":"m"}}]},"key":{"k":"v","k2":null}}],"version":1,"key":{"a":"b"},"git_hash":"h"}`)
	f.Add(`{"version":1,"results":[{"key":{"a":1},"measurement":"x"},null,{"measurement":1e999},{"measurements":{"":[{}]}}]}`)
	// Results that resemble each other, with a change of each kind.
	f.Add(`{"version":1,"key":{"k":"f"},"results":[{"key":{"a":"1","b":"x"},"measurements":{"s":[{"value":"v","measurement":1},{"measurement":2,"value":"w"}]}},` +
		`{"key":{"a":"2","b":"x"},"measurements":{"s":[{"value":"v","measurement":3},{"measurement":4,"value":"w"}]}},` +
		`{"key":{"a":"3","b":"y"},"measurements":{"s":[{"value":"u","measurement":5},{"measurement":6,"value":"é"}]}},` +
		`{"key":{"a":"3","k":"y"},"measurements":{"s":[{"value":"u","measurement":5},{"measurement":6,"value":""}]}},` +
		`{"key":{"a":"3","b":"y"},"measurement":7},{"key":{"a":"4","b":"y"},"measurement":8}]}`)
	f.Add(`{"version":1,"results":[{"key":{"a":"1"},"measurement":1},{"measurement":null}],"x":[1],"links":{},"key":{"k":"f"},"git_hash":"a"}`)
	f.Add("{\"version\":1,\"results\":[{\"key\":{\"\\ud800\":\"\xff\"}}]}")
}

// FuzzReader holds the ways of reading against each other, against an oracle that decodes with encoding/json, and
// against the Writer.
func FuzzReader(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, in string) {
		got := readAll(strings.NewReader(in))
		for way, source := range formattest.Sources {
			if all := readAll(source(in)); !formattest.SameReading(got, all) {
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
		formattest.CheckValidIsReadable(t, Info(), in)

		// What was read can be written, and is read back equal.
		if headerErr != nil {
			return
		}
		if h.GitHash == "" {
			h.GitHash = "none"
		}
		var out bytes.Buffer
		formattest.WriteAll(t, NewWriter(&out, h), recs)
		h.Key, h.Links = traceid.Merge(h.Key, nil), traceid.Merge(h.Links, nil) // nil if empty
		checkReadBack(t, "written", out.String(), h, recs)
	})
}

// FuzzTruncation cuts the input off: what is read is the beginning of what is read of all of it.
func FuzzTruncation(f *testing.F) { formattest.FuzzTruncation(f, testFiles(f), readInOrder) }

// FuzzValidate: it never panics, finds the same however the input arrives, in the order of the input.
func FuzzValidate(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, in string) { formattest.CheckValidate(t, Info(), in) })
}

// The oracle's structs: the format as a Go programmer would decode it.
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
		// Names in the order of the file, which a map would lose.
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

var oracleNames = []string{"version", "git_hash", "issue", "patchset", "key", "links", "results", "measurement", "measurements", "value"}

// oracle returns what the document's records are shown as. It isn't asked about those with any error, and gives up on
// what it reads in another way: null in a map, and members' names in another case.
func oracle(in []byte) ([]string, bool) {
	var file oracleFile
	if strings.Contains(string(in), "null") || formattest.DiffersInCase(in, oracleNames...) || json.Unmarshal(in, &file) != nil {
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
