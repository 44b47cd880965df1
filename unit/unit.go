package unit

import (
	"strings"
	"unicode"

	"perfdata/format"
)

// A Unit is what the values of a measurement are in. The zero Unit is unknown. Units are equal if
// they mean the same: "ns/op" and "nsec/iter" are.
type Unit struct {
	Quantity Quantity
	Better   format.Direction // what the unit implies; format.Unknown for many

	factor factor // to the base unit
}

// A Quantity is what a unit measures. Values can be converted, and compared, if their units have
// the same Quantity. Its strings may share memory with the text of the unit.
type Quantity struct {
	Metric string // "L1-miss" of "L1-miss-ns/op"; empty for most
	Of     string // what is counted: "s", "B", "allocs", "op", "1", or any other name
	Per    string // by what: "op", "s", or any other name; empty if values are totals
}

// String returns the name of the base unit, such as "s/op".
func (q Quantity) String() string {
	text := q.Of
	if q.Metric != "" {
		text = q.Metric + "-" + text
	}
	if q.Per != "" {
		text += "/" + q.Per
	}
	return text
}

// Parse returns the unit that a text names. If it names none that the package documents, Parse
// returns the zero Unit and false. Parse does not allocate.
func Parse(text string) (Unit, bool) {
	of, per, isRate := text, "", false
	for _, between := range [...]string{"/", " per ", "-per-", "_per_"} {
		if of, per, isRate = strings.Cut(text, between); isRate {
			break
		}
	}
	if isRate && (of == "" || per == "") || strings.ContainsFunc(of, ends) || strings.ContainsFunc(per, ends) {
		return Unit{}, false
	}

	u, known := parseOf(of)
	if !known {
		u.Quantity.Of = of
	}
	if isRate {
		by, ok := named(per)
		if !ok {
			by.Quantity.Of = per
		}

		known = known || by.Quantity.Of == baseTime || by.Quantity.Of == baseOperations
		if u.Quantity.Per != "" || by.Quantity.Per != "" {
			return Unit{}, false // Hz/op, ns/Hz
		}
		u.Quantity.Per, u.factor = by.Quantity.Of, u.factor.over(by.factor)
	}
	if !known {
		return Unit{}, false
	}

	u.Better = better(u.Quantity)
	return u, true
}

// ends reports whether a character can't be part of a name.
func ends(c rune) bool { return c == '/' || unicode.IsSpace(c) || unicode.IsControl(c) }

// parseOf returns the unit in front of the "/".
func parseOf(text string) (Unit, bool) {
	if u, ok := named(text); ok {
		return u, true
	}
	if i := strings.LastIndexByte(text, '-'); i > 0 {
		u, _ := named(text[i+1:])
		switch u.Quantity.Of {
		case baseTime, baseInformation, baseAllocations:
			u.Quantity.Metric = text[:i]
			return u, true
		}
	}
	return Unit{}, false
}

// better returns the direction that a quantity implies.
func better(q Quantity) format.Direction {
	isCost := q.Of == baseInformation || q.Of == baseAllocations
	switch {
	case q.Of == baseTime && q.Per == baseTime:
	case q.Of == baseTime, isCost && (q.Per == "" || q.Per == baseOperations):
		return format.Lower
	case q.Per == baseTime:
		return format.Higher
	}
	return format.Unknown // such as bytes a cycle
}
