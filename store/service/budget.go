package service

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"perfdata/ingest/admission"
	"perfdata/internal/hint"
)

// A budget is the memory of the service, in parts, as one flag gives it. Each part is what its requests
// take at most: usually, they take less, and not all at once.
type budget struct {
	connections int // 1/8 of the memory is theirs, and 3/8 that of the store

	small   admission.Budget // uploads of at most maxSmall bytes, decompressed
	large   admission.Budget // other uploads, files of the tree, and lists of commits
	queries admission.Budget // that take a short time
	wide    admission.Budget // for many rows, or that may take long
	reports admission.Budget // changes, comparisons and the data of the page, which hold many values; deletions
	pages   admission.Budget // metrics, which operators need while the others wait
	disk    admission.Budget // bytes of uploads in temporary files
	answers admission.Budget // the same for answers, so that neither keeps the other waiting

	parts map[string]*admission.Budget // all of these by name
}

const (
	connectionMemory = 32 << 10 // what a connection takes: buffers, a header and a stack
	smallMemory      = 2 << 20  // what a small upload takes until it is stored
	largeMemory      = 64 << 20 // what another one takes at most: the more, the larger it is
	queryMemory      = 4 << 20
	valueMemory      = 130 // what a value of the series takes that is looked at for changes
	pageMemory       = 1 << 20
)

// newBudget shares a number of bytes of memory, and one of disk.
func newBudget(total, disk int64, uploadWait, queryWait time.Duration) *budget {
	// Each part has a queue of its own, so that uploads do not wait for reports, nor metrics for
	// either. The queues of large uploads and reports, which take long, are short: requests at the
	// end of long ones would only wait to be refused.
	b := &budget{connections: int(total / 8 / connectionMemory), parts: make(map[string]*admission.Budget)}
	// To refuse an upload because the disk has no room would make the client send again what has
	// arrived. The queue has a place for each connection, so that none is refused.
	const forever = 1000 * time.Hour // until the request ends
	for _, part := range []struct {
		name   string
		budget *admission.Budget
		limit  int64
		queue  int
		wait   time.Duration
	}{
		{"small", &b.small, total / 8, b.connections / 2, uploadWait},
		{"large", &b.large, total / 8 * 3, b.connections / 8, uploadWait},
		{"reports", &b.reports, total / 4, b.connections / 8, queryWait},
		{"queries", &b.queries, total / 16, b.connections / 4, queryWait},
		{"wide", &b.wide, total / 32, b.connections / 4, queryWait},
		{"pages", &b.pages, 4 * pageMemory, b.connections / 16, queryWait},
		{"disk", &b.disk, disk, b.connections, forever},
		{"answers", &b.answers, disk / 4, b.connections, queryWait},
	} {
		b.parts[part.name] = part.budget
		part.budget.Limit, part.budget.Queue, part.budget.Wait = part.limit, part.queue, part.wait
	}
	return b
}

// query returns the handler of a query, which takes some bytes of a part of the budget, and ends in time.
func (s *Service) query(part *admission.Budget, bytes int64, h handler) handler {
	return s.admitted(part, bytes, s.config.Query.Time, h)
}

// admitted returns a handler that takes some bytes of a part of the budget, unless that is nil
// because the handler reserves its own bytes, and if it has a limit, ends in time. The answer waits
// in a spool until the claim is released, so that a client that does not read does not keep others
// from asking: see response.finish.
func (s *Service) admitted(
	part *admission.Budget, bytes int64, limit time.Duration, h handler,
) handler {
	return func(w *response, r *http.Request) error {
		// Requests share the handler, so this is a copy.
		part := part
		if part == &s.budget.queries && isWide(r.URL.Query()) {
			part = &s.budget.wide // they would delay requests that take a short time
		}

		var claim *admission.Claim
		if part != nil {
			var err error
			if claim, err = admit(r.Context(), part, bytes); err != nil {
				return err
			}
			defer claim.Release()
		}

		// The time of a query does not include the wait for its claim, which has a limit of its own. A
		// cause of its own tells a query that took too long from a client that hung up.
		ctx, cancel := context.WithCancelCause(r.Context())
		defer cancel(nil)
		if limit > 0 {
			defer time.AfterFunc(limit, func() { cancel(errQueryTime) }).Stop()
		}
		w.spool = &spool{ctx: ctx, budget: &s.budget.answers}
		err := h(w, r.WithContext(ctx))
		if err == nil {
			w.endCompression() // what it holds may have to wait for room, as the rest did
		}
		return err
	}
}

// isWide reports whether a query is for many rows, or has regular expressions that may take long. One
// of a few words has 100 instructions.
func isWide(query url.Values) bool {
	rows, _ := strconv.Atoi(query.Get("limit")) // the handler reports invalid parameters
	q, err := hint.ParseQuery(query.Get("q"))
	return rows > 1000 || err == nil && q.Instructions() > 500
}

// admit waits for bytes of a part of the budget. The error of a part in use says when to try again. A
// client that hung up while it waited gets the same error, which nobody reads.
func admit(ctx context.Context, part *admission.Budget, bytes int64) (*admission.Claim, error) {
	claim, err := part.Admit(ctx, bytes)
	if err != nil && !is(err, errQueryTime) {
		return nil, &problem{
			Status: http.StatusServiceUnavailable, Detail: admission.ErrFull.Error(), RetryAfter: part.RetryAfter(), Err: err,
		}
	}
	return claim, err
}
