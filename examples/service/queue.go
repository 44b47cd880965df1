package main

import (
	"context"
	"errors"
	"sync"
	"time"
)

// A queue lets uploads be stored, some at a time, while others wait. Those that are stored at the same
// time share a transaction of the store, so that many uploads wait for few syncs of the disk.
type queue struct {
	waiting chan struct{} // has an element for each upload that waits or is being stored
	slots   chan struct{} // for each that is being stored
	longest time.Duration // that an upload waits

	mu   sync.Mutex
	mean time.Duration // that storing takes, of the last uploads
}

// errQueue is the error of an upload that cannot be stored now.
var errQueue = errors.New("too many uploads at the same time")

func newQueue(waiting, slots int, longest time.Duration) *queue {
	return &queue{waiting: make(chan struct{}, waiting), slots: make(chan struct{}, slots), longest: longest}
}

// enter takes a place in the queue until leave is called. The error is that the queue is full.
func (q *queue) enter() (leave func(), err error) {
	select {
	case q.waiting <- struct{}{}:
		return func() { <-q.waiting }, nil
	default:
		return nil, errQueue
	}
}

// wait waits for a slot, until done is called. If there is one, the upload gets it even if the client
// has hung up, so that the store notes what arrived of the file.
func (q *queue) wait(ctx context.Context) (done func(), err error) {
	select {
	case q.slots <- struct{}{}:
	default:
		if err := q.waitLong(ctx); err != nil {
			return nil, err
		}
	}
	began := time.Now()
	return func() {
		<-q.slots
		q.took(time.Since(began))
	}, nil
}

// waitLong waits for a slot while there is none.
func (q *queue) waitLong(ctx context.Context) error {
	timer := time.NewTimer(q.longest)
	defer timer.Stop()
	select {
	case q.slots <- struct{}{}:
		return nil
	case <-timer.C:
		return errQueue
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// took adds the time of an upload to the mean, in which the last eight weigh most.
func (q *queue) took(d time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.mean == 0 {
		q.mean = d
	}
	q.mean += (d - q.mean) / 8
}

// retryAfter returns the time in which all that wait are stored, in seconds: at least 1, and at most 60.
func (q *queue) retryAfter() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	left := q.mean * time.Duration(len(q.waiting)) / time.Duration(cap(q.slots))
	return int(min(max(1, (left+time.Second-1)/time.Second), 60))
}
