package perun

import (
	"strconv"

	"perfdata/format"
	"perfdata/internal/jsondoc"
	"perfdata/internal/jsonscan"
)

// This is the grammar of the layout of snapshots: snapshots with a time, resources and models, and
// the region global, which has the same members, for a profile without snapshots.

// noSnapshot is the number of the region global.
const noSnapshot = -1

// readSnapshot reads the object ahead, the snapshot with the number.
func (d *document) readSnapshot(number int) {
	s := d.scan
	var time snapshotTime
	hasResources := false
	for name, kind := range s.Members() {
		switch key := string(name); {
		case key == "time" && time.known: // from looking ahead
			s.Skip()
		case key == "time" && time.err != nil:
			s.Fail(time.err)
		case key == "time" && hasResources && d.inOrder:
			d.late()
		case key == "time":
			time = d.timeOf(s)
		case key == "models" && kind == jsonscan.Array && d.out.models != nil:
			d.readList(d.readModel)
		case key != "resources":
			s.Skip()
		case !d.out.takesResources():
			s.SkipFast()
		default:
			hasResources = true
			d.readResources(number, &time, kind)
		}
	}

	if !hasResources && s.Err() == nil && d.out.takesResources() {
		d.recoverable(s.LeftError("resources is required"))
	}
}

// readResources reads the resources of a snapshot, which inherit its number and time.
func (d *document) readResources(number int, time *snapshotTime, kind jsonscan.Kind) {
	if !time.known && kind == jsonscan.Array && !d.inOrder {
		*time = d.timeAhead()
	}
	switch {
	case time.err != nil:
		d.scan.Skip() // a fault in the resources is reported first
	case kind != jsonscan.Array:
		d.wrongValue("array")
	default:
		d.inherited.reset()
		if number != noSnapshot {
			text := strconv.Itoa(number)
			d.inherited.add("snapshot", Value{kind: jsonscan.Number, text: text}, text)
		}
		if time.known && !time.value.IsNull() {
			d.inherited.add("time", time.value, time.text)
		}
		d.readList(d.readResource)
	}
}

// A snapshotTime is the time of a snapshot, if it is known.
type snapshotTime struct {
	value Value
	text  string // of the value in flattened fields
	known bool
	err   *format.Error // why it could not be read ahead, to be reported in its turn
}

// late skips a value that comes too late to be used. It is an error unless it is null.
func (d *document) late() {
	if e := jsondoc.TooLate(d.scan, "resources"); e != nil {
		d.recoverable(e)
	}
}

// timeOf reads the time that is ahead of s.
func (d *document) timeOf(s *jsonscan.Scanner) snapshotTime {
	s.BeginRegion("MaxResultBytes", d.limits.MaxResultBytes, 0)
	value := readValue(s, d.strings.String)
	text := d.flatText(s, value)
	s.EndRegion()
	return snapshotTime{value: value, text: text, known: true}
}

// timeAhead returns the time of the snapshot whose resources are ahead, if it comes after them. If
// the time has a fault, timeAhead returns that.
func (d *document) timeAhead() snapshotTime {
	c := d.scan.Cursor(d.afterResources, d.scan.LookAhead())
	d.afterResources = c
	for c.SkipFast(); ; c.SkipFast() {
		name, _, ok := c.Member()
		if !ok {
			return snapshotTime{} // if there is an error, the scanner will find it
		}
		if string(name) == "time" {
			break
		}
	}
	time := d.timeOf(c)
	if e, failed := c.Err().(*format.Error); failed {
		return snapshotTime{err: e}
	}
	return time
}
