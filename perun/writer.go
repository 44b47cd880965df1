package perun

import (
	"cmp"
	"errors"
	"fmt"
	"io"

	"perfdata/format"
	"perfdata/internal/buffer"
	"perfdata/internal/message"
	"perfdata/internal/traceset"
	"perfdata/traceid"
)

// A Writer writes a profile. Its output is deterministic. A Reader reads the resources and records
// back equal, with all their fields. In the layout of types, resources with different params may
// change their order.
//
// In the layout of types, the Writer joins resources that have the same fields, except the fields
// that are collected for each resource, and of whose params none came with other fields in between.
// It holds up to 16 MiB of resources to join them. A resource type that has resources after that gets
// another entry in the map.
//
// In the layout of snapshots, the Writer writes resources in the order in which they come, which
// must be the order of their snapshots. Resources without a snapshot are written to the region
// global if they come first, and otherwise to a list after the snapshots. Resources of one snapshot
// that differ only in which collected fields they have are refused, because Perun would lose or
// refuse them; of a snapshot, the Writer remembers a million different resources to find these.
//
// That list, the map and the models are written last. Until then, the Writer keeps them in memory
// or, if they are large, in a temporary file, which Close removes.
//
// The output is valid: validation with the default limits on sizes finds only warnings. The
// header needs the Type time, memory or mixed, and the name of the collector; a resource needs a
// number as its amount, a uid and a type; a model needs a uid and a model. If the header has no
// Type, Cmd, Args, Workload or name of the collector, the Writer takes it from the first record.
//
// Resources with the same params are repetitions, in their order. So a record's Repetition needs no
// field, and params repetition and iteration that spell it are left out. It must be the next one of
// the record's trace.
//
// A Writer checks a record or resource before it writes any part of it. It refuses one without a
// required field, with a trace that is not a list, with links, with params that differ from the
// header's, or with text that is not UTF-8. A refused record leaves the Writer unchanged.
//
// A Writer serves one goroutine.
type Writer struct {
	// Snapshots selects the layout of snapshots, which the specification describes: snapshots of
	// resources, or, for resources without a snapshot, the region global. The default is the layout
	// of types, which Perun writes: parallel arrays for each resource type.
	Snapshots bool

	// KeepParams writes params that the format doesn't have as fields, instead of refusing the
	// record. They are read back as attrs.
	KeepParams bool

	out    buffer.Output
	header Header
	begun  bool // something was written

	units    unitTable
	models   keptList
	fields   Fields // scratch
	types    typeWriter
	repeat   repeater
	snapshot snapshotWriter

	repetitions traceset.Numberer
}

// NewWriter returns a Writer of a profile with the header to out. The first call of another method
// reports any error of the header, before anything is written.
func NewWriter(out io.Writer, header Header) *Writer {
	w := &Writer{out: buffer.NewOutput(out)}
	w.types = typeWriter{
		out: &w.out, byKey: map[string]*heldType{}, newest: map[string]*heldType{}, uids: map[string]int{},
	}
	w.snapshot.out, w.snapshot.number, w.repeat.types = &w.out, noResources, &w.types
	w.header, w.units = header, unitTable{all: header.Units.Map(), seen: map[string][]string{}}
	return w
}

// Write writes a record. It needs params uid and type, and the params that the header gives to
// every measurement.
func (w *Writer) Write(rec *format.Record) error {
	if rec.Repetition == 0 {
		return w.write(rec)
	}
	fit, inOrder, err := w.repetitions.Ordered(rec)
	if err == nil && !inOrder {
		err = fmt.Errorf("the format can't hold repetition %d after repetition %d: their order numbers them, from 1",
			rec.Repetition, w.repetitions.Last())
	}
	if err != nil {
		return fmt.Errorf("measurement %s: %w", rec.TraceID(), err)
	}
	if err := w.write(fit); err != nil {
		return err
	}
	w.repetitions.Wrote()
	return nil
}

func (w *Writer) write(rec *format.Record) error {
	if !w.Snapshots && w.repeat.write(rec, w.KeepParams) {
		return w.types.flushIfHeld()
	}
	h, err := w.ready(rec.Params)
	if err != nil {
		return err
	}

	w.fields, err = h.fieldsOf(w.fields[:0], rec, w.KeepParams)
	var unit recordUnit
	if err == nil {
		unit, err = w.units.check(rec.Params, w.begun && w.Snapshots)
	}
	if err == nil {
		err = checkResource(w.fields)
	}
	if err != nil {
		return fmt.Errorf("measurement %s: %w", rec.TraceID(), err)
	}

	if err := w.writeFields(w.fields, h, &unit); err != nil {
		return err
	}
	if !w.Snapshots {
		w.repeat.remember(rec, w.KeepParams)
	}
	return nil
}

// writeFields writes a resource that was checked, except for its snapshot, in the layout. The header
// and the unit, if there is one, become the Writer's with it.
func (w *Writer) writeFields(fields Fields, h Header, unit *recordUnit) error {
	snapshot := noSnapshot
	if w.Snapshots {
		var err error
		if snapshot, err = w.snapshot.check(fields); err != nil {
			return err
		}
	}
	if w.header = h; unit != nil {
		w.units.add(*unit)
	}
	w.begin()
	if w.Snapshots {
		return w.snapshot.write(fields, snapshot)
	}
	return w.types.write(fields)
}

// WriteResource writes a resource. It uses only the Fields, which need amount, uid and type.
func (w *Writer) WriteResource(res *Resource) error {
	if _, err := w.ready(nil); err != nil {
		return err
	}
	if err := cmp.Or(checkFields(res.Fields), checkResource(res.Fields)); err != nil {
		return fmt.Errorf("resource: %w", err)
	}
	return w.writeFields(res.Fields, w.header, nil)
}

// WriteModel writes a model to the region models. It may be called at any time before Close. The
// model needs a uid and a model.
func (w *Writer) WriteModel(m *Model) error {
	err := w.out.Err()
	if err == nil && !w.begun {
		err = w.header.check()
	}
	if err != nil {
		return err
	}
	err = checkFields(m.Fields)
	for _, key := range []string{"uid", "model"} {
		if _, ok := m.Fields.Get(key); !ok && err == nil {
			err = fmt.Errorf("missing %s", key)
		}
	}
	if err != nil {
		return fmt.Errorf("model: %w", err)
	}
	return w.models.add(&w.out, func(b []byte) []byte { return m.Fields.appendJSON(b, false) })
}

// flush writes everything that can be written now to out. In the layout of types, a resource type
// that has resources after flush gets another entry in the map.
func (w *Writer) flush() error {
	if _, err := w.ready(nil); err != nil {
		return err
	}
	w.begin()
	if err := w.types.flush(); err != nil {
		return err
	}
	return w.out.Flush()
}

// Close completes the profile and writes the rest of it to out, which it doesn't close. After it
// has succeeded, further calls do nothing and return nil.
func (w *Writer) Close() error {
	if w.out.Closed() {
		return nil
	}
	err := w.flush()
	if err == nil {
		if w.Snapshots {
			w.snapshot.end()
		} else {
			w.types.entries.writeTo(&w.out, "},\n\"resource_type_map\":{", "}")
		}
		w.models.writeTo(&w.out, ",\n\"models\":[", "]")
		if !w.Snapshots {
			w.appendHeader() // here, because not all units may be known before
		}
		w.out.Bytes = append(w.out.Bytes, "}\n"...)
		err = w.out.Flush()
	}
	if err = cmp.Or(err, w.release()); err != nil {
		return w.out.Fail(err)
	}
	return w.out.Close()
}

// release removes the temporary files.
func (w *Writer) release() error {
	return errors.Join(w.models.close(), w.types.entries.close(), w.snapshot.late.close())
}

// begin writes the members before the resources.
func (w *Writer) begin() {
	if w.begun {
		return
	}
	w.begun = true
	b := w.header.regions().appendJSON(w.out.Bytes, false)
	w.out.Bytes = b[:len(b)-1] // without the last bracket
	if !w.Snapshots {
		w.out.Bytes = append(w.out.Bytes, ",\n\"resources\":{"...)
	} else {
		w.appendHeader()
	}
}

// appendHeader appends the region header.
func (w *Writer) appendHeader() {
	h := w.header
	h.Units = traceid.FromMap(w.units.all)
	w.out.Bytes = h.region().appendJSON(append(w.out.Bytes, ",\n\"header\":"...), false)
}

// ready returns the header, with what it lacks from the params, after it was checked that it has what
// the specification requires. After anything was written, it returns the header as it is.
func (w *Writer) ready(params traceid.Params) (Header, error) {
	if w.begun || w.out.Err() != nil {
		return w.header, w.out.Err()
	}
	if err := w.header.check(); err != nil {
		return w.header, err
	}
	h := adopt(w.header, params)
	switch {
	case h.Type == "":
		return h, errors.New("header: missing Type")
	case !isType(h.Type):
		return h, fmt.Errorf("header: Type is %s, want time, memory or mixed", message.Quote(h.Type))
	case h.Collector.Name == "":
		return h, errors.New("header: missing Collector.Name")
	}
	return h, nil
}
