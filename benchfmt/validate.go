package benchfmt

import (
	"fmt"
	"io"
	"iter"
	"unicode"
	"unicode/utf8"

	"perfdata/format"
	"perfdata/internal/message"
)

// Validate reads a file to its end and yields all that is wrong with it, in the order of the file: the errors that a
// [Reader] gives, and warnings about
//
//   - a name in which no upper case letter follows "Benchmark", as the specification asks;
//   - a unit that a line has twice;
//   - a key of the configuration that the name, or the unit, overrides in the records, each once;
//   - unit metadata that comes after results in that unit, which are read without it, and values of better and assume that
//     have no meaning;
//   - a file without results, and one whose last line, or whose last package's output, doesn't end: it may be cut off.
//
// A file for which it yields nothing but warnings is valid. The name is for errors.
func Validate(in io.Reader, name string, limits format.Limits) iter.Seq[*format.Error] {
	return func(yield func(*format.Error) bool) {
		v := &validator{
			Reader: Reader{Name: name, Limits: limits, in: in},
			yield:  yield,
			units:  make(map[string]bool),
			warned: make(map[string]bool),
		}
		v.run()
	}
}

type validator struct {
	Reader
	yield   func(*format.Error) bool
	stopped bool

	units   map[string]bool // tidied, of results; as many as a Reader remembers
	checked int             // unit metadata that was looked at
	results int
	warned  map[string]bool // what was warned of, for what is said once

	unitBytes, warnedBytes int // of the texts in units and warned
}

// Of things that are said once only, this many are said, and their texts may be this long together. Beyond that, nothing more is
// said of them.
const (
	maxWarned      = 1000
	maxWarnedBytes = 1 << 20
)

func (v *validator) run() {
	v.each(func(err *format.Error) bool {
		v.checkMetadata()
		if err != nil {
			v.add(err)
		} else {
			v.checkResult()
		}
		return !v.stopped
	})
	v.checkMetadata()
	if v.err != nil || v.stopped {
		return
	}
	if v.results == 0 {
		v.warn(place{line: 1}, 0, "there are no benchmark results")
	}
	for _, s := range v.open {
		v.warn(s.at, 0, "the output of this package doesn't end: the input may be cut off")
	}
	if !v.lines.Ended() && v.lines.Number() > 0 && len(v.open) == 0 {
		v.warn(place{offset: v.lines.Offset(), line: v.lines.Number()}, 0, "this last line has no line end: the input may be cut off")
	}
}

func (v *validator) add(e *format.Error) {
	v.stopped = v.stopped || !v.yield(e)
}

// warn warns of byte i of the line at p.
func (v *validator) warn(p place, i int, text string) {
	v.at = p
	e := v.fail(i, text)
	e.Recoverable, e.Warning, e.Err = false, true, nil
	v.add(e)
}

// warnOnce warns, if it hasn't yet.
func (v *validator) warnOnce(what string, i int, text string) {
	if !v.warned[what] && len(v.warned) < maxWarned && v.warnedBytes < maxWarnedBytes {
		v.warnedBytes += len(what)
		v.warned[what] = true
		v.warn(v.result.at, i, text)
	}
}

func (v *validator) checkResult() {
	v.results++
	res := &v.result
	l := res.stream.layout
	if r, _ := utf8.DecodeRune(l.text); len(l.text) > 0 && !unicode.IsUpper(r) {
		name := string(l.text[:min(len(l.text), longName)])
		v.warnOnce("name "+name, len(prefix), fmt.Sprintf("name %s: an upper case letter is to follow Benchmark", message.Quote(name)))
	}
	for i := range res.values {
		u := res.values[i].unit
		base, _ := tidy(u.text)
		if len(v.units) < maxUnits && v.unitBytes < maxUnitBytes && !v.units[base] {
			v.units[base] = true
			v.unitBytes += len(base)
		}
		for j := range min(i, maxValues) {
			if res.values[j].unit == u {
				v.warn(res.at, res.values[i].at, fmt.Sprintf("unit %s is there twice", message.Quote(u.text)))
				break
			}
		}
	}
	for _, own := range l.pairs { // of which only the keys are those of this line
		value, ok := res.stream.config.sorted.Get(own.Key)
		if !ok {
			continue
		}
		if i, _ := l.params.Find(own.Key); i == l.unitAt || l.params[i].Value != value {
			v.warnOnce("config "+own.Key, 0, fmt.Sprintf("what stands in this line overrides the configuration's %s", message.Quote(own.Key)))
		}
	}
}

func (v *validator) checkMetadata() {
	for ; v.checked < len(v.found) && !v.stopped; v.checked++ {
		m := &v.found[v.checked]
		at := place{offset: m.Offset, line: m.Line}
		base, _ := tidy(m.Unit)
		if v.units[base] {
			v.warn(at, 0, fmt.Sprintf("results in %s come before this line: for them it doesn't count", message.Quote(m.Unit)))
		}
		known := map[string][2]string{"better": {"higher", "lower"}, "assume": {"nothing", "exact"}}
		if values, ok := known[m.Key]; ok && m.Value != values[0] && m.Value != values[1] {
			v.warn(at, 0, fmt.Sprintf("%s is %s, which has no meaning: it can be %s or %s", m.Key, message.Quote(m.Value), values[0], values[1]))
		}
	}
}
