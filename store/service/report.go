package service

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"perfdata/format"
	"perfdata/internal/hint"
	"perfdata/report"
	"perfdata/series"
	"perfdata/series/accepted"
	"perfdata/series/compare"
	"perfdata/store"
	"perfdata/traceid"
)

// Package report makes the page. It has no data, but requests it from the handlers in this file.

// These bound the memory of the data of the page, and of a browser. Snapshots stay after the claim
// with which they were made is released, so there are few.
const (
	maxReportValues = 1_000_000
	maxProblems     = 200
	maxSnapshots    = 3
)

// writePage writes the page.
func (s *Service) writePage() error {
	var html, zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	policy, err := report.ShellPolicy()
	err = cmp.Or(err, report.WriteShell(io.MultiWriter(&html, z), "Performance results", report.Source{
		URL: "api/report", Every: s.config.Refresh,
		Upload: `go test -bench . -count 6 ./... | ` +
			`curl --data-binary @- "{server}/upload?name=bench.txt&commit=$(git rev-parse HEAD)"`,
	}), z.Close())
	s.policy, s.html, s.zipped = policy, html.Bytes(), zipped.Bytes()
	return err
}

// page answers with the page, which is made for the first request.
func (s *Service) page(w http.ResponseWriter, _ *http.Request) {
	r := w.(*response)
	if err := s.makePage(); err != nil {
		r.refuse(err)
		return
	}
	text := s.html
	w.Header().Set("Content-Security-Policy", s.policy+"; frame-ancestors 'none'")
	// After an update of the program, the page must fit its answers.
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("Vary", "Accept-Encoding")
	if r.takesGzip {
		w.Header().Set("Content-Encoding", "gzip")
		text = s.zipped
	}
	r.share("text/html; charset=utf-8", text)
}

// A snapshot is the data of a page: what a query selected at some time.
type snapshot struct {
	*report.Data
	key     string          // the parameters of the request
	known   string          // the file of accepted changes
	traces  []string        // IDs of the series
	commits []series.Commit // of the page
	runs    []string        // of commits without a name
	trial   store.Trial

	// The next three are for its age. The mutex of snapshots is theirs.
	writes uint64 // that the service had made before
	made   time.Time
	took   time.Duration

	find     chan struct{} // has an element while the findings are made, or read
	page     *report.Page  // nil after the findings were made, which need its values
	options  compare.Options
	findings []byte
}

// snapshots are the ones that were made last.
type snapshots struct {
	mu    sync.Mutex
	last  []*snapshot   // the one that was used last is the first
	build chan struct{} // has an element while one is made
}

// reportKey returns the parameters that select the data of a page, without those that select a part
// of the data.
func reportKey(query url.Values) string {
	selecting := maps.Clone(query)
	for _, part := range []string{"have", "version", "block", "series", "commit"} {
		selecting.Del(part)
	}
	return selecting.Encode()
}

// get returns the snapshot of a key, or nil.
func (s *snapshots) get(key string) *snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.last, func(one *snapshot) bool { return one.key == key })
	if i < 0 {
		return nil
	}
	one := s.last[i]
	s.last = slices.Insert(slices.Delete(s.last, i, i+1), 0, one)
	return one
}

// put adds a snapshot in place of the older one of its key, which may be nil, and returns it, or the
// older one if that is the same.
func (s *snapshots) put(one, old *snapshot) *snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	// Its findings may be made already, and open pages need not load it again.
	if old != nil && old.Version == one.Version && old.known == one.known {
		old.writes, old.made = one.writes, one.made
		return old
	}
	s.last = slices.DeleteFunc(s.last, func(other *snapshot) bool { return other == old })
	s.last = slices.Insert(s.last, 0, one)
	s.last = slices.Delete(s.last, min(len(s.last), maxSnapshots), len(s.last))
	return one
}

// isNew reports whether a snapshot need not be made again: nothing was written since, or it is
// recent. Making snapshots takes at most a fifth of the time. Other programs may also write to the
// database.
func (s *Service) isNew(one *snapshot) bool {
	s.snapshots.mu.Lock()
	defer s.snapshots.mu.Unlock()
	age := time.Since(one.made)
	return age < 4*one.took || one.writes == s.writes.Load() && age < s.config.Rescan
}

// isQuick reports whether to make a snapshot takes less time than a reader wants to wait.
func (s *snapshots) isQuick(one *snapshot) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return one.took < 500*time.Millisecond
}

// current returns the snapshot of a query, which it makes if necessary. One is made at a time.
func (s *Service) current(ctx context.Context, query url.Values) (*snapshot, error) {
	key := reportKey(query)
	// Pages that wait here hold no memory, and the first of them makes the snapshot for the others.
	select {
	case s.snapshots.build <- struct{}{}:
		defer func() { <-s.snapshots.build }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}

	// The text is compared, and not the time of the file, which two changes may share.
	known, err := s.readKnown()
	if err != nil {
		return nil, err
	}
	old := s.snapshots.get(key)
	if old != nil && old.known == known && s.isNew(old) {
		return old, nil
	}

	// A snapshot takes all of the part: how much a query selects is not known before.
	claim, err := admit(ctx, &s.budget.reports, s.budget.reports.Limit)
	if err != nil {
		return nil, err
	}
	defer claim.Release()
	one, err := s.newSnapshot(ctx, query, known)
	if err != nil {
		return nil, err
	}
	one.key = key
	return s.snapshots.put(one, old), nil
}

// newSnapshot reads the series that a query selects.
func (s *Service) newSnapshot(ctx context.Context, query url.Values, known string) (*snapshot, error) {
	began := time.Now()
	// The writes are counted before the store is read: what is written meanwhile makes it old.
	one := &snapshot{known: known, writes: s.writes.Load(), find: make(chan struct{}, 1)}
	params := &params{Values: query}
	q := params.question()
	one.trial, one.options = q.Trial, params.options()
	if params.err != nil {
		return nil, params.err
	}

	one.page = &report.Page{
		Title: "Performance results", CommitURL: s.config.CommitURL, Charset: s.db.Charset(),
	}
	var err error
	// A fault of the file, which an operator edits, must not hide the results.
	if one.page.Accepted, err = accepted.Read(strings.NewReader(known), s.config.Known); err != nil {
		one.page.Problems = append(one.page.Problems, err.Error())
	}
	if err := s.readSeries(ctx, one, q); err != nil {
		return nil, err
	}

	if len(one.page.Series) == 0 && len(q.Queries) > 0 {
		if err := s.noteUnmatched(ctx, one.page, q); err != nil {
			return nil, err
		}
	}
	if err := s.readProblems(ctx, one.page); err != nil {
		return nil, err
	}
	if one.Data, err = report.Pack(one.page); err != nil {
		return nil, err
	}
	if known != "" {
		// The findings depend on the file, too, and an open page asks for those of another version
		// only. The version is the first member of the head.
		version := fmt.Sprintf("%s-%x", one.Version, sha256.Sum256([]byte(known)))
		one.Head = bytes.Replace(one.Head, []byte(one.Version), []byte(version), 1)
		one.Version = version
	}
	one.made, one.took = time.Now(), time.Since(began)
	return one, nil
}

// readKnown returns the file of accepted changes, or "" without one.
func (s *Service) readKnown() (string, error) {
	if s.config.Known == "" {
		return "", nil
	}
	text, err := os.ReadFile(s.config.Known)
	return string(text), err
}

// noteUnmatched adds a note that says why the query of a question selects no series, with a
// suggestion. If there are no series at all, it adds no note.
func (s *Service) noteUnmatched(ctx context.Context, page *report.Page, q *series.Question) error {
	var terms []traceid.Term
	for _, query := range q.Queries {
		terms = append(terms, s.db.Charset().Query(query).Terms()...)
	}
	var known hint.Known
	for _, term := range terms {
		known.Absent = append(known.Absent, term.Key())
	}
	for param, err := range s.db.Params(ctx, q.Trial) {
		if err != nil {
			return err
		}
		known.Add(param)
	}
	if len(known.Keys) > 0 {
		page.Notes = append(page.Notes, "no series matches the query: "+known.Unmatched(terms, "series"))
	}
	return nil
}

// errEnough ends a question of which enough is known.
var errEnough = errors.New("there is more than can be shown")

// readSeries asks for series and their commits.
func (s *Service) readSeries(ctx context.Context, one *snapshot, q *series.Question) error {
	page := one.page
	answer := series.Answer{Charset: s.db.Charset(), MaxValues: int(s.budget.reports.Limit / valueMemory)}
	// Without an address that the operator gave, that of the first link to a commit is used.
	answer.Seen = func(rec *format.Record, commit string) {
		if page.CommitURL == "" {
			page.CommitURL = report.CommitURLOf(rec.Links, commit)
		}
	}
	values := 0
	err := answer.Each(ctx, q, s.db, func(found *series.Series) error {
		// A page with some series is more use than an error.
		if values += found.Len(); len(page.Series) == maxSeries || values > maxReportValues {
			return errEnough
		}
		page.Series = append(page.Series, report.LineOf(found))
		one.traces = append(one.traces, found.Trace)
		return nil
	})
	if is(err, errEnough, format.ErrLimit) {
		page.Notes = append(page.Notes, "there are more series: a query selects others")
	} else if err != nil {
		return err
	}
	if err := checkBounds(&answer, q); err != nil {
		return err
	}

	page.Commits = report.CommitsOf(&answer)
	one.commits, one.runs = page.Commits, answer.Runs
	if len(page.Commits) > 1 {
		page.Notes = append(page.Notes, answer.Order.String())
	}
	return nil
}

// readProblems lists the files that failed, or have faults.
func (s *Service) readProblems(ctx context.Context, page *report.Page) error {
	more := 0
	for src, err := range s.db.Sources(ctx) {
		switch {
		case err != nil:
			return err
		case src.Err == "":
		case len(page.Problems) == maxProblems:
			more++
		default:
			page.Problems = append(page.Problems, src.Path+": "+src.Err)
		}
	}
	if more > 0 {
		page.Problems = append(page.Problems, fmt.Sprintf("%d more files: see /api/files?failed=1", more))
	}
	return nil
}

// reportHead answers with what the page is about, without values: see [report.Source].
func (s *Service) reportHead(w *response, r *http.Request) error {
	query := r.URL.Query()
	one := s.snapshots.get(reportKey(query))
	if query.Get("have") != "" || one == nil || s.snapshots.isQuick(one) {
		var err error
		if one, err = s.current(r.Context(), query); err != nil {
			return err
		}
	} // else a page that shows nothing yet gets older data, and asks again soon
	// An open page asks every few seconds, and usually nothing is new.
	if query.Get("have") == one.Version {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	w.send("application/json", one.Head)
	return nil
}

// versioned returns the snapshot of a request. That there is none of its version any more is an
// error, with which the page begins anew: parts of two versions do not fit together.
func (s *Service) versioned(query url.Values) (*snapshot, error) {
	one := s.snapshots.get(reportKey(query))
	if one == nil || one.Version != query.Get("version") {
		return nil, &problem{Status: http.StatusGone, Detail: "there is a newer version"}
	}
	return one, nil
}

// reportValues answers with a block of values.
func (s *Service) reportValues(w *response, r *http.Request) error {
	params := paramsOf(r)
	one, err := s.versioned(params.Values)
	if err != nil {
		return err
	}
	i := params.index("block", len(one.Blocks))
	if params.err == nil {
		w.share("application/octet-stream", one.Blocks[i]) // it is compressed
	}
	return params.err
}

// reportFindings answers with the findings. The first request computes them.
func (s *Service) reportFindings(w *response, r *http.Request) error {
	one, err := s.versioned(r.URL.Query())
	if err != nil {
		return err
	}
	text, err := s.foundText(r.Context(), one)
	if err == nil {
		w.send("application/json", text)
	}
	return err
}

// foundText returns the findings as JSON.
func (s *Service) foundText(ctx context.Context, one *snapshot) ([]byte, error) {
	select {
	case one.find <- struct{}{}:
		defer func() { <-one.find }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if one.page == nil {
		return one.findings, nil
	}
	claim, err := admit(ctx, &s.budget.reports, s.budget.reports.Limit)
	if err != nil {
		return nil, err
	}
	defer claim.Release()

	began := time.Now()
	one.page.FindChanges(one.options.Alpha, one.options.Threshold)
	if one.findings, err = one.page.AppendFindings(nil); err != nil {
		return nil, err
	}
	// Its values take more memory than the packed data, which is kept.
	one.page = nil

	s.snapshots.mu.Lock()
	// The findings are made again, too, when the snapshot is: see isNew.
	one.took += time.Since(began)
	s.snapshots.mu.Unlock()
	return one.findings, nil
}

// reportLinks answers with the links of a value.
func (s *Service) reportLinks(w *response, r *http.Request) error {
	params := paramsOf(r)
	one, err := s.versioned(params.Values)
	if err != nil {
		return err
	}
	i, c := params.index("series", len(one.traces)), params.index("commit", len(one.commits))
	if params.err != nil {
		return params.err
	}
	// The page shows one value for all repetitions. Usually, all have the links of the first.
	at := store.Point{Commit: one.commits[c].Hash, Run: one.runs[c], N: 1}
	links, err := s.db.Links(r.Context(), one.trial, one.traces[i], at)
	if err == nil {
		w.answer(http.StatusOK, links)
	}
	return err
}
