package keyval

import "perfdata/format"

// validate is Validate of [Format].
func (r *Reader) validate(yield func(*format.Error) bool) {
	r.validates = true
	for ok := r.start(yield); ok && r.next(yield); {
	}
}

// checkKey reports a key that Writers reject, if the Reader validates. It returns false if report
// does.
func (r *Reader) checkKey(l *line, p *keyvalLine, report func(*format.Error) bool) bool {
	if !r.validates || badKeyChar(p.key) < 0 {
		return true
	}
	e := r.in.ErrorAt(l.start+badKeyChar(p.key), badKeyMessage(p.key))
	e.Severity = format.Fatal
	return report(e)
}
