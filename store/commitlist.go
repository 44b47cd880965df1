package store

import "perfdata/series"

// A commitList is the commits of a trial in their order. It does not change.
type commitList struct {
	commits []commitRow
	order   series.Order
	index   map[int64]int // by ID
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
	return list
}

// selectWhere selects the commits that a function wants, and their blocks, newest first. A block
// is as new as the last of these commits in it.
func (v *viewer) selectWhere(wanted func(i int) bool) {
	v.selected, v.blocks = nil, nil
	seen := make(idSet)
	for i := len(v.list.commits) - 1; i >= 0; i-- {
		if !wanted(i) {
			v.selected = wanted
		} else if id := v.list.commits[i].block; !seen[id] {
			seen[id] = true
			v.blocks = append(v.blocks, rankedBlock{id, i})
		}
	}
}

// commitList returns the commits of a trial that have measurements. To load 50 commits takes 1 ms,
// three times as long as to read the 50 values of a trace, so they are remembered until the
// commits change.
func (v *viewer) commitList(trial Trial) (*commitList, error) {
	if !isText(trial.Issue) || !isText(trial.Patchset) { // PostgreSQL refuses to search for it
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
