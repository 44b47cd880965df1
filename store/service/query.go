package service

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"perfdata/format"
	"perfdata/internal/hint"
	"perfdata/series"
	"perfdata/store"
	"perfdata/traceid"
)

// paramSet answers with the keys and values of all traces:
//
//	{"arch": ["arm", "x86"], "test": ["draw"]}
func (s *Service) paramSet(w http.ResponseWriter, r *http.Request) {
	out := s.stream(w, "{")
	key, separator := "", ""
	for p, err := range s.db.Params(r.Context(), trial(r.URL.Query())) {
		if err != nil {
			out.fail(err)
			return
		}
		if !out.started || p.Key != key {
			key = p.Key
			out.end(separator + string(toJSON(key)) + ":[")
			out.n, separator = 0, "],"
		}
		if !out.add(p.Value) {
			return
		}
	}
	out.end(strings.TrimSuffix(separator, ",") + "}\n")
	out.flush()
}

// trial returns the change under review that the query of a URL names.
func trial(query url.Values) store.Trial {
	return store.Trial{Issue: query.Get("issue"), Patchset: query.Get("patchset")}
}

// A trace is a series in an answer.
type trace struct {
	ID     string            `json:"id"`
	Params map[string]string `json:"params"`
	Points []point           `json:"points"`
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
// reads.
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

const (
	defaultSeries = 100
	maxSeries     = 10_000
)

// series answers with the values of the traces that a query selects:
//
//	{"series": [TRACE, ...], "more": false, "commits": [COMMIT, ...],
//	 "order": "source", "guess": true, "orderText": "order of commits: by ..."}
//
// More says that the limit left out others. Commits are all commits of the store, in their order,
// which order names, as in [series.Order], and orderText describes.
// In the URL, q is a query of package traceid, from and until are times as in RFC 3339, first and last
// are commits, and limit is the number of series.
func (s *Service) series(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	q, limits, limit, err := parseSeries(query)
	if err != nil {
		s.fail(w, problem{Status: http.StatusBadRequest, Detail: err.Error()})
		return
	}

	out := s.stream(w, `{"series":[`)
	more := false
	limits.Limit = limit + 1
	for one, err := range s.db.Query(r.Context(), q, limits) {
		if err != nil {
			out.fail(err)
			return
		}
		if more = out.n == limit; more {
			break
		}
		if !out.add(newTrace(one)) {
			return
		}
	}
	out.end(fmt.Sprintf(`],"more":%t,"commits":[`, more))

	// Commits are read after the series, so that the commits of all points are among them.
	commits, order, err := s.db.Commits(r.Context(), limits.Trial)
	if err != nil {
		out.fail(err)
		return
	}
	if out.addCommits(commits) {
		out.end("]," + orderFields(order) + "}\n")
		out.flush()
	}
}

// parseSeries returns what the query of a URL selects.
func parseSeries(query url.Values) (q *traceid.Query, limits store.Range, limit int, err error) {
	if q, err = hint.ParseQuery(query.Get("q")); err != nil {
		return nil, limits, 0, fmt.Errorf("q: %w", err)
	}
	limits.Trial, limits.First, limits.Last = trial(query), query.Get("first"), query.Get("last")
	for key, at := range map[string]*time.Time{"from": &limits.From, "until": &limits.Until} {
		if text := query.Get(key); text != "" {
			if *at, err = time.Parse(time.RFC3339, text); err != nil {
				return nil, limits, 0, fmt.Errorf("%s: %w", key, err)
			}
		}
	}

	limit, err = parseLimit(query, defaultSeries, maxSeries)
	return q, limits, limit, err
}

// parseQuestion returns the question of a URL: which series, between which commits, and of which trial.
func parseQuestion(query url.Values) (*series.Question, error) {
	q, err := hint.ParseQuery(query.Get("q"))
	if err != nil {
		return nil, fmt.Errorf("q: %w", err)
	}
	return &series.Question{
		Queries: []*traceid.Query{q}, Trial: trial(query), First: query.Get("first"), Until: query.Get("last"),
	}, nil
}

// parseLimit returns the limit that the query of a URL gives, or the default.
func parseLimit(query url.Values, limit, most int) (int, error) {
	var err error
	if text := query.Get("limit"); text != "" {
		if limit, err = strconv.Atoi(text); err != nil || limit < 1 || limit > most {
			return 0, fmt.Errorf("limit: want a number from 1 to %d", most)
		}
	}
	return limit, nil
}

func newTrace(one *store.Trace) trace {
	t := trace{ID: one.ID, Params: pairs(one.Params), Points: make([]point, len(one.Points))}
	for i, p := range one.Points {
		t.Points[i] = point{Commit: p.Commit, N: p.N, Value: number(p.Value), Run: p.Run}
		if p.Commit == "" {
			t.Points[i].Hour = p.Hour
		}
	}
	return t
}

// pairs returns params or links as JSON has them.
func pairs(params traceid.Params) map[string]string {
	m := make(map[string]string, len(params))
	for _, p := range params {
		m[p.Key] = p.Value
	}
	return m
}

// links answers with the links of the point that id, commit or run, and n name.
func (s *Service) links(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	n, err := strconv.Atoi(query.Get("n"))
	if err != nil {
		s.fail(w, problem{Status: http.StatusBadRequest, Detail: "n: want the number of the repetition"})
		return
	}
	var links format.Links
	point := store.Point{Commit: query.Get("commit"), Run: query.Get("run"), N: n}
	links, err = s.db.Links(r.Context(), trial(query), query.Get("id"), point)
	if err != nil {
		s.refuse(w, err)
		return
	}
	s.answer(w, http.StatusOK, pairs(links))
}

// A stream is an answer with a list, which is written as it is made.
type stream struct {
	*Service
	response *response
	out      *bufio.Writer
	begin    string // is not written yet
	n        int    // elements of the list
	started  bool
}

func (s *Service) stream(w http.ResponseWriter, begin string) *stream {
	return &stream{Service: s, response: w.(*response), out: bufio.NewWriterSize(w, piece), begin: begin}
}

// add adds an element. It returns false if the client does not take the answer any more.
func (s *stream) add(element any) bool {
	text := toJSON(element)
	if s.n == 0 {
		s.end("")
	} else {
		s.out.WriteByte(',')
	}
	_, err := s.out.Write(text)
	s.n++
	return err == nil
}

// toJSON returns an element as JSON.
func toJSON(element any) []byte {
	text, err := json.Marshal(element)
	if err != nil {
		panic(err) // the types of elements have no values without JSON
	}
	return text
}

// end writes text after the elements.
func (s *stream) end(text string) {
	if !s.started {
		s.response.Header().Set("Content-Type", "application/json")
		s.out.WriteString(s.begin)
		s.started = true
	}
	s.out.WriteString(text)
}

func (s *stream) flush() { s.out.Flush() }

// fail answers with a problem, in place of what was written.
func (s *stream) fail(err error) {
	s.response.restart()
	s.refuse(s.response, err)
}
