package perun

import (
	"strconv"

	"perfdata/format"
	"perfdata/internal/jsondoc"
	"perfdata/internal/jsonscan"
)

// This is the grammar of LayoutSnapshots: snapshots with a time, resources and models, and the
// region global, which has the same members, for a profile without snapshots.

// A snapshotGrammar reads snapshots.
type snapshotGrammar struct {
	*grammar
	names  jsonscan.Names
	cursor *jsonscan.Scanner // of what comes after the resources
}

// noSnapshot is the number of the region global.
const noSnapshot = -1

// readAll reads the region snapshots, an array.
func (g *snapshotGrammar) readAll(out sink) bool {
	s, number := g.scan, 0
	for s.EnterArray(); s.Element(); number++ {
		more := true
		if s.Kind() == jsonscan.Object {
			more = g.read(out, number)
		} else {
			more = g.wrongValue(out, "object")
		}
		if !more {
			return false
		}
	}
	return true
}

// read reads the object ahead, the snapshot with the number.
func (g *snapshotGrammar) read(out sink, number int) bool {
	s := g.scan
	var time snapshotTime
	hasResources := false
	for name, kind := range s.Members(&g.names) {
		more := true
		switch key := string(name); {
		case key == "time":
			more = g.readTime(out, &time, hasResources)
		case key == "models" && kind == jsonscan.Array && out.wants()&modelObjects != 0:
			more = g.readList(out, modelObjects)
		case key != "resources":
			s.Skip()
		case out.wants()&resourceObjects == 0:
			s.Skim()
		default:
			hasResources = true
			more = g.readResources(out, number, &time, kind)
		}
		if !more {
			return false
		}
	}

	if !hasResources && s.Err() == nil && out.wants()&resourceObjects != 0 {
		return recoverable(out, s.LeftError("resources is required"))
	}
	return true
}

// readResources reads the resources of a snapshot, which inherit its number and time.
func (g *snapshotGrammar) readResources(out sink, number int, time *snapshotTime, kind jsonscan.Kind) bool {
	if !time.known && kind == jsonscan.Array && !g.inOrder {
		*time = g.timeAhead()
	}
	switch {
	case time.err != nil:
		g.scan.Skip() // a fault in the resources is reported first
		return true
	case kind != jsonscan.Array:
		return g.wrongValue(out, "array")
	}

	g.inherited.reset()
	if number != noSnapshot {
		text := strconv.Itoa(number)
		g.inherited.add("snapshot", Value{kind: kindNumber, text: text}, text)
	}
	if time.known && time.value.kind != kindNull {
		g.inherited.add("time", time.value, time.text)
	}
	more := g.readList(out, resourceObjects)
	g.inherited.reset()
	return more
}

// A snapshotTime is the time of a snapshot, if it is known.
type snapshotTime struct {
	value Value
	text  string // of the value in flattened fields
	known bool
	err   *format.Error // why it could not be read ahead, to be reported in its turn
}

// readTime reads the time ahead, unless it is known from looking ahead.
func (g *snapshotGrammar) readTime(out sink, time *snapshotTime, hasResources bool) bool {
	switch {
	case time.known:
		g.scan.Skip()
	case time.err != nil:
		g.scan.Fail(time.err)
	case hasResources && g.inOrder:
		return g.late(out)
	default:
		*time = g.timeOf(g.scan)
	}
	return true
}

// late skips a value that comes too late to be used. It is an error unless it is null.
func (g *grammar) late(out sink) bool {
	e := jsondoc.TooLate(g.scan, jsondoc.AfterResources)
	return e == nil || out.fault(e)
}

// timeOf reads the time that is ahead of s.
func (g *snapshotGrammar) timeOf(s *jsonscan.Scanner) snapshotTime {
	s.BeginRegion("MaxResultBytes", g.limits.MaxResultBytes, 0)
	value := readValue(s, g.strings.String)
	text := g.flatText(s, value)
	s.EndRegion()
	return snapshotTime{value: value, text: text, known: true}
}

// timeAhead returns the time of the snapshot whose resources are ahead, if it comes after them. If
// the time has a fault, timeAhead returns that.
func (g *snapshotGrammar) timeAhead() snapshotTime {
	c := g.scan.Cursor(g.cursor, g.scan.LookAhead())
	g.cursor = c
	for c.Skim(); ; c.Skim() {
		name, _, ok := c.Member()
		if !ok {
			return snapshotTime{} // if there is an error, the scanner will find it
		}
		if string(name) == "time" {
			break
		}
	}
	time := g.timeOf(c)
	if e, failed := c.Err().(*format.Error); failed {
		return snapshotTime{err: e}
	}
	return time
}
