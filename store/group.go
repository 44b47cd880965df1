package store

import (
	"context"
	"maps"
	"sync"
	"time"
)

// A group commits batches together: while a transaction runs, others wait, and the next takes all
// waiting batches. So a disk that can sync 100 times a second stores more than 100 files. Each
// batch has a savepoint, so that the failure of one does not undo the others.
//
// One of the waiting callers leads: it runs the transaction for all, and then another one leads.
// No goroutine is needed.
type group struct {
	mu      sync.Mutex
	waiting []*job
	isLed   bool
}

// A job is the work of a batch in a transaction.
type job struct {
	run     func(t *transaction) error
	records int
	lead    chan struct{} // has an element if the job is to lead
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

// join adds a job to the waiting jobs. If there is no leader, the job leads.
func (g *group) join(j *job) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.waiting = append(g.waiting, j)
	if !g.isLed {
		g.isLed = true
		j.lead <- struct{}{}
	}
}

// leave removes a job, and reports whether it still waited and does not lead.
func (g *group) leave(j *job) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for i, other := range g.waiting {
		if other == j && len(j.lead) == 0 {
			g.waiting = append(g.waiting[:i:i], g.waiting[i+1:]...)
			return true
		}
	}
	return false
}

// take removes the leader and others from the waiting jobs, and returns them. The leader is the
// first.
func (g *group) take(leader *job) []*job {
	g.mu.Lock()
	defer g.mu.Unlock()
	jobs, records := []*job{leader}, leader.records
	var rest []*job
	for _, j := range g.waiting {
		switch {
		case j == leader:
		case len(jobs) < maxGroup && records+j.records <= maxGroupRecords:
			jobs = append(jobs, j)
			records += j.records
		default:
			rest = append(rest, j)
		}
	}
	g.waiting = rest
	return jobs
}

// pass makes another job lead, if there is one.
func (g *group) pass() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.isLed = len(g.waiting) > 0
	if g.isLed {
		g.waiting[0].lead <- struct{}{}
	}
}

// writeTogether is write for a number of records, in a transaction with others that wait.
func (s *Store) writeTogether(ctx context.Context, records int, f func(t *transaction) error) error {
	j := &job{run: f, records: records, lead: make(chan struct{}, 1), done: make(chan struct{})}
	s.group.join(j)
	select {
	case <-j.lead:
		s.lead(ctx, j)
	case <-j.done:
	case <-ctx.Done():
		if s.group.leave(j) {
			return context.Cause(ctx)
		}
		select { // it was taken, or leads
		case <-j.lead:
			s.lead(ctx, j)
		case <-j.done:
		}
	}
	if j.alone {
		return s.write(ctx, f)
	}
	return cause(ctx, j.err)
}

// lead runs a transaction with the jobs that wait, and sets what became of each.
func (s *Store) lead(ctx context.Context, leader *job) {
	defer s.group.pass()
	asked := time.Now()
	t, err := s.db.begin(ctx) // SQLite may wait for another process
	began := time.Now()
	jobs := []*job{leader}
	if err == nil {
		jobs = s.group.take(leader)
		err = s.commitJobs(ctx, t, jobs)
	} else {
		s.group.leave(leader)
	}
	s.wrote(Transaction{Wait: began.Sub(asked), Took: time.Since(began), Err: err})
	for _, j := range jobs {
		if err != nil {
			// An error of the transaction may be that of another one.
			j.err, j.alone = err, len(jobs) > 1
		}
		close(j.done)
	}
}

// commitJobs runs jobs and commits the transaction. It returns the error of the transaction, or of
// the only job.
func (s *Store) commitJobs(ctx context.Context, t *transaction, jobs []*job) error {
	// Once others take part, the end of the leader's context must not end the transaction.
	ctx = context.WithoutCancel(ctx)
	var err error
	if len(jobs) == 1 {
		err = jobs[0].run(t)
	} else {
		err = s.runJobs(ctx, t, jobs)
	}
	return t.commit(ctx, err)
}

// runJobs runs jobs, each with a savepoint. It returns the error of the transaction.
func (s *Store) runJobs(ctx context.Context, t *transaction, jobs []*job) error {
	const begin, end = "SAVEPOINT file", "RELEASE SAVEPOINT file"
	if _, err := t.ExecContext(ctx, begin); err != nil {
		return err
	}
	for i, j := range jobs {
		before := t.effects
		before.counts = maps.Clone(t.counts)
		if j.err = j.run(t); j.err != nil {
			t.effects = before
			if _, err := t.ExecContext(ctx, "ROLLBACK TO SAVEPOINT file"); err != nil {
				return err // the error of the job has ended the transaction
			}
		}
		next := end
		if i+1 < len(jobs) {
			next = end + "; " + begin // by one call
		}
		if _, err := t.ExecContext(ctx, next); err != nil {
			return err
		}
	}
	return nil
}
