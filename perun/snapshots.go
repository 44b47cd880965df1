package perun

import (
	"strconv"

	"perfdata/format"
	"perfdata/internal/jsonscan"
)

// This is the grammar of LayoutSnapshots: snapshots with a time, resources and models, and the
// region global, which has the same members, for a profile without snapshots.

// snapshotScratch is memory that reading a snapshot reuses.
type snapshotScratch struct {
	names  jsonscan.Names
	cursor *jsonscan.Scanner // of what comes after the resources
}

// readSnapshots reads the region snapshots.
func (r *Reader) readSnapshots(out sink) bool {
	s := r.scan
	if s.Kind() != jsonscan.Array {
		return r.yieldWrongType(out, "array")
	}
	number := 0
	for s.EnterArray(); s.Element(); number++ {
		if s.Kind() != jsonscan.Object {
			if !r.yieldWrongType(out, "object") {
				return false
			}
			continue
		}
		if !r.readSnapshot(out, number) {
			return false
		}
	}
	return true
}

// readSnapshot reads the object ahead, which has time, resources and models. It is a snapshot, or
// if the number is negative, the region global.
func (r *Reader) readSnapshot(out sink, number int) bool {
	s, names := r.scan, &r.snapshots.names
	names.Reset()
	var time snapshotTime
	hasResources := false
	for s.EnterObject(); ; {
		name, kind, ok := s.Member()
		if !ok {
			break
		}

		if !names.Add(s, name) {
			s.FailRepeated(name)
			break
		}

		switch key := string(name); {
		case key == "time" && time.known: // by looking ahead
			s.Skip()
		case key == "time" && time.err != nil:
			s.Fail(time.err)
		case key == "time" && hasResources && r.InOrder:
			if !r.late(out) {
				return false
			}
		case key == "time":
			time = r.readTime(s)
		case key == "models" && kind == jsonscan.Array && out.wantsModels():
			if !r.readList(out) {
				return false
			}

		case key != "resources":
			s.Skip()
		case out.wantsModels():
			s.Skim()
		default:
			hasResources = true
			if !time.known && kind == jsonscan.Array && !r.InOrder {
				time = r.timeAhead()
			}
			if time.err != nil {
				s.Skip() // a fault in them is reported first
			} else if !r.readSnapshotResources(out, number, time, kind) {
				return false
			}
		}
	}

	if !hasResources && s.Err() == nil && !out.wantsModels() {
		return recoverable(out, s.LeftError("resources is required"))
	}
	return true
}

// readSnapshotResources reads the resources of a snapshot, which inherit its number and time.
func (r *Reader) readSnapshotResources(out sink, number int, time snapshotTime, kind jsonscan.Kind) bool {
	if kind != jsonscan.Array {
		return r.yieldWrongType(out, "array")
	}

	r.inherited.reset()
	if number >= 0 {
		number := strconv.Itoa(number)
		r.inherited.add("snapshot", Value{kind: KindNumber, text: number}, number)
	}
	if time.known && time.value.kind != KindNull {
		r.inherited.add("time", time.value, time.text)
	}
	more := r.readList(out)
	r.inherited.reset()
	return more
}

// A snapshotTime is the time of a snapshot, if it is known.
type snapshotTime struct {
	value Value
	text  string // of the value in flattened fields
	known bool
	err   *format.Error // why it could not be read ahead, to be reported in its turn
}

// readTime reads the time of a snapshot, which is ahead of s.
func (r *Reader) readTime(s *jsonscan.Scanner) snapshotTime {
	s.BeginRegion("MaxResultBytes", r.Limits.MaxResultBytes, 0)
	value := readValue(s, r.text)
	text := r.flatText(s, value)
	s.EndRegion()
	return snapshotTime{value: value, text: text, known: true}
}

// timeAhead returns the time of the snapshot whose resources are ahead, if it comes after them. If
// the time has a fault, timeAhead returns that.
func (r *Reader) timeAhead() snapshotTime {
	c := r.scan.Cursor(r.snapshots.cursor, r.scan.LookAhead())
	r.snapshots.cursor = c
	for c.Skim(); ; c.Skim() {
		name, _, ok := c.Member()
		if !ok {
			return snapshotTime{} // if there is an error, the scanner will find it
		}
		if string(name) == "time" {
			break
		}
	}
	time := r.readTime(c)
	if e, failed := c.Err().(*format.Error); failed {
		return snapshotTime{err: e}
	}
	return time
}
