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
		for _, table := range []string{"sources", "settings", "commits", "listed_commits"} {
			if err := checkCount(ctx, v.tx, table); err != nil {
				return err
			}
		}
		if err := checkSourceCommits(ctx, v.tx); err != nil {
			return err
		}
		for _, query := range dumps {
			if err := dumpRows(ctx, v.tx, query, out); err != nil {
				return err
			}
		}
		return v.dump(out)
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
			line = append(appendField(line, value), '\t')
		}
		line[len(line)-1] = '\n'
		_, err := out.Write(line)
		return err
	})
}

func appendField(dst []byte, value any) []byte {
	switch value := value.(type) {
	case nil:
		return append(dst, '-')
	case int64:
		return strconv.AppendInt(dst, value, 10)
	case []byte:
		return fmt.Appendf(dst, "%x", value)
	}
	return fmt.Appendf(dst, "%q", value)
}

// dump writes the lines of all measurements, by trace, commit, file and number.
func (v *viewer) dump(out *bufio.Writer) error {
	var commits []commitRow
	var texts []string
	err := v.eachCommit(func(c *commitRow, trial Trial) error {
		commits = append(commits, *c)
		texts = append(texts, fmt.Sprintf("%q\t%q\t%q", c.Name, trial.Issue, trial.Patchset))
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
			if err := v.dumpTrace(out, t, texts); err != nil {
				return err
			}
		}
		return nil
	})
}

// dumpTrace writes the lines of a trace, given the texts of commits.
func (v *viewer) dumpTrace(out *bufio.Writer, t traceRows, commits []string) error {
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
			t.name, commits[m.commit], v.runs[m.source].source.path, m.n, strconv.FormatFloat(m.value, 'g', -1, 64),
			params, as.unit, as.better, texts[0], texts[1], texts[2], m.offset)
		if err != nil {
			return err
		}
	}
	return nil
}

// An idSet is a set of IDs.
type idSet map[int64]bool
