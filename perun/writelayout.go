package perun

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"perfdata/internal/jsonenc"
	"perfdata/internal/spool"
)

// maxHeld is the largest number of bytes of values that are held in LayoutTypes.
const maxHeld = 16 << 20

// A typeWriter holds the resource types that are not written yet, and the entries of the map for
// the types that were written.
type typeWriter struct {
	all   []*heldType
	byKey map[string]*heldType
	held  int            // bytes
	uids  map[string]int // number of types by uid
	spool *spool.Spool   // the entries
	n     int            // types that were written

	// Of the last resource.
	last *heldType // nil: it was written
	key  []byte
	own  Fields // not collected
}

// A heldType is a resource type with its arrays, as text.
type heldType struct {
	name    string
	entry   string // of the map
	columns []heldColumn
}

// A heldColumn is an array.
type heldColumn struct {
	key    string
	values []byte // separated by commas
}

// room returns the values, with room for a comma and a number or n bytes. Up to 64 KiB it doubles
// their memory. With append, which adds a quarter, writing profiles allocates half as much again.
func (c *heldColumn) room(n int) []byte {
	if size := len(c.values); size < 64<<10 && cap(c.values)-size < 32+n {
		c.values = slices.Grow(c.values, size+32+n)
	}
	return c.values
}

// addToType adds a resource to its type.
func (w *Writer) addToType(fields Fields) error {
	t := &w.types
	t.key, t.own = t.key[:0], t.own[:0]
	collected := 0
	for _, f := range fields {
		if isCollectable(f.Key) {
			t.key = jsonenc.AppendString(t.key, f.Key)
			collected++
		} else {
			t.own = append(t.own, f)
		}
	}

	prefix := len(t.key)
	t.key = t.own.appendJSON(t.key, false)
	held, ok := t.byKey[string(t.key)]
	if !ok || collected == 0 { // a type without arrays has one resource
		held = t.add(fields, prefix, collected)
	}
	t.last = held

	i := 0
	for _, f := range fields {
		if !isCollectable(f.Key) {
			continue
		}
		values := held.columns[i].values
		before := len(values)
		if before > 0 {
			values = append(values, ',')
		}

		values = f.Value.appendJSON(values, false)
		t.held += len(values) - before
		held.columns[i].values = values
		i++
	}

	w.begin()
	return w.flushIfHeld()
}

// flushIfHeld writes the types if many bytes are held.
func (w *Writer) flushIfHeld() error {
	if w.types.held > maxHeld {
		return w.flushTypes()
	}
	return nil
}

// add adds a resource type for a resource with the given number of collected fields. Its entry of
// the map follows the prefix in the key.
func (t *typeWriter) add(fields Fields, prefix, collected int) *heldType {
	uid := ""
	if v, ok := fields.Get("uid"); ok {
		uid = v.FlatText()
	}
	if t.byKey == nil {
		t.byKey, t.uids, t.spool = map[string]*heldType{}, map[string]int{}, newSpool()
	}

	key, number := string(t.key), t.uids[uid]
	held := &heldType{
		name: uid + "#" + strconv.Itoa(number), entry: key[prefix:], columns: make([]heldColumn, 0, collected),
	}
	t.uids[uid] = number + 1
	for _, f := range fields {
		if isCollectable(f.Key) {
			held.columns = append(held.columns, heldColumn{key: f.Key})
		}
	}
	t.all = append(t.all, held)
	t.byKey[key] = held
	t.held += 2*len(t.key) + 200
	return held
}

// flushTypes writes the types that are held.
func (w *Writer) flushTypes() error {
	t := &w.types
	var entry []byte
	for _, held := range t.all {
		entry = entry[:0]
		if t.n > 0 {
			w.out.Bytes = append(w.out.Bytes, ',')
			entry = append(entry, ',')
		}

		t.n++
		entry = append(entry, '\n')
		entry = append(jsonenc.AppendString(entry, held.name), ':')
		entry = append(entry, held.entry...)
		if _, err := t.spool.Write(entry); err != nil {
			w.out.Fail(err)
			return err
		}

		w.out.Bytes = append(w.out.Bytes, '\n')
		w.out.Bytes = append(jsonenc.AppendString(w.out.Bytes, held.name), ":{"...)
		for i, c := range held.columns {
			if i > 0 {
				w.out.Bytes = append(w.out.Bytes, ',')
			}
			w.out.Bytes = append(jsonenc.AppendString(w.out.Bytes, c.key), ":["...)
			w.out.Bytes = append(w.out.Bytes, c.values...)
			w.out.Bytes = append(w.out.Bytes, ']')
			if err := w.out.FlushIfLarge(); err != nil {
				return err
			}
		}
		w.out.Bytes = append(w.out.Bytes, '}')
	}

	clear(t.byKey)
	t.all, t.held, t.last, w.repeat.held = nil, 0, nil, nil
	return w.out.FlushIfLarge()
}

// A snapshotWriter has the snapshot that is open in LayoutSnapshots.
type snapshotWriter struct {
	state     snapshotState
	number    int
	resources int // written so far
	time      Value
	hasTime   bool
	own       Fields // scratch
	kinds     resourceKinds

	late      *spool.Spool // resources without a snapshot that came after resources with one
	lateKinds resourceKinds
}

type snapshotState int

const (
	noResources snapshotState = iota
	inGlobal
	inSnapshots
)

// writeToSnapshot writes a resource in LayoutSnapshots.
func (w *Writer) writeToSnapshot(fields Fields) error {
	s := &w.snapshot
	number := -1
	if v, ok := fields.Get("snapshot"); ok {
		if number, ok = wholeNumber(v); !ok || number > maxSnapshot {
			return fmt.Errorf("resource: %s is not the number of a snapshot", v)
		}
	}

	time, hasTime := fields.Get("time")
	hasTime = hasTime && time.kind != KindNull
	next := s.state == noResources || number > s.number && number >= 0
	switch {
	case s.state == inSnapshots && number < 0:
		return w.writeLate(fields)
	case number >= 0 && s.state == inSnapshots && number < s.number:
		return fmt.Errorf("resource: snapshot %d comes after snapshot %d", number, s.number)
	case !next && s.hasTime && !hasTime:
		return errors.New("resource: missing time, which other resources of its snapshot have")
	}
	if next {
		s.kinds.reset()
	}
	if err := s.kinds.add(fields); err != nil {
		return err
	}

	w.begin()
	if next {
		w.nextSnapshot(number, time, hasTime)
	}

	if s.resources > 0 {
		w.out.Bytes = append(w.out.Bytes, ',')
	}
	s.resources++

	own := s.own[:0]
	for _, f := range fields {
		if f.Key != "snapshot" && !(f.Key == "time" && s.hasTime && f.Value.Equal(s.time)) {
			own = append(own, f)
		}
	}
	s.own = own
	w.out.Bytes = own.appendJSON(append(w.out.Bytes, '\n'), false)
	return w.out.FlushIfLarge()
}

// writeLate keeps a resource for the list after the snapshots.
func (w *Writer) writeLate(fields Fields) error {
	s := &w.snapshot
	if err := s.lateKinds.add(fields); err != nil {
		return err
	}
	text := []byte(",\n")
	if s.late == nil {
		s.late, text = newSpool(), text[1:]
	}
	if _, err := s.late.Write(fields.appendJSON(text, false)); err != nil {
		w.out.Fail(err)
	}
	return w.out.Err()
}

// nextSnapshot begins the snapshot with the number, or the region global if it is negative. It
// writes snapshots in between without resources.
func (w *Writer) nextSnapshot(number int, time Value, hasTime bool) {
	s := &w.snapshot
	switch {
	case number < 0:
		w.out.Bytes = append(w.out.Bytes, ",\n\"global\":{"...)

	case s.state != inSnapshots:
		if s.state == inGlobal {
			w.out.Bytes = append(w.out.Bytes, "]}"...)
		}
		w.out.Bytes = append(w.out.Bytes, ",\n\"snapshots\":["...)
		w.skipSnapshots(number)
		w.out.Bytes = append(w.out.Bytes, "\n{"...)
	default:
		w.out.Bytes = append(w.out.Bytes, "]},"...)
		w.skipSnapshots(number - s.number - 1)
		w.out.Bytes = append(w.out.Bytes, "\n{"...)
	}

	if hasTime {
		w.out.Bytes = append(w.out.Bytes, `"time":`...)
		w.out.Bytes = append(time.appendJSON(w.out.Bytes, false), ',')
	}
	w.out.Bytes = append(w.out.Bytes, `"resources":[`...)
	s.state = inSnapshots
	if number < 0 {
		s.state = inGlobal
	}
	s.number, s.resources, s.time, s.hasTime = number, 0, time, hasTime
}

func (w *Writer) skipSnapshots(n int) {
	for range n {
		w.out.Bytes = append(w.out.Bytes, "\n{\"resources\":[]},"...)
		if w.out.FlushIfLarge() != nil {
			return
		}
	}
}

func (w *Writer) endSnapshots() {
	switch w.snapshot.state {
	case noResources:
		w.out.Bytes = append(w.out.Bytes, ",\n\"snapshots\":[]"...)
	case inGlobal:
		w.out.Bytes = append(w.out.Bytes, "]}"...)
	case inSnapshots:
		w.out.Bytes = append(w.out.Bytes, "]}]"...)
	}
	if w.snapshot.late != nil {
		w.out.Bytes = append(w.out.Bytes, ",\n\"resources\":["...)
		w.copySpool(w.snapshot.late)
		w.out.Bytes = append(w.out.Bytes, ']')
	}
}
