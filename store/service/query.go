package service

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strings"
	"time"

	"perfdata/format"
	"perfdata/store"
	"perfdata/traceid"
)

// paramSet answers with the keys and values of all traces:
//
//	{"arch": ["arm", "x86"], "test": ["draw"]}
//
// The store returns them sorted, so that none is kept in memory.
func (s *Service) paramSet(w *response, r *http.Request) error {
	out := newStream(w, "{")
	key, separator := "", ""
	for p, err := range s.db.Params(r.Context(), paramsOf(r).trial()) {
		if err != nil {
			return err
		}
		if separator == "" || p.Key != key {
			key = p.Key
			out.next(separator + string(toJSON(key)) + ":[")
			separator = "],"
		}
		if err := out.add(p.Value); err != nil {
			return err
		}
	}
	return out.finish(strings.TrimSuffix(separator, ",") + "}\n")
}

// A trace is a series in an answer.
type trace struct {
	ID     string         `json:"id"`
	Params traceid.Params `json:"params"`
	Points []point        `json:"points"`
}

// A point is a measurement in an answer.
type point struct {
	Commit string `json:"commit"`
	N      int    `json:"n"` // numbers the repetitions
	Value  number `json:"value"`

	// The next two are for a point without a commit.
	Run  string    `json:"run,omitempty"`
	Hour time.Time `json:"hour,omitzero"`
}

// A number is a value in JSON, or a string, such as "NaN", that the function Number of JavaScript
// reads. JSON has no such numbers, and null would be a measurement that is missing.
type number float64

func (n number) MarshalJSON() ([]byte, error) {
	switch f := float64(n); {
	case math.IsNaN(f):
		return []byte(`"NaN"`), nil
	case math.IsInf(f, 1):
		return []byte(`"Infinity"`), nil
	case math.IsInf(f, -1):
		return []byte(`"-Infinity"`), nil
	default:
		return json.Marshal(f)
	}
}

const maxSeries = 10_000 // of an answer
const maxPoints = 50_000 // of a series: each takes 500 bytes of memory, garbage included

// series answers with the values of the traces that a query selects:
//
//	{"series": [TRACE, ...], "more": false, "commits": [COMMIT, ...],
//	 "order": "source", "guess": true, "orderText": "order of commits: by ..."}
//
// More says that the limit left out others. Commits are all commits of the store, in their order,
// which order names, as in [series.Order], and orderText describes. A series with more points than
// maxPoints is an error.
// In the URL, q is a query of package traceid, from and until are times as in RFC 3339, first and last
// are commits, and limit is the number of series.
func (s *Service) series(w *response, r *http.Request) error {
	params := paramsOf(r)
	q, limit := params.query(), params.limit(100, maxSeries)
	// One more than the limit tells whether there are more.
	limits := store.Range{
		Trial: params.trial(), First: params.Get("first"), Last: params.Get("last"),
		From: params.time("from"), Until: params.time("until"), Limit: limit + 1, MaxPoints: maxPoints,
	}
	if params.err != nil {
		return params.err
	}

	out := newStream(w, `{"series":[`)
	more := false
	for one, err := range s.db.Query(r.Context(), q, limits) {
		if more = out.n == limit && (err == nil || is(err, format.ErrLimit)); more {
			break
		}
		if is(err, format.ErrLimit) {
			return badRequest(fmt.Errorf("%w: want first and last, or from and until, between which it has fewer", err))
		}
		if err != nil {
			return err
		}
		t := trace{ID: one.ID, Params: one.Params, Points: make([]point, len(one.Points))}
		for i, p := range one.Points {
			t.Points[i] = point{Commit: p.Commit, N: p.N, Value: number(p.Value), Run: p.Run}
			if p.Commit == "" {
				t.Points[i].Hour = p.Hour
			}
		}
		if err := out.add(t); err != nil {
			return err
		}
	}
	out.next(fmt.Sprintf(`],"more":%t,"commits":[`, more))

	// Commits are read after the series, so that the commits of all points are among them.
	return s.finishCommits(out, r, limits.Trial)
}

// links answers with the links of the point that id, commit or run, and n name.
func (s *Service) links(w *response, r *http.Request) error {
	params := paramsOf(r)
	n := params.number("n", math.MinInt, math.MaxInt, "the number of the repetition")
	if params.err != nil {
		return params.err
	}
	point := store.Point{Commit: params.Get("commit"), Run: params.Get("run"), N: n}
	links, err := s.db.Links(r.Context(), params.trial(), params.Get("id"), point)
	if err == nil {
		w.answer(http.StatusOK, links)
	}
	return err
}

// A stream is an answer with lists, which is written as it is made, because a claim has no room for
// all of it. The buffer collects elements for the spool, which writes them to a file.
type stream struct {
	*bufio.Writer
	n int // elements of the list
}

func newStream(w *response, begin string) *stream {
	w.Header().Set("Content-Type", "application/json")
	s := &stream{Writer: bufio.NewWriterSize(w, piece)}
	s.next(begin)
	return s
}

// next begins a list, after text.
func (s *stream) next(text string) {
	s.n = 0
	s.WriteString(text)
}

// add adds an element. An error means that there is no room for the answer. finish has it, too, for
// those who have computed all elements already.
func (s *stream) add(element any) error {
	if s.n++; s.n > 1 {
		s.WriteByte(',')
	}
	_, err := s.Write(toJSON(element))
	return err
}

// toJSON returns an element as JSON.
func toJSON(element any) []byte {
	text, err := json.Marshal(element)
	if err != nil {
		panic(err) // the types of elements have no values without JSON
	}
	return text
}

// finish ends the answer with text.
func (s *stream) finish(text string) error {
	s.WriteString(text)
	return s.Flush()
}
