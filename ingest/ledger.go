package ingest

import (
	"slices"
	"sync"
)

// maxAhead is the number of files that may be done while an earlier one is not. It bounds the
// reports that are kept.
const maxAhead = 1000

// A ledger knows the files that were taken from the sequence and are not done, or are done while an
// earlier one is not. It counts and reports the files that are done, and keeps the checkpoint: the path of
// the last file before which none is missing.
type ledger struct {
	report func(Report) // may be nil

	mu         sync.Mutex
	room       sync.Cond // is signaled when files leave the queue
	queue      []*Report // in the order of the sequence; nil for a file that is not done
	first      int       // the number of queue[0]
	checkpoint string
	held       bool // the checkpoint stays: the file after it is missing
	summary    Summary
}

// take returns the number of the next file of the sequence. It waits while the queue is full. The
// first file of the queue ends, also if the context is canceled, and makes room.
func (l *ledger) take() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.queue) >= maxAhead {
		l.room.Wait()
	}
	l.queue = append(l.queue, nil)
	return l.first + len(l.queue) - 1
}

// done notes what became of a file.
func (l *ledger) done(n int, r Report) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r.Err != nil {
		l.summary.Failed++
	} else {
		l.summary.Files++
		l.summary.Records += r.Content.Records
		l.summary.Faults += r.Faults
	}
	if r.Skipped {
		l.summary.Skipped++
	}
	l.queue[n-l.first] = &r

	// Files leave the queue in their order.
	for len(l.queue) > 0 && l.queue[0] != nil {
		done := l.queue[0]
		l.held = l.held || mayPass(done.Err)
		if !l.held && done.File.Open != nil { // an error of the sequence may be about a directory
			l.checkpoint = done.File.Path
		}
		l.first++
		l.queue = slices.Delete(l.queue, 0, 1)
		l.room.Signal()
	}

	if l.report != nil {
		r.Checkpoint = l.checkpoint
		l.report(r)
	}
}
