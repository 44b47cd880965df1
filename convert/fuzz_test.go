package convert_test

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"perfdata"
	"perfdata/convert"
	"perfdata/format"
	"perfdata/nanolegacy"
	"perfdata/traceid"
)

// recordsOf makes records of a text: a line each, with fields params, attrs and links, each of
// pairs.
func recordsOf(text string) []*format.Record {
	pairs := func(text string) traceid.Params {
		var list []traceid.Param
		for field := range strings.SplitSeq(text, "|") {
			if key, value, ok := strings.Cut(field, "="); ok && key != "" {
				list = append(list, traceid.Param{Key: key, Value: value})
			}
		}
		return traceid.FromPairs(list...)
	}
	var recs []*format.Record
	for line := range strings.SplitSeq(text, ";") {
		fields := strings.SplitN(line, "&", 3)
		fields = append(fields, "", "")
		rec := &format.Record{Value: float64(len(recs)) + 0.5, Params: pairs(fields[0]), Attrs: pairs(fields[1]), Links: pairs(fields[2])}
		if len(line)%7 == 3 {
			rec.Value = math.NaN()
		}
		recs = append(recs, rec)
	}
	return recs
}

// Whatever the records, each format's file is valid, and has every measurement, or says which it
// left out.
func FuzzWriter(f *testing.F) {
	f.Add("name=A|unit=ns/op&iterations=1&l=u;name=A|unit=B/op;name=A|unit=ns/op")
	f.Add("test=a|config=b|sub_result=ms&GL_A=b;test=a|config=b|sub_result=ms_2;test=a|config=b|sub_result=ms;test=a|config=b|sub_result=options|x=y")
	f.Add("key=a b|iteration=1&x y=z\n;key=a_b|iteration=1;key=a/b|iteration=9999999999")
	f.Add("K k=a/b|name=|sub1=|sub2=x=y|unit= |units=;gomaxprocs=x|name=X-8|=e;\xff=\xff|\xfe=\xfe;better=x&better=lower|iterations=99999999999999999999")
	f.Add("GL_x=1|test=t;GL_x=2|test=t;test=;test=&assume=nothing|a=b c;unit=a&assume= ;unit=a&assume=exact")
	f.Fuzz(func(t *testing.T, text string) {
		recs := recordsOf(text)
		for _, info := range perfdata.Formats() {
			if info.NewWriter == nil {
				continue // it is only read
			}
			s := surveyOf(info.Name, "abc")
			for _, rec := range recs {
				s.Add(rec)
			}
			var out bytes.Buffer
			w, err := s.NewWriter(&out)
			if err != nil {
				t.Fatal(err)
			}
			for _, rec := range recs {
				before := rec.Clone()
				if err := w.Write(rec); err != nil {
					t.Fatalf("%s: %v", info.Name, err)
				}
				if !before.Params.Equal(rec.Params) || !before.Attrs.Equal(rec.Attrs) || !before.Links.Equal(rec.Links) {
					t.Fatalf("%s: Write changes its record", info.Name)
				}
			}
			if err := w.Close(); err != nil {
				t.Fatalf("%s: %v", info.Name, err)
			}
			for e := range info.Validate(bytes.NewReader(out.Bytes()), format.Options{Name: info.Name}) {
				if e.Severity != format.Warning {
					t.Errorf("%v\n%s", e, out.String())
				}
			}
			left, asParams := 0, false
			for _, l := range w.Losses() {
				if l.Kind == convert.LostRecords {
					left += l.Count
				}
				asParams = asParams || l.Kind == convert.AddedOptions
			}
			r := info.Open(nil, bytes.NewReader(out.Bytes()), format.Options{Name: info.Name})
			if legacy, ok := r.(*nanolegacy.Reader); ok {
				legacy.OptionsAsParams = asParams
			}
			traces := make(map[string]bool)
			n := 0
			if r, ok := info.Open(nil, bytes.NewReader(out.Bytes()), format.Options{}).(format.Sampler); ok {
				for samples, err := range r.Samples() {
					if err != nil {
						t.Fatalf("%v\n%s", err, out.String())
					}
					n += len(samples.Values) - 1 // a measurement replaces them
				}
			}
			for rec, err := range r.Records() {
				if err != nil {
					t.Fatalf("%v\n%s", err, out.String())
				}
				n++
				id := rec.TraceID()
				if traces[id] && info.Name != "benchfmt" && info.Name != "perun" { // these have repeated measurements
					t.Errorf("%s: duplicate trace %s\n%s", info.Name, id, out.String())
				}
				traces[id] = true
			}
			if n+left != len(recs) {
				t.Errorf("%s: %d measurements and %d left out of %d: %v\n%s", info.Name, n, left, len(recs), w.Losses(), out.String())
			}
		}
	})
}
