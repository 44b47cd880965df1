package traceid

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
)

// ErrLimit is the cause of errors about regular expressions that exceed a limit of a [Query].
var ErrLimit = errors.New("limit exceeded")

// The limits of the regular expressions of a query (T3).
const (
	maxExprBytes    = 4 << 10    // of all expressions
	maxInstructions = 10_000     // of all expressions, as package regexp/syntax compiles them
	maxWork         = 10_000_000 // instructions times bytes of a value: 50 ms
)

// An expr is a regular expression that matches somewhere in a value.
type expr struct {
	re           *regexp.Regexp
	instructions int
	automaton    *automaton
}

// A compiler compiles the expressions of a query.
type compiler struct {
	bytes, instructions int // of all expressions so far
}

func (c *compiler) compile(text string) (*expr, error) {
	if c.bytes += len(text); c.bytes > maxExprBytes {
		return nil, fmt.Errorf("regular expression %.60q: %w: want at most %d bytes in all expressions of a query",
			text, ErrLimit, maxExprBytes)
	}
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, err
	}

	// To compile takes memory for each instruction, so that their number is estimated first.
	n := leastInstructions(parsed)
	var prog *syntax.Prog
	if c.instructions+n <= maxInstructions {
		if prog, err = syntax.Compile(parsed.Simplify()); err != nil {
			return nil, err
		}
		n = len(prog.Inst)
	}
	if c.instructions += n; c.instructions > maxInstructions {
		return nil, fmt.Errorf("regular expression %.60q: %w: want at most %d instructions in all expressions of a query",
			text, ErrLimit, maxInstructions)
	}

	re, err := regexp.Compile(text)
	if err != nil {
		return nil, err
	}
	return &expr{re, n, &automaton{
		prog:     prog,
		anchored: prog.StartCond()&syntax.EmptyBeginText != 0,
		looks:    slices.ContainsFunc(prog.Inst, func(i syntax.Inst) bool { return i.Op == syntax.InstEmptyWidth }),
		states:   make(map[string]*state),
		seen:     make([]bool, len(prog.Inst)),
	}}, nil
}

// leastInstructions returns a number that the instructions of an expression exceed, unless it
// repeats an empty match, as in (?:^){9}. It is at most 1 more than maxInstructions.
func leastInstructions(re *syntax.Regexp) int {
	n := 1
	switch re.Op {
	case syntax.OpEmptyMatch, syntax.OpConcat, syntax.OpRepeat:
		n = 0
	case syntax.OpLiteral:
		n = len(re.Rune)
	}
	for _, sub := range re.Sub {
		n += leastInstructions(sub)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(re.Min, re.Max, 0)
	}
	return min(n, maxInstructions+1)
}

// match reports whether the expression matches somewhere in a value.
func (e *expr) match(value string) (bool, error) {
	// Up to smallWork, package regexp takes at most 15 µs. More is left to an automaton, which takes 2 µs for
	// most values, and expressions, of any size.
	const smallWork = 1000
	work := e.instructions * len(value)
	if work <= smallWork {
		return e.re.MatchString(value), nil
	}
	if work > maxWork {
		return false, fmt.Errorf("regular expression %.60q: %w: %d instructions and a value of %d bytes: "+
			"want a product of at most %d", e.re, ErrLimit, e.instructions, len(value), maxWork)
	}
	return e.automaton.match(value), nil
}
