package perun

import (
	"strconv"

	"perfdata/format"
	"perfdata/internal/jsondoc"
	"perfdata/internal/jsonscan"
)

// This is the grammar of the layout of snapshots: snapshots with a time, resources and models, and
// the region global, which has the same members, for a profile without snapshots.

// A snapshotGrammar reads snapshots.
type snapshotGrammar struct {
	*grammar
	cursor *jsonscan.Scanner // of what comes after the resources
}

// noSnapshot is the number of the region global.
const noSnapshot = -1

// readAll reads the region snapshots, an array.
func (g *snapshotGrammar) readAll(out sink) {
	s, number := g.scan, 0
	for s.EnterArray(); s.Element(); number++ {
		if s.Kind() == jsonscan.Object {
			g.read(out, number)
		} else {
			g.wrongValue(out, "object")
		}
	}
}

// read reads the object ahead, the snapshot with the number.
func (g *snapshotGrammar) read(out sink, number int) {
	s := g.scan
	var time snapshotTime
	hasResources := false
	for name, kind := range s.Members() {
		switch key := string(name); {
		case key == "time":
			g.readTime(out, &time, hasResources)
		case key == "models" && kind == jsonscan.Array && out.wants()&modelObjects != 0:
			g.readList(out, modelObjects)
		case key != "resources":
			s.Skip()
		case out.wants()&resourceObjects == 0:
			s.SkipFast()
		default:
			hasResources = true
			g.readResources(out, number, &time, kind)
		}
	}
	if !hasResources && s.Err() == nil && out.wants()&resourceObjects != 0 {
		g.recoverable(out, s.LeftError("resources is required"))
	}
}

// readResources reads the resources of a snapshot, which inherit its number and time.
func (g *snapshotGrammar) readResources(out sink, number int, time *snapshotTime, kind jsonscan.Kind) {
	if !time.known && kind == jsonscan.Array && !g.inOrder {
		*time = g.timeAhead()
	}
	switch {
	case time.err != nil:
		g.scan.Skip() // a fault in the resources is reported first
		return
	case kind != jsonscan.Array:
		g.wrongValue(out, "array")
		return
	}

	g.inherited.reset()
	if number != noSnapshot {
		text := strconv.Itoa(number)
		g.inherited.add("snapshot", Value{kind: kindNumber, text: text}, text)
	}
	if time.known && time.value.kind != kindNull {
		g.inherited.add("time", time.value, time.text)
	}
	g.readList(out, resourceObjects)
}

// A snapshotTime is the time of a snapshot, if it is known.
type snapshotTime struct {
	value Value
	text  string // of the value in flattened fields
	known bool
	err   *format.Error // why it could not be read ahead, to be reported in its turn
}

// readTime reads the time ahead, unless it is known from looking ahead.
func (g *snapshotGrammar) readTime(out sink, time *snapshotTime, hasResources bool) {
	switch {
	case time.known:
		g.scan.Skip()
	case time.err != nil:
		g.scan.Fail(time.err)
	case hasResources && g.inOrder:
		g.late(out)
	default:
		*time = g.timeOf(g.scan)
	}
}

// late skips a value that comes too late to be used. It is an error unless it is null.
func (g *grammar) late(out sink) {
	if e := jsondoc.TooLate(g.scan, "resources"); e != nil {
		g.report(out, e)
	}
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
	for c.SkipFast(); ; c.SkipFast() {
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
