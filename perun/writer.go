package perun

import (
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"perfdata/format"
	"perfdata/internal/message"
	"perfdata/internal/outbuf"
	"perfdata/internal/spool"
	"perfdata/traceid"
)

// A Layout is one of the two ways in which profiles are written.
type Layout int

const (
	// LayoutTypes has parallel arrays for each resource type, as Perun writes them.
	LayoutTypes Layout = iota

	// LayoutSnapshots has snapshots of resources, as the specification says, or, if resources
	// have no snapshot, the region global.
	LayoutSnapshots
)

func (l Layout) String() string { return [...]string{"types", "snapshots"}[l] }

// A Writer writes a profile. It is deterministic. A Reader reads the resources and records back
// equal, with all their fields, in the layout of types not always in their order.
//
// In today's layout, resources that share all but what is collected for each are written together. So they are held
// until there are 16 MiB of them; those of a resource type that comes again later get another entry in the map. In the
// specified layout, resources are written as they come, and have to come in the order of their snapshots; those without
// one come first, into the region global, or else into a list after the snapshots. That list, the map and the models
// come last and are kept until then, in memory or, where they are many, in a temporary file, which
// Close removes.
//
// The result is valid, as [Validate] sees it with the default limits on sizes. The header needs a
// Type that is time, memory or mixed, and the name of the collector; a resource needs a number as
// its amount, a uid and a type; a model needs a uid and a model. A missing Type, Cmd, Args,
// Workload or name of the collector in the header is taken from the first record.
//
// Each record or resource is checked before any byte of it is written. It is refused if it lacks
// one of these, if its trace is not a list, if it has links or params that differ from the
// header's, and if it is not UTF-8. The Writer is then as it was before.
//
// A Writer serves one goroutine.
type Writer struct {
	// Layout is how to write, by default LayoutTypes.
	Layout Layout

	// Drop says what to leave out of records. The format can't hold links.
	Drop format.Drop

	// KeepParams writes params that the format doesn't have as fields, instead of refusing the
	// record. They are read back as attrs.
	KeepParams bool

	out    outbuf.Buffer
	header Header
	begun  bool
	first  bool // a record was written, or taken from

	units    map[[2]string]string // of records by type and subtype; the empty string is known too
	models   *spool.Spool
	nModels  int
	types    typeWriter
	snapshot snapshotWriter
}

// NewWriter returns a Writer of a profile with that header to out. A fault of the header is reported by the first call of
// another method, before anything is written.
func NewWriter(out io.Writer, header Header) *Writer {
	header.Units = header.Units.Clone()
	return &Writer{out: outbuf.New(out), header: header}
}

// Write writes a record. It needs params uid and type, and the params that the header gives to
// every measurement.
func (w *Writer) Write(rec *format.Record) error {
	if err := w.checkHeader(); err != nil {
		return err
	}
	h := w.header
	if !w.first && !w.begun {
		h = adopt(h, rec)
	}

	if err := w.checkComplete(&h); err != nil {
		return err
	}

	fields, err := w.fieldsOf(&h, rec)
	if err != nil {
		return fmt.Errorf("measurement %s: %w", rec.TraceID(), err)
	}

	typ, _ := rec.Params.Get("type")
	subtype, _ := rec.Params.Get("subtype")
	units, err := w.checkUnit(&h, rec, typ, subtype)
	if err != nil {
		return fmt.Errorf("measurement %s: %w", rec.TraceID(), err)
	}

	if err := checkResource(fields); err != nil {
		return fmt.Errorf("measurement %s: %w", rec.TraceID(), err)
	}

	h.Units = units
	before := w.header
	w.header = h
	if err := w.writeFields(fields); err != nil {
		if !w.begun {
			w.header = before
		}

		return err
	}

	w.first = true
	if w.units == nil {
		w.units = map[[2]string]string{}
	}

	unit, _ := rec.Params.Get("unit")
	w.units[[2]string{typ, subtype}] = unit
	return nil
}

// WriteMeasurement writes one measurement. Its params are those given, overlaid on those that the header gives to every
// measurement: type, cmd, args, workload and collector, and the unit of the type and subtype. They need a uid.
func (w *Writer) WriteMeasurement(params traceid.Params, value float64) error {
	if err := params.CheckSorted(); err != nil {
		return fmt.Errorf("measurement %s: params: %w", params.ID(), err)
	}
	base := w.header.fileHeader().Params
	if w.header.Type != "" {
		base = traceid.Merge(base, traceid.Params{{Key: "type", Value: w.header.Type}})
	}
	params = traceid.Merge(base, params)
	typ, _ := params.Get("type")
	subtype, _ := params.Get("subtype")
	if unit := w.header.Unit(typ, subtype); unit != "" {
		params = traceid.Merge(traceid.Params{{Key: "unit", Value: unit}}, params)
	}
	return w.Write(&format.Record{Params: params, Value: value})
}

// WriteResource writes a resource, of which only the Fields are used: at least amount, uid and type.
func (w *Writer) WriteResource(res *Resource) error {
	if err := w.checkReady(); err != nil {
		return err
	}
	if err := checkFields(res.Fields); err != nil {
		return fmt.Errorf("resource: %w", err)
	}
	if err := checkResource(res.Fields); err != nil {
		return fmt.Errorf("resource: %w", err)
	}
	return w.writeFields(res.Fields)
}

// WriteModel writes a model, whenever it comes, to the region models. It needs a uid and a model.
func (w *Writer) WriteModel(m *Model) error {
	if err := w.checkHeader(); err != nil {
		return err
	}
	if err := checkFields(m.Fields); err != nil {
		return fmt.Errorf("model: %w", err)
	}

	for _, key := range []string{"uid", "model"} {
		if _, ok := m.Fields.Get(key); !ok {
			return fmt.Errorf("model: missing %s", key)
		}
	}

	text := m.Fields.appendJSON([]byte("\n"), false)
	if w.nModels > 0 {
		text = append([]byte{','}, text...)
	}

	if w.models == nil {
		w.models = newSpool()
	}
	if _, err := w.models.Write(text); err != nil {
		return w.out.Fail(err)
	}
	w.nModels++
	return nil
}

func newSpool() *spool.Spool {
	limits := format.Limits{}.WithDefaults()
	return spool.New(limits.MaxSpoolMemory, limits.MaxSpoolBytes)
}

// Flush writes all that can be written to out. In the layout of types, resource types that come
// again after it get another entry in the map.
func (w *Writer) Flush() error {
	if err := w.checkReady(); err != nil {
		return err
	}
	w.begin()
	if w.Layout == LayoutTypes {
		if err := w.flushTypes(); err != nil {
			return err
		}
	}
	return w.out.Flush()
}

// Close completes the profile and writes all of it to out, which it doesn't close. It may be
// called again and then returns nil, if it returned nil before.
func (w *Writer) Close() error {
	if w.out.Closed() {
		return nil
	}
	err := w.complete()
	if released := w.release(); err == nil {
		err = released
	}
	if err != nil {
		return w.out.Fail(err)
	}
	return w.out.Close()
}

// complete writes the members that come after the resources.
func (w *Writer) complete() error {
	if err := w.Flush(); err != nil {
		return err
	}
	if w.Layout == LayoutTypes {
		w.out.Bytes = append(w.out.Bytes, "},\n\"resource_type_map\":{"...)
		w.copySpool(w.types.spool)
		w.out.Bytes = append(w.out.Bytes, '}')
	} else {
		w.endSnapshots()
	}

	w.out.Bytes = append(w.out.Bytes, ",\n\"models\":["...)
	w.copySpool(w.models)
	w.out.Bytes = append(w.out.Bytes, ']')

	if w.Layout == LayoutTypes {
		w.out.Bytes = w.header.appendRegion(append(w.out.Bytes, ",\n"...), false)
	}
	w.out.Bytes = append(w.out.Bytes, "}\n"...)
	return w.out.Flush()
}

// release removes the temporary files.
func (w *Writer) release() error {
	var errs []error
	for _, kept := range []*spool.Spool{w.models, w.types.spool, w.snapshot.late} {
		if kept != nil {
			errs = append(errs, kept.Close())
		}
	}
	w.models, w.types.spool, w.snapshot.late = nil, nil, nil
	return errors.Join(errs...)
}

func (w *Writer) copySpool(from *spool.Spool) {
	if from != nil {
		w.out.Copy(io.NewSectionReader(from, 0, from.Size()))
	}
}

// begin writes the members before the resources. In today's layout, the region header is written at the end: not all
// units may be known yet.
func (w *Writer) begin() {
	if w.begun {
		return
	}
	w.begun = true
	w.out.Bytes = w.header.appendRegions(append(w.out.Bytes, '{'), false)
	if w.Layout == LayoutTypes {
		w.out.Bytes = append(w.out.Bytes, ",\n\"resources\":{"...)
		return
	}
	w.out.Bytes = w.header.appendRegion(append(w.out.Bytes, ",\n"...), false)
}

// writeFields writes a resource, whose fields were checked.
func (w *Writer) writeFields(fields Fields) error {
	if w.Layout == LayoutTypes {
		return w.addToType(fields)
	}
	return w.writeToSnapshot(fields)
}

func (w *Writer) checkHeader() error {
	if w.out.Err() != nil || w.begun {
		return w.out.Err()
	}
	h := &w.header
	for _, s := range []string{h.Origin, h.Type, h.Cmd, h.Args, h.Workload, h.Collector.Name} {
		if !utf8.ValidString(s) {
			return fmt.Errorf("header: %q is not UTF-8", s)
		}
	}

	if err := message.CheckPairs(h.Units); err != nil {
		return fmt.Errorf("header: Units: %w", err)
	}

	all := append([]Tool{h.Collector}, h.Postprocessors...)
	for _, t := range all {
		if !utf8.ValidString(t.Name) {
			return fmt.Errorf("header: %q is not UTF-8", t.Name)
		}

		if err := t.Params.check(); err != nil {
			return fmt.Errorf("header: %s: params: %w", t.Name, err)
		}
		if err := checkMembers(t.Other, "name", "params"); err != nil {
			return fmt.Errorf("header: %s: %w", t.Name, err)
		}
	}

	if err := checkMembers(h.Extra, "type", "units", "cmd", "args", "workload"); err != nil {
		return fmt.Errorf("header: Extra: %w", err)
	}
	err := checkMembers(h.Other, "origin", "header", "collector_info", "postprocessors",
		"snapshots", "global", "resources", "resource_type_map", "models")
	if err != nil {
		return fmt.Errorf("header: Other: %w", err)
	}

	for _, f := range h.Other {
		if holdsResources(f.Value) {
			return fmt.Errorf("header: Other: %q holds resources, which are not read there", f.Key)
		}
	}
	return nil
}

// checkComplete checks that a header that is about to be written has what the specification
// requires.
func (w *Writer) checkComplete(h *Header) error {
	switch {
	case w.out.Err() != nil || w.begun:
		return w.out.Err()
	case h.Type == "":
		return errors.New("header: missing Type")
	case !isType(h.Type):
		return fmt.Errorf("header: Type is %s, want time, memory or mixed", message.Quote(h.Type))
	case h.Collector.Name == "":
		return errors.New("header: missing Collector.Name")
	}
	return nil
}

// checkReady checks the header for what is written without a record.
func (w *Writer) checkReady() error {
	if err := w.checkHeader(); err != nil {
		return err
	}
	return w.checkComplete(&w.header)
}

// checkResource checks that a resource has what the specification requires, of the kinds that a
// Reader requires.
func checkResource(fields Fields) error {
	amount, ok := fields.Get("amount")
	if !ok {
		return errors.New("missing amount")
	}
	if f, ok := amount.Float(); !ok || !isFinite(f) {
		return fmt.Errorf("the amount is %s, want a finite number", message.Quote(amount.String()))
	}
	for _, key := range []string{"uid", "type"} {
		if _, ok := fields.Get(key); !ok {
			return fmt.Errorf("missing %s", key)
		}
	}
	if trace, ok := fields.Get("trace"); ok && trace.kind != KindList && trace.kind != KindNull {
		return fmt.Errorf("the trace is of type %s, want array", trace.kind)
	}
	return nil
}

var errTaken = errors.New("the Header has a field for it")

// checkMembers checks fields that are written beside the given members.
func checkMembers(fields Fields, taken ...string) error {
	for _, f := range fields {
		for _, key := range taken {
			if f.Key == key {
				return fmt.Errorf("%q: %w", key, errTaken)
			}
		}
	}
	return checkFields(fields)
}

// checkFields checks that no key is repeated, and that all is UTF-8.
func checkFields(fields Fields) error {
	known := map[string]bool{}
	for i, f := range fields {
		repeated := false
		if len(fields) <= fewFields {
			for _, g := range fields[:i] {
				repeated = repeated || g.Key == f.Key
			}
		} else {
			repeated = known[f.Key]
			known[f.Key] = true
		}
		if repeated {
			return fmt.Errorf("duplicate field %q", f.Key)
		}
		if !utf8.ValidString(f.Key) {
			return fmt.Errorf("%q is not UTF-8", f.Key)
		}
		if err := f.Value.check(); err != nil {
			return fmt.Errorf("%s: %w", f.Key, err)
		}
	}
	return nil
}

func (v Value) check() error {
	switch v.kind {
	case KindString:
		if !utf8.ValidString(v.text) {
			return fmt.Errorf("%q is not UTF-8", v.text)
		}
	case KindList:
		for _, item := range v.nested.list {
			if err := item.check(); err != nil {
				return err
			}
		}
	case KindObject:
		return checkFields(v.nested.fields)
	}
	return nil
}
