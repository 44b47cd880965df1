package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"time"

	"perfdata/format"
	"perfdata/ingest"
)

// A version is a file whose path is a name, which other files may have, too: see
// IngestOptions.NewVersions. The first one is stored under its path, and the others under paths
// of arrival.
type version struct {
	given   ingest.File
	request []byte // the hash of its name, with the folder: that of all versions
	arrived string // the path of arrival; empty until one is needed
}

// versionOf returns the version that a file is, or nil if its path is not a name.
func (s *sink) versionOf(f ingest.File) *version {
	if !s.options.NewVersions || s.upload != nil || !f.Hour.IsZero() {
		return nil
	}
	return &version{given: f, request: requestHash("file", s.options.Folder, f.Path)}
}

// isSame reports whether a version is the file of its path in another folder, or the one that was
// stored before folders were known: it has the content, and the commit.
func (v *version) isSame(row sourceRow, header *format.Header, content ingest.Content) bool {
	return !bytes.Equal(row.request, v.request) && bytes.Equal(row.sha256, content.SHA256[:]) &&
		row.commit == header.Commit
}

// writeVersion writes a version whose path has another file, or finds that it is stored. The
// row of the path was found.
func (c *commit) writeVersion(content ingest.Content) error {
	name := c.source

	// Delete what earlier attempts left in the row, where nothing is stored or another version is.
	n, err := c.exec(c.ctx, "DELETE FROM sources WHERE id = $1 AND sha256 IS NULL", name)
	c.countRows("sources", -n)
	if err == nil {
		_, err = c.exec(c.ctx, "UPDATE sources SET error = '' WHERE id = $1 AND faults = 0", name)
	}
	if err != nil {
		return err
	}
	var path string
	args := []any{c.version.request, content.SHA256[:], c.src.Header.Commit}
	err = c.QueryRowContext(c.ctx, selectVersion, args...).Scan(&c.source, &path)
	if err == nil {
		c.src.Path = path
		size, modified := stampOf(c.version.given, time.Now())
		return c.setStamp("", size, modified)
	}
	if !errors.Is(err, sql.ErrNoRows) {
		return err
	}

	if c.version.arrived == "" {
		if c.version.arrived, err = c.store.arrivals.path(c.ctx, c.src.Path, c.viewed); err != nil {
			return err
		}
	}

	file := c.version.given
	file.Path = c.version.arrived
	file.Hour, _ = ingest.HourOf(file.Path)
	c.setFile(file)
	if _, err := c.findSource(); err != nil {
		return err
	}
	if err := c.writeFile(content); err != nil {
		return err
	}
	return c.replaceEarlier(name)
}

// viewed is Store.view in the transaction.
func (c *commit) viewed(_ context.Context, f func(tx *sql.Tx) error) error { return f(c.Tx) }

// selectVersion selects the version with the request $1, a content and a commit of the header,
// unless a newer version has one of its commits.
const selectVersion = `
	SELECT v.id, v.path FROM sources v
	WHERE v.request = $1 AND v.sha256 = $2 AND v.commit_name = $3 AND NOT EXISTS (
		SELECT 1 FROM source_commits vc
		JOIN source_commits nc ON nc.commit_id = vc.commit_id JOIN sources n ON n.id = nc.source_id
		WHERE vc.source_id = v.id AND n.request = v.request AND (n.hour, n.path) > (v.hour, v.path))
	ORDER BY v.hour DESC, v.path DESC LIMIT 1`

// replaceEarlier deletes the earlier versions, if this version names several commits and repeats
// everything in them. The name is the row of the path, whose version may be older than requests.
func (c *commit) replaceEarlier(name int64) error {
	if len(c.commits) < 2 {
		return nil
	}

	earlier, err := column[int64](c.ctx, c, `
		SELECT id FROM sources
		WHERE (request = $1 OR id = $2 AND request IS NULL) AND id <> $3 AND sha256 IS NOT NULL AND replaced_by = ''
			AND records <= $4 AND issue = $5 AND patchset = $6 AND (run = path OR run = $7) ORDER BY id`,
		c.version.request, name, c.source, c.count, c.src.Header.Issue, c.src.Header.Patchset, c.batch.run())
	if err != nil {
		return err
	}

	for _, id := range earlier {
		covers, err := c.covers(id)
		if err == nil && covers {
			err = c.store.replaceSource(c.ctx, c.transaction, id, c.src.Path)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// covers reports whether the file has at least as many values of each trace at each commit as an
// earlier one.
func (c *commit) covers(earlier int64) (bool, error) {
	p, err := c.store.places(c.ctx, c, []int64{earlier})
	if err != nil {
		return false, err
	}

	type cell struct{ trace, commit int64 }
	for _, block := range p.blocks {
		missing := make(map[cell]int) // values that the earlier file has and this one lacks
		const where = "block = $1 AND source_id IN ($2, $3)"
		err := eachRowGroup(c.ctx, c, false, where, []any{block, earlier, c.source}, func(r *rowGroup) error {
			step := -1
			if r.source == earlier {
				step = 1
			}
			return r.decode(^uint64(0), func(m *entry) { missing[cell{m.trace, r.commit}] += step })
		})
		if err != nil {
			return false, err
		}

		for _, n := range missing {
			if n > 0 {
				return false, nil
			}
		}
	}
	return true, nil
}

// setFile sets the path and hour under which the file is stored.
func (b *batch) setFile(f ingest.File) { b.src.File, b.hour = f, hourText(f) }
