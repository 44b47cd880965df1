package nanolegacy

import "perfdata/internal/jsonscan"

// This is the hot loop. The tests of a file resemble each other: mostly, one differs from another before only in
// numbers, in its name, and in some options. So the text of a test that was read becomes a template, and a test that
// matches it needs to be looked at only where it differs. The test's name, which always does, stands before that
// text. Reading 100,000 tests of two configurations takes 3,800 instructions a test that way, and 13,100 without,
// when they are indented; 3,600 and 11,600 when they are compact (callgrind, on what bench reads).

// A target is what is read from a place in a test.
type target struct {
	what   what
	index  int // of the item, option or sample
	result int // of the sample
	lead   int // of the first sample of an array: the bytes from the array's beginning to it
}

type what byte

const (
	nothing what = iota // it is only checked
	subResult
	optionText
	sample
)

// readTest reads the test ahead, whose name was read.
func (r *Reader) readTest(kind jsonscan.Kind) {
	s := r.doc.Scan
	offset := s.Offset()
	i, like, remember := r.ring.Match(s, func(i int) *jsonscan.Template { return &r.shapes[i].template })
	r.test = &r.shapes[i]
	if like && s.ChargeMatch(offset, r.test.charged) {
		r.readMatch(offset)
		return
	}
	made := r.readNewTest(kind, remember && !like)
	if len(r.test.results) > 0 { // one without results is soon read
		r.ring.Add(made)
	}
}

// readNewTest reads the test ahead, whatever it is like, and if it is to be remembered, makes a template of it. It
// returns whether it did: not every test can be one.
func (r *Reader) readNewTest(kind jsonscan.Kind, remember bool) bool {
	s, t := r.doc.Scan, r.test
	if cap(t.items) > maxKept || cap(t.options) > maxKept || cap(t.samples) > maxKept || cap(t.results) > maxKept {
		*t = test{}
	}
	t.plain, t.kept = remember, false
	if !remember {
		t.template.Discard()
		r.readAnyTest(kind)
		return false
	}
	offset, before := s.Offset(), s.Charged()
	s.Record(&t.template)
	r.readAnyTest(kind)
	t.charged = s.Charged() - before
	if n := s.EndRecord(); n == 0 || n != len(t.targets) || !t.plain || len(t.results) > maxLaidOut {
		t.template.Discard() // there is something in it that isn't there in every test like it
		return false
	}
	for k := range t.targets {
		if to := &t.targets[k]; to.lead > 0 {
			to.lead = int(offset-t.results[to.result].samplesAt) + t.template.HoleStart(k)
		}
	}
	t.kept = true
	return true
}

// addTarget adds a target for the string or number that is read just now, if a template may become of the test.
func (t *test) addTarget(to target) {
	if len(t.targets) == maxKept {
		t.plain = false
	}
	if t.plain {
		t.targets = append(t.targets, to)
	}
}

// maxKept is how large the memory of a test may be to be used again. It is there jsonscan.RingSize times.
const maxKept = 10_000

// readMatch takes what the test that matched, which stands at the offset, has in the open places of r.test.
func (r *Reader) readMatch(offset int64) {
	t := r.test
	m := &t.template
	last := "" // option: the results of a test often have the same
	for i := range m.Changes() {
		k, start := m.Hole(i)
		to := &t.targets[k]
		switch to.what {
		case subResult:
			it := &t.items[to.index]
			it.number = m.Number(i)
			it.offset = offset + int64(start)
		case optionText:
			if text := m.Text(i); t.options[to.index].Value != string(text) {
				if last != string(text) {
					last = r.strings.String(text)
				}
				t.setOption(to.index, last)
			}
		case sample:
			t.samples[to.index] = m.Number(i)
			if to.lead > 0 {
				t.results[to.result].samplesAt = offset + int64(start-to.lead)
			}
		}
	}
}
