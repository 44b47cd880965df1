package drift

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Reason is one cause of a difference between the sides.
type Reason struct {
	Kind   string // such as "changed" or "renamed"
	Key    string // the param; empty if there is none
	From   string // the old value, or the number of old values
	To     string // the new one
	Series int    // 0 if it is not known

	// Text is a line for people, in which values are quoted if blanks matter. Control characters are
	// not escaped. It is empty if the line of an earlier Reason of the same Kind says this one, too.
	Text string
}

// maxReasons is the number of Reasons of one kind.
const maxReasons = 20

// Reasons returns the causes in the order in which people want them, at most 20 of a kind. If there
// are more, a Reason of the kind "more" follows, whose Key is the kind, and To their number.
func (r *Report) Reasons() []Reason {
	w := &reasons{report: r}
	w.params()
	w.changes()
	w.renames()
	w.rest()
	return w.all
}

// reasons collects the Reasons of a Report.
type reasons struct {
	report *Report
	all    []Reason
}

// add adds a Reason, whose Text is formatted.
func (w *reasons) add(reason Reason, text string, args ...any) {
	reason.Text = fmt.Sprintf(text, args...)
	w.all = append(w.all, reason)
}

// more says how many Reasons of a kind are left out.
func (w *reasons) more(kind, what string, n int) {
	w.add(Reason{Kind: "more", Key: kind, To: strconv.Itoa(n)}, "%d more %s", n, what)
}

// params adds the params that begin new series wherever they occur.
func (w *reasons) params() {
	r := w.report
	for _, list := range []struct {
		kind, text string
		keys       []string
	}{
		{"splitting", "another value in almost every file, so that each file begins new series", r.SplittingKeys},
		{"added", "added to series that vanished otherwise", r.AddingKeys},
		{"removed", "removed from series that vanished otherwise", r.RemovingKeys},
	} {
		for i, key := range list.keys {
			reason := Reason{Kind: list.kind, Key: key}
			if i == 0 {
				reason.Text = list.text + ": " + strings.Join(list.keys, ", ")
			}
			w.all = append(w.all, reason)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(r.Cardinality)) {
		n := r.Cardinality[key]
		w.add(Reason{Kind: "cardinality", Key: key, From: strconv.Itoa(n[Old]), To: strconv.Itoa(n[New])},
			"param %s had %s and has %d: it multiplies series", key, plural(n[Old], "value"), n[New])
	}
}

// changes adds the params with other values.
func (w *reasons) changes() {
	r := w.report
	if r.Changed == nil {
		return
	}
	all := append([]Change{*r.Changed}, r.AlsoChanged...)
	for i, c := range all {
		if i == maxReasons {
			w.more("changed", "changes of params", len(all)-i)
			break
		}
		factor := ""
		if r.ValueFactor != nil && isUnitKey(c.Key) {
			factor = fmt.Sprintf("; values are multiplied by %g", *r.ValueFactor)
			if !*r.Exact {
				factor += ", which they do not follow"
			}
		}
		w.add(Reason{Kind: "changed", Key: c.Key, From: c.From, To: c.To, Series: c.Traces},
			"param %s changed from %s to %s in %s%s", c.Key, quote(c.From), quote(c.To), seriesText(c.Traces), factor)
	}
}

func isUnitKey(key string) bool { return key == "unit" || key == "units" }

// renames adds the benchmarks with other names.
func (w *reasons) renames() {
	r := w.report
	for i, c := range r.Renamed {
		if i == maxReasons {
			w.more("renamed", "renamed", len(r.Renamed)-i)
			break
		}
		w.add(Reason{Kind: "renamed", Key: c.Key, From: c.From, To: c.To},
			"renamed: %s %s is now %s", c.Key, quote(c.From), quote(c.To))
	}
	if r.Pattern == nil {
		return
	}
	all := append([]Pattern{*r.Pattern}, r.AlsoPattern...)
	for i, p := range all[:min(len(all), maxReasons)] {
		where, from, to := "end", p.FromSuffix, p.ToSuffix
		if p.FromPrefix+p.ToPrefix != "" {
			where, from, to = "beginning", p.FromPrefix, p.ToPrefix
		}
		w.add(Reason{Kind: "renamed " + where, Key: p.Key, From: from, To: to, Series: all[i].Traces},
			"renamed: the %s of %s changed from %q to %q in %s", where, p.Key, from, to, seriesText(p.Traces))
	}
}

// rest adds collisions, files without measurements, and the series without an explanation.
func (w *reasons) rest() {
	r := w.report
	for i, c := range r.Collisions {
		if i == maxReasons {
			w.more("collision", "values that are equal in trace IDs", len(r.Collisions)-i)
			break
		}
		quoted := make([]string, len(c.Values))
		for i, v := range c.Values {
			quoted[i] = quote(v)
		}
		w.add(Reason{Kind: "collision", Key: c.Key, From: strings.Join(c.Values, " ")},
			"%s: %s are equal in trace IDs", c.Key, strings.Join(quoted, " and "))
	}

	for i, name := range r.bareNames[:min(len(r.bareNames), maxReasons)] {
		reason := Reason{Kind: "empty file", To: name}
		if i == 0 {
			reason.Text = fmt.Sprintf("new files without measurements: %d", r.EmptyFiles)
			if n := slices.IndexFunc(r.bareNames, func(s string) bool { return s != "" }); n >= 0 {
				reason.Text += ", such as " + quote(r.bareNames[n])
			}
		}
		w.all = append(w.all, reason)
	}
	w.groups()
}

// groups adds the series without an explanation.
func (w *reasons) groups() {
	r := w.report
	left := [2]int{r.Unexplained.Vanished, r.Unexplained.Appeared}
	for side, kind := range []string{"vanished", "appeared"} {
		for _, g := range r.Unexplained.Groups {
			if g.Appears != (side == int(New)) {
				continue
			}
			left[side] -= g.Traces
			reason := Reason{Kind: kind, Key: g.Key, From: g.Value, Series: g.Traces}
			if g.Appears {
				reason.From, reason.To = "", g.Value
			}
			w.add(reason, "%s: %s with %s=%s", kind, seriesText(g.Traces), g.Key, quote(g.Value))
		}
		switch {
		case left[side] > 0 && r.Same == 0 && [2]int{r.Appeared, r.Vanished}[side] == 0:
			w.add(Reason{Kind: kind, Series: left[side]}, "%s: all %s", kind, seriesText(left[side]))
		case left[side] > 0:
			w.add(Reason{Kind: kind, Series: left[side]},
				"%s: %s for no reason that was found", kind, seriesText(left[side]))
		}
	}
}

// quote quotes a value if it is empty, or if it has a blank or a character that people do not see.
func quote(value string) string {
	isUnclear := func(r rune) bool { return r == '"' || unicode.IsSpace(r) || !unicode.IsGraphic(r) }
	if value == "" || !utf8.ValidString(value) || strings.ContainsFunc(value, isUnclear) {
		return strconv.Quote(value)
	}
	return value
}

func seriesText(n int) string { return fmt.Sprintf("%d series", n) }

// plural returns a number and a noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
