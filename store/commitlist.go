package store

import (
	"cmp"
	"slices"

	"perfdata/series"
)

// A commitList is the commits of a trial in their order. It does not change.
type commitList struct {
	commits []commitRow
	order   series.Order
	index   map[int64]int // by ID
	blocks  []rankedBlock // of all commits
}

// A rankedBlock is a block with the index of its last commit.
type rankedBlock struct {
	id   int64
	last int
}

func newCommitList(commits []commitRow, order series.Order) *commitList {
	list := &commitList{commits: commits, order: order, index: make(map[int64]int, len(commits))}
	for i := range commits {
		list.index[commits[i].id] = i
	}
	list.blocks = list.blocksOf(func(int) bool { return true })
	return list
}

// selectWhere selects the commits that a function wants.
func (v *viewer) selectWhere(wanted func(i int) bool) {
	v.selected = nil
	for i := range v.list.commits {
		if !wanted(i) {
			v.selected = wanted
			break
		}
	}
	if v.blocks = v.list.blocks; v.selected != nil {
		v.blocks = v.list.blocksOf(wanted)
	}
}

// blocksOf returns the blocks of the commits that are wanted, newest first. A block is as new as
// the last of these commits in it.
func (l *commitList) blocksOf(wanted func(i int) bool) []rankedBlock {
	at := make(map[int64]int)
	for i := range l.commits {
		if wanted(i) {
			at[l.commits[i].block] = i
		}
	}
	blocks := make([]rankedBlock, 0, len(at))
	for id, last := range at {
		blocks = append(blocks, rankedBlock{id, last})
	}
	slices.SortFunc(blocks, func(a, b rankedBlock) int { return cmp.Compare(b.last, a.last) })
	return blocks
}

// commitList returns the commits of a trial that have measurements. To load 50 commits takes 1 ms,
// three times as long as to read the 50 values of a trace, so they are remembered until the
// commits change.
func (v *viewer) commitList(trial Trial) (*commitList, error) {
	if !canExist(trial) {
		return newCommitList(nil, series.Order{}), nil
	}
	stamp, err := readStamp(v.ctx, v.tx, commitsStamp)
	if err != nil {
		return nil, err
	}
	if list, ok := v.commits.find(stamp, trial); ok {
		return list, nil
	}
	commits, order, err := v.loadCommits(trial)
	if err != nil {
		return nil, err
	}
	list := newCommitList(commits, order)
	v.commits.add(stamp, trial, list, 1+len(commits)) // also trials that do not exist take memory
	return list, nil
}
