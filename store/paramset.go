package store

import (
	"cmp"
	"context"
	"database/sql"
	"iter"
	"maps"
	"slices"
	"strings"

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

// Params iterates over the params of [Store.ParamSet], sorted by key and value. Those of a trial are
// held in memory, and those of the mainline are not. A step with an error is the last.
func (s *Store) Params(ctx context.Context, trial Trial) iter.Seq2[traceid.Param, error] {
	return func(yield func(traceid.Param, error) bool) {
		if !trial.canExist() {
			return
		}
		err := s.view(ctx, func(tx *sql.Tx) error {
			v := s.newViewer(ctx, tx)
			each := func(p traceid.Param) bool { return yield(p, nil) }
			if trial == (Trial{}) {
				return v.mainlineParams(each)
			}
			return v.trialParams(trial, each)
		})
		if err != nil {
			yield(traceid.Param{}, wrap(err, "param set"))
		}
	}
}

// trialParams yields the params of a trial. It reads the blocks of its commits: a trial has few.
func (v *viewer) trialParams(trial Trial, yield func(traceid.Param) bool) error {
	if err := v.selectCommits(Range{Trial: trial}); err != nil || len(v.commits) == 0 {
		return err
	}
	ids := make([]int64, 0, len(v.commits))
	for _, c := range v.commits {
		ids = append(ids, c.id)
	}
	rows, err := v.tx.QueryContext(v.ctx, `
		SELECT t.name FROM traces t WHERE t.id IN (
			SELECT m.trace_id FROM measurements m WHERE m.block IN `+list(v.blocks)+" AND m.commit_id IN "+list(ids)+")")
	if err != nil {
		return err
	}
	defer rows.Close()

	set := make(map[traceid.Param]bool)
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return err
		}
		params, err := traceid.Parse(name)
		if err != nil {
			return err
		}
		for _, p := range params {
			set[p] = true
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	for _, p := range slices.SortedFunc(maps.Keys(set), func(a, b traceid.Param) int {
		return cmp.Or(strings.Compare(a.Key, b.Key), strings.Compare(a.Value, b.Value))
	}) {
		if !yield(p) {
			return nil
		}
	}
	return nil
}

// mainlineParams yields the params of the mainline, in their order.
func (v *viewer) mainlineParams(yield func(traceid.Param) bool) error {
	rows, err := v.tx.QueryContext(v.ctx, usedParams, "", "", commitsPerBlock)
	if err != nil {
		return err
	}
	defer rows.Close()

	for rows.Next() {
		var p traceid.Param
		if err := rows.Scan(&p.Key, &p.Value); err != nil {
			return err
		}
		if !yield(p) {
			return nil
		}
	}
	return rows.Err()
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
			SELECT 1 FROM measurements m
			WHERE m.block = b.block AND m.trace_id = tp.trace_id AND (
				SELECT 1 FROM commits c WHERE c.id = m.commit_id AND c.issue = $1 AND c.patchset = $2) IS NOT NULL
			LIMIT 1) IS NOT NULL
		LIMIT 1) IS NOT NULL
	ORDER BY p.key, p.value`
