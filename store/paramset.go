package store

import (
	"context"
	"database/sql"
	"iter"

	"perfdata/traceid"
)

// ParamSet returns the keys and values of all traces that have values in the mainline, or in a
// trial. They are canonical, as a [traceid.Query] compares them.
func (s *Store) ParamSet(ctx context.Context, trial Trial) (*traceid.ParamSet, error) {
	set := new(traceid.ParamSet)
	for p, err := range s.Params(ctx, trial) {
		if err != nil {
			return set, err
		}
		set.Add(traceid.Params{p})
	}
	return set, nil
}

// Params iterates over the params of [Store.ParamSet], sorted by key and value, without holding
// them in memory. A step with an error is the last.
func (s *Store) Params(ctx context.Context, trial Trial) iter.Seq2[traceid.Param, error] {
	return func(yield func(traceid.Param, error) bool) {
		if !trial.canExist() {
			return
		}
		err := s.view(ctx, func(tx *sql.Tx) error {
			rows, err := tx.QueryContext(ctx, usedParams, trial.Issue, trial.Patchset, commitsPerBlock)
			if err != nil {
				return err
			}
			defer rows.Close()

			for rows.Next() {
				var p traceid.Param
				if err := rows.Scan(&p.Key, &p.Value); err != nil {
					return err
				}
				if !yield(p, nil) {
					return nil
				}
			}
			return rows.Err()
		})
		if err != nil {
			yield(traceid.Param{}, wrap(err, "param set"))
		}
	}
}

// usedParams selects the params of traces that have values. The inner queries are scalars, so that
// PostgreSQL stops at the first measurement of a param instead of joining the tables. Usually, the
// newest block has one of the first trace.
const usedParams = `
	WITH blocks AS MATERIALIZED (
		SELECT DISTINCT id / $3 AS block FROM commits WHERE issue = $1 AND patchset = $2 ORDER BY block DESC)
	SELECT p.key, p.value FROM params p
	WHERE (
		SELECT 1 FROM trace_params tp CROSS JOIN blocks b
		WHERE tp.param_id = p.id AND (
			SELECT 1 FROM measurements m JOIN commits c ON c.id = m.commit_id
			WHERE m.block = b.block AND m.trace_id = tp.trace_id AND c.issue = $1 AND c.patchset = $2
			LIMIT 1) IS NOT NULL
		LIMIT 1) IS NOT NULL
	ORDER BY p.key, p.value`
