package service

import (
	"bytes"
	"cmp"
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
		out.add(commit{
			Commit: c.Name, Run: c.Run, Hour: c.Hour, Time: c.Time,
			Hash: c.Listed.Hash, Author: c.Listed.Author, Subject: c.Listed.Subject, Ambiguous: c.Ambiguous,
		})
	}
	return out.finish("]," + orderFields(order) + "}\n")
}

// The memory for a line of a list in addition to its text, while it is read and compared with the
// store's list, and for a commit of the latter: 350 and 200 bytes were measured.
const listLineMemory, listEarlierMemory = 400, 250

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
	l.needs += int64(n) + listLineMemory*int64(lines)
	if l.needs > l.limit {
		l.err = fmt.Errorf("%w: the list needs more than the %s that the service has for it: the first %d lines fit",
			format.ErrLimit, bytesText(l.limit), l.lines)
		return 0, l.err
	}
	if more := l.needs - l.claim.Bytes(); more > 0 {
		// It grows by hundreds of lines, so that few reads take the lock of the budget.
		if err := l.claim.Grow(l.ctx, more+256<<10); err != nil {
			l.err = err
			return 0, err
		}
	}
	return n, err
}

// SetCommits gives the store a list of commits, which does not take more memory than the service has for
// it. The name is for errors.
func (s *Service) SetCommits(ctx context.Context, in io.Reader, name, repository string) error {
	_, err := s.setList(ctx, in, name, repository, "file")
	return err
}

// setList is SetCommits for a list that comes from a file or in a request, as the log says.
func (s *Service) setList(ctx context.Context, in io.Reader, name, repository, via string) (
	summary store.ListSummary, err error,
) {
	earlier, err := s.db.ListLength(ctx, repository)
	if err != nil {
		return summary, err
	}
	large := &s.budget.large
	// Nothing is reserved at first, because the length of a list is not known before its end.
	claim, err := admit(ctx, large, 0)
	if err != nil {
		return summary, err
	}
	defer claim.Release()

	l := &listReader{
		Reader: in, ctx: ctx, claim: claim, limit: large.Limit, needs: listEarlierMemory * int64(earlier),
	}
	commits, err := series.ReadCommits(l, name)
	// Otherwise, running out of memory would be reported at the position of a line.
	if err = cmp.Or(l.err, err); err != nil {
		return summary, err
	}
	summary, err = s.db.SetCommits(ctx, repository, commits)
	// Even after an error: the connection may have broken after the transaction was committed.
	s.writes.Add(1)
	if err == nil {
		s.log.Info("commits", "via", via, "listed", summary.Listed, "kept", summary.Kept,
			"matched", summary.Matched, "unmatched", summary.Unmatched, "ambiguous", summary.Ambiguous)
	}
	return summary, err
}

// setCommits gives the store the body of a request: the commits of a repository, as git log or git
// rev-list prints them.
func (s *Service) setCommits(w *response, r *http.Request) error {
	body := newBody(w, r, s.config.Upload)
	summary, err := s.setList(r.Context(), body, "commits", r.URL.Query().Get("repository"), "request")
	switch {
	// This error says when to try again, which the problem of an upload does not.
	case errors.Is(err, admission.ErrFull):
		return err
	case err != nil:
		return uploadProblem(ingest.Report{Err: err}, body.err)
	}
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
