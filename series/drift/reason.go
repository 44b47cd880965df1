package drift

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"perfdata/internal/message"
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

// Reasons returns the causes in the order in which people want them, at most 20 of a kind. If
// there are more, a Reason of the kind "more" follows, whose Key is the kind, and To their
// number.
func (r *Report) Reasons() []Reason {
	w := &reasons{report: r, counts: make(map[string]int)}
	w.params()
	w.changes()
	w.moves()
	w.jumps()
	w.renames()
	w.rest()
	return w.all
}

// reasons collects the Reasons of a Report.
type reasons struct {
	report *Report
	all    []Reason
	counts map[string]int // by their kinds
}

// add adds a Reason, whose Text is formatted, unless there are enough of its kind.
func (w *reasons) add(reason Reason, text string, args ...any) {
	if w.counts[reason.Kind]++; w.counts[reason.Kind] <= maxReasons {
		reason.Text = fmt.Sprintf(text, args...)
		w.all = append(w.all, reason)
	}
}

// more says how many Reasons of a kind are left out.
func (w *reasons) more(kind, what string) { w.moreOf(kind, what, w.counts[kind]-maxReasons) }

func (w *reasons) moreOf(kind, what string, n int) {
	if n > 0 {
		w.add(Reason{Kind: "more", Key: kind, To: strconv.Itoa(n)}, "%d more %s", n, what)
	}
}

// jumps adds the values of another scale.
func (w *reasons) jumps() {
	type cause struct {
		factor float64
		text   string
	}
	var causes []cause // in the order of the Jumps
	groups := make(map[cause][]Reason)
	of := 0
	for _, j := range w.report.Jumps {
		c := cause{j.Factor, fmt.Sprintf("are multiplied by %s, under the same unit", number(j.Factor))}
		reason := Reason{Kind: "jumped", Key: j.Key, From: j.Value, To: number(j.Factor), Series: j.Traces}
		of = max(of, j.Of)
		switch {
		case j.Factor == 0:
			reason.Kind, c.text = "zero", "are 0 now, and were not before"
		case j.Factor < 1:
			c.text = fmt.Sprintf("are divided by %s, under the same unit", number(1/j.Factor))
		}
		if groups[c] == nil {
			causes = append(causes, c)
		}
		groups[c] = append(groups[c], reason)
	}
	for _, c := range causes {
		all := groups[c]
		if all[0].Key == "" {
			series := "all " + seriesText(all[0].Series)
			if all[0].Series < of {
				series = fmt.Sprintf("%d of %s", all[0].Series, seriesText(of))
			}
			w.add(all[0], "values of %s %s", series, c.text)
			continue
		}
		w.list(all, "values of %s "+c.text, func(r Reason) string { return r.From })
	}
}

func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// list adds Reasons of one kind and cause. The first has the Text of them all: the verb of the
// format is for their series and what these have in common.
func (w *reasons) list(all []Reason, format string, value func(Reason) string) {
	series := 0
	var with []string // the params, and their values
	for i, r := range all {
		series += r.Series
		switch text := quote(value(r)); {
		case i >= maxReasons:
		case i > 0 && all[i-1].Key == r.Key:
			with[len(with)-1] += ", " + text
		default:
			with = append(with, r.Key+"="+text)
		}
	}
	text := seriesText(series) + " with " + strings.Join(with, ", ")
	if len(all) > maxReasons {
		text += fmt.Sprintf(" and %d more", len(all)-maxReasons)
	}
	all = all[:min(len(all), maxReasons)]
	all[0].Text = fmt.Sprintf(format, text)
	w.all = append(w.all, all...)
}

// params adds the params that begin new series wherever they occur.
func (w *reasons) params() {
	r := w.report
	for _, key := range r.VaryingKeys {
		w.add(Reason{Kind: "splitting", Key: key}, "param %s has another value in every record", key)
	}
	for _, list := range []struct {
		kind, text string
		keys       []string
		onlyIn     []string // of these, those in which several series differ that are one on the other side
		one        string   // what these are
	}{
		{"splitting", "another value in almost every file, so that each file begins new series", r.SplittingKeys, nil, ""},
		{"added", "added to series that vanished otherwise", r.AddingKeys, r.DividingKeys, "were one series"},
		{"removed", "removed from series that vanished otherwise", r.RemovingKeys, r.MergingKeys, "now share one ID"},
	} {
		for i, key := range list.keys {
			reason := Reason{Kind: list.kind, Key: key}
			if i == 0 {
				reason.Text = list.text + ": " + strings.Join(list.keys, ", ")
				if len(list.onlyIn) > 0 {
					reason.Text += "; benchmarks that differ only in " + strings.Join(list.onlyIn, ", ") + " " + list.one
				}
			}
			w.all = append(w.all, reason)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(r.Cardinality)) {
		n := r.Cardinality[key]
		w.add(Reason{Kind: "cardinality", Key: key, From: strconv.Itoa(n[Old]), To: strconv.Itoa(n[New])},
			"param %s had %s and has %d: it multiplies series", key, message.Plural(n[Old], "value"), n[New])
	}
}

// changes adds the params with other values.
func (w *reasons) changes() {
	r := w.report
	if r.Changed == nil {
		return
	}
	for _, c := range append([]Change{*r.Changed}, r.AlsoChanged...) {
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
	w.more("changed", "changes of params")
}

// moves adds the params that changed in another way than from one value to another.
func (w *reasons) moves() {
	kinds := make(map[string]bool)
	for _, m := range w.report.Moves {
		reason := Reason{Kind: m.Kind, Key: m.Key, From: m.From, To: m.To, Series: m.Traces}
		in, from, to := seriesText(m.Traces), quote(m.From), quote(m.To)
		kinds[m.Kind] = true
		switch m.Kind {
		case renamedKey:
			reason.From, reason.To = m.Key, m.NewKey
			w.add(reason, "param %s is now %s in %s", m.Key, m.NewKey, in)
		case renamedPart:
			reason.From, reason.To = m.Part[Old], m.Part[New]
			w.add(reason, "renamed: %s= in %s is now %s= in %s", m.Part[Old], m.Key, m.Part[New], in)
		case merged:
			w.add(reason, "param %s is now a part of %s in %s, such as %s", m.Key, m.NewKey, in, to)
		case split:
			reason.Key = m.NewKey
			w.add(reason, "param %s was a part of %s in %s, such as %s", m.NewKey, m.Key, in, from)
		case respelled:
			w.add(reason, "param %s is spelled in another way in %s: %s is now %s", m.Key, in, from, to)
		case replaced:
			if m.Part != [2]string{} {
				w.add(reason, "param %s: %s is now %s in %s and %s, such as %s by %s",
					m.Key, quote(m.Part[Old]), quote(m.Part[New]), message.Plural(m.Values[Old], "value"), in, from, to)
				continue
			}
			w.add(reason, "param %s: %s replaced by %s in %s, such as %s by %s",
				m.Key, were(m.Values[Old]), others(m.Values[New]), in, from, to)
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		w.more(kind, kind)
	}
}

func were(n int) string {
	if n == 1 {
		return "1 value was"
	}
	return fmt.Sprintf("%d values were", n)
}

func others(n int) string {
	if n == 1 {
		return "another one"
	}
	return fmt.Sprintf("%d others", n)
}

func isUnitKey(key string) bool { return key == "unit" || key == "units" }

// maxSpelled is the number of names of another spelling that have a line each.
const maxSpelled = 3

// renames adds the benchmarks with other names.
func (w *reasons) renames() {
	r := w.report
	folded := func(name string) string { return string(fold([]byte(name))) }
	parts := func(name string) []string {
		all := strings.Split(name, "/")
		for i := range all {
			all[i] = folded(all[i])
		}
		slices.Sort(all)
		return all
	}
	alike := func(c Rename) bool {
		return folded(c.From) == folded(c.To) || slices.Equal(parts(c.From), parts(c.To))
	}
	spelled := 0 // those that differ only in their spelling
	for _, c := range r.Renamed {
		if alike(c) {
			spelled++
		}
	}
	said, more := false, 0 // of these; lines that are left out
	for i, c := range r.Renamed {
		isOne := spelled <= maxSpelled || !alike(c)
		reason := Reason{Kind: "renamed", Key: c.Key, From: c.From, To: c.To}
		switch {
		case i >= maxReasons:
			if isOne {
				more++
			}
		case isOne:
			w.add(reason, "renamed: %s %s is now %s", c.Key, quote(c.From), quote(c.To))
		case said:
			w.add(reason, "")
		default:
			said = true
			w.add(reason, "renamed: %d values of %s differ only in case, punctuation or order, such as %s, which is now %s",
				spelled, c.Key, quote(c.From), quote(c.To))
		}
	}
	w.moreOf("renamed", "renamed", more)
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
	for _, c := range r.Collisions {
		quoted := make([]string, len(c.Values))
		for i, v := range c.Values {
			quoted[i] = quote(v)
		}
		w.add(Reason{Kind: "collision", Key: c.Key, From: strings.Join(c.Values, " ")},
			"%s: %s are equal in trace IDs", c.Key, strings.Join(quoted, " and "))
	}
	w.more("collision", "values that are equal in trace IDs")

	for i, name := range r.bareNames[:min(len(r.bareNames), r.EmptyFiles, maxReasons)] {
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
		var names []Reason // those with one key, if it has many values
		keys := make(map[string]int)
		for _, g := range r.Unexplained.Groups {
			if g.Appears == (side == int(New)) {
				keys[g.Key]++
			}
		}
		for _, g := range r.Unexplained.Groups {
			if g.Appears != (side == int(New)) {
				continue
			}
			left[side] -= g.Traces
			reason := Reason{Kind: kind, Key: g.Key, From: g.Value, Series: g.Traces}
			if g.Appears {
				reason.From, reason.To = "", g.Value
			}
			if keys[g.Key] > 1 {
				names = append(names, reason)
				continue
			}
			w.add(reason, "%s: %s with %s=%s", kind, seriesText(g.Traces), g.Key, quote(g.Value))
		}
		if len(names) > 0 {
			slices.SortStableFunc(names, func(a, b Reason) int { return strings.Compare(a.Key, b.Key) })
			w.list(names, kind+": %s", func(r Reason) string { return r.From + r.To })
		}
		if n := left[side]; n > 0 {
			text := fmt.Sprintf("%s: %s for no reason that was found", kind, seriesText(n))
			if r.Same == 0 && [2]int{r.Appeared, r.Vanished}[side] == 0 {
				text = fmt.Sprintf("%s: all %s", kind, seriesText(n))
			}
			w.all = append(w.all, Reason{Kind: kind, Series: n, Text: text})
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
