package jsonscan

// MaxKinds is how many values are remembered for the next ones to be like.
const MaxKinds = 8

// Kinds chooses between the Templates of values that are remembered: those of a file may be of some kinds that take turns. There
// are MaxKinds Templates, which the caller holds.
type Kinds struct {
	last   int // the one that was like a value last, or that was made since
	next   int // the one to be made anew
	misses int // grows with values that are like none, and shrinks with others
	values int // so far
}

// Match reads the value ahead if it is like one of the Templates, and returns which. Else that is the one to be made anew,
// unless remember is false: then it isn't worth it. The caller reads the value, and calls Add.
func (k *Kinds) Match(s *Scanner, template func(i int) *Template) (i int, like, remember bool) {
	// Where values mostly resemble none before, looking for one costs more than it gains. Then it is only tried now
	// and then, until it has gone well some times.
	k.values++
	if k.misses >= mostMisses/2 && k.values%MaxKinds != 0 {
		return k.next, false, false
	}
	// First the last one is tried, then those that were new after it: where kinds take turns, the next is among them.
	for range MaxKinds {
		if s.Match(template(k.last)) {
			k.misses = max(k.misses-4, 0)
			return k.last, true, false
		}
		if k.last++; k.last == MaxKinds {
			k.last = 0
		}
	}
	return k.next, false, true
}

const mostMisses = 4 * MaxKinds

// Add notes that a value was like none, and whether the Template was made anew of it.
func (k *Kinds) Add(made bool) {
	k.misses = min(k.misses+1, mostMisses)
	if made {
		k.last = k.next
		k.next = (k.next + 1) % MaxKinds
	}
}
