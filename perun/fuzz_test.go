package perun

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/jsonscan"
	"perfdata/internal/testing/formattest"
	"perfdata/traceid"
)

func addSeeds(f *testing.F) {
	formattest.Generated{Format: Format()}.Add(f)
	for _, file := range testFiles(f) {
		if len(file) < 10_000 {
			f.Add(file)
		}
	}
	f.Add(head + typesOfA + `,"resources":{"b#0":{"amount":[1,"2",null,NaN,1e999],` +
		`"order":["é",true,null,{"b":1},[1]]},"a#0":{"amount":[],"x":[1]},"c#0":{}}}`)
	f.Add(`{"resources":{"a#0":{"amount":[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18.5],` +
		`"order":[1, -2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18]}},` +
		typesOfA + `,` + head[1:len(head)-1] + `}`)
	f.Add(head + `"global":[{"amount":1,"uid":{"line":1,"function":"f"},"trace":[{"func":"f","line":1}]},` +
		`{"amount":2,"uid":{"line":2,"function":"g"},"trace":[{"func":"g","line":2}]},
	{"amount":3,"uid":{"line":2,"function":"g"},"type":"x","trace":[{"name":"g","value":2}]},` +
		`{"amount":3,"uid":{"line":2,"function":"g"},"type":"","trace":[{"name":"h","value":2}]}]}`)
	f.Add(`{"snapshots":[{"resources":[{"amount":1}],"time":"1"}],"x":1,"global":null,"postprocessors":[],` +
		`"collector_info":{"name":"t"},` + head[1:len(head)-1] + `}`)
	f.Add(head + `"collector_info":{"name":"t"},"postprocessors":[],` +
		`"snapshots":[{"resources":[{"amount":1}],"time":"1"}],"resources":{"a#0":{"amount":[1]}},` + typesOfA + `}`)
	f.Add(head + `"snapshots":[{"models":[{"uid":1}],"resources":[{"amount":1}],"time":"1"},` +
		`{"time":2,"resources":[{"amount":1,"time":3,"snapshot":7}]}],"resources":[{"a":1}]}`)
}

// FuzzReader compares the ways of reading with each other, with an oracle that decodes with
// encoding/json, and with the Writer.
func FuzzReader(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, in string) {
		got := readAll(strings.NewReader(in))
		gotResources := readResources(newReader(strings.NewReader(in)))
		ahead := newReader(strings.NewReader(in))
		ahead.Header()
		if want := formattest.All(ahead); !formattest.SameReading(got, want) {
			t.Fatalf("(-Header first +Records):\n%s", gocmp.Diff(want, got))
		}
		for way, source := range formattest.Sources {
			if all := readAll(source(in)); !formattest.SameReading(got, all) {
				t.Fatalf("seekable and %s (-seekable +%s):\n%s", way, way, gocmp.Diff(got, all))
			}
			if diff := gocmp.Diff(gotResources, readResources(newReader(source(in)))); diff != "" {
				t.Fatalf("resources, seekable and %s (-seekable +%s):\n%s", way, way, diff)
			}
		}
		r := newReader(strings.NewReader(in))
		h, err := r.Header()
		if err != nil {
			return
		}
		// The records have the same values as the flattened resources.
		var resources []*Resource
		var want []string
		failed := false
		for res, err := range r.Resources() {
			if err != nil {
				formattest.CheckError(t, in, err)
				failed = true
				continue
			}
			resources = append(resources, res.Clone())
			want = append(want, string(objectOf(res.Fields...).AppendKey(nil)))
			if res.Offset < 0 || res.Offset >= int64(len(in)) || res.Line != strings.Count(in[:res.Offset], "\n")+1 {
				t.Errorf("a resource at %d, line %d", res.Offset, res.Line)
			}
		}
		var records []*format.Record
		for rec, err := range r.Records() {
			if err == nil {
				records = append(records, rec.Clone())
			}
		}
		compareRecords(t, h, resources, records)
		if failed {
			// The oracle does not know the limits.
		} else if oracle, ok := oracle([]byte(in)); ok {
			sorted := slices.Clone(want)
			slices.Sort(sorted)
			if diff := gocmp.Diff(oracle, sorted); diff != "" {
				t.Errorf("(-oracle +got):\n%s", diff)
			}
		}
		checkWritten(t, h, resources, records)
	})
}

// compareRecords compares the records with records that are made of the resources in a simple
// way.
func compareRecords(t *testing.T, h Header, resources []*Resource, records []*format.Record) {
	for _, res := range resources {
		amount, _ := res.Fields.Get("amount")
		if f, ok := amount.Float(); !ok || !isFinite(f) {
			continue
		}
		flat, err := res.Fields.Flatten()
		if err != nil {
			return
		}
		if len(records) == 0 {
			t.Fatalf("no record of %s", res.Fields.appendJSON(nil, false))
		}
		rec := records[0]
		records = records[1:]
		want := map[string]string{}
		for _, f := range flat {
			_, own := res.Fields.Get(f.Key)
			if f.Key == "amount" || f.Value.IsNull() && (f.Key == "uid" || f.Key == "type" ||
				f.Key == "subtype") {
				continue
			}
			// An array is one field, whatever it has.
			if own || !isCollectable(strings.SplitN(f.Key, ":", 2)[0]) {
				want[f.Key] = f.Value.String()
			}
		}
		for _, p := range slices.Concat(rec.Params, rec.Attrs) {
			switch p.Key {
			case "cmd", "args", "workload", "collector", "unit", "type":
				continue
			}
			if value, ok := want[p.Key]; ok && value != p.Value {
				t.Errorf("%s of %s is %q", p.Key, res.Fields.appendJSON(nil, false), p.Value)
			}
		}
		f, _ := amount.Float()
		if f != rec.Value {
			t.Errorf("%v of %s", rec.Value, res.Fields.appendJSON(nil, false))
		}
	}
	if len(records) > 0 {
		t.Errorf("%d records too many, such as %s", len(records), formattest.Show(records[0]))
	}
}

// oracle returns the resources as encoding/json decodes them, sorted.
func oracle(in []byte) ([]string, bool) {
	dec := json.NewDecoder(bytes.NewReader(in))
	dec.UseNumber()
	var doc map[string]any
	if dec.Decode(&doc) != nil {
		return nil, false
	}
	var all []string
	add := func(v any, more map[string]any) {
		f, _ := v.(map[string]any)
		for key, value := range more {
			if _, own := f[key]; !own {
				f[key] = value
			}
		}
		all = append(all, string(valueOf(f).AppendKey(nil)))
	}
	list := func(v any, more map[string]any) {
		for _, res := range v.([]any) {
			add(res, more)
		}
	}
	if snapshots, ok := doc["snapshots"].([]any); ok {
		for i, s := range snapshots {
			s := s.(map[string]any)
			more := map[string]any{"snapshot": i}
			if s["time"] != nil {
				more["time"] = s["time"]
			}
			list(s["resources"], more)
		}
	}
	switch g := doc["global"].(type) {
	case []any:
		list(g, nil)
	case map[string]any:
		more := map[string]any{}
		if g["time"] != nil {
			more["time"] = g["time"]
		}
		list(g["resources"], more)
	}
	switch g := doc["resources"].(type) {
	case []any:
		list(g, nil)
	case map[string]any:
		types, _ := doc["resource_type_map"].(map[string]any)
		for name, columns := range g {
			own := types[name].(map[string]any)
			n := 0
			for _, c := range columns.(map[string]any) {
				n = len(c.([]any))
			}
			if len(columns.(map[string]any)) == 0 {
				n = 1
			}
			for row := range n {
				more := map[string]any{}
				for key, c := range columns.(map[string]any) {
					more[key] = c.([]any)[row]
				}
				for key, value := range own {
					more[key] = value
				}
				add(more, nil)
			}
		}
	}
	slices.Sort(all)
	return all, true
}

func valueOf(v any) Value {
	switch v := v.(type) {
	case bool:
		return boolOf(v)
	case json.Number:
		return Value{kind: jsonscan.Number, text: v.String()}
	case int:
		return numberOf(float64(v))
	case string:
		return stringOf(v)
	case []any:
		var list []Value
		for _, item := range v {
			list = append(list, valueOf(item))
		}
		return listOf(list...)
	case map[string]any:
		var fields Fields
		for key, value := range v {
			fields = append(fields, Field{key, valueOf(value)})
		}
		return objectOf(fields...)
	}
	return Value{}
}

// checkWritten writes the resources and models, and checks that the output is valid and is read
// back equal.
func checkWritten(t *testing.T, h Header, resources []*Resource, records []*format.Record) {
	var out bytes.Buffer
	// The Writer refuses an incomplete header.
	h.Other = slices.DeleteFunc(slices.Clone(h.Other), func(f Field) bool { return holdsResources(f.Value) })
	h.Collector.Name = cmp.Or(h.Collector.Name, "x")
	if !isType(h.Type) {
		h.Type = "mixed"
	}
	w := NewWriter(&out, h)
	var want, got []string
	for _, res := range resources {
		if err := w.WriteResource(res); err != nil {
			if checkResource(res.Fields) == nil {
				t.Fatalf("%s: %v", res.Fields.appendJSON(nil, false), err)
			}
			continue
		}
		want = append(want, string(objectOf(res.Fields...).AppendKey(nil)))
	}
	if err := w.Close(); err != nil {
		return // such as for what a header can't have twice
	}
	if faults := validateErrors(bytes.NewReader(out.Bytes())); len(faults) > 0 {
		t.Fatalf("written: %q: %.1000s", faults, out.String())
	}
	for res, err := range newReader(bytes.NewReader(out.Bytes())).Resources() {
		if err != nil {
			t.Fatalf("written: %v: %.1000s", err, out.String())
		}
		got = append(got, string(objectOf(res.Fields...).AppendKey(nil)))
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("written resources (-want +got):\n%s%s", diff, out.String())
	}
	out.Reset()
	w = NewWriter(&out, h)
	want, got = nil, []string{}
	for _, rec := range records {
		if w.Write(rec) == nil {
			want = append(want, formattest.Show(rec))
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got = readAll(bytes.NewReader(out.Bytes()))
	slices.Sort(want)
	slices.Sort(got)
	if diff := gocmp.Diff(append([]string{}, want...), got); diff != "" {
		t.Errorf("written records (-want +got):\n%s%s", diff, out.String())
	}
}

// FuzzValidate checks that Validate does not panic, and reports the same errors however the input
// arrives, in the order of the input. A profile that it accepts is read without error.
func FuzzValidate(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, in string) {
		formattest.CheckValidate(t, Format(), in)
	})
}

// header returns a header, which may be incomplete, or have members that the Writer must refuse.
func (m *profileMaker) header() Header {
	text := func(options ...string) string { return m.from(append(options, "x", "", "\xff", "é\x00")...) }
	value := func() Value {
		s := jsonscan.New(strings.NewReader(m.value(2)), "", format.Limits{}.WithDefaults())
		s.AllowNaN()
		return readValue(s, func(b []byte) string { return string(b) })
	}
	usual := m.of(3) > 0
	h := Header{Type: "time", Cmd: "c", Workload: "w", Collector: Tool{Name: "n"}}
	if !usual {
		h.Type, h.Cmd, h.Args = m.from("memory", "mixed", "time", "", "speed"), text("c"), text()
		h.Workload, h.Origin, h.Collector.Name = text("w"), text(), text("n")
	}
	h.Collector.Params = value()
	for range m.of(3) {
		t := Tool{Name: text(), Params: value()}
		if m.of(2) == 1 {
			t.Other = Fields{{text("name", "params"), value()}}
		}
		h.Postprocessors = append(h.Postprocessors, t)
	}
	switch m.of(4) {
	case 1:
		h.Units = traceid.Of("time", "s", "memory", "")
	case 2:
		h.Extra = Fields{{text("units", "cmd"), value()}}
	case 3:
		h.Other = Fields{
			{text("origin", "models", "chunks"), value()},
			{"more", objectOf(Field{text("resources"), value()})},
		}
	}
	return h
}

// FuzzWriter checks that the Writer's output is valid and is read back equal, in both layouts.
func FuzzWriter(f *testing.F) {
	for seed := range 40 {
		f.Add(manyBytes(seed))
	}
	f.Fuzz(checkWriter)
}

func checkWriter(t *testing.T, in string) {
	m := profileMaker{choice: choice{in}}
	h, snapshots, records := m.header(), m.of(2) == 1, m.of(2) == 1
	var out bytes.Buffer
	w := NewWriter(&out, h)
	w.Snapshots, w.KeepParams = snapshots, m.of(2) == 1
	var want, got []string
	take := func(err error, text func() string) {
		if err == nil {
			want = append(want, text())
		} else if out.Len() > 0 && !w.begun {
			t.Errorf("%v, and %q is written", err, out.String())
		}
	}
	// The record may be one that the Reader never yields.
	profile := m.profile()
	for res, err := range newReader(strings.NewReader(profile)).Resources() {
		if err == nil && !records {
			take(w.WriteResource(res), func() string { return string(objectOf(res.Fields...).AppendKey(nil)) })
		}
		if m.of(40) == 1 {
			w.flush()
		}
	}
	for rec, err := range newReader(strings.NewReader(profile)).Records() {
		if err == nil && records {
			if m.of(2) == 1 {
				rec.Params = traceid.Merge(rec.Params, traceid.Of("collector", h.Collector.Name))
			}
			take(w.Write(rec), func() string {
				return formattest.Show(&format.Record{Params: rec.Params, Value: rec.Value, Attrs: rec.Attrs})
			})
		}
	}
	models := 0
	for model, err := range newReader(strings.NewReader(profile)).Models() {
		if err == nil && w.WriteModel(model) == nil {
			models++
		}
	}
	if err := w.Close(); err != nil {
		if out.Len() > 0 || len(want) > 0 {
			t.Fatalf("%v, after %d resources and %q", err, len(want), out.String())
		}
		return
	}
	if faults := validateErrors(bytes.NewReader(out.Bytes())); len(faults) > 0 {
		t.Fatalf("%q: %s", faults, out.String())
	}
	if records {
		got = readAll(bytes.NewReader(out.Bytes()))
	} else {
		for res, err := range newReader(bytes.NewReader(out.Bytes())).Resources() {
			if err != nil {
				t.Fatalf("%v: %s", err, out.String())
			}
			got = append(got, string(objectOf(res.Fields...).AppendKey(nil)))
		}
		r := newReader(bytes.NewReader(out.Bytes()))
		back, _ := r.Header()
		wantHeader, _ := h.MarshalJSON()
		gotHeader, _ := back.MarshalJSON()
		if diff := gocmp.Diff(string(wantHeader), string(gotHeader)); diff != "" {
			t.Errorf("header (-want +got):\n%s", diff)
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := gocmp.Diff(append([]string{}, want...), append([]string{}, got...)); diff != "" {
		t.Errorf("(-written +read back):\n%s%s", diff, out.String())
	}
	if got := readModels(newReader(bytes.NewReader(out.Bytes()))); len(got) != models {
		t.Errorf("%d models, want %d", len(got), models)
	}
}

// manyBytes returns several hundred pseudo-random bytes.
func manyBytes(seed int) string {
	var b []byte
	x := uint32(seed)*2654435761 + 1
	for range 400 {
		x = x*1664525 + 1013904223
		b = append(b, byte(x>>24))
	}
	return string(b)
}
