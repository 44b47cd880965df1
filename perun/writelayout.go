package perun

import (
	"errors"
	"fmt"

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
	entry   []byte
	keys    []string
	columns [][]byte
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

	t.key = t.own.appendJSON(t.key, false)
	held, ok := t.byKey[string(t.key)]
	if !ok || collected == 0 { // a type without arrays has one resource
		held = t.add(fields)
	}
	t.last = held

	i := 0
	for _, f := range fields {
		if !isCollectable(f.Key) {
			continue
		}
		before := len(held.columns[i])
		if before > 0 {
			held.columns[i] = append(held.columns[i], ',')
		}

		held.columns[i] = f.Value.appendJSON(held.columns[i], false)
		t.held += len(held.columns[i]) - before
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

// add adds a resource type for a resource.
func (t *typeWriter) add(fields Fields) *heldType {
	uid := ""
	if v, ok := fields.Get("uid"); ok {
		uid = v.FlatText()
	}
	if t.byKey == nil {
		t.byKey, t.uids, t.spool = map[string]*heldType{}, map[string]int{}, newSpool()
	}

	held := &heldType{name: fmt.Sprintf("%s#%d", uid, t.uids[uid])}
	t.uids[uid]++
	for _, f := range fields {
		if isCollectable(f.Key) {
			held.keys = append(held.keys, f.Key)
			held.columns = append(held.columns, nil)
		}
	}
	held.entry = t.own.appendJSON(nil, false)
	t.all = append(t.all, held)
	t.byKey[string(t.key)] = held
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
		for i, key := range held.keys {
			if i > 0 {
				w.out.Bytes = append(w.out.Bytes, ',')
			}
			w.out.Bytes = append(jsonenc.AppendString(w.out.Bytes, key), ":["...)
			w.out.Bytes = append(w.out.Bytes, held.columns[i]...)
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

	late *spool.Spool // resources without a snapshot that came after resources with one
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

	w.begin()
	if next {
		w.nextSnapshot(number, time, hasTime)
	}

	if s.resources > 0 {
		w.out.Bytes = append(w.out.Bytes, ',')
	}
	s.resources++

	own := make(Fields, 0, len(fields))
	for _, f := range fields {
		if f.Key != "snapshot" && !(f.Key == "time" && s.hasTime && f.Value.Equal(s.time)) {
			own = append(own, f)
		}
	}
	w.out.Bytes = own.appendJSON(append(w.out.Bytes, '\n'), false)
	return w.out.FlushIfLarge()
}

// writeLate keeps a resource for the list after the snapshots.
func (w *Writer) writeLate(fields Fields) error {
	s := &w.snapshot
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
