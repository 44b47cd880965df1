package store

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"perfdata/format"
)

// Links returns the links of a [Point], which its Commit or Run, and N, name: the links of its
// file, overlaid with its own. The id is the canonical trace ID. Without such a point, it returns
// none.
func (s *Store) Links(ctx context.Context, trial Trial, id string, p Point) (format.Links, error) {
	at := Range{First: p.Commit, Last: p.Commit, Trace: id, Trial: trial}
	for m, err := range s.Measurements(ctx, nil, at) {
		if errors.Is(err, ErrUnknownTrace) || errors.Is(err, ErrUnknownCommit) {
			return nil, nil
		}
		if err != nil {
			return nil, fmt.Errorf("links: %w", err)
		}
		if m.Point.Commit == p.Commit && m.Point.Run == p.Run && m.Point.N == p.N {
			return slices.Clone(m.Record.Links), nil
		}
	}
	return nil, nil
}
