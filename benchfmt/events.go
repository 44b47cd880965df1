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
// of each package is put together again, as a text with a configuration of its own.

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

// readEvent reads an event into r.events.event, if it has output or ends a package.
func (r *Reader) readEvent(line []byte) *format.Error {
	in := bytes.NewReader(line)
	if r.events.scan == nil {
		r.events.scan = jsonscan.New(in, r.Name, r.limits)
	} else {
		r.events.scan.Reset(in, r.Name, r.limits)
	}

	var isOutput, isEnd, ofTest bool
	ev, s := &r.events.event, r.events.scan
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
		e := *s.Err().(*format.Error)
		e.Name = r.name
		e.Offset += r.at.offset
		e.Line = r.at.line
		e.Message = "event of go test -json: " + e.Message
		e.Recoverable = true
		return &e
	}
	ev.ends = isEnd && !ofTest
	if isOutput || ev.ends {
		return r.startEvent(ev)
	}
	return nil
}

// startEvent begins reading the output of ev, whose members are read.
func (r *Reader) startEvent(ev *event) *format.Error {
	s := r.events.packages[string(ev.pkg)]
	if s == nil {
		if ev.ends {
			return nil
		}
		s = r.addPackage(string(ev.pkg))
	}

	r.events.count++
	ev.stream = s
	ev.rest = ev.output
	ev.at = r.at
	ev.at.event, ev.at.pkg = true, s.pkg
	if ev.ends && len(s.partial) > 0 {
		ev.rest = append(ev.rest, '\n')
	}
	return r.err
}

// streamBytes is roughly the size of a stream without its name, configuration and partial line.
const streamBytes = 1 << 10

func (r *Reader) addPackage(pkg string) *stream {
	if r.events.packages == nil {
		r.events.packages = make(map[string]*stream)
	}
	s := &stream{pkg: pkg}
	r.events.packages[pkg] = s
	r.keep(streamBytes + int64(len(pkg)))
	return s
}

// removePackage forgets a package whose output has ended.
func (r *Reader) removePackage(s *stream) {
	delete(r.events.packages, s.pkg)
	if s.name != nil {
		s.name.of = nil
	}
	r.keep(-streamBytes - int64(len(s.pkg)) - s.config.bytes - int64(cap(s.partial)))
}

// maxIdle is the capacity up to which a stream without a partial line keeps its buffer.
const maxIdle = 1 << 10

// setPartial makes b the partial line of s. The limit is on the memory that it takes, not only on
// its length.
func (r *Reader) setPartial(s *stream, b []byte) {
	if len(b) == 0 && cap(b) > maxIdle {
		b = nil
	}
	r.keep(int64(cap(b) - cap(s.partial)))
	s.partial = b
}

// outputLine returns the next line of the event's output and its stream. It returns no stream
// after the last complete line, and keeps the rest for the package's next event.
func (r *Reader) outputLine() ([]byte, *stream) {
	ev := &r.events.event
	s := ev.stream
	i := bytes.IndexByte(ev.rest, '\n')
	if i < 0 {
		if len(s.partial) == 0 {
			s.at = ev.at // the package's last event, if no line begins here
		}
		// One byte more than the limit shows that a line is too long; the rest is not needed.
		n := len(ev.rest)
		if room := r.limits.MaxLineBytes - len(s.partial); n > room {
			n = room + 1
		}
		if n > 0 {
			r.setPartial(s, append(s.partial, ev.rest[:n]...))
		}
		if ev.ends {
			r.removePackage(s)
		}
		ev.stream = nil
		return nil, nil
	}

	line := ev.rest[:i]
	ev.rest = ev.rest[i+1:]
	r.at = ev.at
	if len(s.partial) > 0 {
		line = append(s.partial, line...)
		r.at = s.at
		r.setPartial(s, line[:0])
	}
	if n := len(line) - 1; n >= 0 && line[n] == '\r' {
		line = line[:n]
	}
	return line, s
}

// lastLine returns, at the end of the input, the unfinished line of a package whose output did not
// end.
func (r *Reader) lastLine() ([]byte, *stream) {
	ev := &r.events
	if ev.packages != nil {
		ev.open = slices.SortedFunc(maps.Values(ev.packages), func(a, b *stream) int {
			return cmp.Compare(a.at.offset, b.at.offset)
		})
		ev.packages = nil
	}
	for ev.last < len(ev.open) {
		s := ev.open[ev.last]
		ev.last++
		if len(s.partial) > 0 {
			r.at = s.at
			return s.partial, s
		}
	}
	return nil, nil
}
