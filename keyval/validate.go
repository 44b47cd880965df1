package keyval

import (
	"io"
	"iter"

	"perfdata/format"
)

// Validate reads a file to its end and yields all that is wrong with it, in the order of the file:
//
//   - what the [Reader] yields as an error: lines that are no keyvals, unknown tags, values that are no numbers, and the like;
//   - keys with other characters than letters, digits and . - _, which the reference's writer refuses;
//   - keys that an iteration repeats, so that what was said first is lost;
//   - as warnings: untyped lines, key=value, which count as performance values, the first one only, and a last line
//     without line end, which tells that the file may have been cut off;
//   - last, what ends the reading, such as an exceeded limit.
//
// A file for which it yields nothing but warnings is valid. Its memory is that of a Reader. The name is for errors.
func Validate(in io.Reader, name string, limits format.Limits) iter.Seq[*format.Error] {
	return func(yield func(*format.Error) bool) {
		r := NewReader(in)
		r.Name, r.Limits, r.strict = name, limits, &strictness{}
		for ok := r.use(yield); ok && r.next(yield); {
		}
	}
}

// strictness makes a Reader report more.
type strictness struct {
	untyped bool // a warning about untyped lines was given
}

// warnUntyped warns of an untyped line, once. It returns false if the reading is to stop.
func (r *Reader) warnUntyped(l *line, report func(*format.Error) bool) bool {
	if r.strict.untyped {
		return true
	}
	r.strict.untyped = true
	return report(r.warningAt(l.start, "an untyped line counts as key{perf}=value; no more such lines are listed"))
}

// checkKey reports a key that must not be written, to Validate only. It returns false if the reading is to stop.
func (r *Reader) checkKey(l *line, p *parsed, report func(*format.Error) bool) bool {
	if r.strict == nil {
		return true
	}
	at := badKeyChar(p.key)
	if at < 0 {
		return true
	}
	r.layout.spoil() // to come back here with the next iteration's line
	msg := "the key is empty"
	if len(p.key) > 0 {
		msg = badKeyMessage(p.key)
	}
	e := r.errorAt(l.start+at, msg)
	e.Recoverable = false
	return report(e)
}
