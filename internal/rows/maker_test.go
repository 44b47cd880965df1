package rows

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/jsonscan"
	"perfdata/internal/jsontree"
	"perfdata/internal/testing/quick"
	"perfdata/traceid"
)

// A result is what a format tells a Maker of one result.
type result struct {
	params, attrs, links [][2]string
	measures             []Measure
	late                 [][2]string // params that are added after the first measure
}

// records returns the records and errors of the results, as text.
func records(h Header, limits format.Limits, results ...result) (all []string) {
	var m Maker
	m.Open(h, limits.WithDefaults())
	tree := new(jsontree.Reader).Read(jsonscan.OfBytes([]byte("{}")), jsontree.Object())
	for _, r := range results {
		m.yield = func(rec *format.Record, err error) bool {
			if err != nil {
				all = append(all, err.Error())
				return true
			}
			line := fmt.Sprintf("%s = %v", pairs(rec.Params), rec.Value)
			if len(rec.Attrs) > 0 {
				line += " attrs " + pairs(rec.Attrs)
			}
			if len(rec.Links) > 0 {
				line += " links " + pairs(rec.Links)
			}
			if got, want := string(rec.AppendTraceID(nil)), rec.Params.ID(); got != want {
				line += fmt.Sprintf(" AppendTraceID: %s, want %s", got, want)
			}
			all = append(all, line)
			return true
		}
		m.Begin(tree.Root())
		for _, p := range r.params {
			m.Param(p[0], p[1])
		}
		for _, p := range r.attrs {
			m.Attr(p[0], p[1])
		}
		for _, p := range r.links {
			m.Link(p[0], p[1])
		}
		for i, x := range r.measures {
			m.Number(x, float64(i+1), 0)
			for _, p := range r.late {
				m.Param(p[0], p[1])
			}
		}
		m.End()
	}
	return all
}

func pairs(ps traceid.Params) string {
	var all []string
	for _, p := range ps {
		all = append(all, p.Key+"="+p.Value)
	}
	return strings.Join(all, " ")
}

func TestMaker(t *testing.T) {
	one := []Measure{{}}
	for _, test := range []struct {
		name    string
		header  Header
		limits  format.Limits
		results []result
		want    []string
	}{
		{
			name: "what a measurement adds",
			results: []result{{
				params:   [][2]string{{"name", "a"}, {"empty", ""}},
				measures: []Measure{{}, {Metric: "m"}, {Stat: "s"}, {Unit: "u"}, {Metric: "m2", Stat: "s", Unit: "u"}, {Metric: "m3"}},
			}},
			want: []string{
				"name=a = 1", "metric=m name=a = 2", "name=a stat=s = 3", "name=a unit=u = 4",
				"metric=m2 name=a stat=s unit=u = 5", "metric=m3 name=a = 6",
			},
		},
		{
			name: "a key that comes again",
			results: []result{
				{params: [][2]string{{"k", "1"}, {"k", "2"}, {"k", "3"}}, attrs: [][2]string{{"k", "4"}, {"k", "5"}}, measures: one},
				{params: [][2]string{{"k", "6"}, {"params.k", "7"}, {"k", "8"}}, links: [][2]string{{"l", "9"}, {"l", "10"}}, measures: one},
			},
			want: []string{
				"k=1 params.k=2 params.params.k=3 = 1 attrs attrs.k=5 k=4", "k=6 params.k=7 params.params.k=8 = 1 links l=9 links.l=10",
			},
		},
		{
			name: "a key of a measurement has a prefix in all records of a result",
			results: []result{{
				params:   [][2]string{{"unit", "box"}, {"stat", "x"}, {"metric", "y"}},
				measures: []Measure{{}, {Metric: "m", Unit: "u", Stat: "s"}},
			}},
			want: []string{
				"params.metric=y params.stat=x params.unit=box = 1",
				"metric=m params.metric=y params.stat=x params.unit=box stat=s unit=u = 2",
			},
		},
		{
			name: "a result overrides the header",
			header: Header{
				Params: traceid.Params{{Key: "os", Value: "linux"}, {Key: "unit", Value: "h"}, {Key: "arch", Value: "x"}, {Key: "os", Value: "no"}},
				Attrs:  traceid.Params{{Key: "host", Value: "h"}, {Key: "date", Value: "d"}},
				Links:  format.Links{{Key: "log", Value: "l"}},
			},
			results: []result{
				{params: [][2]string{{"name", "a"}}, measures: []Measure{{}, {Unit: "ms"}}},
				{
					params: [][2]string{{"os", "bsd"}}, attrs: [][2]string{{"host", "other"}}, links: [][2]string{{"log", "own"}, {"x", "y"}},
					measures: one,
				},
				{measures: one},
			},
			want: []string{
				"arch=x name=a os=linux unit=h = 1 attrs date=d host=h links log=l",
				"arch=x name=a os=linux unit=ms = 2 attrs date=d host=h links log=l",
				"arch=x os=bsd unit=h = 1 attrs date=d host=other links log=own x=y",
				"arch=x os=linux unit=h = 1 attrs date=d host=h links log=l",
			},
		},
		{
			name:   "too many params",
			limits: format.Limits{MaxParams: 2},
			results: []result{
				{params: [][2]string{{"a", "1"}}, measures: []Measure{{Unit: "u"}, {Unit: "u", Stat: "s"}, {Unit: "u"}}},
			},
			want: []string{
				"a=1 unit=u = 1",
				"1:1: params, attrs or links of one measurement: more than 2 (Limits.MaxParams)",
			},
		},
		{
			name:    "too many attrs with those of the header",
			header:  Header{Attrs: traceid.Params{{Key: "a", Value: "1"}}},
			limits:  format.Limits{MaxParams: 2},
			results: []result{{attrs: [][2]string{{"b", "1"}, {"c", "2"}}, measures: one}},
			want:    []string{"1:1: params, attrs or links of one measurement: more than 2 (Limits.MaxParams)"},
		},
		{
			name:    "nothing came of a result",
			results: []result{{params: [][2]string{{"name", "a"}}}},
			want:    []string{"1:1: a: the result has no numbers"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := records(test.header, test.limits, test.results...)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Results may have more sequences of keys than a Maker remembers, in any order.
func TestManySequences(t *testing.T) {
	var results []result
	var want []string
	for round := range 3 {
		for i := range 2*maxSequences + 3 {
			i = (i*7 + round) % (2*maxSequences + 3)
			key, value := fmt.Sprintf("k%02d", i), fmt.Sprint(round)
			results = append(results, result{
				params: [][2]string{{"name", "n"}, {key, value}}, attrs: [][2]string{{key, value}}, links: [][2]string{{key, value}},
				measures: []Measure{{Unit: "u"}, {}},
			})
			params := fmt.Sprintf("%s=%s name=n", key, value)
			rest := fmt.Sprintf(" attrs %s=%s links %s=%s", key, value, key, value)
			want = append(want, params+" unit=u = 1"+rest, params+" = 2"+rest)
		}
	}
	if diff := cmp.Diff(want, records(Header{}, format.Limits{}, results...)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A Maker that opens another file forgets the params of the first one's header.
func TestOpenAgain(t *testing.T) {
	var m Maker
	tree := new(jsontree.Reader).Read(jsonscan.OfBytes([]byte("{}")), jsontree.Object())
	var got []string
	for _, os := range []string{"linux", "bsd"} {
		m.Open(Header{Params: traceid.Params{{Key: "os", Value: os}}, Commit: os}, format.Limits{}.WithDefaults())
		m.yield = func(rec *format.Record, _ error) bool {
			got = append(got, rec.Commit+" "+pairs(rec.Params))
			return true
		}
		m.Begin(tree.Root())
		if m.HasSeen("a") {
			t.Error("a benchmark of the first file was seen in the second")
		}
		m.Saw("a")
		m.Param("name", "a")
		m.Number(Measure{}, 1, 0)
	}
	if diff := cmp.Diff([]string{"linux name=a os=linux", "bsd name=a os=bsd"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The records of a result do not depend on the results before it: on their keys, and on whether they had
// any records.
func TestMakerSequences(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	some := func(keys string, max int) (all [][2]string) {
		for range random.IntN(max + 1) {
			i := random.IntN(len(keys))
			all = append(all, [2]string{keys[i : i+1], fmt.Sprint(random.IntN(3))})
		}
		return all
	}
	measures := []Measure{{}, {Unit: "s"}, {Unit: "s", Stat: "mean"}, {Metric: "time", Unit: "ms"}}
	h := Header{Params: traceid.Params{{Key: "b", Value: "header"}}, Attrs: traceid.Params{{Key: "x", Value: "header"}}}
	for range quick.Of(1000, 300) {
		var results []result
		var want []string
		for range 10 {
			if n := len(results); n > 0 && random.IntN(2) == 0 {
				results = append(results, results[random.IntN(n)])
			} else {
				r := result{params: some("abc", 3), attrs: some("xy", 2), links: some("l", 1)}
				for range random.IntN(3) {
					r.measures = append(r.measures, measures[random.IntN(len(measures))])
				}
				if random.IntN(4) == 0 {
					r.late = some("de", 1)
				}
				results = append(results, r)
			}
			want = append(want, records(h, format.Limits{}, results[len(results)-1])...)
		}
		if got := records(h, format.Limits{}, results...); !slices.Equal(got, want) {
			t.Fatalf("%+v\n(-alone +together):\n%s", results, cmp.Diff(want, got))
		}
	}
}

// A text that was asked for is found again, unless another one was kept under its ID since.
func TestKept(t *testing.T) {
	var m Maker
	m.Open(Header{}, format.Limits{}.WithDefaults())
	result := new(jsontree.Reader).Read(jsonscan.OfBytes([]byte("{}")), jsontree.Object()).Root()
	check := func(id, want string) {
		t.Helper()
		for range 2 {
			if got := m.Kept(id); got != want {
				t.Errorf("%q: %q, want %q", id, got, want)
			}
		}
	}
	check("1-ab", "")
	m.Keep(result, "1-ab", "x")
	check("1-ab", "x")
	m.Keep(result, "2-ab", "y")
	m.Keep(result, "", "z")
	check("1-ab", "x")
	check("2-ab", "y")
	check("", "z")
	m.Keep(result, "1-ab", "new")
	check("1-ab", "new")
	check("b", "")

	m.Open(Header{}, format.Limits{}.WithDefaults())
	for _, id := range []string{"1-ab", "2-ab", ""} {
		check(id, "")
	}
}
