package main

import (
	"context"

	"perfdata/format"
	"perfdata/series"
	"perfdata/store"
)

// findStored finds the points of a store trace by trace: of the values, it holds those of one
// trace.
func (c *changeSearch) findStored(name string) error {
	return c.openStored(name, func(_ string, s *store.Store) error {
		ctx := context.Background()
		commits, order, err := s.Commits(ctx, store.Trial{})
		if err != nil {
			return err
		}
		c.order = order
		ranks := make(map[[2]string]int, len(commits)) // by the name and the run
		for rank, commit := range commits {
			ranks[[2]string{commit.Name, commit.Run}] = rank
			c.commits = append(c.commits, commit.Name)
		}

		var described series.Collector
		placer := c.newPlacer()
		var values []commitValue
		for trace, err := range s.Query(ctx, nil, store.Range{}) {
			if err != nil {
				return err
			}
			d, err := c.describe(&described, placer, trace)
			if err != nil {
				return err
			}
			if d == nil {
				continue
			}
			values = values[:0]
			for _, p := range trace.Points {
				values = append(values, commitValue{ranks[[2]string{p.Commit, p.Run}], p.Value})
			}
			if err := c.find(d, values); err != nil {
				return err
			}
		}
		c.keepJudged(&described)
		return nil
	})
}

// describe adds a series with what is known about a trace, and no values. It returns nil if the
// trace does not match, or cannot be judged.
func (c *changeSearch) describe(
	to *series.Collector, placer *series.Placer, trace *store.Series,
) (*series.Series, error) {
	rec := &format.Record{Params: trace.Params, Unit: trace.Unit, Better: trace.Better}
	if ok, err := c.matches(rec); err != nil || !ok {
		return nil, err
	}
	at, err := placer.Place(rec)
	if err != nil {
		c.leaveOut(unjudged{Trace: trace.ID, Reason: shown(err)})
		return nil, nil
	}
	return to.AddSeries(at), nil
}

// keepJudged forgets the series that are other statistics of one that is judged.
func (c *changeSearch) keepJudged(described *series.Collector) {
	judged := make(map[*series.Series]bool)
	for _, s := range c.judged(described.Series()) {
		judged[s] = true
	}
	kept := c.found[:0]
	for _, f := range c.found {
		if judged[f.series] {
			kept = append(kept, f)
		}
	}
	c.found = kept
}
