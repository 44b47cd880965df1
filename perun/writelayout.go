package perun

import (
	"errors"
	"fmt"

	"perfdata/internal/jsonenc"
	"perfdata/internal/spool"
)

// maxHeld is how many bytes of values the layout of types holds until they are written.
const maxHeld = 16 << 20

// A typeWriter holds the resource types that are not written yet, and the entries of the map for those that were.
type typeWriter struct {
	all   []*heldType
	byKey map[string]*heldType
	held  int
	uids  map[string]int // how many types of a uid there are
	spool *spool.Spool   // the entries
	n     int            // written
	key   []byte
	own   Fields
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
	if !ok || collected == 0 { // without arrays a type has one resource
		var err error
		if held, err = w.addType(fields); err != nil {
			return err
		}
	}

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
	if t.held > maxHeld {
		return w.flushTypes()
	}
	return nil
}

func (w *Writer) addType(fields Fields) (*heldType, error) {
	t := &w.types
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
	return held, nil
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
	t.all, t.held = nil, 0
	return w.out.FlushIfLarge()
}

// A snapshotWriter knows what is open in the layout of snapshots.
type snapshotWriter struct {
	state     snapshotState
	number    int
	resources int   // of it
	time      Value // of it
	hasTime   bool

	late *spool.Spool // resources without a snapshot, which came after others that have one
}

type snapshotState int

const (
	noResources snapshotState = iota
	inGlobal
	inSnapshots
)

// writeToSnapshot writes a resource in the layout of snapshots.
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
		return fmt.Errorf("resource: it is of snapshot %d, after those of snapshot %d", number, s.number)
	case !next && s.hasTime && !hasTime:
		return errors.New("resource: missing time, which others of its snapshot have")
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

// writeLate keeps a resource for a list of its own, after the snapshots.
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

// nextSnapshot begins the snapshot with that number, or the region global if it is negative.
// Snapshots in between have no resources.
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
