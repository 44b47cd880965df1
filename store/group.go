package store

import (
	"context"
	"maps"
	"slices"
	"sync"
)

// A group commits batches together: while a transaction runs, others wait, and the next takes all
// waiting batches. So a disk that can sync 100 times a second stores more than 100 files. Each
// batch has a savepoint, so that the failure of one does not undo the others.
//
// One of the waiting callers leads: it runs the transaction for all, and then another one leads.
// No goroutine is needed.
type group struct {
	leads chan struct{} // has an element while a caller leads

	mu      sync.Mutex
	waiting []*job
}

// A job is the work of a batch in a transaction.
type job struct {
	run     func(t *transaction) error
	records int
	done    chan struct{} // is closed when err and alone are set

	err   error
	alone bool // it must be tried in a transaction of its own
}

// The batches, and the records of all of them, that a transaction has at most. More take longer
// than a sync of the disk, and the records of a batch take memory until the end.
const (
	maxGroup        = 64
	maxGroupRecords = 50_000
)

// remove removes a job, and reports whether it still waited.
func (g *group) remove(j *job) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := len(g.waiting)
	g.waiting = slices.DeleteFunc(g.waiting, func(other *job) bool { return other == j })
	return len(g.waiting) < n
}

// writeTogether is write for a number of records, in a transaction with others that wait.
func (s *Store) writeTogether(ctx context.Context, records int, f func(t *transaction) error) error {
	j := &job{run: f, records: records, done: make(chan struct{})}
	s.group.mu.Lock()
	s.group.waiting = append(s.group.waiting, j)
	s.group.mu.Unlock()
	select {
	case s.group.leads <- struct{}{}:
		if s.group.remove(j) { // else it was taken before this call could lead
			s.lead(ctx, j)
		}
		<-s.group.leads
	case <-j.done:
	case <-ctx.Done():
		if s.group.remove(j) {
			return context.Cause(ctx)
		}
	}

	<-j.done
	if j.alone {
		return s.write(ctx, f)
	}
	return cause(ctx, j.err)
}

// lead runs a transaction with jobs that wait and the leader, which was removed, and sets what
// became of each.
func (s *Store) lead(ctx context.Context, leader *job) {
	jobs := []*job{leader}
	err := s.write(ctx, func(t *transaction) error {
		records := leader.records
		s.group.mu.Lock()
		s.group.waiting = slices.DeleteFunc(s.group.waiting, func(j *job) bool {
			if len(jobs) == maxGroup || records+j.records > maxGroupRecords {
				return false
			}
			jobs, records = append(jobs, j), records+j.records
			return true
		})
		s.group.mu.Unlock()
		if len(jobs) == 1 {
			return leader.run(t)
		}
		// The end of the leader's context must not end the transaction of others.
		return s.runJobs(context.WithoutCancel(ctx), t, jobs)
	})

	for _, j := range jobs {
		if err != nil {
			// An error of the transaction may be that of another one.
			j.err, j.alone = err, len(jobs) > 1
		}
		close(j.done)
	}
}

// runJobs runs jobs, each with a savepoint. It returns the error of the transaction.
func (s *Store) runJobs(ctx context.Context, t *transaction, jobs []*job) error {
	next := "SAVEPOINT file"
	for _, j := range jobs {
		if _, err := t.ExecContext(ctx, next); err != nil {
			return err
		}
		next = "RELEASE SAVEPOINT file; SAVEPOINT file" // by one call
		before := t.effects
		before.counts = maps.Clone(t.counts)
		if j.err = j.run(t); j.err != nil {
			t.effects = before
			if _, err := t.ExecContext(ctx, "ROLLBACK TO SAVEPOINT file"); err != nil {
				return err // the error of the job has ended the transaction
			}
		}
	}
	_, err := t.ExecContext(ctx, "RELEASE SAVEPOINT file")
	return err
}
