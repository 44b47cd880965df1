// Package admission shares a budget of bytes among the requests of a service, so that no number of
// clients makes it take more.
//
// A request has a [Claim] on a [Budget] while it is in progress, and reserves memory before it uses
// it. A new request that does not fit waits, for a bounded time and among a bounded number, and is
// then refused with [ErrFull]. A claim may grow. If it does not fit any more, it waits, except the
// oldest claim, which may always grow: so some request always goes on, and in the end all do.
//
// A waiting request should hold little memory: an upload, for example, can arrive in a temporary file.
package admission

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// ErrFull is the error of a request that the budget does not admit now. To try again later, after
// [Budget.RetryAfter], may help.
var ErrFull = errors.New("too many requests at the same time")

// A Budget is shared by requests. Set its fields before the first use. Several goroutines may use it.
type Budget struct {
	Limit int64         // in bytes: what claims have reserved together, except the growth of the oldest
	Queue int           // the number of requests that wait to be admitted, at most
	Wait  time.Duration // for which one waits to be admitted, at most

	mu      sync.Mutex
	used    int64
	claims  []*Claim // the oldest first
	waiting []*waiter
	refused int
	mean    time.Duration // for which a claim is held, of the last ones
}

// A waiter waits for a number of bytes.
type waiter struct {
	claim *Claim
	bytes int64
	done  chan struct{} // is closed when it has them
}

// A Claim is what a request has reserved. Only one goroutine at a time may use it.
type Claim struct {
	budget *Budget
	bytes  int64
	since  time.Time
	grows  *waiter // while it waits to grow
}

// Admit reserves bytes for a new request, until Release. More than the limit are admitted only alone.
// The error is ErrFull, or the cause of the end of the context.
func (b *Budget) Admit(ctx context.Context, bytes int64) (*Claim, error) {
	w := &waiter{claim: &Claim{budget: b}, bytes: bytes, done: make(chan struct{})}
	b.mu.Lock()
	b.waiting = append(b.waiting, w)
	b.serve()
	if !w.isDone() && len(b.waiting) > b.Queue {
		b.leave(w)
		b.refused++
		b.mu.Unlock()
		return nil, ErrFull
	}
	b.mu.Unlock()
	if w.isDone() {
		return w.claim, nil
	}

	timer := time.NewTimer(b.Wait)
	defer timer.Stop()
	var err error
	select {
	case <-w.done:
		return w.claim, nil
	case <-timer.C:
		err = ErrFull
	case <-ctx.Done():
		err = context.Cause(ctx)
	}

	b.mu.Lock()
	defer b.mu.Unlock()
	if w.isDone() { // meanwhile
		return w.claim, nil
	}
	b.leave(w)
	if err == ErrFull {
		b.refused++
	}
	return nil, err
}

// Grow reserves more bytes. Unless the claim is the oldest one, it waits until they fit: the error is
// the cause of the end of the context.
func (c *Claim) Grow(ctx context.Context, bytes int64) error {
	b := c.budget
	w := &waiter{claim: c, bytes: bytes, done: make(chan struct{})}
	b.mu.Lock()
	c.grows = w
	b.serve()
	b.mu.Unlock()
	select {
	case <-w.done:
		return nil
	case <-ctx.Done():
	}

	b.mu.Lock()
	defer b.mu.Unlock()
	c.grows = nil
	if w.isDone() { // meanwhile
		return nil
	}
	b.serve() // one that waited for this one
	return context.Cause(ctx)
}

// Bytes returns what the claim has reserved.
func (c *Claim) Bytes() int64 { return c.bytes }

// Release ends a claim. It may be called again, and of nil.
func (c *Claim) Release() {
	if c == nil {
		return
	}
	b := c.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	i := slices.Index(b.claims, c)
	if i < 0 {
		return
	}
	b.claims = slices.Delete(b.claims, i, i+1)
	b.used -= c.bytes
	if took := time.Since(c.since); b.mean == 0 {
		b.mean = took
	} else {
		b.mean += (took - b.mean) / 8 // the last eight weigh most
	}
	b.serve()
}

// serve gives bytes to waiting claims: first to claims that grow, the oldest first, and then to new
// requests in their order. A claim that does not fit keeps later claims from being served.
func (b *Budget) serve() {
	for i, c := range b.claims {
		w := c.grows
		if w == nil {
			continue
		}
		if i > 0 && b.used+w.bytes > b.Limit {
			return
		}
		c.grows = nil
		b.give(w)
	}
	for len(b.waiting) > 0 {
		w := b.waiting[0]
		if len(b.claims) > 0 && b.used+w.bytes > b.Limit {
			return
		}
		b.waiting = slices.Delete(b.waiting, 0, 1)
		w.claim.since = time.Now()
		b.claims = append(b.claims, w.claim)
		b.give(w)
	}
}

func (b *Budget) give(w *waiter) {
	b.used += w.bytes
	w.claim.bytes += w.bytes
	close(w.done)
}

func (w *waiter) isDone() bool {
	select {
	case <-w.done:
		return true
	default:
		return false
	}
}

// leave removes a request that waits.
func (b *Budget) leave(w *waiter) {
	i := slices.Index(b.waiting, w)
	b.waiting = slices.Delete(b.waiting, i, i+1)
	b.serve() // one that waited for this one
}

// A Usage says how a Budget is used.
type Usage struct {
	Bytes   int64 // reserved
	Claims  int   // requests in progress
	Waiting int   // requests that wait to be admitted
	Refused int   // requests, since the beginning
}

// Usage returns how the budget is used.
func (b *Budget) Usage() Usage {
	b.mu.Lock()
	defer b.mu.Unlock()
	return Usage{Bytes: b.used, Claims: len(b.claims), Waiting: len(b.waiting), Refused: b.refused}
}

// RetryAfter returns roughly the time until the waiting requests are done: at least a second, and
// at most a minute. HTTP has a header of this name for it.
func (b *Budget) RetryAfter() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	left := b.mean * time.Duration(1+len(b.waiting)) / time.Duration(max(1, len(b.claims)))
	return min(max(time.Second, left.Round(time.Second)), time.Minute)
}
