package perun

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"perfdata/format"
	"perfdata/internal/message"
	"perfdata/internal/outbuf"
)

// A Layout is one of the two structures of a profile.
type Layout int

const (
	// LayoutTypes has parallel arrays for each resource type. Perun writes this layout.
	LayoutTypes Layout = iota

	// LayoutSnapshots has snapshots of resources, or, for resources without a snapshot, the region
	// global. The specification describes this layout.
	LayoutSnapshots
)

// A Writer writes a profile. Its output is deterministic. A Reader reads the resources and
// records back equal, with all their fields. In LayoutTypes, their order may differ.
//
// In LayoutTypes, the Writer joins resources that have the same fields, except the fields that
// are collected for each resource. It holds up to 16 MiB of resources to join them. A resource
// type that has resources after that gets another entry in the map.
//
// In LayoutSnapshots, the Writer writes resources in the order in which they come, which must be
// the order of their snapshots. Resources without a snapshot are written to the region global if
// they come first, and otherwise to a list after the snapshots. Resources of one snapshot that
// differ only in which collected fields they have are refused, because Perun would lose or refuse
// them; of a snapshot, the Writer remembers a million different resources to find these.
//
// That list, the map and the models are written last. Until then, the Writer keeps them in memory
// or, if they are large, in a temporary file, which Close removes.
//
// The output is valid: [Validate] with the default limits on sizes finds only warnings. The
// header needs the Type time, memory or mixed, and the name of the collector; a resource needs a
// number as its amount, a uid and a type; a model needs a uid and a model. If the header has no
// Type, Cmd, Args, Workload or name of the collector, the Writer takes it from the first record.
//
// A Writer checks a record or resource before it writes any part of it. It refuses one without a
// required field, with a trace that is not a list, with links, with params that differ from the
// header's, or with text that is not UTF-8. A refused record leaves the Writer unchanged.
//
// A Writer serves one goroutine.
type Writer struct {
	// Layout is the layout of the profile, by default LayoutTypes.
	Layout Layout

	// KeepParams writes params that the format doesn't have as fields, instead of refusing the
	// record. They are read back as attrs.
	KeepParams bool

	out    outbuf.Buffer
	header Header
	begun  bool
	first  bool // the first record was written

	units    unitTable
	models   keptList
	types    typeWriter
	repeat   repeater
	fields   Fields // scratch
	snapshot snapshotWriter
}

// NewWriter returns a Writer of a profile with the header to out. The first call of another method
// reports any error of the header, before anything is written.
func NewWriter(out io.Writer, header Header) *Writer {
	header.Units = header.Units.Clone()
	w := &Writer{out: outbuf.New(out), header: header, units: newUnitTable(header.Units)}
	w.types.out, w.snapshot.out, w.repeat.types = &w.out, &w.out, &w.types
	return w
}

// Write writes a record. It needs params uid and type, and the params that the header gives to
// every measurement.
func (w *Writer) Write(rec *format.Record) error {
	if w.Layout == LayoutTypes && w.repeat.write(rec, w.KeepParams) {
		return w.types.flushIfHeld()
	}
	if err := w.checkHeader(); err != nil {
		return err
	}
	h := w.header
	if !w.first && !w.begun {
		h = adopt(h, rec.Params)
	}

	if err := w.checkComplete(&h); err != nil {
		return err
	}

	fields, err := h.fieldsOf(w.fields[:0], rec, w.KeepParams)
	w.fields = fields
	var kind unitKind
	kind.typ, _ = rec.Params.Get("type")
	kind.subtype, _ = rec.Params.Get("subtype")
	unit, _ := rec.Params.Get("unit")
	name, newUnit := "", false
	if err == nil {
		name, newUnit, err = w.units.check(kind, rec.Params, w.begun && w.Layout == LayoutSnapshots)
	}
	if err == nil {
		err = checkResource(fields)
	}
	if err != nil {
		return fmt.Errorf("measurement %s: %w", rec.TraceID(), err)
	}

	before := w.header
	w.header = h
	if newUnit {
		w.units.add(name, unit)
	}
	if err := w.writeFields(fields); err != nil {
		if !w.begun {
			w.header = before
			if newUnit {
				w.units.undo()
			}
		}

		return err
	}

	w.first = true
	w.units.note(kind, unit)
	if w.Layout == LayoutTypes {
		w.repeat.remember(rec, w.KeepParams)
	}
	return nil
}

// WriteResource writes a resource. It uses only the Fields, which need amount, uid and type.
func (w *Writer) WriteResource(res *Resource) error {
	if err := w.checkReady(); err != nil {
		return err
	}
	err := checkFields(res.Fields)
	if err == nil {
		err = checkResource(res.Fields)
	}
	if err != nil {
		return fmt.Errorf("resource: %w", err)
	}
	return w.writeFields(res.Fields)
}

// WriteModel writes a model to the region models. It may be called at any time before Close. The
// model needs a uid and a model.
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

	return w.models.add(&w.out, func(b []byte) []byte { return m.Fields.appendJSON(b, false) })
}

// Flush writes everything that can be written now to out. In LayoutTypes, a resource type that
// has resources after Flush gets another entry in the map.
func (w *Writer) Flush() error {
	if err := w.checkReady(); err != nil {
		return err
	}
	w.begin()
	if w.Layout == LayoutTypes {
		if err := w.types.flush(); err != nil {
			return err
		}
	}
	return w.out.Flush()
}

// Close completes the profile and writes the rest of it to out, which it doesn't close. After it
// has succeeded, further calls do nothing and return nil.
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
		w.types.entries.writeTo(&w.out, "},\n\"resource_type_map\":{", "}")
	} else {
		w.snapshot.end()
	}
	w.models.writeTo(&w.out, ",\n\"models\":[", "]")
	if w.Layout == LayoutTypes {
		w.appendHeader()
	}
	w.out.Bytes = append(w.out.Bytes, "}\n"...)
	return w.out.Flush()
}

// release removes the temporary files.
func (w *Writer) release() error {
	return errors.Join(w.models.close(), w.types.entries.close(), w.snapshot.late.close())
}

// begin writes the members before the resources. In LayoutTypes, the region header is written at
// the end, because not all units may be known yet.
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
	w.appendHeader()
}

// appendHeader appends the region header.
func (w *Writer) appendHeader() {
	h := w.header
	h.Units = w.units.merged(h.Units)
	w.out.Bytes = h.appendRegion(append(w.out.Bytes, ",\n"...), false)
}

// writeFields writes a resource, whose fields were checked.
func (w *Writer) writeFields(fields Fields) error {
	if w.Layout == LayoutTypes {
		w.begin()
		return w.types.add(fields)
	}
	number, err := w.snapshot.check(fields)
	if err != nil {
		return err
	}
	w.begin()
	return w.snapshot.write(fields, number)
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

	for _, t := range append([]Tool{h.Collector}, h.Postprocessors...) {
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

	if err := checkMembers(h.Extra, headerKeys...); err != nil {
		return fmt.Errorf("header: Extra: %w", err)
	}
	if err := checkMembers(h.Other, layout.Names...); err != nil {
		return fmt.Errorf("header: Other: %w", err)
	}

	for _, f := range h.Other {
		if holdsResources(f.Value) {
			return fmt.Errorf("header: Other: %q has resources, which are not allowed there", f.Key)
		}
	}
	return nil
}

// checkComplete checks that a header has what the specification requires before it is written.
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

// checkReady checks the header before something other than a record is written.
func (w *Writer) checkReady() error {
	if err := w.checkHeader(); err != nil {
		return err
	}
	return w.checkComplete(&w.header)
}

// checkResource checks that a resource has the fields that the specification requires, with values
// of the kinds that a Reader requires.
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
	if trace, ok := fields.Get("trace"); ok && trace.kind != kindList && trace.kind != kindNull {
		return fmt.Errorf("the trace is of type %s, want array", trace.kind)
	}
	return nil
}

// checkMembers checks fields that are written to the same object as the taken members.
func checkMembers(fields Fields, taken ...string) error {
	for _, f := range fields {
		if slices.Contains(taken, f.Key) {
			return fmt.Errorf("%q: the Header has a field for it", f.Key)
		}
	}
	return checkFields(fields)
}

// checkFields checks that the fields have no duplicate keys, and are valid UTF-8.
func checkFields(fields Fields) error {
	known := map[string]bool{}
	for i, f := range fields {
		var repeated bool
		if len(fields) <= 16 {
			_, repeated = fields[:i].Get(f.Key)
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
	if v.kind == kindString && !utf8.ValidString(v.text) {
		return fmt.Errorf("%q is not UTF-8", v.text)
	}
	for _, item := range v.List() {
		if err := item.check(); err != nil {
			return err
		}
	}
	return checkFields(v.Fields())
}
