package traceid

import (
	"fmt"
	"strings"
	"testing"

	"perfdata/internal/testing/quick"
)

// The cache of an expression does not grow with the values, and is used for all of them.
func TestAutomatonStates(t *testing.T) {
	q, err := ParseQuery("a=~(?:v?){400}v{80}$")
	if err != nil {
		t.Fatal(err)
	}
	a := q.terms[0].alternatives.exprs[0].automaton
	steps := func() (n int) {
		for _, s := range a.states {
			n += len(s.next)
		}
		return n
	}
	var after100 int
	for i := range quick.Of(1000, 150) {
		value := fmt.Sprintf("%06d%s", i, strings.Repeat("v", 80))
		if selected, err := q.Match(Of("a", value)); !selected || err != nil {
			t.Fatal(selected, err)
		}
		if i == 100 {
			after100 = steps()
		}
	}
	if n := steps(); n < 80 || n > 300 || n != after100 {
		t.Errorf("%d steps from %d states, %d after 100 values", n, len(a.states), after100)
	}

	// Values of all kinds lead to more states than there is memory for.
	q, err = ParseQuery("a=~(?:0.{300}|1.{400})1$")
	if err != nil {
		t.Fatal(err)
	}
	a = q.terms[0].alternatives.exprs[0].automaton
	most, forgot := 0, false
	held := func() (n int) {
		for key, s := range a.states {
			n += len(key) + len(s.set) + 150 + 50*len(s.next)
		}
		return n
	}
	for i := range 200 {
		if _, err := q.Match(Of("a", fmt.Sprintf("%064b", uint64(i)*0x9E3779B97F4A7C15))); err != nil {
			t.Fatal(err)
		}
		if i%10 == 0 {
			n := held()
			most, forgot = max(most, n), forgot || n < most
		}
	}
	if limit := bytesPerInstruction * len(a.prog.Inst); most > limit+1000 || !forgot {
		t.Errorf("up to %d bytes, want at most %d; forgot: %v", most, limit, forgot)
	}
}
