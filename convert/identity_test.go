package convert_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata"
	"perfdata/convert"
	"perfdata/format"
	"perfdata/perfdatatest"
	"perfdata/series"
)

var identityDocuments = flag.Int("identity-documents", 0, "the number of documents of TestIdentity; 30000 are all")

// Series survive: every value of a document is unique, and in each target, and back, the values of
// two series are never in one, and the values of one series never in two, except for series that a
// Loss counts. A second conversion to the same target changes nothing.
func TestIdentity(t *testing.T) {
	most := *identityDocuments
	if most == 0 {
		most = 300
		if testing.Short() {
			most = 60
		}
	}
	sources := sourcesOfDocuments()
	for i := range sources {
		s := &sources[i]
		t.Run(s.name, func(t *testing.T) {
			for seed := range uint64(most / len(sources)) {
				data := s.document(seed)
				c, err := readAll(s.format, data, false)
				if err != nil {
					continue // a fault that ends the reading
				}
				c.samples, c.models = nil, nil
				for i, rec := range c.recs {
					rec.Value = float64(i) + 0.5
					if convert.Commit(c.header, rec) == "" {
						rec.Commit = addedCommit
					}
				}
				for _, part := range byCommit(c) {
					for _, to := range written() {
						if problem := checkIdentity(t, s.format, to, part); problem != "" {
							t.Fatalf("seed %d to %s: %s\n%s", seed, to.Name, problem, data)
						}
					}
				}
			}
		})
	}
}

// A documentSource makes random documents of a format.
type documentSource struct {
	name     string
	format   format.Format
	document func(seed uint64) []byte
}

// sourcesOfDocuments returns the documents of perfdatatest, and for each format that is written, documents
// of few texts, whose names are easily confused.
func sourcesOfDocuments() (list []documentSource) {
	texts := map[string]func(*confusable) string{
		"skiav1": skiaText, "nanolegacy": legacyText, "benchfmt": benchText, "keyval": keyvalText, "perun": perunText,
	}
	for _, f := range perfdata.Formats() {
		if slices.Contains(perfdatatest.Formats(), f.Name) {
			list = append(list, documentSource{f.Name, f, func(seed uint64) []byte {
				return perfdatatest.Valid(f.Name, seed, 1500)
			}})
		}
		if text := texts[f.Name]; text != nil {
			list = append(list, documentSource{f.Name + " of few texts", f, func(seed uint64) []byte {
				return []byte(text(&confusable{Rand: rand.New(rand.NewPCG(seed, 2))}))
			}})
		}
	}
	return list
}

// A confusable chooses texts that are easily confused.
type confusable struct {
	*rand.Rand
	value int
}

func (c *confusable) of(list ...string) string { return list[c.IntN(len(list))] }

func (c *confusable) text() string {
	return c.of("a", "b", "a", "b", "A", "1", "2", "a/b", "a_b", "a b", "a=1", "a_1", "a-1", "a.b", "x:1", "é", "")
}

func (c *confusable) key() string {
	return c.of("name", "test", "key", "config", "sub_result", "unit", "units", "uid", "goos", "cpu", "pkg", "n", "n", "sub1", "sub2",
		"gomaxprocs", "repetition", "iteration", "commit", "improvement_direction", "type", "subtype", "collector", "cmd",
		"a b", "a_b", "GL_x", "amount", "workload", "better")
}

func (c *confusable) next() int { c.value++; return c.value }

// object returns a JSON object of up to n params, whose keys are those that are not in without.
func (c *confusable) object(n int, without ...string) string {
	seen := without
	var list []string
	for range c.IntN(n + 1) {
		key := c.key()
		if !slices.Contains(seen, key) {
			seen = append(seen, key)
			list = append(list, fmt.Sprintf("%q:%q", key, c.text()))
		}
	}
	return "{" + strings.Join(list, ",") + "}"
}

// each returns the texts that make returns, up to n.
func (c *confusable) each(n int, between string, make func() string) string {
	var list []string
	for range 1 + c.IntN(n) {
		list = append(list, make())
	}
	return strings.Join(list, between)
}

func skiaText(c *confusable) string {
	return fmt.Sprintf(`{"version":1,"git_hash":"abc","key":%s,"results":[%s]}`, c.object(2), c.each(8, ",", func() string {
		return fmt.Sprintf(`{"key":%s,"measurement":%d}`, c.object(3), c.next())
	}))
}

func legacyText(c *confusable) string {
	return fmt.Sprintf(`{"gitHash":"abc","key":%s,"options":%s,"results":{%s}}`, c.object(2), c.object(1), c.members(3, func() string {
		return "{" + c.members(3, func() string {
			return "{" + c.members(3, func() string { return fmt.Sprint(c.next()) }) + "}"
		}) + "}"
	}))
}

// members returns up to n members of an object.
func (c *confusable) members(n int, value func() string) string {
	var seen []string
	return c.each(n, ",", func() string {
		key := c.text()
		for slices.Contains(seen, key) {
			key += c.of("_", " ", "x")
		}
		seen = append(seen, key)
		return fmt.Sprintf("%q:%s", key, value())
	})
}

func benchText(c *confusable) string {
	return c.each(12, "\n", func() string {
		if c.IntN(3) == 0 {
			return c.of("goos", "cpu", "pkg", "n", "commit", "test", "uid", "key", "config", "units", "type") + ": " + c.text()
		}
		name := "Benchmark" + c.of("A", "B", "A_b", "") + c.of("", "", "/a", "/b", "/n=1", "/n=2", "/a_b", "/test=a", "/n=1/a") +
			c.of("", "", "-1", "-8", "_8")
		return fmt.Sprintf("%s 1 %d %s", name, c.next(), c.of("ns/op", "ms", "B/op", "ns_op"))
	}) + "\n"
}

func keyvalText(c *confusable) string {
	return c.each(3, "\n\n", func() string {
		var seen []string
		return c.each(4, "\n", func() string {
			key := c.of("a", "b", "a_b", "a.b", "a-2", "a-1", "value")
			if c.IntN(3) == 0 {
				return c.of("goos", "commit", "n", "repetition", "test") + "{attr}=" + c.text()
			}
			if slices.Contains(seen, key) {
				return "other{attr}=1"
			}
			seen = append(seen, key)
			return fmt.Sprintf("%s{perf}=%d", key, c.next())
		})
	}) + "\n\n"
}

func perunText(c *confusable) string {
	return fmt.Sprintf(`{"origin":"abc","header":{"type":%q,"cmd":%q,"args":"","workload":"w","units":{"mixed(a)":"ms"}},`+
		`"collector_info":{"name":"c","params":{}},"postprocessors":[],"global":[%s]}`,
		c.of("mixed", "time"), c.text(), c.each(8, ",", func() string {
			object := c.object(4, "amount", "type", "subtype", "collector", "cmd", "workload", "uid", "commit")
			own := fmt.Sprintf(`{"amount":%d,"uid":%q,"type":"mixed","subtype":%q,`, c.next(),
				c.of("a", "b", "a/b", "a_b", "a b"), c.of("a", "b"))
			return strings.Replace(own+object[1:], ",}", "}", 1)
		}))
}

// checkIdentity returns the faults of the conversion of a document there and back.
func checkIdentity(t *testing.T, from, to format.Format, c content) string {
	t.Helper()
	before := seriesOf(c.recs)
	data, w := convertTo(t, to, c)
	there := readBack(t, to, data, w)
	if problem := before.compare(seriesOfAll(there), w.Losses()); problem != "" {
		return fmt.Sprintf("there: %s\n%s", problem, data)
	}

	again, w2 := convertTo(t, to, there)
	same := readBack(t, to, again, w2)
	if diff := cmp.Diff(showAll(there, to), showAll(same, to)); diff != "" {
		return fmt.Sprintf("converted again, another file: %v\n%s\n%s", w2.Losses(), data, again)
	}

	if from.NewWriter == nil {
		return ""
	}
	back, w3 := convertTo(t, from, there)
	losses := append(w.Losses(), w3.Losses()...)
	if problem := before.compare(seriesOfAll(readBack(t, from, back, w3)), losses); problem != "" {
		return fmt.Sprintf("back: %s\n%s\n%s", problem, data, back)
	}
	return ""
}

// A seriesMap has the place of each value.
type seriesMap map[float64]seriesPlace

// A seriesPlace is the series of a value, its params as the file has them, and its number.
type seriesPlace struct {
	id, params string
	n          int
}

func seriesOf(recs []*format.Record) seriesMap {
	m := make(seriesMap)
	var placer series.Placer
	for _, rec := range recs {
		if at, err := placer.Place(rec); err == nil {
			m[rec.Value] = seriesPlace{string(at.Trace), fmt.Sprint(at.Identity), at.N}
		}
	}
	return m
}

func seriesOfAll(c content) seriesMap {
	m := seriesOf(c.recs)
	var placer series.Placer
	for _, s := range c.samples {
		id := placer.Identify(&format.Record{Params: s.Params}).Identity.ID()
		for i, value := range s.Values {
			m[value] = seriesPlace{id: id, n: i + 1}
		}
	}
	return m
}

// compare returns the differences of the series that m became.
func (m seriesMap) compare(got seriesMap, losses []convert.Loss) string {
	lost, merged, renumbered := 0, 0, false
	for _, l := range losses {
		switch l.Kind {
		case convert.ChangedNumber:
			renumbered = true
		case convert.LostRecords:
			lost += l.Count
		case convert.MergedSeries:
			merged += l.Count
		}
	}

	missing := 0
	to, from := make(map[string]string), make(map[string]map[string]bool)
	for value, place := range m {
		name, ok := got[value]
		if !ok {
			missing++
			continue
		}
		if other, ok := to[place.params]; ok && other != name.id {
			return fmt.Sprintf("one series is two: %s is %s and %s: %v", place.params, other, name.id, losses)
		}
		to[place.params] = name.id
		if from[name.id] == nil {
			from[name.id] = make(map[string]bool)
		}
		from[name.id][place.id] = true
	}
	if missing > lost {
		return fmt.Sprintf("%d values are missing, and %d counted: %v", missing, lost, losses)
	}
	for name, ids := range from {
		if merged -= len(ids) - 1; merged < 0 {
			return fmt.Sprintf("several series are one that is not counted: %v are %s: %v", ids, name, losses)
		}
	}

	for value, place := range m {
		for other, second := range m {
			x, okX := got[value]
			y, okY := got[other]
			if okX && okY && place.id == second.id && place.n < second.n && x.n > y.n && !renumbered {
				return fmt.Sprintf("repetitions of %s in another order: %v, %v: %v", place.id, value, other, losses)
			}
		}
	}
	return ""
}
