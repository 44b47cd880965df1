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
	claims  []*Claim // that were admitted, the oldest first
	waiting []*Claim // to be admitted
	refused int
	mean    time.Duration // for which a claim is held, of the last ones
}

// A Claim is what a request has reserved. Only one goroutine at a time may use it.
type Claim struct {
	budget *Budget
	bytes  int64
	since  time.Time
	wanted int64         // while it waits
	given  chan struct{} // is closed when it has the bytes that it wants; nil if it does not wait
}

// Admit reserves bytes for a new request, until Release. More than the limit are admitted only alone.
// The error is ErrFull, or the cause of the end of the context.
func (b *Budget) Admit(ctx context.Context, bytes int64) (*Claim, error) {
	c := &Claim{budget: b}
	if err := c.reserve(ctx, bytes, true); err != nil {
		return nil, err
	}
	return c, nil
}

// Grow reserves more bytes. Unless the claim is the oldest one, it waits until they fit: the error is
// the cause of the end of the context.
func (c *Claim) Grow(ctx context.Context, bytes int64) error { return c.reserve(ctx, bytes, false) }

// reserve waits for bytes. A new claim waits among a bounded number, and for a bounded time.
func (c *Claim) reserve(ctx context.Context, bytes int64, isNew bool) error {
	b, given := c.budget, make(chan struct{})
	b.mu.Lock()
	c.wanted, c.given = bytes, given
	if isNew {
		b.waiting = append(b.waiting, c)
	}
	b.serve()
	isFull := len(b.waiting) > b.Queue
	b.mu.Unlock()

	var timeout <-chan time.Time
	if isNew {
		wait := b.Wait
		if isFull {
			wait = 0
		}
		timeout = time.After(wait)
	}
	var err error
	select {
	case <-given:
		return nil
	case <-timeout:
		err = ErrFull
	case <-ctx.Done():
		err = context.Cause(ctx)
	}

	b.mu.Lock()
	defer b.mu.Unlock()
	if c.given == nil { // it was given the bytes meanwhile
		return nil
	}
	c.given = nil
	b.waiting = slices.DeleteFunc(b.waiting, func(other *Claim) bool { return other == c })
	if err == ErrFull {
		b.refused++
	}
	b.serve() // one that waited for this one
	return err
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
		if c.given == nil {
			continue
		}
		if i > 0 && b.used+c.wanted > b.Limit {
			return
		}
		b.give(c)
	}
	for len(b.waiting) > 0 {
		c := b.waiting[0]
		if len(b.claims) > 0 && b.used+c.wanted > b.Limit {
			return
		}
		b.waiting = slices.Delete(b.waiting, 0, 1)
		c.since = time.Now()
		b.claims = append(b.claims, c)
		b.give(c)
	}
}

func (b *Budget) give(c *Claim) {
	b.used += c.wanted
	c.bytes += c.wanted
	close(c.given)
	c.given = nil
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
