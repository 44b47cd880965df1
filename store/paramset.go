package store

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"

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

// Params iterates over the params of [Store.ParamSet], sorted by key and value. The params of a
// trial are held in memory, and of the mainline only their IDs. A step with an error is the last.
func (s *Store) Params(ctx context.Context, trial Trial) iter.Seq2[traceid.Param, error] {
	return iterate(ctx, s, "param set", func(v *viewer, yield func(traceid.Param) error) error {
		if trial == (Trial{}) {
			return v.mainlineParams(yield)
		}
		return v.trialParams(trial, yield)
	})
}

// trialParams yields the params of a trial. It reads the blocks of its commits: a trial has few.
func (v *viewer) trialParams(trial Trial, yield func(traceid.Param) error) error {
	if err := v.selectCommits(Range{Trial: trial}); err != nil || len(v.blocks) == 0 {
		return err
	}
	traces := make(traceSet) // blocks of a trial have no other measurements
	err := v.rowGroups(nil, v.blocks, func(r *rowGroup) error {
		traces[r.group] |= r.traces
		_, err := unseal(r.data, r.keys())
		return err
	})
	if err != nil {
		return err
	}

	set := make(map[traceid.Param]bool)
	err = v.eachName(traces.ids(), func(t traceRow) error {
		params, err := traceid.Parse(t.name)
		for _, p := range params {
			set[p] = true
		}
		return err
	})
	if err != nil {
		return err
	}

	for _, p := range slices.SortedFunc(maps.Keys(set), compareParams) {
		if err := yield(p); err != nil {
			return err
		}
	}
	return nil
}

// mainlineParams yields the params of the mainline, in their order. As long as nothing is deleted,
// one of which a value was seen has one. To look for the values of 10,000 params takes three times
// as long as to read them, so it is done once.
func (v *viewer) mainlineParams(yield func(traceid.Param) error) error {
	stamp, stampErr := readStamp(v.ctx, v.tx, deletionsStamp)
	// The database sorts them on disk.
	ids, err := column[int64](v.ctx, v.tx, "SELECT id FROM params ORDER BY key, value")
	if err = cmp.Or(stampErr, err, checkCount(v.ctx, v.tx, "params")); err != nil {
		return err
	}

	var params []paramRow
	for some := range slices.Chunk(ids, maxAtOnce) {
		params = params[:0]
		where, args := v.db.in("id", some)
		err := v.eachParam(where+" ORDER BY key, value", args, func(p *paramRow) error {
			params = append(params, *p)
			return nil
		})
		if err != nil {
			return err
		}
		used, err := v.usedParams(stamp, params)
		if err != nil {
			return err
		}
		params = slices.DeleteFunc(params, func(p paramRow) bool { return !used[p.id] })
		for _, p := range params {
			if err := yield(p.Param); err != nil {
				return err
			}
		}
	}
	return nil
}

// usedParams returns the IDs of the params that have values in the mainline.
func (v *viewer) usedParams(stamp int64, params []paramRow) (map[int64]bool, error) {
	used := make(map[int64]bool, len(params))
	var unknown []int64
	for _, p := range params {
		if used[p.id], _ = v.params.find(stamp, p.id); !used[p.id] {
			unknown = append(unknown, p.id)
		}
	}
	if len(unknown) == 0 {
		return used, nil
	}
	where, args := v.db.in("p.id", unknown, commitsPerBlock)
	found, err := column[int64](v.ctx, v.tx, selectUsedParams+where, args...)
	if err != nil {
		return nil, err
	}
	for _, id := range found {
		used[id] = true
		v.params.add(stamp, id, true, 1)
	}
	return used, v.checkUnused(params, used)
}

// checkUnused returns an error if something is missing that would tell that one of some params has
// values in the mainline. Usually, all params have.
func (v *viewer) checkUnused(params []paramRow, used map[int64]bool) error {
	var unused filter
	for _, p := range params {
		if !used[p.id] {
			unused.params, unused.traces = append(unused.params, p.id), unused.traces+p.traces
		}
	}
	if len(unused.params) == 0 {
		return nil
	}

	traces, err := v.tracesWith(unused)
	if err == nil {
		err = v.selectCommits(Range{})
	}
	if err != nil {
		return err
	}

	ofBlocks, args := v.db.in("block", blockIDs(v.blocks))
	ofGroups, args := v.db.in("trace_group", slices.Sorted(maps.Keys(traces)), args...)
	query := "SELECT COALESCE(SUM(CASE WHEN commit_id = 0 THEN traces ELSE -1 END), 0) FROM row_groups WHERE " +
		ofBlocks + " AND " + ofGroups
	return checkNumber(v.ctx, v.tx, 0, "a row of measurements", query, args...)
}

// selectUsedParams selects the params of traces that have values in the mainline, among some. The
// inner queries are scalars, so that PostgreSQL stops at the first row group of a param instead of
// joining the tables. The newest block usually has one of the first traces. Blocks below zero
// belong to trials.
const selectUsedParams = `
	WITH blocks AS MATERIALIZED (
		SELECT DISTINCT id / $1 AS block FROM commits WHERE issue = '' AND patchset = '' ORDER BY block DESC)
	SELECT p.id FROM params p
	WHERE (
		SELECT 1 FROM postings tp CROSS JOIN blocks b
		WHERE tp.param_id = p.id AND (
			SELECT 1 FROM row_groups m
			WHERE m.block = b.block AND m.trace_group = tp.trace_group AND m.commit_id > 0 AND m.traces & tp.traces <> 0
			LIMIT 1) IS NOT NULL
		LIMIT 1) IS NOT NULL AND `
