package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"perfdata/format"
	"perfdata/series"
)

// A ListSummary says what a list of commits has to do with the commits of the store.
type ListSummary struct {
	Listed int `json:"listed"` // commits of the list, as the store has it now
	Kept   int `json:"kept"`   // of these: commits of an earlier list that the new one lacks

	// The names of commits with measurements, in the mainline and all trials: in how many cases
	// the lists of all repositories have the commit, lack it, or have several that begin so.
	Matched   int `json:"matched"`
	Unmatched int `json:"unmatched"`
	Ambiguous int `json:"ambiguous"`

	// AmbiguousNames are the first names of Ambiguous, at most 20, in their order as texts.
	AmbiguousNames []string `json:"ambiguousNames,omitempty"`
}

// SetCommits gives the store the commits of a repository, the oldest first, as
// [series.ReadCommits] returns them: after that, they order the commits of all answers. See
// [Store.Commits]. The name of the repository tells lists apart; it may be empty.
//
// The list may be a newer one, and commits without measurements do no harm. To give a list twice
// changes nothing. Nothing that the store knows is lost: where the new list lacks commits of the
// earlier one, these are kept, after the same commit as before, or if they were the first ones,
// before the same; and where it lacks the parents, time, author or subject of a commit, these are
// kept. If the lists have no commit in common, the times decide which is older; without them, the
// earlier list is. To forget the earlier list, call [Store.ReplaceCommits].
//
// A commit before its parent, as this list or the earlier one names it, is an error with the cause
// [format.ErrSchema], as is an empty list, a text that has invalid UTF-8 or a zero byte, a blank
// in a hash, or a hash that is empty or too long. A commit twice is an error with the cause
// [format.ErrDuplicate]. Both lists are held in memory: up to 500 bytes and the text of each
// commit. See [Store.ListLength].
func (s *Store) SetCommits(ctx context.Context, repository string, commits []series.Commit) (ListSummary, error) {
	return s.setCommits(ctx, repository, commits, false)
}

// ReplaceCommits is like SetCommits, but forgets the earlier list of the repository, all in one transaction: after
// an error, the store still has it.
func (s *Store) ReplaceCommits(ctx context.Context, repository string, commits []series.Commit) (ListSummary, error) {
	return s.setCommits(ctx, repository, commits, true)
}

func (s *Store) setCommits(
	ctx context.Context, repository string, commits []series.Commit, forget bool,
) (ListSummary, error) {
	const what = "list of commits"
	index, err := checkList(repository, commits)
	if err != nil {
		return ListSummary{}, wrap(err, what)
	}

	var summary ListSummary
	err = s.write(ctx, func(t *transaction) error {
		if forget {
			if err := t.deleteListed(ctx, repository, 0); err != nil {
				return err
			}
		}
		const query = `
			SELECT hash, parents, time, author, subject FROM listed_commits WHERE repository = $1 ORDER BY position`
		var earlier []series.Commit
		var row listedRow
		err := eachRow(ctx, t.Tx, query, []any{repository}, row.columns(), func() error {
			earlier = append(earlier, row.commit())
			return nil
		})
		if err != nil {
			return err
		}

		filled, err := fillGaps(earlier, commits, index)
		if err != nil {
			return err
		}
		merged, kept := mergeLists(earlier, filled, index)

		same := 0 // commits at the beginning of both: usually, a newer list only has more
		for same < min(len(earlier), len(merged)) && equalCommits(&earlier[same], &merged[same]) {
			same++
		}
		if same < max(len(earlier), len(merged)) {
			if err := t.writeListed(ctx, repository, merged, same); err != nil {
				return err
			}
		}
		summary, err = matchCommits(ctx, t.Tx)
		summary.Listed, summary.Kept = len(merged), kept
		return err
	})
	return summary, wrap(err, what)
}

// ListLength returns the number of commits that the list of a repository has.
func (s *Store) ListLength(ctx context.Context, repository string) (n int, err error) {
	if !isText(repository) {
		return 0, nil
	}
	err = s.view(ctx, func(tx *sql.Tx) error {
		return tx.QueryRowContext(ctx, "SELECT COUNT(*) FROM listed_commits WHERE repository = $1", repository).Scan(&n)
	})
	return n, wrap(err, "list of commits")
}

// DeleteCommits makes the store forget the list of commits of a repository. Without one, it does
// nothing.
func (s *Store) DeleteCommits(ctx context.Context, repository string) error {
	err := s.write(ctx, func(t *transaction) error {
		if !isText(repository) {
			return nil
		}
		return t.deleteListed(ctx, repository, 0)
	})
	return wrap(err, "list of commits")
}

// checkList returns the indexes of the commits of a list, by their hashes, or an error for a list
// that cannot be stored.
func checkList(repository string, commits []series.Commit) (map[string]int, error) {
	if len(repository) > maxKey {
		message := fmt.Sprintf("name of a repository of %d bytes: want at most %d", len(repository), maxKey)
		return nil, &inputError{message, format.ErrLimit}
	}
	if err := checkText("repository", repository); err != nil {
		return nil, err
	}
	if len(commits) == 0 {
		return nil, &inputError{"empty list: want commits", format.ErrSchema}
	}

	index := make(map[string]int, len(commits))
	for i := range commits {
		c := &commits[i]
		for _, hash := range append([]string{c.Hash}, c.Parents...) {
			if hash == "" || len(hash) > maxKey || strings.Contains(hash, " ") {
				message := fmt.Sprintf("hash %.50q: want 1 to %d bytes without blanks", hash, maxKey)
				return nil, &inputError{message, format.ErrSchema}
			}
		}

		for _, text := range []string{c.Hash, strings.Join(c.Parents, " "), c.Author, c.Subject} {
			if err := checkText("commit", text); err != nil {
				return nil, err
			}
		}
		if _, ok := index[c.Hash]; ok {
			return nil, fmt.Errorf("%w commit %q", format.ErrDuplicate, c.Hash)
		}
		index[c.Hash] = i
	}
	return index, nil
}

// fillGaps returns a list in which what is known of its commits from an earlier one fills the gaps.
// It returns an error if a commit is before its parent, as in a list that begins with the newest
// commit. The index is the index of the list.
func fillGaps(earlier, list []series.Commit, index map[string]int) ([]series.Commit, error) {
	if len(earlier) > 0 {
		list = slices.Clone(list)
	}
	for _, known := range earlier {
		if at, ok := index[known.Hash]; ok {
			c := &list[at]
			c.Author, c.Subject = cmp.Or(c.Author, known.Author), cmp.Or(c.Subject, known.Subject)
			if c.Parents == nil {
				c.Parents = known.Parents
			}
			if c.Time.IsZero() {
				c.Time = known.Time
			}
		}
	}

	for child := range list {
		for _, hash := range list[child].Parents {
			if parent, ok := index[hash]; ok && parent >= child {
				message := fmt.Sprintf("commit %q is before its parent %q: want the oldest commit first, "+
					"as git rev-list --reverse prints it", list[child].Hash, hash)
				return nil, &inputError{message, format.ErrSchema}
			}
		}
	}
	return list, nil
}

// mergeLists returns a list with the commits of an earlier one that it lacks, and their number.
// The index is the index of the list.
func mergeLists(earlier, list []series.Commit, index map[string]int) (merged []series.Commit, kept int) {
	// The commits that are kept, by the index of the commit of the list before which they are inserted.
	insert := make(map[int][]series.Commit)
	next := -1 // the index after the last commit that both lists have
	for i := range earlier {
		if at, ok := index[earlier[i].Hash]; ok {
			if next < 0 { // they were the first ones
				insert[at], insert[next] = insert[next], nil
			}
			next = at + 1
			continue
		}
		insert[next] = append(insert[next], earlier[i])
		kept++
	}

	if kept == 0 {
		return list, 0
	}
	if next < 0 { // they have no commit in common
		newest, oldest := list[len(list)-1].Time, earlier[0].Time
		if !newest.IsZero() && newest.Before(oldest) {
			return slices.Concat(list, earlier), kept
		}
		return slices.Concat(earlier, list), kept
	}
	merged = make([]series.Commit, 0, len(list)+kept)
	for i := range list {
		merged = append(append(merged, insert[i]...), list[i])
	}
	return append(merged, insert[len(list)]...), kept
}

// writeListed writes a list, of which the database has some commits at the beginning, in place of
// the others.
func (t *transaction) writeListed(ctx context.Context, repository string, list []series.Commit, same int) error {
	if err := t.deleteListed(ctx, repository, same); err != nil {
		return err
	}
	t.countRows("listed_commits", int64(len(list)-same))
	var values []any
	for i := same; i < len(list); i++ {
		one := &list[i]
		values = append(values, repository, int64(i+1), one.Hash, strings.Join(one.Parents, " "), secondsOf(one.Time),
			one.Author, one.Subject)
	}
	const columns = "repository, position, hash, parents, time, author, subject"
	return t.insert(ctx, table{"listed_commits", columns}, values)
}

// deleteListed deletes the commits of a list after a number of them.
func (t *transaction) deleteListed(ctx context.Context, repository string, kept int) error {
	t.commitsChanged = true
	n, err := t.exec(ctx, "DELETE FROM listed_commits WHERE repository = $1 AND position > $2", repository, kept)
	t.countRows("listed_commits", -n)
	return err
}

func equalCommits(a, b *series.Commit) bool {
	return a.Hash == b.Hash && slices.Equal(a.Parents, b.Parents) && secondsOf(a.Time) == secondsOf(b.Time) &&
		a.Author == b.Author && a.Subject == b.Subject
}

// A listedRow is a commit of a list, as the columns of the database have it. All are NULL if a
// query found none.
type listedRow struct {
	hash, parents, author, subject sql.NullString

	time sql.NullInt64
}

// columns returns where a query puts hash, parents, time, author and subject.
func (r *listedRow) columns() []any {
	return []any{&r.hash, &r.parents, &r.time, &r.author, &r.subject}
}

func (r *listedRow) commit() series.Commit {
	c := series.Commit{
		Hash: r.hash.String, Time: parseSeconds(r.time), Author: r.author.String, Subject: r.subject.String,
	}
	if r.parents.String != "" {
		c.Parents = strings.Split(r.parents.String, " ")
	}
	return c
}

// matchCommits counts the names of commits with measurements that the lists have.
func matchCommits(ctx context.Context, tx *sql.Tx) (summary ListSummary, err error) {
	counted := make(map[string]bool)
	err = eachListed(ctx, tx, "c.name <> ''", nil, func(c *commitRow) error {
		switch {
		case counted[c.Name]: // in another trial, or repository
			return nil
		case c.Ambiguous:
			summary.AmbiguousNames = append(summary.AmbiguousNames, c.Name)
		case c.Listed.Hash != "":
			summary.Matched++
		default:
			summary.Unmatched++
		}
		counted[c.Name] = true
		return nil
	})

	slices.Sort(summary.AmbiguousNames)
	summary.Ambiguous = len(summary.AmbiguousNames)
	summary.AmbiguousNames = summary.AmbiguousNames[:min(summary.Ambiguous, 20)]
	return summary, err
}

// match returns how many commits of the lists a name may mean, up to 2. It compares the name with
// the first hash of the lists that is not less than it, and the next.
func match(name, candidate, next string) int {
	switch {
	case name == "" || name != candidate && !abbreviates(name, candidate):
		return 0
	case name != candidate && abbreviates(name, next):
		return 2
	}
	return 1
}

// abbreviates reports whether a name is an abbreviation of a hash: at least 4 digits, as in git.
func abbreviates(name, hash string) bool {
	isHash := strings.Trim(hash, "0123456789abcdef") == ""
	return isHash && len(name) >= 4 && strings.HasPrefix(hash, name)
}
