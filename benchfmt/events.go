package benchfmt

import (
	"bytes"
	"cmp"
	"maps"
	"slices"

	"perfdata/format"
	"perfdata/internal/jsonscan"
)

// "go test -json" prints one event a line; the documentation of test2json describes them. The
// output of several packages interleaves, and a line of output may be split over several events: a
// benchmark's name is printed when the benchmark begins, its numbers when it ends. So the output
// of each package is joined to a text with a configuration of its own.

// events is the state of reading "go test -json".
type events struct {
	count    int                // output events
	event    event              // the event being read
	packages map[string]*stream // packages whose output has not ended
	scan     *jsonscan.Scanner  // of events

	open []*stream // at the end of the input, the packages whose output did not end
	last int       // how many of open had their last line read
}

// An event is the unread part of an output event.
type event struct {
	stream *stream // nil without an event
	at     place
	rest   []byte // of the output
	ends   bool   // the package's output ends here

	output, pkg []byte
}

// isEvent reports whether a line is an event. The member that comes first is Time or Action, as
// test2json declares them, or Action if a tool sorted the members.
func isEvent(line []byte) bool {
	return len(line) > 0 && line[0] == '{' &&
		(bytes.HasPrefix(line, []byte(`{"Time":`)) || bytes.HasPrefix(line, []byte(`{"Action":`)))
}

// read reads an event into e.event, if it has output or ends a package.
func (e *events) read(in *input, line []byte) *format.Error {
	text := bytes.NewReader(line)
	if e.scan == nil {
		e.scan = jsonscan.New(text, in.name, in.limits)
	} else {
		e.scan.Reset(text, in.name, in.limits)
	}

	var isOutput, isEnd, ofTest bool
	ev, s := &e.event, e.scan
	ev.output, ev.pkg = ev.output[:0], ev.pkg[:0]

	s.EnterObject()
	for {
		name, kind, ok := s.Member()
		if !ok {
			break
		}
		if kind != jsonscan.String {
			s.Skip()
			continue
		}

		member := string(name)
		text, _ := s.Text()
		switch member {
		case "Action":
			switch string(text) {
			case "output":
				isOutput = true
			case "pass", "fail", "skip":
				isEnd = true
			}

		case "Package":
			ev.pkg = append(ev.pkg, text...)
		case "Test":
			ofTest = true
		case "Output":
			ev.output = append(ev.output, text...)
		}
	}

	if !s.End() {
		err := *s.Err().(*format.Error)
		err.Offset += in.at.offset
		err.Line = in.at.line
		err.Message = "event of go test -json: " + err.Message
		err.Severity = format.Recoverable
		return &err
	}
	ev.ends = isEnd && !ofTest
	if isOutput || ev.ends {
		return e.start(in, ev)
	}
	return nil
}

// start begins reading the output of ev, whose members are read.
func (e *events) start(in *input, ev *event) *format.Error {
	s := e.packages[string(ev.pkg)]
	if s == nil {
		if ev.ends {
			return nil
		}
		if e.packages == nil {
			e.packages = make(map[string]*stream)
		}
		s = &stream{pkg: string(ev.pkg)}
		e.packages[s.pkg] = s
		in.keep(streamBytes + int64(len(s.pkg)))
	}

	e.count++
	ev.stream = s
	ev.rest = ev.output
	ev.at = in.at
	ev.at.event, ev.at.pkg = true, s.pkg
	if ev.ends && len(s.partial) > 0 {
		ev.rest = append(ev.rest, '\n')
	}
	return in.err
}

// streamBytes is roughly the size of a stream without its name, configuration and partial line.
const streamBytes = 1 << 10

// setPartial makes b the partial line. The limit is on the memory that it takes, not only on its
// length.
func (s *stream) setPartial(in *input, b []byte) {
	const maxIdle = 1 << 10 // the capacity up to which a stream without a partial line keeps its buffer
	if len(b) == 0 && cap(b) > maxIdle {
		b = nil
	}
	in.keep(int64(cap(b) - cap(s.partial)))
	s.partial = b
}

// outputLine returns the next line of the event's output and its stream. It returns no stream
// after the last complete line, and keeps the rest for the package's next event.
func (e *events) outputLine(in *input) ([]byte, *stream) {
	ev := &e.event
	s := ev.stream
	i := bytes.IndexByte(ev.rest, '\n')
	if i < 0 {
		if len(s.partial) == 0 {
			s.at = ev.at // the package's last event, if no line begins here
		}
		// One byte more than the limit shows that a line is too long; the rest is not needed.
		n := len(ev.rest)
		if room := in.limits.MaxLineBytes - len(s.partial); n > room {
			n = room + 1
		}
		s.setPartial(in, append(s.partial, ev.rest[:n]...))
		if ev.ends {
			delete(e.packages, s.pkg)
			in.keep(-streamBytes - int64(len(s.pkg)) - s.config.bytes - int64(cap(s.partial)))
		}
		ev.stream = nil
		return nil, nil
	}

	line := ev.rest[:i]
	ev.rest = ev.rest[i+1:]
	in.at = ev.at
	if len(s.partial) > 0 {
		line = append(s.partial, line...)
		in.at = s.at
		s.setPartial(in, line[:0])
	}
	return bytes.TrimSuffix(line, []byte("\r")), s
}

// lastLine returns, at the end of the input, the unfinished line of a package whose output did not
// end.
func (e *events) lastLine(in *input) ([]byte, *stream) {
	if e.packages != nil {
		e.open = slices.SortedFunc(maps.Values(e.packages), func(a, b *stream) int {
			return cmp.Compare(a.at.offset, b.at.offset)
		})
		e.packages = nil
	}
	for e.last < len(e.open) {
		s := e.open[e.last]
		e.last++
		if len(s.partial) > 0 {
			in.at = s.at
			return s.partial, s
		}
	}
	return nil, nil
}
