package benchfmt

import (
	"bytes"
	"cmp"
	"maps"
	"slices"

	"perfdata/format"
	"perfdata/internal/jsonscan"
)

// "go test -json" prints an event a line, which the documentation of test2json describes. The output of several packages
// interleaves, and a line of output may be split over several events: a benchmark's name is printed when it begins,
// its numbers when it ends. So each package's output is put together again, and is a text with a configuration of
// its own.

// An event is what is left to read of an output event.
type event struct {
	stream *stream // nil: there is none
	at     place
	rest   []byte // of the output
	ends   bool   // the package has no more output

	output, pkg []byte
}

// isEvent reports whether a line is an event: encoding/json writes the members in the order in which test2json declares
// them, and who sorts them gets the other order.
func isEvent(line []byte) bool {
	return len(line) > 0 && line[0] == '{' &&
		(bytes.HasPrefix(line, []byte(`{"Time":`)) || bytes.HasPrefix(line, []byte(`{"Action":`)))
}

// readEvent reads an event into r.event, if it is one of those that matter.
func (r *Reader) readEvent(line []byte) *format.Error {
	in := bytes.NewReader(line)
	if r.scan == nil {
		r.scan = jsonscan.New(in, r.Name, r.limits)
	} else {
		r.scan.Reset(in)
	}
	var isOutput, isEnd, ofTest bool
	ev, s := &r.event, r.scan
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
		e.Offset += r.at.offset
		e.Line = r.at.line
		e.Message = "an event of go test -json: " + e.Message
		e.Recoverable = true
		return &e
	}
	ev.ends = isEnd && !ofTest
	if !isOutput && !ev.ends {
		return nil
	}
	known := r.packages[string(ev.pkg)]
	if known == nil {
		if ev.ends {
			return nil
		}
		known = r.addPackage(string(ev.pkg))
	}
	r.events++
	ev.stream = known
	ev.rest = ev.output
	ev.at = r.at
	ev.at.event, ev.at.pkg = true, known.pkg
	if ev.ends && len(known.partial) > 0 {
		ev.rest = append(ev.rest, '\n')
	}
	return nil
}

// streamBytes is about what a stream takes, without its name, configuration and partial line.
const streamBytes = 1 << 10

func (r *Reader) addPackage(pkg string) *stream {
	if r.packages == nil {
		r.packages = make(map[string]*stream)
	}
	s := &stream{pkg: pkg}
	r.packages[pkg] = s
	r.hold(streamBytes + int64(len(pkg)))
	return s
}

// removePackage forgets a package whose output has ended.
func (r *Reader) removePackage(s *stream) {
	delete(r.packages, s.pkg)
	if s.layout != nil {
		s.layout.of = nil
	}
	r.hold(-streamBytes - int64(len(s.pkg)) - s.config.bytes - int64(cap(s.partial)))
}

// maxIdle is how large a buffer for partial lines is that a stream keeps while it has none.
const maxIdle = 1 << 10

// setPartial makes b the partial line of s. The memory that it takes counts, not only its length.
func (r *Reader) setPartial(s *stream, b []byte) {
	if len(b) == 0 && cap(b) > maxIdle {
		b = nil
	}
	r.hold(int64(cap(b) - cap(s.partial)))
	s.partial = b
}

// outputLine returns the next line of the event's output, and the stream that it is of. What the output has of a line that
// hasn't ended yet is kept.
func (r *Reader) outputLine() ([]byte, *stream, bool) {
	ev := &r.event
	s := ev.stream
	i := bytes.IndexByte(ev.rest, '\n')
	if i < 0 {
		if len(s.partial) == 0 {
			s.at = ev.at // of the package's last event, if nothing begins here
		}
		// Of a line that is too long anyway, no more is kept than shows that.
		n := min(len(ev.rest), r.limits.MaxLineBytes+1-len(s.partial))
		if n > 0 {
			r.setPartial(s, append(s.partial, ev.rest[:n]...))
		}
		if ev.ends {
			r.removePackage(s)
		}
		ev.stream = nil
		return nil, nil, false
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
	return line, s, true
}

// lastLine returns, at the input's end, a line of a package whose output didn't end.
func (r *Reader) lastLine() ([]byte, *stream, bool) {
	if r.packages != nil {
		r.open = slices.SortedFunc(maps.Values(r.packages), func(a, b *stream) int { return cmp.Compare(a.at.offset, b.at.offset) })
		r.packages = nil
	}
	for r.last < len(r.open) {
		s := r.open[r.last]
		r.last++
		if len(s.partial) > 0 {
			r.at = s.at
			return s.partial, s, true
		}
	}
	return nil, nil, false
}
