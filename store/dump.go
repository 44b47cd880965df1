package store

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
)

// Dump writes all that the database holds as lines of text, in an order, and in terms, that do not
// depend on the order in which it was stored: two stores of the same files have the same Dump. So
// the hash of a Dump is a checksum of a store. It is not a backup: nothing reads it.
//
// Dump sorts the lines in temporary files, which take the space of the Dump, and holds up to 32 MB of
// them in memory.
func (s *Store) Dump(ctx context.Context, w io.Writer) error {
	lines := &lineSorter{maxBytes: dumpMemory}
	defer lines.close()
	err := s.view(ctx, func(tx *sql.Tx) error {
		for _, query := range dumps {
			if err := dumpRows(ctx, tx, query, lines.add); err != nil {
				return err
			}
		}
		d := &dumper{viewer: s.newViewer(ctx, tx), add: lines.add, used: make(traceSet)}
		d.counts = make(map[int64]int)
		if err := cmp.Or(d.dumpMeasurements(), d.checkCounts("")); err != nil {
			return err
		}
		return d.dumpParams()
	})
	if err != nil {
		return wrap(err, "dump")
	}
	return lines.writeTo(w)
}

// dumpMemory is the size of the lines that a Dump holds in memory.
const dumpMemory = 16 << 20

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
func dumpRows(ctx context.Context, tx *sql.Tx, query string, add func(line []byte) error, args ...any) error {
	rows, err := tx.QueryContext(ctx, query, args...)
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

	var line []byte
	for rows.Next() {
		if err := rows.Scan(values...); err != nil {
			return err
		}
		line = line[:0]
		for _, value := range values {
			line = append(appendField(line, *value.(*any)), '\t')
		}
		line[len(line)-1] = '\n'
		if err := add(line); err != nil {
			return err
		}
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

// A dumper makes the lines of measurements. It holds the names of some row groups in memory.
type dumper struct {
	*viewer
	add  func(line []byte) error
	used traceSet // traces that have measurements
	line []byte
}

// dumpedRowGroups is the number of row groups whose names are in memory.
const dumpedRowGroups = 512

// dumpMeasurements makes the lines of all measurements.
func (d *dumper) dumpMeasurements() error {
	var s rowGroupScanner
	var groups []rowGroup
	return d.db.eachChunk(d.ctx, d.tx, "SELECT "+rowGroupColumns+" FROM row_groups m", nil, chunks{
		size: func() int { return dumpedRowGroups },
		scan: func(rows *sql.Rows) error {
			r, err := s.scan(rows)
			if err == nil {
				groups = append(groups, *r)
				groups[len(groups)-1].data = slices.Clone(r.data)
			}
			return err
		},
		done: func() (more bool, err error) {
			err = d.dumpRowGroups(groups)
			groups = groups[:0]
			return true, err
		},
	})
}

// dumpRowGroups makes the lines of some row groups.
func (d *dumper) dumpRowGroups(groups []rowGroup) error {
	traces, commits, sources, spellings := make(traceSet), make(idSet), make(idSet), make(idSet)
	annotations := make(map[annotationsKey]string)
	for i := range groups {
		r := &groups[i]
		traces[r.group] |= r.traces
		d.used[r.group] |= r.traces
		commits[r.commit], sources[r.source] = true, true
		err := r.decode(^uint64(0), func(m *entry) {
			d.counts[r.source]++
			if m.spelling != 0 {
				spellings[m.spelling] = true
			}
			if m.annotations != 0 {
				annotations[annotationsKeyOf(r.source, m.annotations)] = ""
			}
		})
		if err != nil {
			return err
		}
	}

	names, err1 := d.traceTexts(traces)
	commitTexts, err2 := d.texts("SELECT id, name, issue, patchset FROM commits WHERE ", commits)
	paths, err3 := d.texts("SELECT id, path FROM sources WHERE ", sources)
	spelled, err4 := d.texts("SELECT id, params, unit, better FROM spellings WHERE ", spellings)
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return err
	}
	spelled[0] = "-\t-\t-"
	for some := range slices.Chunk(slices.Collect(maps.Keys(annotations)), maxParamList) {
		if err := d.readAnnotations(some, annotations); err != nil {
			return err
		}
	}

	for i := range groups {
		r := &groups[i]
		var failure error
		err := r.decode(^uint64(0), func(m *entry) {
			of := "-\t-\t-"
			if m.annotations != 0 {
				texts := textsOf(annotations[annotationsKeyOf(r.source, m.annotations)], m.annotations)
				of = fmt.Sprintf("%q\t%q\t%q", texts.links, texts.attrs, texts.params)
			}
			d.line = fmt.Appendf(d.line[:0], "\"measurement\"\t%s\t%s\t%s\t%d\t%s\t%s\t%s\t%d\n", names[m.trace],
				commitTexts[r.commit], paths[r.source], m.n, strconv.FormatFloat(m.value, 'g', -1, 64), spelled[m.spelling],
				of, m.offset)
			failure = cmp.Or(failure, d.add(d.line))
		})
		if err = cmp.Or(err, failure); err != nil {
			return err
		}
	}
	return nil
}

// An idSet is a set of IDs.
type idSet map[int64]bool

// texts returns rows as parts of lines, by ID, which is the first column of the query.
func (d *dumper) texts(query string, ids idSet) (map[int64]string, error) {
	texts := make(map[int64]string, len(ids))
	for some := range slices.Chunk(slices.Sorted(maps.Keys(ids)), maxAtOnce) {
		var args []any
		where := d.db.in("id", some, &args)
		err := dumpRows(d.ctx, d.tx, query+where, func(line []byte) error {
			id, rest, _ := bytes.Cut(bytes.TrimSuffix(line, []byte("\n")), []byte("\t"))
			n, err := strconv.ParseInt(string(id), 10, 64)
			texts[n] = string(rest)
			return err
		}, args...)
		if err != nil {
			return nil, err
		}
	}
	if len(texts) < len(ids) {
		return nil, errLost("what a measurement belongs to")
	}
	return texts, nil
}

// traceTexts returns the names of traces as parts of lines, by ID.
func (d *dumper) traceTexts(traces traceSet) (map[int64]string, error) {
	names := make(map[int64]string)
	err := d.eachName(traces.ids(), func(t traceRow) error {
		names[t.id] = strconv.Quote(t.name)
		return nil
	})
	return names, err
}

// dumpParams makes the lines of the params of the traces that have measurements.
func (d *dumper) dumpParams() error {
	type postingRow struct {
		key, value string
		group      int64
		traces     uint64
	}
	var postings []postingRow

	return d.db.eachChunk(d.ctx, d.tx,
		"SELECT p.key, p.value, o.trace_group, o.traces FROM postings o JOIN params p ON p.id = o.param_id", nil, chunks{
			size: func() int { return dumpedRowGroups },
			scan: func(rows *sql.Rows) error {
				var r postingRow
				var traces int64
				err := rows.Scan(&r.key, &r.value, &r.group, &traces)
				if r.traces = uint64(traces) & d.used[r.group]; r.traces != 0 {
					postings = append(postings, r)
				}
				return err
			},
			done: func() (more bool, err error) {
				traces := make(traceSet)
				for _, r := range postings {
					traces[r.group] |= r.traces
				}

				names, err := d.traceTexts(traces)
				if err != nil {
					return false, err
				}
				for _, r := range postings {
					for _, id := range (traceSet{r.group: r.traces}).ids() {
						d.line = fmt.Appendf(d.line[:0], "\"param\"\t%s\t%q\t%q\n", names[id], r.key, r.value)
						if err := d.add(d.line); err != nil {
							return false, err
						}
					}
				}
				postings = postings[:0]
				return true, nil
			},
		})
}
