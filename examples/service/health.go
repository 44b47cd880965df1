package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"perfdata/store"
)

// healthy answers that the process serves requests.
func (s *service) healthy(w http.ResponseWriter, _ *http.Request) { answerOK(w) }

// readyTime is the time in which the database must answer.
const readyTime = 5 * time.Second

// ready answers whether the service can do its work: the database answers, it has the tables of this
// version, and the queue of uploads has room. If not, the status is 503, and the detail has the reason.
func (s *service) ready(w http.ResponseWriter, r *http.Request) {
	if s.uploads.isFull() {
		s.fail(w, problem{Status: http.StatusServiceUnavailable, Detail: errQueue.Error(), Err: errQueue})
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), readyTime)
	defer cancel()
	if err := s.db.Probe(ctx, time.Second); err != nil {
		detail := "" // of a database that is away
		if !is(err, store.ErrUnavailable, context.DeadlineExceeded) {
			detail = "the database cannot be used: the log has more under the number of the request"
		}
		s.fail(w, problem{Status: http.StatusServiceUnavailable, Detail: detail, Err: err})
		return
	}
	answerOK(w)
}

func answerOK(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	fmt.Fprintln(w, "ok")
}

// isFull reports whether the queue has no place for another upload.
func (q *queue) isFull() bool { return len(q.waiting) == cap(q.waiting) }
