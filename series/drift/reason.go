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

	"perfdata/series"
)

// A Reason is one cause of a difference between the sides.
type Reason struct {
	Kind   string // such as "changed" or "renamed"
	Key    string // the param; empty if there is none
	From   string // the old value, or the number of old values
	To     string // the new one
	Series int    // 0 if it is not known

	// Text is a line for people, in which values are quoted if blanks matter. Control characters are
	// not escaped. It is empty if the line of an earlier Reason of the same Kind includes this one.
	Text string
}

// maxReasons is the number of Reasons of one kind.
const maxReasons = 20

// Reasons returns the causes in the order in which people want them, at most 20 of a kind. If
// there are more, a Reason of the kind "more" follows, whose Key is the kind, and To their number.
func (r *Report) Reasons() []Reason {
	w := &reasons{Report: r, counts: make(map[string]int)}
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
	*Report
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

// more says how many Reasons of a kind are left out, if any are.
func (w *reasons) more(kind, what string, n int) {
	if n > 0 {
		w.add(Reason{Kind: "more", Key: kind, To: strconv.Itoa(n)}, "%d more %s", n, what)
	}
}

// list adds Reasons of one kind and cause. The first has the Text of them all: the verb of the
// format is for their series and what these have in common, which are values of params.
func (w *reasons) list(all []Reason, format string) {
	total := 0
	var with []string // the params, and their values

	for i, r := range all {
		total += r.Series
		value := r.From
		if r.Kind == "appeared" {
			value = r.To
		}
		switch {
		case i >= maxReasons:
		case i > 0 && all[i-1].Key == r.Key:
			with[len(with)-1] += ", " + quote(value)
		default:
			with = append(with, r.Key+"="+quote(value))
		}
	}

	text := seriesText(total) + " with " + strings.Join(with, ", ")
	if len(all) > maxReasons {
		text += fmt.Sprintf(" and %d more", len(all)-maxReasons)
	}
	all = all[:min(len(all), maxReasons)]
	all[0].Text = fmt.Sprintf(format, text)
	w.all = append(w.all, all...)
}

// params adds the params that begin new series wherever they occur.
func (w *reasons) params() {
	for _, key := range w.VaryingKeys {
		w.add(Reason{Kind: "splitting", Key: key}, "param %s has another value in every record", key)
	}
	w.keys("splitting", "another value in almost every file, so that each file begins new series",
		w.SplittingKeys, nil, "")
	w.keys("added", "added to series that vanished otherwise", w.AddingKeys, w.DividingKeys, "were one series")
	w.keys("removed", "removed from series that vanished otherwise", w.RemovingKeys, w.MergingKeys, "now share one ID")
	for _, key := range slices.Sorted(maps.Keys(w.Cardinality)) {
		n := w.Cardinality[key]
		w.add(Reason{Kind: "cardinality", Key: key, From: strconv.Itoa(n[series.Old]), To: strconv.Itoa(n[series.New])},
			"param %s had %s and has %d: it multiplies series", key, message.Plural(n[series.Old], "value"), n[series.New])
	}
}

// keys adds params with one text. Series that differ in some of them are one on the other side.
func (w *reasons) keys(kind, text string, keys, onlyIn []string, one string) {
	text += ": " + strings.Join(keys, ", ")
	if len(onlyIn) > 0 {
		text += "; benchmarks that differ only in " + strings.Join(onlyIn, ", ") + " " + one
	}
	for _, key := range keys {
		w.all = append(w.all, Reason{Kind: kind, Key: key, Text: text})
		text = ""
	}
}

// changes adds the params with other values.
func (w *reasons) changes() {
	if w.Changed == nil {
		return
	}
	factor := ""
	if w.ValueFactor != nil {
		factor = fmt.Sprintf("; values are multiplied by %g", *w.ValueFactor)
		if !*w.Exact {
			factor += ", which they do not follow"
		}
	}
	for _, c := range append([]Change{*w.Changed}, w.AlsoChanged...) {
		text := fmt.Sprintf("param %s changed from %s to %s in %s", c.Key, quote(c.From), quote(c.To), seriesText(c.Traces))
		if isUnitKey(c.Key) {
			text += factor
		}
		w.add(Reason{Kind: "changed", Key: c.Key, From: c.From, To: c.To, Series: c.Traces}, "%s", text)
	}
	w.more("changed", "changes of params", w.counts["changed"]-maxReasons)
}

// moveTexts says the kinds of Moves to people.
var moveTexts = map[string]string{
	merged:      "param {key} is now a part of {new key} in {series}, such as {to}",
	renamedKey:  "param {key} is now {new key} in {series}",
	renamedPart: "renamed: {old part}= in {key} is now {new part}= in {series}",
	replaced:    "param {key}: {old values} replaced by {new values} in {series}, such as {from} by {to}",
	respelled:   "param {key} is spelled in another way in {series}: {from} is now {to}",
	split:       "param {new key} was a part of {key} in {series}, such as {from}",

	replacedPart: "param {key}: {old part} is now {new part} in {values} and {series}, such as {from} by {to}",
}

// moves adds the params that changed in another way than from one value to another.
func (w *reasons) moves() {
	for _, m := range w.Moves {
		reason := Reason{Kind: m.Kind, Key: m.Key, From: m.From, To: m.To, Series: m.Traces}
		text := moveTexts[m.Kind]
		switch {
		case m.Kind == renamedKey:
			reason.From, reason.To = m.Key, m.NewKey
		case m.Kind == renamedPart:
			reason.From, reason.To = m.Part[series.Old], m.Part[series.New]
		case m.Kind == split:
			reason.Key = m.NewKey
		case m.Part != [2]string{}:
			text, m.Part = moveTexts[replacedPart], [2]string{quote(m.Part[series.Old]), quote(m.Part[series.New])}
		}
		w.add(reason, "%s", strings.NewReplacer("{key}", m.Key, "{new key}", m.NewKey, "{series}", seriesText(m.Traces),
			"{from}", quote(m.From), "{to}", quote(m.To), "{old part}", m.Part[series.Old], "{new part}", m.Part[series.New],
			"{values}", message.Plural(m.Values[series.Old], "value"),
			"{old values}", counted(m.Values[series.Old], "1 value was", "%d values were"),
			"{new values}", counted(m.Values[series.New], "another one", "%d others")).Replace(text))
	}
	for _, kind := range slices.Sorted(maps.Keys(moveTexts)) {
		w.more(kind, kind, w.counts[kind]-maxReasons)
	}
}

// counted returns a text about one thing, or about several, whose number it has.
func counted(n int, one, several string) string {
	if n == 1 {
		return one
	}
	return fmt.Sprintf(several, n)
}

// jumps adds the values of another scale: all with one factor together.
func (w *reasons) jumps() {
	var factors []float64 // in the order of the Jumps
	groups := make(map[float64][]Reason)
	compared := 0
	for _, j := range w.Jumps {
		reason := Reason{Kind: "jumped", Key: j.Key, From: j.Value, To: number(j.Factor), Series: j.Traces}
		if j.Factor == 0 {
			reason.Kind = "zero"
		}
		if groups[j.Factor] == nil {
			factors = append(factors, j.Factor)
		}
		groups[j.Factor] = append(groups[j.Factor], reason)
		compared = max(compared, j.Of)
	}

	for _, factor := range factors {
		all, text := groups[factor], ""
		switch {
		case factor == 0:
			text = "are 0 now, and were not before"
		case factor < 1:
			text = fmt.Sprintf("are divided by %s, under the same unit", number(1/factor))
		default:
			text = fmt.Sprintf("are multiplied by %s, under the same unit", number(factor))
		}

		switch n := all[0].Series; {
		case all[0].Key != "":
			w.list(all, "values of %s "+text)
		case n < compared:
			w.add(all[0], "values of %d of %s %s", n, seriesText(compared), text)
		default:
			w.add(all[0], "values of all %s %s", seriesText(n), text)
		}
	}
}

func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

func isUnitKey(key string) bool { return key == "unit" || key == "units" }

// maxSpelled is the number of names of another spelling that have a line each.
const maxSpelled = 3

// renames adds the benchmarks with other names.
func (w *reasons) renames() {
	parts := func(name string) []string { // in another case and order
		all := strings.Split(name, "/")
		for i := range all {
			all[i] = string(fold([]byte(all[i])))
		}
		slices.Sort(all)
		return all
	}

	var spelled []int // indexes of names in another spelling: if there are many, they have one line
	for i, c := range w.Renamed {
		if slices.Equal(fold([]byte(c.From)), fold([]byte(c.To))) || slices.Equal(parts(c.From), parts(c.To)) {
			spelled = append(spelled, i)
		}
	}
	if len(spelled) <= maxSpelled {
		spelled = nil
	}

	more := 0 // lines that are left out
	for i, c := range w.Renamed {
		reason := Reason{Kind: "renamed", Key: c.Key, From: c.From, To: c.To}
		switch _, isSpelled := slices.BinarySearch(spelled, i); {
		case !isSpelled && i >= maxReasons:
			more++
		case !isSpelled:
			w.add(reason, "renamed: %s %s is now %s", c.Key, quote(c.From), quote(c.To))
		case i == spelled[0]:
			w.add(reason, "renamed: %d values of %s differ only in case, punctuation or order, such as %s, which is now %s",
				len(spelled), c.Key, quote(c.From), quote(c.To))
		default:
			w.add(reason, "")
		}
	}

	w.more("renamed", "renamed", more)
	if w.Pattern == nil {
		return
	}

	for _, p := range append([]Pattern{*w.Pattern}, w.AlsoPattern...) {
		where, from, to := "end", p.FromSuffix, p.ToSuffix
		if p.FromPrefix+p.ToPrefix != "" {
			where, from, to = "beginning", p.FromPrefix, p.ToPrefix
		}
		w.add(Reason{Kind: "renamed " + where, Key: p.Key, From: from, To: to, Series: p.Traces},
			"renamed: the %s of %s changed from %q to %q in %s", where, p.Key, from, to, seriesText(p.Traces))
	}
}

// rest adds collisions, files without measurements, and the series without an explanation.
func (w *reasons) rest() {
	for _, c := range w.Collisions {
		quoted := make([]string, len(c.Values))
		for i, v := range c.Values {
			quoted[i] = quote(v)
		}
		w.add(Reason{Kind: "collision", Key: c.Key, From: strings.Join(c.Values, " ")},
			"%s: %s are equal in trace IDs", c.Key, strings.Join(quoted, " and "))
	}
	w.more("collision", "values that are equal in trace IDs", w.counts["collision"]-maxReasons)

	text := fmt.Sprintf("new files without measurements: %d", w.EmptyFiles)
	if n := slices.IndexFunc(w.emptyNames, func(s string) bool { return s != "" }); n >= 0 {
		text += ", such as " + quote(w.emptyNames[n])
	}
	for _, name := range w.emptyNames[:min(len(w.emptyNames), w.EmptyFiles, maxReasons)] {
		w.all = append(w.all, Reason{Kind: "empty file", To: name, Text: text})
		text = ""
	}
	w.groups("vanished", false, w.Unexplained.Vanished, w.Same+w.Appeared == 0)
	w.groups("appeared", true, w.Unexplained.Appeared, w.Same+w.Vanished == 0)
}

// groups adds the series of a side without an explanation, which may be all of them.
func (w *reasons) groups(kind string, appears bool, left int, areAll bool) {
	groups := slices.DeleteFunc(slices.Clone(w.Unexplained.Groups), func(g Group) bool { return g.Appears != appears })
	keys := make(map[string]int)
	for _, g := range groups {
		keys[g.Key]++
	}

	var names []Reason // reasons with one key, if it has many values
	for _, g := range groups {
		left -= g.Traces
		reason := Reason{Kind: kind, Key: g.Key, From: g.Value, Series: g.Traces}
		if appears {
			reason.From, reason.To = "", g.Value
		}
		if keys[g.Key] > 1 {
			names = append(names, reason)
		} else {
			w.add(reason, "%s: %s with %s=%s", kind, seriesText(g.Traces), g.Key, quote(g.Value))
		}
	}
	if len(names) > 0 {
		slices.SortStableFunc(names, func(a, b Reason) int { return strings.Compare(a.Key, b.Key) })
		w.list(names, kind+": %s")
	}

	if left == 0 {
		return
	}
	text := fmt.Sprintf("%s: %s for no reason that was found", kind, seriesText(left))
	if areAll {
		text = fmt.Sprintf("%s: all %s", kind, seriesText(left))
	}
	w.all = append(w.all, Reason{Kind: kind, Series: left, Text: text})
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
