package store

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"time"

	"perfdata/ingest"
)

// A Source is a file that was stored, or failed.
type Source struct {
	Path   string
	Hour   time.Time // zero if the file has none
	SHA256 []byte    // of the content that is stored; nil if nothing is

	Format  string
	Commit  string // of the header, or of IngestOptions
	Trial   Trial
	Run     string // see [IngestOptions]; empty if nothing is stored of the file
	Records int    // that are stored

	// ReplacedBy is the path of the upload that replaced the file: nothing that it said is left.
	ReplacedBy string

	// Faults counts the faulty measurements that were left out: see ingest.RunOptions.Strict.
	Faults int

	// Err says why the last attempt to store the file failed. For a file with Faults, it is the
	// first of them. It is empty otherwise.
	Err string
}

// Sources iterates over all files that were to be stored, also the ones that failed, by hour and
// then by path.
func (s *Store) Sources(ctx context.Context) iter.Seq2[Source, error] {
	return func(yield func(Source, error) bool) {
		err := s.view(ctx, func(tx *sql.Tx) error {
			return sources(ctx, tx, func(src Source) bool { return yield(src, nil) })
		})
		if err != nil {
			yield(Source{}, wrap(err, "sources"))
		}
	}
}

// sources yields the sources until yield returns false.
func sources(ctx context.Context, tx *sql.Tx, yield func(Source) bool) error {
	rows, err := tx.QueryContext(ctx, `
		SELECT path, hour, sha256, format, commit_name, issue, patchset, run, records, replaced_by, faults, error
		FROM sources ORDER BY hour, path`)
	if err != nil {
		return err
	}
	defer rows.Close()

	for rows.Next() {
		var src Source
		var hour string
		err := rows.Scan(&src.Path, &hour, &src.SHA256, &src.Format, &src.Commit, &src.Trial.Issue,
			&src.Trial.Patchset, &src.Run, &src.Records, &src.ReplacedBy, &src.Faults, &src.Err)
		if err != nil {
			return err
		}
		src.Hour = parseHour(hour)
		if !yield(src) {
			return nil
		}
	}
	return rows.Err()
}

// Note records what became of a file, so that [Store.Sources] lists it: the error of one that
// failed, or the faults of one that was stored without them. Of an error that is not about the file,
// it records no names of files and servers. [Store.Ingest] calls it for each file.
func (s *Store) Note(ctx context.Context, report ingest.Report) error {
	text := ""
	switch {
	case report.Err != nil:
		text = noted(report.Err)
	case report.Faults > 0:
		text = report.FirstFaults[0].Error()
	default:
		return nil
	}

	err := s.write(ctx, func(t *transaction) error {
		_, err := t.exec(ctx, `
			INSERT INTO sources (path, hour, format, faults, error) VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (path) DO UPDATE SET error = excluded.error,
				faults = CASE WHEN excluded.faults > 0 THEN excluded.faults ELSE sources.faults END,
				format = CASE WHEN sources.sha256 IS NULL THEN excluded.format ELSE sources.format END`,
			shown(report.File.Path), hourText(report.File), shown(report.Format), report.Faults, shown(text))
		return err
	})
	return wrap(err, "recording that "+report.File.Path+" failed")
}

// shown returns text as every database can store it, and not too long for an index.
func shown(text string) string {
	if len(text) > maxPath {
		text = text[:maxPath-3] + "..."
	}
	return replaceUnstorable(text)
}

// Delete deletes what is stored of a file, and the file from [Store.Sources]. Older values that the
// file had replaced are then seen again. The path may be stored again, with any content. If the
// store does not have the path, the error is [fs.ErrNotExist].
func (s *Store) Delete(ctx context.Context, path string) error {
	err := s.write(ctx, func(t *transaction) error {
		if !isText(path) {
			return fs.ErrNotExist // PostgreSQL refuses to search for it
		}
		var id int64
		var trial Trial
		err := t.row(ctx, []any{&id, &trial.Issue, &trial.Patchset},
			"DELETE FROM sources WHERE path = $1 RETURNING id, issue, patchset", path)
		if err == sql.ErrNoRows {
			return fs.ErrNotExist
		}
		if err != nil {
			return err
		}
		return t.deleteSource(ctx, id, trial)
	})
	return wrap(err, fmt.Sprintf("deleting %q", path))
}

// deleteSource deletes all that belongs to a source. It reads the blocks of its commits.
func (t *transaction) deleteSource(ctx context.Context, id int64, trial Trial) error {
	t.deleted = true
	commits, err := t.ids(ctx, "SELECT commit_id FROM source_commits WHERE source_id = $1 ORDER BY commit_id", id)
	if err != nil {
		return err
	}
	var blocks []int64
	for _, commit := range commits {
		blocks = append(blocks, blockOf(commit, trial))
	}
	for _, block := range slices.Compact(blocks) {
		if _, err := t.exec(ctx, "DELETE FROM packs WHERE block = $1 AND source_id = $2", block, id); err != nil {
			return err
		}
	}

	for _, table := range []string{"details", "source_commits"} {
		if _, err := t.exec(ctx, "DELETE FROM "+table+" WHERE source_id = $1", id); err != nil {
			return err
		}
	}
	for _, commit := range commits {
		if err := t.resetCommit(ctx, commit); err != nil {
			return err
		}
	}
	return nil
}

// resetCommit sets what a commit has of its first source, and its time, after a source was deleted.
func (t *transaction) resetCommit(ctx context.Context, commit int64) error {
	t.commitsChanged = true
	// The first statement waits for others that change the row, so that the others see their
	// sources.
	_, err := t.exec(ctx, "UPDATE commits SET hour = $1, path = '', position = 0, time = NULL WHERE id = $2",
		noSource, commit)
	if err != nil {
		return err
	}

	var hour, path string
	var position int64
	err = t.row(ctx, []any{&hour, &path, &position}, `
		SELECT s.hour, s.path, sc.position FROM source_commits sc JOIN sources s ON s.id = sc.source_id
		WHERE sc.commit_id = $1 ORDER BY s.hour, s.path LIMIT 1`, commit)
	if err == sql.ErrNoRows {
		return nil
	}
	if err != nil {
		return err
	}
	var earliest sql.NullInt64
	err = t.row(ctx, []any{&earliest}, "SELECT MIN(time) FROM source_commits WHERE commit_id = $1", commit)
	if err != nil {
		return err
	}
	return t.updateCommit(ctx, commit, hour, path, position, earliest)
}

// ids returns the IDs that a query returns.
func (t *transaction) ids(ctx context.Context, query string, args ...any) ([]int64, error) {
	rows, err := t.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var ids []int64
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}
