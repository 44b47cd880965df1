package traceid

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
)

// A Query selects traces by their params. The zero Query selects all.
type Query struct {
	terms []Term // one for each key, sorted by it
}

// A Term has the conditions of a [Query] for one key. A database can use it to find the params
// that a query selects in an index.
type Term struct {
	key string
	any bool // every value satisfies an alternative

	alternatives conditions // if there are any, the trace's value must satisfy one
	exclusions   conditions // the trace's value must not satisfy any
}

// conditions are met by some values, and by those in which an expression matches.
type conditions struct {
	values []string
	exprs  []*expr
}

// ParseQuery parses URL-encoded terms, such as
//
//	arch=x86&arch=arm&config=!565&test=~^draw_
//
// Several terms with one key are alternatives: one must hold. The text after the = is
//
//	v     the value itself
//	*     any value
//	~re   a regular expression (package regexp's) that matches somewhere in the value
//	!v    an exclusion: not this value
//	!~re  an exclusion: no value in which the expression matches
//
// Exclusions are not alternatives: each must hold. If a key has only exclusions, a trace without
// the key is selected; otherwise it is not. An empty value is an error, except after !, where it
// excludes the empty value, which no valid id has. Each expression is compiled by itself (T2).
//
// All expressions of a query may have 4 KiB, and 10,000 instructions as package regexp/syntax
// compiles them. More is an error with the cause [ErrLimit]. See [Query.Match] for long values.
func ParseQuery(query string) (*Query, error) {
	values, err := url.ParseQuery(query)
	if err != nil {
		return nil, fmt.Errorf("query %.500q: %w", query, err)
	}
	q, c := &Query{}, &compiler{}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		t := Term{key: key}
		for _, alternative := range values[key] {
			if err := t.add(alternative, c); err != nil {
				return nil, fmt.Errorf("query %.500q: key %.100q: %w", query, key, err)
			}
		}
		q.terms = append(q.terms, t)
	}
	return q, nil
}

func (t *Term) add(s string, c *compiler) error {
	s, exclude := strings.CutPrefix(s, "!")
	to := &t.alternatives
	if exclude {
		to = &t.exclusions
	}
	text, isExpr := strings.CutPrefix(s, "~")

	switch {
	case s == "" && !exclude:
		return fmt.Errorf("empty value")
	case isExpr:
		e, err := c.compile(text)
		if err != nil {
			return err
		}
		to.exprs = append(to.exprs, e)
	case s == "*" && !exclude:
		t.any = true
	default:
		to.values = append(to.values, s)
	}
	return nil
}

// Match reports whether q selects the trace with these params. It compares them as they are. To
// match a record by its canonical trace ID, use q.Canonical().Match(rec.Params.Canonical()).
//
// It returns an error with the cause [ErrLimit] if the decision needs a regular expression whose
// instructions times the bytes of the value are more than 10 million, as for an expression of 100
// instructions and a value of 100,001 bytes. Several goroutines may use a Query.
func (q *Query) Match(p Params) (bool, error) {
	for i := range q.terms {
		t := &q.terms[i]
		if value, ok := p.Get(t.key); !ok && t.Required() {
			return false, nil
		} else if ok {
			if selected, err := t.Match(value); err != nil || !selected {
				return false, err
			}
		}
	}
	return true, nil
}

// Canonical returns q with canonical keys and values, in the default [Charset]: units=µs becomes
// units=_s. The result is for canonical params and ids. Regular expressions do not change.
func (q *Query) Canonical() *Query { return defaultCharset.Query(q) }

// Query returns q with keys and values that are canonical in c, as [Query.Canonical] does in the
// default charset.
func (c *Charset) Query(q *Query) *Query {
	terms := make(map[string]*Term)
	for _, t := range q.terms {
		key := c.canonicalString(t.key)
		if terms[key] == nil {
			terms[key] = &Term{key: key}
		}
		to := terms[key]
		to.any = to.any || t.any
		to.alternatives.add(c, t.alternatives)
		to.exclusions.add(c, t.exclusions)
	}

	out := &Query{}
	for _, key := range slices.Sorted(maps.Keys(terms)) {
		out.terms = append(out.terms, *terms[key])
	}
	return out
}

// add adds others, with values that are canonical in a Charset.
func (c *conditions) add(in *Charset, others conditions) {
	for _, v := range others.values {
		c.values = append(c.values, in.canonicalString(v))
	}
	c.exprs = append(c.exprs, others.exprs...)
}

// MatchID reports whether q selects the trace with this id. It compares keys and values as they
// are: units=µs does not select ,units=_s, which is the canonical id of units µs. Where the ids are
// canonical, as from [Params.ID] and in a database, use q.Canonical().MatchID(id), which does.
//
// It returns an error if the id isn't valid, and the errors of [Query.Match].
func (q *Query) MatchID(id string) (bool, error) {
	p, err := Parse(id)
	if err != nil {
		return false, err
	}
	return q.Match(p)
}

// Terms returns the conditions of q, one Term for each key, sorted by it.
func (q *Query) Terms() []Term { return slices.Clone(q.terms) }

// Instructions returns the size of all regular expressions, as package regexp/syntax compiles them.
// The time that Match takes may grow with it: a service can let large queries wait for each other,
// and not small ones for them.
func (q *Query) Instructions() int {
	n := 0
	for i := range q.terms {
		for _, e := range slices.Concat(q.terms[i].alternatives.exprs, q.terms[i].exclusions.exprs) {
			n += e.instructions
		}
	}
	return n
}

// Key returns the key that the conditions are for.
func (t *Term) Key() string { return t.key }

// Required reports whether a trace must have the key. It need not if there are only exclusions.
func (t *Term) Required() bool {
	return t.any || len(t.alternatives.values)+len(t.alternatives.exprs) > 0
}

// Values returns the values that a trace may have, and true. They are not sorted, may repeat, and
// may be excluded: [Term.Match] decides. If the conditions select other values too, it
// returns false.
func (t *Term) Values() ([]string, bool) {
	if !t.Required() || t.any || len(t.alternatives.exprs) > 0 {
		return nil, false
	}
	return slices.Clone(t.alternatives.values), true
}

// Match reports whether a trace in which the key has the value meets the conditions. Its errors are
// the errors of [Query.Match].
func (t *Term) Match(value string) (bool, error) {
	if excluded, err := t.exclusions.meets(value); err != nil || excluded {
		return false, err
	}
	if !t.Required() || t.any {
		return true, nil
	}
	return t.alternatives.meets(value)
}

// meets reports whether a value meets a condition. The ones after it are not tried.
func (c *conditions) meets(value string) (bool, error) {
	if slices.Contains(c.values, value) {
		return true, nil
	}
	for _, e := range c.exprs {
		if matched, err := e.match(value); err != nil || matched {
			return matched, err
		}
	}
	return false, nil
}
