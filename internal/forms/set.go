package forms

import "iter"

// Count is how many forms a Set has.
const Count = 8

// A Set holds the forms that were learned last, because the values of a file may alternate
// between several forms. The zero Set is ready for use.
type Set struct {
	forms  [Count]Form
	last   int // the form that matched or was learned last
	next   int // the form that is learned next
	misses int // grows with each value that matches no form, and shrinks with each that does
	values int // how many values Worthwhile was asked about
}

const (
	maxMisses  = 4 * Count
	manyMisses = maxMisses / 2
)

// Small is the length of a value, in bytes, below which neither comparing nor learning is worth
// anything.
const Small = 16

// Worthwhile reports whether the next value is worth comparing and learning. If most values match
// no form, trying costs more than it gains. Then only one of every n values is tried, until some
// have matched. The cheaper it is to read a value without a form, the larger n should be.
func (t *Set) Worthwhile(n int) bool {
	t.values++
	return t.misses < manyMisses || t.values%n == 0
}

// Candidates iterates over the forms, with their indices, in the order in which they are most
// likely to match. The loop must end at the form that matches, and only there.
func (t *Set) Candidates() iter.Seq2[int, *Form] {
	return func(yield func(int, *Form) bool) {
		// Where forms alternate, the next one is among those that were learned after the last one.
		for range Count {
			if !yield(t.last, &t.forms[t.last]) {
				t.misses = max(t.misses-4, 0)
				return
			}
			if t.last++; t.last == Count {
				t.last = 0
			}
		}
	}
}

// Next returns the form, with its index, that is to be learned from a value that matches none.
func (t *Set) Next() (int, *Form) { return t.next, &t.forms[t.next] }

// Missed says that a value of the given length matched no form, and whether the form that Next
// returned was learned from it.
func (t *Set) Missed(length int64, learned bool) {
	if length >= Small {
		t.misses = min(t.misses+1, maxMisses)
	}
	if learned {
		t.last = t.next
		t.next = (t.next + 1) % Count
	}
}
