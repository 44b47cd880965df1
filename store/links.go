package store

import (
	"context"
	"database/sql"
	"encoding/json"

	"perfdata/format"
)

// Links returns the links of a [Point]: the links of its file, overlaid with its own. The id is
// the canonical trace ID. Without such a point, it returns none.
func (s *Store) Links(ctx context.Context, trial Trial, id string, p Point) (format.Links, error) {
	var links format.Links
	err := s.view(ctx, func(tx *sql.Tx) error {
		trace, commit := hashed(id).hash, commitHash(p.Commit, trial)
		var text sql.NullString
		err := tx.QueryRowContext(ctx, `
			SELECT l.links FROM measurements m JOIN sources s ON s.id = m.source_id
			LEFT JOIN measurements p ON p.block = m.block AND p.trace_id = m.trace_id
				AND p.commit_id = m.commit_id AND p.source_id = m.source_id AND p.n = $3
			LEFT JOIN links l ON l.source_id = m.source_id AND l.id = p.links_id
			WHERE m.block = (SELECT id / $4 FROM commits WHERE hash = $2)
				AND m.trace_id = (SELECT id FROM traces WHERE hash = $1)
				AND m.commit_id = (SELECT id FROM commits WHERE hash = $2)
			ORDER BY s.hour DESC, s.path DESC
			LIMIT 1`, trace[:], commit[:], p.N, commitsPerBlock).Scan(&text)
		if err == sql.ErrNoRows || err == nil && !text.Valid {
			return nil
		}
		if err != nil {
			return err
		}
		return json.Unmarshal([]byte(text.String), &links)
	})
	return links, wrap(err, "links")
}
