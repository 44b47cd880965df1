package service

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"perfdata/format"
	"perfdata/ingest"
	"perfdata/ingest/admission"
	"perfdata/series"
	"perfdata/store"
)

// A commit is a commit with measurements in an answer.
type commit struct {
	Commit  string    `json:"commit"` // as the files have it; empty for a run that names none
	Run     string    `json:"run,omitempty"`
	Hour    time.Time `json:"hour,omitzero"` // of the first file
	Time    time.Time `json:"time,omitzero"` // of the commit
	Hash    string    `json:"hash,omitempty"`
	Author  string    `json:"author,omitempty"`
	Subject string    `json:"subject,omitempty"`

	Ambiguous bool `json:"ambiguous,omitempty"` // several listed hashes begin so
}

func newCommit(c store.Commit) commit {
	return commit{
		Commit: c.Name, Run: c.Run, Hour: c.Hour, Time: c.Time,
		Hash: c.Listed.Hash, Author: c.Listed.Author, Subject: c.Listed.Subject, Ambiguous: c.Ambiguous,
	}
}

// orderFields returns the members of an answer that say how its commits are ordered: by list,
// number, time or source, whether that is a guess, and in words.
func orderFields(order series.Order) string {
	return fmt.Sprintf(`"order":%q,"guess":%t,"orderText":%q`, order.By, order.IsGuess(), order)
}

// commits answers with all commits of the store, in their order:
//
//	{"commits": [COMMIT, ...], "order": "source", "guess": true, "orderText": "order of commits: by ..."}
func (s *Service) commits(w *response, r *http.Request) error {
	return s.finishCommits(newStream(w, `{"commits":[`), r, paramsOf(r).trial())
}

// finishCommits ends an answer with the commits of a trial and their order.
func (s *Service) finishCommits(out *stream, r *http.Request, trial store.Trial) error {
	commits, order, err := s.db.Commits(r.Context(), trial)
	if err != nil {
		return err
	}
	for _, c := range commits {
		out.add(newCommit(c))
	}
	return out.finish("]," + orderFields(order) + "}\n")
}

// The memory for the lines and bytes of a list, while it is read and compared with the store's
// list, and for a commit of the latter: 350 bytes a line in addition to its text, and 200, were
// measured.
const (
	listLineMemory    = 400
	listByteMemory    = 1
	listEarlierMemory = 250
)

// A listReader is a list of commits that is read. It reserves the memory that the list takes.
type listReader struct {
	io.Reader
	ctx   context.Context
	claim *admission.Claim
	limit int64
	needs int64 // bytes of memory
	lines int
	err   error // that it ended with, if that is its own
}

func (l *listReader) Read(p []byte) (int, error) {
	n, err := l.Reader.Read(p)
	lines := bytes.Count(p[:n], []byte("\n"))
	l.lines += lines
	l.needs += listByteMemory*int64(n) + listLineMemory*int64(lines)
	if l.needs > l.limit {
		l.err = fmt.Errorf("%w: the list needs more than the %s that the service has for it: the first %d lines fit",
			format.ErrLimit, bytesText(l.limit), l.lines)
		return 0, l.err
	}
	if more := l.needs - l.claim.Bytes(); more > 0 {
		if err := l.claim.Grow(l.ctx, more+256<<10); err != nil {
			l.err = err
			return 0, err
		}
	}
	return n, err
}

// readList reads a list of commits of a repository, which is in memory until done is called.
func (s *Service) readList(ctx context.Context, in io.Reader, name, repository string) (
	commits []series.Commit, done func(), err error,
) {
	earlier, err := s.db.ListLength(ctx, repository)
	if err != nil {
		return nil, nil, err
	}
	large := &s.budget.large
	claim, err := admit(ctx, large, 0)
	if err != nil {
		return nil, nil, err
	}
	l := &listReader{
		Reader: in, ctx: ctx, claim: claim, limit: large.Limit, needs: listEarlierMemory * int64(earlier),
	}
	commits, err = series.ReadCommits(l, name)
	if l.err != nil {
		err = l.err
	}
	if err != nil {
		claim.Release()
	}
	return commits, claim.Release, err
}

// SetCommits gives the store a list of commits, which does not take more memory than the service has for
// it. The name is for errors.
func (s *Service) SetCommits(ctx context.Context, in io.Reader, name, repository string) error {
	commits, done, err := s.readList(ctx, in, name, repository)
	if err != nil {
		return err
	}
	defer done()
	summary, err := s.db.SetCommits(ctx, repository, commits)
	if err == nil {
		s.writes.Add(1)
		s.logList("file", summary)
	}
	return err
}

// setCommits gives the store the body of a request: the commits of a repository, as git log or git
// rev-list prints them.
func (s *Service) setCommits(w *response, r *http.Request) error {
	body := newBody(w, r, s.config.Upload)
	repository := r.URL.Query().Get("repository")
	commits, done, err := s.readList(r.Context(), body, "commits", repository)
	if errors.Is(err, admission.ErrFull) {
		return err
	}

	var summary store.ListSummary
	if err == nil {
		defer done()
		summary, err = s.db.SetCommits(r.Context(), repository, commits)
		s.writes.Add(1)
	}
	if err != nil {
		return uploadProblem(ingest.Report{Err: err}, body.err)
	}
	s.logList("request", summary)
	w.answer(http.StatusOK, summary)
	return nil
}

// deleteCommits makes the store forget the list of commits of a repository.
func (s *Service) deleteCommits(w *response, r *http.Request) error {
	if err := s.db.DeleteCommits(r.Context(), r.URL.Query().Get("repository")); err != nil {
		return err
	}
	s.writes.Add(1)
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (s *Service) logList(via string, summary store.ListSummary) {
	s.log.Info("commits", "via", via, "listed", summary.Listed, "kept", summary.Kept,
		"matched", summary.Matched, "unmatched", summary.Unmatched, "ambiguous", summary.Ambiguous)
}
