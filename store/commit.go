package store

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"slices"

	"perfdata/ingest"
)

// ErrOtherContent is the cause of the failure of a file whose path was stored with other content.
// The content of a path does not change: a newer file has another path.
var ErrOtherContent = errors.New("path was stored with other content")

// Commit implements [ingest.Batch]. If the file was stored before with the same content, it stores
// nothing and returns nil. If it was stored with other content, the error is [ErrOtherContent].
//
// If the connection is lost while the transaction is committed, the file may be stored, although
// Commit returns an error. To store it again does no harm.
func (b *batch) Commit(content ingest.Content) error {
	defer b.records.Close()
	var c *commit
	var conflict error
	err := b.store.write(b.ctx, func(t *transaction) error {
		c, conflict = &commit{batch: b, transaction: t}, nil
		before, err := c.begin()
		switch {
		case err != nil:
			return err
		case before == nil:
			return c.store(content)
		case bytes.Equal(before, content.SHA256[:]):
			_, err = t.exec(b.ctx, "UPDATE sources SET error = '' WHERE id = $1", c.source)
			return err
		}
		conflict = fmt.Errorf("%w: SHA-256 %x, want %x", ErrOtherContent, content.SHA256, before)
		_, err = t.exec(b.ctx, "UPDATE sources SET error = $1 WHERE id = $2", conflict.Error(), c.source)
		return err
	})
	if err != nil {
		return err
	}
	b.store.names.add(c.traces)
	return conflict
}

// A commit writes the records of a batch in a transaction.
type commit struct {
	*batch
	*transaction
	source int64

	// IDs that the transaction found or added. They are forgotten if it fails.
	traces  map[verbatim]traceRef
	commits []int64 // by their number in the batch, from 1
	links   int64   // how many are stored
}

// maxTraces is the number of traces that a commit remembers.
const maxTraces = 200_000

// recordsAtOnce is the number of records whose names are looked up together.
const recordsAtOnce = 8192

// begin finds or adds the row of the file, and keeps others from changing it. It returns the hash
// of the content that was stored, or nil.
func (c *commit) begin() (sha256 []byte, err error) {
	err = c.row(c.ctx, []any{&c.source, &sha256}, `
		INSERT INTO sources (path, hour) VALUES ($1, $2)
		ON CONFLICT (path) DO UPDATE SET path = excluded.path
		RETURNING id, sha256`, c.src.Path, c.hour)
	return sha256, err
}

// store writes everything.
func (c *commit) store(content ingest.Content) error {
	c.traces = make(map[verbatim]traceRef)
	r, err := c.reader()
	if err != nil {
		return err
	}
	records := make([]stored, 0, min(c.count, recordsAtOnce))
	for more := true; more; {
		records = records[:cap(records)]
		n := 0
		for n < len(records) && r.next(&records[n]) {
			n++
		}
		if r.err != nil {
			return r.err
		}
		more = n > 0 && n == len(records)
		if err := c.storeRecords(r, records[:n]); err != nil {
			return err
		}
	}

	if err := c.storeCommits(); err != nil {
		return err
	}
	h := &c.src.Header
	_, err = c.exec(c.ctx, `
		UPDATE sources SET hour = $1, sha256 = $2, format = $3, commit_name = $4, issue = $5, patchset = $6,
			records = $7, faults = 0, error = ''
		WHERE id = $8`,
		c.hour, content.SHA256[:], c.src.Format, h.Commit, h.Issue, h.Patchset, c.count, c.source)
	return err
}

var (
	measurementsTable = newTable("measurements",
		"block", "trace_id", "commit_id", "source_id", "n", "value", "spelling_id", "links_id")
	linksTable         = newTable("links", "source_id", "id", "links")
	sourceCommitsTable = newTable("source_commits", "commit_id", "source_id")
)

// storeRecords writes some records, and the names that came with them.
func (c *commit) storeRecords(r *batchReader, records []stored) error {
	if err := c.resolve(records); err != nil {
		return err
	}
	trial := Trial{Issue: c.src.Header.Issue, Patchset: c.src.Header.Patchset}
	commits, err := c.internCommits(c.ctx, r.commits, trial, c.hour)
	if err != nil {
		return err
	}
	c.commits = append(c.commits, commits...)

	row := make([]any, len(linksTable.columns))
	err = c.insert(c.ctx, linksTable, func() []any {
		if len(r.links) == 0 {
			return nil
		}
		c.links++
		row[0], row[1], row[2] = c.source, c.links, r.links[0]
		r.links = r.links[1:]
		return row
	})
	if err != nil {
		return err
	}
	r.commits, r.links = r.commits[:0], nil

	row = make([]any, len(measurementsTable.columns))
	return c.insert(c.ctx, measurementsTable, func() []any {
		if len(records) == 0 {
			return nil
		}
		rec := &records[0]
		records = records[1:]
		commit := c.commits[rec.commit-1]
		row[0], row[1], row[2], row[3] = commit/commitsPerBlock, rec.trace, commit, c.source
		row[4], row[5], row[6], row[7] = rec.n, rec.value, rec.spelling, int64(rec.links)
		return row
	})
}

// resolve sets the traces of the records that had no number.
func (c *commit) resolve(records []stored) error {
	if len(c.traces) > maxTraces {
		clear(c.traces)
	}
	var missing []verbatim
	for i := range records {
		rec := &records[i]
		if rec.trace != 0 {
			continue
		}
		if _, ok := c.traces[rec.name]; !ok {
			c.traces[rec.name] = traceRef{}
			missing = append(missing, rec.name)
		}
	}
	if len(missing) > 0 {
		if err := c.internTraces(c.ctx, missing, c.traces); err != nil {
			return err
		}
	}
	for i := range records {
		if rec := &records[i]; rec.trace == 0 {
			rec.traceRef = c.traces[rec.name]
		}
	}
	return nil
}

// storeCommits says which commits the file has. It does so last, because it waits for others that
// do the same: then these are about to end.
func (c *commit) storeCommits() error {
	slices.Sort(c.commits) // all in the same order, so that none wait for each other
	ids := slices.Compact(c.commits)
	for _, id := range ids {
		_, err := c.exec(c.ctx, "UPDATE commits SET hour = CASE WHEN hour > $1 THEN $1 ELSE hour END WHERE id = $2", c.hour, id)
		if err != nil {
			return err
		}
	}

	row := make([]any, 2)
	return c.insert(c.ctx, sourceCommitsTable, func() []any {
		if len(ids) == 0 {
			return nil
		}
		row[0], row[1] = ids[0], c.source
		ids = ids[1:]
		return row
	})
}

// scanFloat returns a value of the database.
func scanFloat(value sql.NullFloat64) float64 {
	if !value.Valid {
		return math.NaN() // SQLite has none
	}
	return value.Float64
}
