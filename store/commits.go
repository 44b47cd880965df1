package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"

	"perfdata"
	"perfdata/series"
)

// A Trial is a change under review. The zero Trial is the mainline. The measurements of a file
// with an issue or a patchset are not mixed with the mainline, and never replace its values.
type Trial = series.Trial

// A Commit is a commit with measurements.
type Commit struct {
	// Name is the commit as the files have it: a hash, or CP: and a number. It is empty for
	// measurements of files that name no commit: then Run is the name of their run.
	Name string
	Run  string

	// Hour is the earliest hour of its files. It is zero if a file without an hour has the commit.
	Hour time.Time

	// Time is the time of the commit: that of the list, or else the earliest that files give. It
	// is zero if it is not known.
	Time time.Time

	// Listed is the commit of the list that Name names. Its hash may be longer than Name, and is
	// empty if no list has the commit. Repository is the repository of the list.
	Listed     series.Commit
	Repository string

	// Position is the place of the commit in the list, from 0, or negative if no list has it: then
	// its place in the order is a guess, or comes from what files say. If the lists of several
	// repositories have commits of the trial, it is the rank among these.
	Position int

	// Ambiguous says that Name is the beginning of several hashes of lists, so that it names none.
	Ambiguous bool
}

// Commits returns the commits of a trial, or the mainline, in their order, and says what the order
// is:
//
//   - list: the lists of [Store.SetCommits], if they have one of the commits. A name of
//     hex digits, at least 4, may be the beginning of one hash in the lists. The lists of several
//     repositories are merged by the times of their commits. A commit that is in no list is placed
//     as [series.Order] says.
//   - number: the numbers, if all commits have one, as in CP:727901.
//   - history: the files of the commits hold histories, as those of github-action-benchmark do. The
//     commits of a file are in the order of their first runs. Commits that no such file has are placed
//     as [series.Order] says.
//   - time: the times of the commits, if files give one for each: the attr commit-time,
//     as in RFC 3339. If files differ, the earliest time is used.
//   - source: the first file of each commit, by hour and then by path, and the position
//     in the file. Measurements without a commit, for which there is one Commit for each run, are
//     always placed so.
func (s *Store) Commits(ctx context.Context, trial Trial) (commits []Commit, order series.Order, err error) {
	err = s.read(ctx, func(v *viewer) error {
		list, err := v.commitList(trial)
		if err != nil {
			return err
		}
		order = list.order
		for _, c := range list.commits {
			c.Listed.Parents = slices.Clone(c.Listed.Parents)
			commits = append(commits, c.Commit)
		}
		return nil
	})
	return commits, order, wrap(err, "commits")
}

// A commitRow is a commit in the database.
type commitRow struct {
	Commit
	id       int64
	block    int64
	first    age   // of its first source
	position int64 // in this source
	listed   int64 // position in the list
	rank     int   // position in the merged lists, from 1; 0 if no list has it
	source   int   // rank of its first source

	inHistory bool // the first source holds a history
}

// eachListed calls do for the commits that have measurements and meet a condition, by ID, with the
// list that has them. A commit that several repositories have is in several calls.
func eachListed(ctx context.Context, q querier, where string, args []any, do func(c *commitRow) error) error {
	// Of the lists, a query finds the first commits that are not less than a name, and the next hash
	// after these.
	query := `
		SELECT q.id, q.hash, q.name, q.issue, q.patchset, q.run, q.hour, q.path, q.position, q.time,
			l.repository, l.position, l.hash, l.parents, l.time, l.author, l.subject,
			(SELECT MIN(n.hash) FROM listed_commits n WHERE n.hash > q.candidate),
			(SELECT s.format FROM sources s WHERE s.path = q.path)
		FROM (
			SELECT c.*, (SELECT MIN(f.hash) FROM listed_commits f WHERE f.hash >= c.name) AS candidate
			FROM commits c
			WHERE c.hour <> '` + noSource + "' AND " + where + `
		) q LEFT JOIN listed_commits l ON l.hash = q.candidate
		ORDER BY q.id, l.repository`

	var c commitRow
	var trial Trial
	var hash sql.RawBytes
	var seconds, listedAt sql.NullInt64
	var repository, next, format sql.NullString
	var listed listedRow
	dest := []any{&c.id, &hash, &c.Name, &trial.Issue, &trial.Patchset, &c.Run, &c.first.hour, &c.first.path,
		&c.position, &seconds, &repository, &listedAt}
	dest = append(append(dest, listed.columns()...), &next, &format)
	return eachRow(ctx, q, query, args, dest, func() error {
		if err := checkHash("the name of a commit", commitHash(c.Name, trial, c.Run), hash); err != nil {
			return err
		}

		c.block = blockOf(c.id, trial)
		c.inHistory = isHistory(format.String)
		c.Hour, c.Time = parseHour(c.first.hour), parseSeconds(seconds)
		c.Listed, c.Repository, c.listed = series.Commit{}, "", 0
		matches := match(c.Name, listed.hash.String, next.String)
		if c.Ambiguous = matches > 1; matches == 1 {
			c.Listed, c.Repository, c.listed = listed.commit(), repository.String, listedAt.Int64
			if !c.Listed.Time.IsZero() {
				c.Time = c.Listed.Time
			}
		}
		return do(&c)
	})
}

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

	var commits []commitRow
	const where = "c.issue = $1 AND c.patchset = $2"
	err = cmp.Or(checkCount(v.ctx, v.tx, "commits"), checkCount(v.ctx, v.tx, "listed_commits"),
		eachListed(v.ctx, v.tx, where, []any{trial.Issue, trial.Patchset}, func(c *commitRow) error {
			if n := len(commits); n == 0 || commits[n-1].id != c.id { // else another repository has it too
				commits = append(commits, *c)
			}
			return nil
		}))
	if err != nil {
		return nil, err
	}

	slices.SortStableFunc(commits, func(a, b commitRow) int {
		return cmp.Or(a.first.compare(b.first), cmp.Compare(a.position, b.position))
	})
	for i := range commits {
		commits[i].source = i
	}
	rankListed(commits)
	order := series.Sort(commits, func(c commitRow) series.Place {
		return series.Place{Name: c.Name, Listed: c.rank, Time: c.Time, Source: c.source, InHistory: c.inHistory}
	})
	list := newCommitList(commits, order)
	v.commits.add(stamp, trial, list, 1+len(commits)) // also trials that do not exist take memory
	return list, nil
}

// eachCommit calls do for all commits, with their trials, by name and then by trial and run. Of a
// commitRow, only the name, the run, the ID and the block are set.
func (v *viewer) eachCommit(do func(c *commitRow, trial Trial) error) error {
	if err := checkCount(v.ctx, v.tx, "commits"); err != nil {
		return err
	}
	var c commitRow
	var trial Trial
	var hash sql.RawBytes
	const query = "SELECT id, hash, name, issue, patchset, run FROM commits ORDER BY name, issue, patchset, run"
	return v.each(query, nil, []any{&c.id, &hash, &c.Name, &trial.Issue, &trial.Patchset, &c.Run}, func() error {
		c.block = blockOf(c.id, trial)
		if err := checkHash("the name of a commit", commitHash(c.Name, trial, c.Run), hash); err != nil {
			return err
		}
		return do(&c, trial)
	})
}

// checkHash returns an error for what the database has under a hash that is not its own.
func checkHash(what string, want [sha256.Size]byte, hash []byte) error {
	if string(want[:]) != string(hash) {
		return errLost(what)
	}
	return nil
}

// isHistory reports whether files of the format are histories.
func isHistory(name string) bool {
	f, _ := perfdata.FormatNamed(name)
	return f.IsHistory
}

// parseSeconds returns a time in the database.
func parseSeconds(seconds sql.NullInt64) time.Time {
	if !seconds.Valid {
		return time.Time{}
	}
	return time.Unix(seconds.Int64, 0).UTC()
}

// secondsOf returns a time as the database has it.
func secondsOf(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.Unix()
}

// rankListed merges the lists of repositories by the times of their commits: it sets the rank of
// each commit that is in a list.
func rankListed(commits []commitRow) {
	var listed []*commitRow
	for i := range commits {
		if commits[i].Listed.Hash != "" {
			listed = append(listed, &commits[i])
		}
	}
	slices.SortFunc(listed, func(a, b *commitRow) int {
		return cmp.Or(strings.Compare(a.Repository, b.Repository), cmp.Compare(a.listed, b.listed))
	})

	// Where a commit has an earlier time than the one before it in its list, it follows that one. Two
	// names of a commit, such as a hash and its abbreviation, have the same rank.
	times := make(map[*commitRow]time.Time, len(listed))
	isSame := func(a, b *commitRow) bool { return a.Repository == b.Repository && a.listed == b.listed }
	for i, c := range listed {
		times[c] = c.Time
		if i == 0 || listed[i-1].Repository != c.Repository {
			continue
		}
		if before := listed[i-1]; isSame(before, c) || times[before].After(c.Time) {
			times[c] = times[before]
		}
	}
	isMerged := len(listed) > 0 && listed[0].Repository != listed[len(listed)-1].Repository
	slices.SortStableFunc(listed, func(a, b *commitRow) int { return times[a].Compare(times[b]) })
	rank := 0
	for i, c := range listed {
		if i == 0 || !isSame(listed[i-1], c) {
			rank++
		}
		c.rank = rank
	}

	for i := range commits {
		c := &commits[i]
		if c.Position = int(c.listed) - 1; isMerged {
			c.Position = c.rank - 1
		}
	}
}

// wrap returns an error with the name of the operation, or nil.
func wrap(err error, what string) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("store: %s: %w", what, err)
}
