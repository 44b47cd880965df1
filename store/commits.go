package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"perfdata/format"
)

// A Trial is a change under review. The zero Trial is the mainline. The measurements of a file with
// an issue or a patchset are not mixed with the mainline, and never replace its values.
type Trial struct {
	Issue, Patchset string
}

// canExist reports whether the store can have the trial. PostgreSQL refuses to search for others.
func (t Trial) canExist() bool { return isText(t.Issue) && isText(t.Patchset) }

// A Commit is a commit with measurements.
type Commit struct {
	// Name is the commit as the files have it: a hash, or CP: and a number. It is empty for
	// measurements of files that name no commit.
	Name string

	// Hour is the earliest hour of its files. It is zero if a file without an hour has the commit.
	Hour time.Time
}

// Commits returns the commits of a trial, or the mainline, in their order:
//
//  1. the commits that [Store.SetCommits] listed, in its order;
//  2. commits with a position, as in CP:727901, by the number;
//  3. all others, by their earliest hour, and then by name.
func (s *Store) Commits(ctx context.Context, trial Trial) ([]Commit, error) {
	var commits []Commit
	err := s.view(ctx, func(tx *sql.Tx) error {
		rows, err := loadCommits(ctx, tx, trial)
		for _, c := range rows {
			commits = append(commits, c.Commit)
		}
		return err
	})
	return commits, wrap(err, "commits")
}

// SetCommits sets the order of commits, for example to that of the repository. The list replaces
// that of an earlier call. It may have commits without measurements. A commit twice is an error with
// the cause [format.ErrDuplicate], and one that is not valid UTF-8, or has a zero byte, one with the
// cause [format.ErrSchema].
func (s *Store) SetCommits(ctx context.Context, names []string) error {
	const what = "order of commits"
	seen := make(map[string]bool)
	for _, name := range names {
		if err := checkText("commit", name); err != nil {
			return wrap(err, what)
		}
		if seen[name] {
			return wrap(fmt.Errorf("%w commit %q", format.ErrDuplicate, name), what)
		}
		seen[name] = true
	}

	err := s.write(ctx, func(t *transaction) error {
		if err := t.lockNames(ctx); err != nil {
			return err
		}
		if _, err := t.exec(ctx, "DELETE FROM commit_order"); err != nil {
			return err
		}

		row, i := make([]any, 2), 0
		return t.insert(ctx, newTable("commit_order", "position", "name"), func() []any {
			if i == len(names) {
				return nil
			}
			row[0], row[1] = i, names[i]
			i++
			return row
		})
	})
	return wrap(err, what)
}

// A commitRow is a commit in the database.
type commitRow struct {
	Commit
	id     int64
	hour   string
	rank   int   // 1 to 3, as in the comment of Commits
	number int64 // its position or number
}

// loadCommits returns the commits that have measurements, in their order.
func loadCommits(ctx context.Context, tx *sql.Tx, trial Trial) ([]commitRow, error) {
	if !trial.canExist() {
		return nil, nil
	}
	rows, err := tx.QueryContext(ctx, `
		SELECT c.id, c.name, c.hour, o.position FROM commits c LEFT JOIN commit_order o ON o.name = c.name
		WHERE c.issue = $1 AND c.patchset = $2
			AND EXISTS (SELECT 1 FROM source_commits sc WHERE sc.commit_id = c.id)`,
		trial.Issue, trial.Patchset)
	if err != nil {
		return nil, err
	}
	defer rows.Close()

	var commits []commitRow
	for rows.Next() {
		var c commitRow
		var position sql.NullInt64
		if err := rows.Scan(&c.id, &c.Name, &c.hour, &position); err != nil {
			return nil, err
		}

		c.Hour = parseHour(c.hour)
		if n, ok := commitNumber(c.Name); position.Valid {
			c.rank, c.number = 1, position.Int64
		} else if ok {
			c.rank, c.number = 2, n
		} else {
			c.rank = 3
		}
		commits = append(commits, c)
	}
	slices.SortFunc(commits, compareCommits)
	return commits, rows.Err()
}

// commitNumber returns the number of a commit position.
func commitNumber(name string) (int64, bool) {
	digits, ok := strings.CutPrefix(name, "CP:")
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	return n, err == nil
}

func compareCommits(a, b commitRow) int {
	if c := cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.number, b.number)); c != 0 {
		return c
	}
	if a.rank == 3 {
		if c := strings.Compare(a.hour, b.hour); c != 0 {
			return c
		}
	}
	return strings.Compare(a.Name, b.Name)
}

// wrap returns an error with the name of the operation, or nil.
func wrap(err error, what string) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("store: %s: %w", what, err)
}
