package store

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
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
		d := &dumper{viewer: s.newViewer(ctx, tx), add: func(line string) { lines = append(lines, line) }}
		return d.dumpPacks()
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

	for rows.Next() {
		if err := rows.Scan(values...); err != nil {
			return err
		}
		var line []byte
		for _, value := range values {
			line = append(appendField(line, *value.(*any)), '\t')
		}
		line[len(line)-1] = '\n'
		add(string(line))
	}
	return rows.Err()
}

func appendField(dst []byte, value any) []byte {
	switch value := value.(type) {
	case nil:
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

// A dumper makes the lines of what is packed.
type dumper struct {
	*viewer
	add func(line string)

	// Parts of lines, by ID.
	traces, commits, files, spelled map[int64]string
	details                         map[detailsKey]detailsRow
}

// dumpPacks makes the lines of measurements, and of the params of their traces.
func (d *dumper) dumpPacks() error {
	for _, one := range []struct {
		texts *map[int64]string
		query string
	}{
		{&d.traces, "SELECT id, name FROM traces"},
		{&d.commits, "SELECT id, name, issue, patchset FROM commits"},
		{&d.files, "SELECT id, path FROM sources"},
		{&d.spelled, "SELECT id, params, unit, better FROM spellings"},
	} {
		*one.texts = make(map[int64]string)
		err := dumpRows(d.ctx, d.tx, one.query, func(line string) {
			id, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
			n, _ := strconv.ParseInt(id, 10, 64)
			(*one.texts)[n] = rest
		})
		if err != nil {
			return err
		}
	}
	d.spelled[0] = "-\t-\t-"

	if err := d.loadAllDetails(); err != nil {
		return err
	}
	used, err := d.dumpMeasurements()
	if err != nil {
		return err
	}
	return d.dumpParams(used)
}

func (d *dumper) loadAllDetails() error {
	rows, err := d.tx.QueryContext(d.ctx, selectDetails)
	if err != nil {
		return err
	}
	defer rows.Close()
	d.details = make(map[detailsKey]detailsRow)
	for rows.Next() {
		key, row, err := scanDetails(rows)
		if err != nil {
			return err
		}
		d.details[key] = row
	}
	return rows.Err()
}

// dumpMeasurements returns the traces that have some.
func (d *dumper) dumpMeasurements() (used traceSet, err error) {
	rows, err := d.tx.QueryContext(d.ctx, "SELECT "+packColumns+" FROM packs m")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	used = make(traceSet)
	for rows.Next() {
		var commit, source, group, traces int64
		var pack []byte
		if err := rows.Scan(&commit, &source, &group, &traces, &pack); err != nil {
			return nil, err
		}
		used[group] |= uint64(traces)

		err := unpack(group, uint64(traces), ^uint64(0), pack, func(m *packed) {
			details, offset := "-\t-\t-", "-"
			if m.details != 0 {
				row := d.details[detailsKeyOf(source, m.details)]
				texts := row.texts(m.details)
				details = fmt.Sprintf("%q\t%q\t%q", texts.links, texts.attrs, texts.params)
			}
			if m.hasOffset {
				offset = strconv.FormatInt(m.offset, 10)
			}
			d.add(fmt.Sprintf("\"measurement\"\t%s\t%s\t%s\t%d\t%s\t%s\t%s\t%s\n", d.traces[m.trace], d.commits[commit],
				d.files[source], m.n, strconv.FormatFloat(m.value, 'g', -1, 64), d.spelled[m.spelling], details, offset))
		})
		if err != nil {
			return nil, err
		}
	}
	return used, rows.Err()
}

// dumpParams makes the lines of the params of some traces.
func (d *dumper) dumpParams(used traceSet) error {
	rows, err := d.tx.QueryContext(d.ctx,
		"SELECT p.key, p.value, o.trace_group, o.traces FROM postings o JOIN params p ON p.id = o.param_id")
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var key, value string
		var group, traces int64
		if err := rows.Scan(&key, &value, &group, &traces); err != nil {
			return err
		}
		for _, id := range (traceSet{group: uint64(traces) & used[group]}).ids() {
			d.add(fmt.Sprintf("\"param\"\t%s\t%q\t%q\n", d.traces[id], key, value))
		}
	}
	return rows.Err()
}
