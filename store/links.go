package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"

	"perfdata/format"
	"perfdata/series"
)

// Links returns the links of a [Point], which its Commit or Run, and N, name: the links of its file,
// overlaid with its own. The id is the canonical trace ID. Without such a point, it returns none.
func (s *Store) Links(ctx context.Context, trial Trial, id string, p Point) (format.Links, error) {
	var links format.Links
	err := s.view(ctx, func(tx *sql.Tx) error {
		var text string
		v := s.newViewer(ctx, tx)
		err := v.linksOf(trial, id, p, &text)
		if errors.Is(err, sql.ErrNoRows) {
			return cmp.Or(checkCount(ctx, tx, "traces"), checkCount(ctx, tx, "commits"))
		}
		if err != nil {
			return err
		}
		links, err = make(interner).parse(text)
		return err
	})
	return links, wrap(err, "links")
}

// linksOf sets the links of a point, as JSON. Without them, the error is [sql.ErrNoRows].
func (v *viewer) linksOf(trial Trial, id string, p Point, text *string) error {
	var trace traceRow
	hash := hashed(id).hash
	if err := v.tx.QueryRowContext(v.ctx, "SELECT id FROM traces WHERE hash = $1", hash[:]).Scan(&trace.id); err != nil {
		return err
	}
	var commit int64
	hash = commitHash(p.Commit, trial, p.Run)
	if err := v.tx.QueryRowContext(v.ctx, "SELECT id FROM commits WHERE hash = $1", hash[:]).Scan(&commit); err != nil {
		return err
	}
	v.list = newCommitList([]commitRow{{id: commit, block: blockOf(commit, trial)}}, series.Order{})
	v.blocks = v.list.blocks

	rows, err := v.measurements([]traceRow{trace}, true)
	if err != nil {
		return err
	}
	if len(rows) == 0 {
		return sql.ErrNoRows
	}
	points := rows[0].rows
	i := slices.IndexFunc(points, func(m measurement) bool { return m.n == int64(p.N) })
	if i < 0 {
		return sql.ErrNoRows
	}

	*text = points[i].annotations.links
	return nil
}
