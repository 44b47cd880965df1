package store

import (
	"bufio"
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"perfdata/internal/chars"
	"perfdata/series"
)

// Dump writes the contents of the database as lines of text. Neither the lines nor their order
// depend on the order in which files were stored, so two stores of the same files have the same
// Dump, and the hash of a Dump is a checksum of a store. It is not a backup: nothing reads it.
func (s *Store) Dump(ctx context.Context, w io.Writer) error {
	out := bufio.NewWriterSize(w, 32<<10)
	err := s.read(ctx, func(v *viewer) error {
		err := cmp.Or(checkCount(ctx, v.tx, "sources"), checkCount(ctx, v.tx, "settings"),
			checkCount(ctx, v.tx, "commits"), checkCount(ctx, v.tx, "listed_commits"), checkSourceCommits(ctx, v.tx))
		for _, query := range dumps {
			if err == nil {
				err = dumpRows(ctx, v.tx, query, out)
			}
		}
		if err == nil {
			err = v.dump(out)
		}
		return err
	})
	return wrap(cmp.Or(err, out.Flush()), "dump")
}

// The lines of a Dump that precede the measurements. The columns are text, numbers and bytes,
// without IDs of the database.
var dumps = []string{
	`SELECT 'source', path, hour, sha256, format, commit_name, issue, patchset, records, faults, error,
		run, request, replaced_by FROM sources ORDER BY path`,
	`SELECT 'setting', name, value FROM settings ORDER BY name`,
	`SELECT 'commit', name, issue, patchset, run, hour, path, position, time FROM commits c
		WHERE hour <> '` + noSource + `' ORDER BY name, issue, patchset, run`,
	`SELECT 'source commit', s.path, c.name, c.run, sc.position, sc.time FROM source_commits sc
		JOIN sources s ON s.id = sc.source_id
		JOIN commits c ON c.id = sc.commit_id ORDER BY s.path, c.name, c.run`,
	`SELECT 'listed', repository, position, hash, parents, time, author, subject FROM listed_commits
		ORDER BY repository, position`,
}

// dumpRows writes each row of a query as a line.
func dumpRows(ctx context.Context, tx *sql.Tx, query string, out *bufio.Writer) error {
	rows, err := tx.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	columns, err := rows.Columns()
	if err != nil {
		return errors.Join(err, rows.Close())
	}
	values, dest := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		dest[i] = &values[i]
	}

	var line []byte
	return readRows(rows, dest, func() error {
		line = line[:0]
		for _, value := range values {
			switch value := value.(type) {
			case nil:
				line = append(line, '-')
			case int64:
				line = strconv.AppendInt(line, value, 10)
			case []byte:
				line = fmt.Appendf(line, "%x", value)
			default:
				line = fmt.Appendf(line, "%q", value)
			}
			line = append(line, '\t')
		}
		line[len(line)-1] = '\n'
		_, err := out.Write(line)
		return err
	})
}

// dump writes the lines of all measurements, by trace, commit, file and number.
func (v *viewer) dump(out *bufio.Writer) error {
	var commits []commitRow
	var names []string
	err := v.eachCommit(func(c *commitRow, trial Trial) error {
		commits = append(commits, *c)
		names = append(names, fmt.Sprintf("%q\t%q\t%q", c.Name, trial.Issue, trial.Patchset))
		return nil
	})
	if err != nil {
		return err
	}

	v.list = newCommitList(commits, series.Order{})
	v.selectWhere(func(int) bool { return true })

	v.withLosers = true
	return v.eachRows(&search{}, func(traces []traceRows) error {
		if err := v.loadNames(traces); err != nil {
			return err
		}
		for _, t := range traces {
			slices.SortFunc(t.rows, func(a, b measurement) int {
				return cmp.Or(a.commit-b.commit, cmp.Compare(v.runs[a.source].source.path, v.runs[b.source].source.path),
					cmp.Compare(a.n, b.n))
			})
			for i := range t.rows {
				m := &t.rows[i]
				as, texts := v.spellings[m.spelling], v.parsed.texts(m)
				params := "-"
				if as.params != nil {
					params = string(chars.AppendJSONObject(nil, as.params.All()))
				}
				_, err := fmt.Fprintf(out, "\"measurement\"\t%q\t%s\t%q\t%d\t%s\t%q\t%q\t%d\t%q\t%q\t%q\t%d\n",
					t.name, names[m.commit], v.runs[m.source].source.path, m.n, strconv.FormatFloat(m.value, 'g', -1, 64),
					params, as.unit, as.better, texts[0], texts[1], texts[2], m.offset)
				if err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// An idSet is a set of IDs.
type idSet map[int64]bool
