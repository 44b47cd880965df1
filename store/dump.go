package store

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"io"
	"slices"
	"strconv"
)

// Dump writes all that the database holds as lines of text, in an order, and in terms, that do not
// depend on the order in which it was stored: two stores of the same files have the same Dump. So
// the hash of a Dump is a checksum of a store. It is not a backup: nothing reads it.
//
// Dump sorts the lines in memory.
func (s *Store) Dump(ctx context.Context, w io.Writer) error {
	var lines []string
	err := s.view(ctx, func(tx *sql.Tx) error {
		for _, query := range dumps {
			err := dumpRows(ctx, tx, query, func(line string) { lines = append(lines, line) })
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return wrap(err, "dump")
	}

	slices.Sort(lines)
	out := bufio.NewWriter(w)
	for _, line := range lines {
		out.WriteString(line)
	}
	return out.Flush()
}

// The lines of a Dump. The columns are text, numbers and bytes, without IDs of the database.
var dumps = []string{
	`SELECT 'source', path, hour, sha256, format, commit_name, issue, patchset, records, faults, error,
		run, request, replaced_by FROM sources`,
	`SELECT 'setting', name, value FROM settings`,
	`SELECT 'commit', name, issue, patchset, run, hour, path, position, time FROM commits c
		WHERE EXISTS (SELECT 1 FROM source_commits sc WHERE sc.commit_id = c.id)`,
	`SELECT 'source commit', s.path, c.name, c.run, sc.position, sc.time FROM source_commits sc
		JOIN sources s ON s.id = sc.source_id
		JOIN commits c ON c.id = sc.commit_id`,
	`SELECT 'listed', repository, position, hash, parents, time, author, subject FROM listed_commits`,
	`SELECT 'measurement', t.name, c.name, c.issue, c.patchset, s.path, m.n, m.value, p.params, p.unit, p.better,
		` + detailsColumns + `, m.byte_offset
		FROM measurements m
		JOIN traces t ON t.id = m.trace_id
		JOIN commits c ON c.id = m.commit_id
		JOIN sources s ON s.id = m.source_id
		LEFT JOIN spellings p ON p.id = m.spelling_id` + joinDetails,
	`SELECT DISTINCT 'param', t.name, p.key, p.value
		FROM traces t
		JOIN trace_params tp ON tp.trace_id = t.id
		JOIN params p ON p.id = tp.param_id
		WHERE t.id IN (SELECT trace_id FROM measurements)`,
}

// dumpRows passes each row of a query as a line.
func dumpRows(ctx context.Context, tx *sql.Tx, query string, add func(line string)) error {
	rows, err := tx.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	values := make([]any, len(columns))
	for i := range values {
		values[i] = new(any)
	}

	var details detailsRow
	first := slices.Index(columns, "details_id")
	if first >= 0 {
		copy(values[first:], details.columns())
	}

	for rows.Next() {
		if err := rows.Scan(values...); err != nil {
			return err
		}
		var line []byte
		for i, value := range values {
			if value, ok := value.(*any); ok {
				line = append(appendField(line, columns[i], *value), '\t')
			} else if i == first {
				line = append(details.appendFields(line), '\t')
			}
		}
		line[len(line)-1] = '\n'
		add(string(line))
	}
	return rows.Err()
}

// appendFields appends the details as three fields.
func (d *detailsRow) appendFields(dst []byte) []byte {
	if d.number.Int64 == 0 {
		return append(dst, "-\t-\t-"...)
	}
	texts := d.texts()
	return fmt.Appendf(dst, "%q\t%q\t%q", texts.links, texts.attrs, texts.params)
}

func appendField(dst []byte, column string, value any) []byte {
	switch value := value.(type) {
	case nil:
		if column == "value" {
			return append(dst, "NaN"...)
		}
		return append(dst, '-')
	case int64:
		return strconv.AppendInt(dst, value, 10)
	case float64:
		return strconv.AppendFloat(dst, value, 'g', -1, 64)
	case []byte:
		return fmt.Appendf(dst, "%x", value)
	}
	return fmt.Appendf(dst, "%q", value)
}
