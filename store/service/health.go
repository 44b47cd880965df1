package service

import (
	"context"
	"net/http"
	"sync"
	"time"

	"perfdata/store"
)

// healthy answers that the process serves requests. It does not ask the database, because to restart a
// process that is not healthy does not bring the database back.
func healthy(w *response, _ *http.Request) error {
	// A proxy must not answer for a process that has ended.
	w.Header().Set("Cache-Control", "no-store")
	w.send("text/plain; charset=utf-8", []byte("ok\n"))
	return nil
}

// ready answers whether the service can do its work: the database answers, has the tables of this
// version, and can be written. If not, the status is 503, and the detail has the reason. Many
// writers, or waiting ones, are not a reason. Requests share an answer for five seconds. The database
// must answer within as many, in three of which others may write.
func (s *Service) ready(w *response, r *http.Request) error {
	_, err := s.readiness.get(5*time.Second, 5*time.Second, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, s.db.Probe(ctx, 3*time.Second)
	})
	if err != nil {
		detail := "" // of a database that is away
		// To try again later does not help then, as the detail of other answers with 503 says.
		if !is(err, store.ErrUnavailable, context.DeadlineExceeded) {
			detail = "the database cannot be used: the log has more under the number of the request"
		}
		return &problem{Status: http.StatusServiceUnavailable, Detail: detail, Err: err}
	}
	return healthy(w, r)
}

// A remembered is an answer of the store that requests share for some time. Others wait while it is
// asked for.
type remembered[T any] struct {
	mu    sync.Mutex
	value T
	err   error
	until time.Time
}

// get returns the answer, which it asks for at most so often, and with a limit for the time. An
// error is not shared for longer than that.
func (r *remembered[T]) get(every, limit time.Duration, ask func(ctx context.Context) (T, error)) (T, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Now().After(r.until) {
		// The answer is for others, too, who still wait when the client that asks hangs up.
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		defer cancel()
		if r.value, r.err = ask(ctx); r.err != nil {
			every = min(every, limit)
		}
		r.until = time.Now().Add(every)
	}
	return r.value, r.err
}
