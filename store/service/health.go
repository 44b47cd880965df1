package service

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"perfdata/store"
)

// healthy answers that the process serves requests.
func (s *Service) healthy(w http.ResponseWriter, _ *http.Request) { answerOK(w) }

const (
	readyEvery = 5 * time.Second // between two questions to the database
	readyTime  = 5 * time.Second // in which it must answer
	readyWait  = 3 * time.Second // of these: in which others may write
)

// A readiness is what the database answered last.
type readiness struct {
	mu    sync.Mutex
	asked time.Time
	err   error
}

// ready answers whether the service can do its work: the database answers, has the tables of this
// version, and can be written. If not, the status is 503, and the detail has the reason. Many
// writers, or waiting ones, are not a reason. Requests share an answer for some seconds.
func (s *Service) ready(w http.ResponseWriter, r *http.Request) {
	if err := s.readiness.get(r.Context(), s.db); err != nil {
		detail := "" // of a database that is away
		if !is(err, store.ErrUnavailable, context.DeadlineExceeded) {
			detail = "the database cannot be used: the log has more under the number of the request"
		}
		s.fail(w, problem{Status: http.StatusServiceUnavailable, Detail: detail, Err: err})
		return
	}
	answerOK(w)
}

// get returns the answer, which it asks for if the last one is old. Others wait for it.
func (r *readiness) get(ctx context.Context, db *store.Store) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.asked.IsZero() || time.Since(r.asked) >= readyEvery {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readyTime)
		defer cancel()
		r.err = db.Probe(ctx, readyWait)
		r.asked = time.Now()
	}
	return r.err
}

func answerOK(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	fmt.Fprintln(w, "ok")
}
