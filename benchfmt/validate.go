package benchfmt

import (
	"fmt"
	"hash/maphash"
	"unicode"
	"unicode/utf8"

	"perfdata/format"
	"perfdata/internal/message"
)

type validator struct {
	r       *Reader
	yield   func(*format.Error) bool
	stopped bool

	results int
	failed  bool // r.failed was reported
	checked int  // how much of r.units.lines was checked
	seed    maphash.Seed
	units   set // the base units of results
	warned  set // the subjects of warnings that are reported once
}

// validate is Validate of [Format].
func (r *Reader) validate(yield func(*format.Error) bool) {
	v := &validator{r: r, yield: yield, seed: maphash.MakeSeed(), units: make(set), warned: make(set)}
	r.forEach(func(res *result, err *format.Error) bool {
		v.checkLines()
		if err == nil {
			v.checkResult(res)
		} else if !v.stopped {
			v.stopped = !yield(err)
		}
		return !v.stopped
	})
	if r.failed.line == 0 {
		r.failed = r.unnamed
	}

	v.checkLines()
	if r.err != nil || v.stopped {
		return
	}

	if v.results == 0 {
		v.warn(place{line: 1}, 0, "no benchmark results found")
	}
	lines, open := &r.lines, r.events.open
	for _, s := range open {
		v.warn(s.at, 0, "the output of this package does not end: the input may be truncated")
	}
	if !lines.Ended() && lines.Number() > 0 && len(open) == 0 {
		v.warn(place{offset: lines.Offset(), line: lines.Number()}, 0,
			"the last line has no line end: the input may be truncated")
	}
}

// warn warns about byte i of the line at p.
func (v *validator) warn(p place, i int, text string) {
	v.r.at = p
	e := v.r.fail(i, text)
	e.Severity, e.Err = format.Warning, nil
	v.stopped = v.stopped || !v.yield(e)
}

// warnOnce warns about byte i of the result's line, unless it did so before for the same subject.
func (v *validator) warnOnce(subject string, i int, text string) {
	if v.addTo(v.warned, subject) {
		v.warn(v.r.result.at, i, text)
	}
}

func (v *validator) checkResult(res *result) {
	v.results++
	name := res.name
	if r, _ := utf8.DecodeRuneInString(name.text); len(name.text) > 0 && !unicode.IsUpper(r) {
		s := name.text[:min(len(name.text), longName)]
		v.warnOnce("name", len(prefix),
			fmt.Sprintf("benchmark name %s should begin with an upper case letter; further ones are not reported",
				message.Quote(s)))
	}

	for i := range res.values {
		u := res.values[i].unit
		if !u.inResults {
			u.inResults = true
			v.addTo(v.units, u.base)
		}
		for j := range min(i, maxValues) {
			if res.values[j].unit == u {
				v.warn(res.at, int(res.values[i].offset-res.at.offset), fmt.Sprintf("duplicate unit %s", message.Quote(u.text)))
				break
			}
		}
	}

	p := name.pattern
	for i, at := range p.config {
		if at >= 0 {
			continue
		}
		x := res.stream.config.sorted[i]
		if at, _ := p.params.Find(x.Key); at == p.unitAt || p.params[at].Value != x.Value {
			v.warnOnce("config "+x.Key, 0,
				fmt.Sprintf("this line overrides configuration key %s", message.Quote(x.Key)))
		}
	}
}

// checkLines checks the lines that are not results, and the unit metadata, that were read since it was last
// called.
func (v *validator) checkLines() {
	if !v.failed && v.r.failed.line > 0 {
		v.failed = true
		at := v.r.at
		v.warn(v.r.failed, 0, "the tests failed: results may be missing")
		v.r.at = at
	}

	for ; v.checked < len(v.r.units.lines) && !v.stopped; v.checked++ {
		m := &v.r.units.lines[v.checked]
		at := place{offset: m.Offset, line: m.Line}
		if base, _ := tidy(m.Unit); v.units[maphash.String(v.seed, base)] {
			v.warn(at, 0, fmt.Sprintf("results in %s before this line are read without it", message.Quote(m.Unit)))
		}
		known := map[string][2]string{"better": {"higher", "lower"}, "assume": {"nothing", "exact"}}
		if values, ok := known[m.Key]; ok && m.Value != values[0] && m.Value != values[1] {
			v.warn(at, 0, fmt.Sprintf("%s is %s: want %s or %s", m.Key, message.Quote(m.Value), values[0], values[1]))
		}
	}
}

// A set has hashes of strings: a string can have the length of a line.
type set map[uint64]bool

// addTo adds a string and returns true, unless the set has it or is full.
func (v *validator) addTo(s set, text string) bool {
	const maxStrings = 1000
	hash := maphash.String(v.seed, text)
	if s[hash] || len(s) >= maxStrings {
		return false
	}
	s[hash] = true
	return true
}
