package store

import (
	"context"
	"database/sql"

	"perfdata/traceid"
)

// ParamSet returns the keys and values of all traces that have values in the mainline, or in a
// trial. They are canonical, as a [traceid.Query] compares them.
func (s *Store) ParamSet(ctx context.Context, trial Trial) (*traceid.ParamSet, error) {
	set := new(traceid.ParamSet)
	err := s.view(ctx, func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, `
			SELECT p.key, p.value FROM params p
			WHERE EXISTS (
				SELECT 1 FROM trace_params tp
				JOIN measurements m ON m.trace_id = tp.trace_id
				JOIN commits c ON c.id = m.commit_id
				WHERE tp.param_id = p.id AND c.issue = $1 AND c.patchset = $2)`,
			trial.Issue, trial.Patchset)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var p traceid.Param
			if err := rows.Scan(&p.Key, &p.Value); err != nil {
				return err
			}
			set.Add(traceid.Params{p})
		}
		return rows.Err()
	})
	return set, wrap(err, "param set")
}
