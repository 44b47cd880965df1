package benchfmt

import (
	"encoding/binary"
	"slices"
	"strings"

	"perfdata/internal/ids"
	"perfdata/traceid"
)

// A parsedName is the name of a result, with the params of its records. Most names have the keys of
// an earlier one, in the same order: they have the same form. Then nothing has to be sorted and
// merged. See nameparts.go for the names that are read so.
type parsedName struct {
	of    *stream         // the stream that uses it; nil after the stream ended
	text  string          // the name
	form  *form           // of the name; nil before the first name
	forms [maxForms]*form // of earlier names, by a hash of the keys
	other *form           // of the last name that has no place in forms
}

// A form has what the names with the same keys in the same order have in common, and the params of
// the last of these names.
type form struct {
	own    []nameParam    // the params that the name gives, in the order of the name
	base   bool           // the first of own is the base of the name
	procs  bool           // the last of own is the number of processors
	end    nameEnd        // of the last name, if it has the number of processors
	order  []int          // indices of own, by key; -1 is the unit
	params traceid.Params // of own, the unit and the configuration
	unitAt int            // index of the unit in params
	config []configParam  // of the keys of the configuration, in its order
	state  formState
	ids    ids.Template // of params
}

// A nameEnd is the dash and the number of processors at the end of a name.
type nameEnd struct {
	word, mask uint64 // the last eight bytes of the name, and the bits of them that belong to the end
	size       int    // bytes
}

// A configParam is the param of a form that a key of the configuration gives.
type configParam struct {
	at     int  // index in form.params; -1 if the name overrides it
	varies bool // its value has changed since the form was merged
}

// A formState says whether form.params have the configuration in force.
type formState byte

const (
	outdated  formState = iota // some keys differ
	oldValues                  // some values differ
	current
)

// A nameParam is a param that a name gives.
type nameParam struct {
	key, value string // the value is that of the first name of the form
	part       bool   // it is a part key=value of the name
	at         int    // index in form.params

	// Of a part key=value; otherwise, 0.
	length int    // of the key
	word   uint64 // the first eight bytes of the key, as an integer
	lead   uint64 // the first eight bytes of the key and the equals sign
	mask   uint64 // the significant bits of lead

	also uint64 // what ends the value, in addition to a slash: see nameText.endOfPart
}

// maxForms is the number of forms that are remembered. With one, reading takes 20% more instructions
// if all names differ, because each benchmark has its own keys.
const (
	maxForms  = 32
	maxProbes = 4 // places that are looked at for a form
)

// names holds the parsed names of streams.
type names struct {
	current *stream // the stream of the result line read last
	all     []*parsedName
	next    int       // index in all of the name that the next new stream takes over
	parts   nameParts // of the line being read
}

// At most maxNames streams have a parsed name, and while a stream is not the current one, its name
// is at most maxText bytes long. Without these bounds, parsed names could take hundreds of
// megabytes.
const (
	maxNames = 64
	maxText  = 4 << 10
)

// enter makes s the current stream and gives it a parsedName, which it may take from another
// stream.
func (r *Reader) enter(s *stream) {
	n := &r.names
	if before := n.current; before != nil && before.name != nil && len(before.name.text) > maxText {
		*before.name = parsedName{of: before}
	}
	n.current = s
	n.parts.count = 0
	if s.name != nil {
		return
	}

	if len(n.all) < maxNames {
		s.name = &parsedName{of: s}
		n.all = append(n.all, s.name)
		return
	}
	name := n.all[n.next]
	n.next = (n.next + 1) % maxNames
	if name.of != nil {
		name.of.name = nil
	}
	name.of = s
	name.outdate(outdated)
	s.name = name
}

// outdate notes that the configuration is another one, and perhaps its keys.
func (p *parsedName) outdate(state formState) {
	for _, f := range p.forms {
		if f != nil {
			f.state = min(f.state, state)
		}
	}
	if p.other != nil {
		p.other.state = min(p.other.state, state)
	}
}

// valid reports whether the params of the name are complete.
func (p *parsedName) valid() bool { return p.form != nil && p.form.state == current }

// set parses a name, for records with the configuration, and makes its form in the given place. If
// the name has more than max parts, set returns false.
func (p *parsedName) set(place **form, name string, config traceid.Params, max int) bool {
	if *place == nil {
		*place = newForm()
	}
	f := *place
	own, ok := appendNameParams(f.own[:0], name, max)
	if !ok {
		own = own[:0]
	}

	n := len(own)
	*f = form{own: own, order: f.order, params: f.params, config: f.config, ids: f.ids}
	f.base = n > 0 && own[0].key == paramName
	f.procs = n > 0 && own[n-1].key == paramGomaxprocs
	for i := range own {
		o := &own[i]
		o.also = slashes
		if o.part {
			o.length, o.word = len(o.key), firstWord(o.key)
			o.lead, o.mask = firstWord(o.key+"="), firstBytes(len(o.key)+1)
		} else if i > 0 {
			o.also = equals
		}
	}

	f.sort()
	f.merge(config)
	if ok {
		p.text, p.form = name, f
	} else if p.form == f {
		p.form = nil // its params no longer belong to p.text
	}
	return ok
}

// newForm returns a form with the memory that most need. In one piece, a file of 30 lines takes 36
// allocations instead of 46.
func newForm() *form {
	m := new(struct {
		form
		own    [4]nameParam
		order  [5]int
		params [10]traceid.Param
		config [4]configParam
	})
	m.form.own, m.form.order, m.form.params, m.form.config = m.own[:0], m.order[:0], m.params[:0], m.config[:0]
	return &m.form
}

// merge makes the params of a form and the configuration. A key of the name overrides one of the
// configuration. The params have the values of the first name of the form.
func (f *form) merge(config traceid.Params) {
	params := slices.Grow(f.params[:0], len(f.order)+len(config))
	f.config = f.config[:0]
	for _, i := range f.order {
		x := traceid.Param{Key: f.key(i)}
		if i >= 0 {
			x.Value = f.own[i].value
		}

		for len(config) > 0 && comesBefore(config[0].Key, x.Key) {
			f.config = append(f.config, configParam{at: len(params)})
			params = append(params, config[0])
			config = config[1:]
		}
		if len(config) > 0 && config[0].Key == x.Key {
			f.config = append(f.config, configParam{at: -1})
			config = config[1:]
		}

		if i >= 0 {
			f.own[i].at = len(params)
		} else {
			f.unitAt = len(params)
		}
		params = append(params, x)
	}

	for _, x := range config {
		f.config = append(f.config, configParam{at: len(params)})
		params = append(params, x)
	}
	f.params, f.state = params, current
	f.ids.Reset()
	if f.procs {
		f.setEnd()
	}
}

// revise gives the params the configuration. It returns true if it makes them again, so that they
// have the values of the first name.
func (f *form) revise(config traceid.Params) bool {
	if f.state == outdated {
		f.merge(config)
		return true
	}
	f.update(config)
	return false
}

// update gives the params the values of the configuration, which has the keys that f was made for.
// If each package has 60 names, to merge them instead takes 4% more instructions, and 12% more if
// trace IDs are made.
func (f *form) update(config traceid.Params) {
	for i := range f.config {
		c := &f.config[i]
		if c.at < 0 || f.params[c.at].Value == config[i].Value {
			continue
		}
		f.params[c.at].Value = config[i].Value
		if !c.varies {
			c.varies = true
			f.ids.Reset()
		}
	}
	f.ids.Change()
	f.state = current
}

// appendID appends the ID of the params with the unit.
func (f *form) appendID(dst []byte, u *unit) []byte {
	if !f.ids.Known() {
		changing := make([]int, 0, maxParts+2)
		for i := range f.own {
			changing = append(changing, f.own[i].at)
		}
		for _, c := range f.config {
			if c.varies {
				changing = append(changing, c.at)
			}
		}
		f.ids.Learn(f.params, changing, f.unitAt)
	}
	if u.id == "" {
		u.id = traceid.CanonicalString(u.param) + ","
	}
	return f.ids.AppendWith(dst, f.params, u.id)
}

// setEnd sets f.end. If it is longer than eight bytes, no name has it.
func (f *form) setEnd() {
	procs := f.params[f.own[len(f.own)-1].at].Value
	f.end = nameEnd{^uint64(0), ^uint64(0), len(procs) + 1}
	var word [8]byte
	if first := len(word) - f.end.size; first >= 0 {
		word[first] = '-'
		copy(word[first+1:], procs)
		f.end.word, f.end.mask = binary.LittleEndian.Uint64(word[:]), f.end.mask<<(8*first)
	}
}

// sort makes f.order.
func (f *form) sort() {
	order := append(f.order[:0], -1)
	for i := range f.own {
		order = append(order, i)
	}

	// Names usually have a few parts, and few keys begin with the same letter.
	if len(order) > fewParams {
		slices.SortFunc(order, func(a, b int) int { return strings.Compare(f.key(a), f.key(b)) })
	} else {
		for i := range order {
			for j := i; j > 0 && comesBefore(f.key(order[j]), f.key(order[j-1])); j-- {
				order[j], order[j-1] = order[j-1], order[j]
			}
		}
	}
	f.order = order
}

// key returns the key of an index in f.order.
func (f *form) key(i int) string {
	if i < 0 {
		return paramUnit
	}
	return f.own[i].key
}

// comesBefore reports whether a < b. Usually, their first bytes say so.
func comesBefore(a, b string) bool {
	if a != "" && b != "" && a[0] != b[0] {
		return a[0] < b[0]
	}
	return a < b
}
