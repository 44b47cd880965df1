package perun

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"perfdata/format"
	"perfdata/internal/jsonenc"
	"perfdata/internal/outbuf"
	"perfdata/internal/spool"
)

// A keptList is a list of JSON values or members that is written last. Until then, it is in memory
// or, if it is large, in a temporary file.
type keptList struct {
	spool *spool.Spool
	text  []byte // scratch
}

// add adds an item, which the function appends to its text.
func (k *keptList) add(out *outbuf.Buffer, item func([]byte) []byte) error {
	k.text = k.text[:0]
	if k.spool == nil {
		limits := format.Limits{}.WithDefaults()
		k.spool = spool.New(limits.MaxSpoolMemory, limits.MaxSpoolBytes)
	} else {
		k.text = append(k.text, ',')
	}
	k.text = item(append(k.text, '\n'))
	if _, err := k.spool.Write(k.text); err != nil {
		return out.Fail(err)
	}
	return nil
}

// writeTo writes the list between two texts.
func (k *keptList) writeTo(out *outbuf.Buffer, before, after string) {
	out.Bytes = append(out.Bytes, before...)
	if k.spool != nil {
		out.Copy(k.spool.Reader())
	}
	out.Bytes = append(out.Bytes, after...)
}

// close removes the temporary file.
func (k *keptList) close() error {
	if k.spool == nil {
		return nil
	}
	return k.spool.Close()
}

// maxHeld is the largest number of bytes of values that are held in LayoutTypes.
const maxHeld = 16 << 20

// A typeWriter writes LayoutTypes. It holds the resource types that are not written yet, and the
// entries of the map for the types that were written.
type typeWriter struct {
	out     *outbuf.Buffer
	all     []*heldType
	byKey   map[string]*heldType
	held    int            // bytes
	uids    map[string]int // number of types by uid
	entries keptList
	written bool // a type was written

	// The type, the key and the fields of the last resource.
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
// their memory. With append, which adds a quarter, writing profiles allocates 1.5 times as much.
func (c *heldColumn) room(n int) []byte {
	if size := len(c.values); size < 64<<10 && cap(c.values)-size < 32+n {
		c.values = slices.Grow(c.values, size+32+n)
	}
	return c.values
}

// add adds a resource to its type.
func (t *typeWriter) add(fields Fields) error {
	t.key, t.own = t.key[:0], t.own[:0]
	for _, f := range fields {
		if isCollectable(f.Key) {
			t.key = jsonenc.AppendString(t.key, f.Key)
		} else {
			t.own = append(t.own, f)
		}
	}

	prefix := len(t.key)
	t.key = t.own.appendJSON(t.key, false)
	held, ok := t.byKey[string(t.key)]
	if !ok || prefix == 0 { // a type without arrays has one resource
		held = t.addType(fields, prefix)
	}
	t.last = held

	i := 0
	for _, f := range fields {
		if !isCollectable(f.Key) {
			continue
		}
		c := &held.columns[i]
		before := len(c.values)
		if before > 0 {
			c.values = append(c.values, ',')
		}
		c.values = f.Value.appendJSON(c.values, false)
		t.held += len(c.values) - before
		i++
	}
	return t.flushIfHeld()
}

// addType adds a resource type for a resource. Its entry of the map follows the prefix in the key.
func (t *typeWriter) addType(fields Fields, prefix int) *heldType {
	uid := ""
	if v, ok := fields.Get("uid"); ok {
		uid = v.FlatText()
	}
	if t.byKey == nil {
		t.byKey, t.uids = map[string]*heldType{}, map[string]int{}
	}

	key, number := string(t.key), t.uids[uid]
	held := &heldType{name: uid + "#" + strconv.Itoa(number), entry: key[prefix:]}
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

// flushIfHeld writes the types if many bytes are held.
func (t *typeWriter) flushIfHeld() error {
	if t.held > maxHeld {
		return t.flush()
	}
	return nil
}

// flush writes the types that are held.
func (t *typeWriter) flush() error {
	out := t.out
	for _, held := range t.all {
		err := t.entries.add(out, func(b []byte) []byte {
			return append(append(jsonenc.AppendString(b, held.name), ':'), held.entry...)
		})
		if err != nil {
			return err
		}

		if t.written {
			out.Bytes = append(out.Bytes, ',')
		}
		t.written = true
		out.Bytes = append(jsonenc.AppendString(append(out.Bytes, '\n'), held.name), ":{"...)
		for i, c := range held.columns {
			if i > 0 {
				out.Bytes = append(out.Bytes, ',')
			}
			out.Bytes = append(jsonenc.AppendString(out.Bytes, c.key), ":["...)
			out.Bytes = append(append(out.Bytes, c.values...), ']')
			if err := out.FlushIfLarge(); err != nil {
				return err
			}
		}
		out.Bytes = append(out.Bytes, '}')
	}

	clear(t.byKey)
	t.all, t.held, t.last = nil, 0, nil
	return out.FlushIfLarge()
}

// A snapshotWriter writes LayoutSnapshots.
type snapshotWriter struct {
	out       *outbuf.Buffer
	state     snapshotState
	number    int    // of the open snapshot
	resources int    // written to it so far
	time      Value  // its time; null: none
	own       Fields // scratch
	kinds     resourceKinds

	// Resources without a snapshot that came after resources with one.
	late      keptList
	lateKinds resourceKinds
}

type snapshotState int

const (
	noResources snapshotState = iota
	inGlobal
	inSnapshots
)

// isLate reports whether a resource of the snapshot belongs to the list after the snapshots, and
// isNext whether it begins another snapshot.
func (s *snapshotWriter) isLate(number int) bool {
	return s.state == inSnapshots && number == noSnapshot
}
func (s *snapshotWriter) isNext(number int) bool {
	return s.state == noResources || number > s.number && number != noSnapshot
}

// check returns the number of the resource's snapshot, or why the resource cannot be written.
func (s *snapshotWriter) check(fields Fields) (number int, err error) {
	number = noSnapshot
	if v, ok := fields.Get("snapshot"); ok {
		if number, ok = wholeNumber(v); !ok || number > maxSnapshot {
			return 0, fmt.Errorf("resource: %s is not the number of a snapshot", v)
		}
	}

	time, _ := fields.Get("time")
	switch {
	case s.isLate(number):
		return number, s.lateKinds.add(fields)
	case s.state == inSnapshots && number < s.number:
		return 0, fmt.Errorf("resource: snapshot %d comes after snapshot %d", number, s.number)
	case s.isNext(number):
		s.kinds.reset()
	case s.time.kind != kindNull && time.kind == kindNull:
		return 0, errors.New("resource: missing time, which other resources of its snapshot have")
	}
	return number, s.kinds.add(fields)
}

// write writes a resource that was checked to the snapshot with the number.
func (s *snapshotWriter) write(fields Fields, number int) error {
	if s.isLate(number) {
		return s.late.add(s.out, func(b []byte) []byte { return fields.appendJSON(b, false) })
	}
	if s.isNext(number) {
		time, _ := fields.Get("time")
		s.begin(number, time)
	}
	if s.resources > 0 {
		s.out.Bytes = append(s.out.Bytes, ',')
	}
	s.resources++

	s.own = s.own[:0]
	for _, f := range fields {
		if f.Key != "snapshot" && !(f.Key == "time" && s.time.kind != kindNull && f.Value.Equal(s.time)) {
			s.own = append(s.own, f)
		}
	}
	s.out.Bytes = s.own.appendJSON(append(s.out.Bytes, '\n'), false)
	return s.out.FlushIfLarge()
}

// begin begins the snapshot with the number, or the region global. It writes snapshots in between
// without resources.
func (s *snapshotWriter) begin(number int, time Value) {
	b := s.out.Bytes
	switch {
	case number == noSnapshot:
		b = append(b, ",\n\"global\":{"...)
	case s.state == inSnapshots:
		b = append(b, "]},"...)
	case s.state == inGlobal:
		b = append(b, "]}"...)
		fallthrough
	default:
		b = append(b, ",\n\"snapshots\":["...)
		s.number = -1
	}
	s.out.Bytes = b

	if number != noSnapshot {
		for range number - s.number - 1 {
			s.out.Bytes = append(s.out.Bytes, "\n{\"resources\":[]},"...)
			if s.out.FlushIfLarge() != nil {
				break
			}
		}
		s.out.Bytes = append(s.out.Bytes, "\n{"...)
	}

	if time.kind != kindNull {
		s.out.Bytes = append(time.appendJSON(append(s.out.Bytes, `"time":`...), false), ',')
	}
	s.out.Bytes = append(s.out.Bytes, `"resources":[`...)
	s.number, s.resources, s.time, s.state = number, 0, time, inSnapshots
	if number == noSnapshot {
		s.state = inGlobal
	}
}

// end completes the regions that have resources.
func (s *snapshotWriter) end() {
	s.out.Bytes = append(s.out.Bytes, [...]string{",\n\"snapshots\":[]", "]}", "]}]"}[s.state]...)
	if s.late.spool != nil {
		s.late.writeTo(s.out, ",\n\"resources\":[", "]")
	}
}
