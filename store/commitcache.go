package store

import (
	"cmp"
	"context"
	"database/sql"
	"math/rand/v2"
	"slices"
	"sync"

	"perfdata/series"
)

// A commitList is the commits of a trial in their order. It does not change.
type commitList struct {
	trial   Trial
	commits []commitRow
	order   series.Order
	index   map[int64]int // by ID
	blocks  []rankedBlock // of all commits
	isWhole bool          // it has all commits of the trial
}

// A rankedBlock is a block with the index of its last commit.
type rankedBlock struct {
	id   int64
	last int
}

func newCommitList(trial Trial, commits []commitRow, order series.Order) *commitList {
	list := &commitList{trial: trial, commits: commits, order: order, index: make(map[int64]int, len(commits))}
	for i := range commits {
		list.index[commits[i].id] = i
	}
	list.blocks = list.blocksOf(0, len(commits), nil)
	return list
}

// blocksOf returns the blocks of the commits from first to before end that are selected, newest
// first. A block is as new as the last of these commits in it.
func (l *commitList) blocksOf(first, end int, selected func(i int) bool) []rankedBlock {
	at := make(map[int64]int)
	for i := first; i < end; i++ {
		if selected == nil || selected(i) {
			at[blockOf(l.commits[i].id, l.trial)] = i
		}
	}
	blocks := make([]rankedBlock, 0, len(at))
	for id, last := range at {
		blocks = append(blocks, rankedBlock{id, last})
	}
	slices.SortFunc(blocks, func(a, b rankedBlock) int { return cmp.Compare(b.last, a.last) })
	return blocks
}

// A commitCache has the commits of trials, for as long as the database has the same stamp. To load 50
// commits takes 1 ms, three times as long as to read the 50 values of a trace.
type commitCache struct {
	mu    sync.Mutex
	lists map[Trial]stampedCommits
	size  int // commits of all lists
}

type stampedCommits struct {
	*commitList
	stamp int64
}

// maxCachedCommits is the number of commits that a commitCache has, of 400 bytes each.
const maxCachedCommits = 30_000

// load returns the commits of a trial that have measurements.
func (c *commitCache) load(ctx context.Context, tx *sql.Tx, trial Trial) (*commitList, error) {
	if !canExist(trial) {
		return newCommitList(trial, nil, series.Order{}), nil
	}
	stamp, err := readStamp(ctx, tx, commitsStamp)
	if err != nil {
		return nil, err
	}
	if known := c.find(trial); known.commitList != nil && known.stamp == stamp {
		return known.commitList, nil
	}
	commits, order, err := loadCommits(ctx, tx, trial)
	if err != nil {
		return nil, err
	}
	list := newCommitList(trial, commits, order)
	list.isWhole = true
	c.add(trial, stampedCommits{list, stamp})
	return list, nil
}

func (c *commitCache) find(trial Trial) stampedCommits {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lists[trial]
}

func (c *commitCache) add(trial Trial, list stampedCommits) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if old := c.lists[trial]; old.commitList != nil {
		c.size -= 1 + len(old.commits)
		delete(c.lists, trial)
	}
	size := 1 + len(list.commits) // also trials that do not exist take memory
	if size > maxCachedCommits {
		return
	}
	if c.lists == nil || c.size+size > maxCachedCommits {
		c.lists, c.size = make(map[Trial]stampedCommits), 0
	}
	c.lists[trial] = list
	c.size += size
}

// The stamps of the database: that of the commits and the lists of commits, and that of deletions.
const (
	commitsStamp   = "commits"
	deletionsStamp = "deletions"
)

// noStamp is the stamp of no database: that of a new one is 0, and writeStamps writes others, which are not
// negative.
const noStamp = -1

// readStamp returns a stamp.
func readStamp(ctx context.Context, tx *sql.Tx, name string) (stamp int64, err error) {
	err = tx.QueryRowContext(ctx, "SELECT value FROM stamps WHERE name = $1", name).Scan(&stamp)
	return stamp, err
}

// writeStamps changes the stamps of what the transaction has changed. They are random, so that a database
// that was restored does not have one that was seen with other contents.
//
// It is the end of the transaction: on PostgreSQL, others that do the same wait, and then for nothing else
// but the end of this one.
func (t *transaction) writeStamps(ctx context.Context) error {
	for _, one := range []struct {
		name    string
		changed bool
	}{{commitsStamp, t.commitsChanged}, {deletionsStamp, t.deleted}, {namesStamp, t.namesDeleted}} {
		if !one.changed {
			continue
		}
		if _, err := t.exec(ctx, "UPDATE stamps SET value = $1 WHERE name = $2", rand.Int64(), one.name); err != nil {
			return err
		}
	}
	return nil
}
