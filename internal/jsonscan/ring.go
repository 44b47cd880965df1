package jsonscan

// RingSize is how many values are remembered for the next ones to be like.
const RingSize = 8

// A Ring chooses between the Templates of values that are remembered: those of a file may be of some shapes that take turns. There
// are RingSize Templates, which the caller holds. The zero Ring is ready for use.
type Ring struct {
	last   int // the one that was like a value last, or that was made since
	next   int // the one to be made anew
	misses int // grows with values that are like none, and shrinks with others
	values int // so far
}

// Match reads the value ahead if it is like one of the Templates, and returns which. Else that is the one to be made anew,
// unless remember is false: then it isn't worth it. The caller reads the value, and calls Add.
func (g *Ring) Match(s *Scanner, template func(i int) *Template) (i int, like, remember bool) {
	// Where values mostly resemble none before, looking for one costs more than it gains. Then it is only tried now
	// and then, until it has gone well some times.
	g.values++
	if g.misses >= mostMisses/2 && g.values%RingSize != 0 {
		return g.next, false, false
	}
	// First the last one is tried, then those that were new after it: where shapes take turns, the next is among them.
	for range RingSize {
		if s.Match(template(g.last)) {
			g.misses = max(g.misses-4, 0)
			return g.last, true, false
		}
		if g.last++; g.last == RingSize {
			g.last = 0
		}
	}
	return g.next, false, true
}

const mostMisses = 4 * RingSize

// Add notes that a value was like none, and whether the Template was made anew of it.
func (g *Ring) Add(made bool) {
	g.misses = min(g.misses+1, mostMisses)
	if made {
		g.last = g.next
		g.next = (g.next + 1) % RingSize
	}
}
