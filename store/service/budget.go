package service

import (
	"net/http"
	"strconv"
	"time"

	"perfdata/ingest/admission"
)

// A budget is the memory of the service, in parts, as one flag gives it. Each part is what its requests
// take at most: usually, they take less, and not all at once.
type budget struct {
	connections int // 1/8 of the memory is theirs, and 3/8 that of the store

	small   admission.Budget // uploads of at most maxSmall bytes, decompressed
	large   admission.Budget // other uploads, files of the tree, and lists of commits
	queries admission.Budget // whose answers are sent while they are made
	reports admission.Budget // changes, comparisons and the data of the page, which hold many values; deletions
	pages   admission.Budget // metrics, which operators need while the others wait
	disk    admission.Budget // bytes of uploads in temporary files
}

const (
	connectionMemory = 32 << 10 // what a connection takes: buffers, a header and a stack
	smallMemory      = 2 << 20  // what a small upload takes until it is stored
	largeMemory      = 64 << 20 // what another one takes at most: the more, the larger it is
	queryMemory      = 4 << 20
	pageMemory       = 1 << 20
)

// newBudget shares a number of bytes of memory, and one of disk.
func newBudget(total, disk int64, uploadWait, queryWait time.Duration) *budget {
	b := &budget{connections: int(total / 8 / connectionMemory)}
	const forever = 1000 * time.Hour // until the request ends
	for _, part := range []struct {
		budget *admission.Budget
		limit  int64
		queue  int
		wait   time.Duration
	}{
		{&b.small, total / 8, b.connections / 2, uploadWait},
		{&b.large, total / 8 * 3, b.connections / 8, uploadWait},
		{&b.reports, total / 4, b.connections / 8, queryWait},
		{&b.queries, total / 8, b.connections / 4, queryWait},
		{&b.pages, 4 * pageMemory, b.connections / 16, queryWait},
		{&b.disk, disk, b.connections, forever},
	} {
		part.budget.Limit, part.budget.Queue, part.budget.Wait = part.limit, part.queue, part.wait
	}
	return b
}

// admitted returns a handler that has a part of a budget.
func (s *Service) admitted(b *admission.Budget, bytes int64, handler http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		claim, err := b.Admit(r.Context(), bytes)
		if err != nil {
			s.busy(w, b, err)
			return
		}
		defer claim.Release()
		handler(w, r)
	}
}

// query returns the handler of a query, which takes a part of a budget and its turn, and ends in time.
func (s *Service) query(b *admission.Budget, bytes int64, handler http.HandlerFunc) http.HandlerFunc {
	return s.admitted(b, bytes, func(w http.ResponseWriter, r *http.Request) {
		clock := newClock(r.Context(), s.turns, s.queryLimits.Time)
		clock.resume()
		w.(*response).clock = clock
		defer func() {
			clock.pause()
			w.(*response).clock = nil // the end of a compressed answer takes no turn
		}()
		handler(w, r.WithContext(clock.ctx))
	})
}

// busy answers to a request that a budget did not admit.
func (s *Service) busy(w http.ResponseWriter, b *admission.Budget, err error) {
	w.Header().Set("Retry-After", strconv.Itoa(int(b.RetryAfter().Seconds())))
	s.fail(w, problem{Status: http.StatusServiceUnavailable, Detail: admission.ErrFull.Error(), Err: err})
}
