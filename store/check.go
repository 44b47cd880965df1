package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"strings"

	"perfdata/traceid"
)

// A Damage is the result of [Store.Check]. The zero Damage means that the database is sound.
type Damage struct {
	Faults []string   // the damaged parts, at most 100; empty if the database is sound
	Files  []LostFile // that lost measurements, by hour and then by path

	// Fixed says that the database cannot be repaired by deleting the files and storing them
	// again, because SQLite cannot change pages that it cannot read: a backup has to take its
	// place, or a new database.
	Fixed bool
}

// A LostFile is a file of which some measurements cannot be read.
type LostFile struct {
	Path         string
	Lost, Stored int // measurements
	hour         string
}

// maxFaults is the length of Damage.Faults.
const maxFaults = 100

// Check reads the whole database, and returns the damaged parts: rows and pages whose checksums do
// not match, findings of SQLite's integrity check, and rows that are missing according to other
// rows or counts. Others may read and write meanwhile. The error says that the database could not
// be read for another reason.
func (s *Store) Check(ctx context.Context) (Damage, error) {
	c := &checker{Store: s, ctx: ctx, blocks: make(idSet), commits: make(idSet), spellings: idSet{0: true},
		traces: make(traceSet), annotations: make(map[annotationsKey]bool), ofFiles: make(map[sourceCommit]bool),
		found: make(map[sourceCommit]int), readable: make(map[int64]int)}
	err := s.view(ctx, func(tx *sql.Tx) error {
		faults, err := c.db.integrity(ctx, tx)
		c.damage.Fixed = len(faults) > 0
		for _, fault := range faults {
			c.fault("%s", fault)
		}
		for _, table := range countedTables {
			if err == nil {
				err = checkCount(ctx, tx, table)
			}
			if isDamaged(err) {
				c.fault("%s: %v", table, err)
				err = nil
			}
		}

		c.tx, c.err = tx, err
		c.checkNames()
		c.checkParams()
		c.checkMeasurements()
		c.checkSources()
		return c.err
	})
	if isDamaged(err) { // PostgreSQL reads nothing more after an error
		c.fault("%v", err)
		err = nil
	}
	return c.damage, wrap(err, "check")
}

// A checker checks a database. It reads what measurements name first, and then the measurements,
// which are lost if anything is missing that they name.
type checker struct {
	*Store
	ctx    context.Context
	tx     *sql.Tx
	err    error // the first, after which nothing more is read
	damage Damage

	// What can be read.
	blocks      idSet // of all commits
	commits     idSet
	spellings   idSet
	traces      traceSet
	annotations map[annotationsKey]bool
	ofFiles     map[sourceCommit]bool
	found       map[sourceCommit]int // measurements with everything but their commits
	readable    map[int64]int        // measurements by source

	params uint64 // the sum of the params of the traces: see pairSum
}

func (c *checker) fault(format string, args ...any) {
	if len(c.damage.Faults) < maxFaults {
		c.damage.Faults = append(c.damage.Faults, fmt.Sprintf(format, args...))
	}
}

// each calls do for each row of a table, after its columns are in dest. If some rows cannot be
// read, it goes on with the rows after them, from the end of the primary key.
func (c *checker) each(table, where, columns, key string, dest []any, do func()) {
	query := "SELECT " + columns + " FROM " + table + where
	scan := func(query string) {
		c.err = eachRow(c.ctx, c.tx, query, nil, dest, func() error {
			do()
			return nil
		})
	}
	if c.err == nil {
		scan(query)
	}
	if _, isPostgres := c.db.(*postgresDB); isPostgres || !isDamaged(c.err) {
		return // PostgreSQL reads nothing more after an error
	}
	c.damage.Fixed = true
	c.fault("%s: %v", table, c.err)
	if scan(query + " ORDER BY " + strings.ReplaceAll(key, ",", " DESC,") + " DESC"); isDamaged(c.err) {
		c.err = nil
	}
}

// hasHash notes a name whose hash is not that of its row, and reports whether it is.
func (c *checker) hasHash(table string, id int64, sum [sha256.Size]byte, hash []byte) bool {
	isSame := string(sum[:]) == string(hash)
	if !isSame {
		c.fault("%s: row %d has another hash", table, id)
	}
	return isSame
}

// checkNames reads the tables that measurements name. It also adds up the params of the traces.
func (c *checker) checkNames() {
	var id int64
	var name, run string
	var hash sql.RawBytes
	var trial Trial
	dest := []any{&id, &hash, &name, &trial.Issue, &trial.Patchset, &run}
	c.each("commits", "", "id, hash, name, issue, patchset, run", "id", dest, func() {
		c.blocks[blockOf(id, trial)] = true
		c.commits[id] = c.hasHash("commits", id, commitHash(name, trial, run), hash)
	})

	var one spelling
	dest = []any{&id, &hash, &one.params, &one.unit, &one.better}
	c.each("spellings", "", "id, hash, params, unit, better", "id", dest, func() {
		c.spellings[id] = c.hasHash("spellings", id, one.hashed().hash, hash)
	})

	c.each("traces", "", "id, hash, name", "id", []any{&id, &hash, &name}, func() {
		params, err := traceid.Parse(name) // there is no error with the hash
		if !c.hasHash("traces", id, hashed(name).hash, hash) || err != nil {
			return
		}
		c.traces.add(id)
		for _, p := range params {
			param := paramHash(p)
			c.params += pairSum(param[:], id)
		}
	})

	var key annotationsKey
	var texts sql.RawBytes
	dest = []any{&key.source, &key.id, &texts}
	c.each("annotations", "", "source_id, id, texts", "source_id, id", dest, func() {
		_, err := unseal(texts, key.keys())
		if c.annotations[key] = err == nil; err != nil {
			c.fault("annotations: row %d of file %d: %v", key.id, key.source, err)
		}
	})

	var at sourceCommit
	const columns = "commit_id, source_id"
	c.each("source_commits", "", columns, columns, []any{&at.commit, &at.source}, func() {
		c.ofFiles[at] = true
	})
}

// pairSum returns a number for a param and a trace. Two sets of pairs are equal if the sums of
// their numbers are.
func pairSum(param []byte, trace int64) uint64 {
	sum := sha256.Sum256(binary.BigEndian.AppendUint64(slices.Clone(param), uint64(trace)))
	return binary.BigEndian.Uint64(sum[:])
}

// checkParams compares the params of the traces with those by which queries find them.
func (c *checker) checkParams() {
	var id, traces, group int64
	var hash []byte
	var p traceid.Param
	hashes, counts := make(map[int64][]byte), make(map[int64]int64)
	dest := []any{&id, &hash, &p.Key, &p.Value, &traces}
	c.each("params", "", "id, hash, key, value, traces", "id", dest, func() {
		c.hasHash("params", id, paramHash(p), hash)
		hashes[id], counts[id] = hash, traces
	})
	if c.err != nil {
		return
	}

	dest = []any{&id, &group, &traces}
	c.each("postings", "", "param_id, trace_group, traces", "param_id, trace_group", dest, func() {
		counts[id] -= int64(bits.OnesCount64(uint64(traces)))
		for _, trace := range (traceSet{group: uint64(traces)}).ids() {
			c.params -= pairSum(hashes[id], trace)
		}
	})
	for id, n := range counts {
		if n != 0 {
			c.fault("postings: other traces than the %d has", id)
		}
	}

	if c.params != 0 {
		c.fault("postings: other params than the traces have")
	}
}

// checkMeasurements reads the row groups, whose blocks are those of the commits.
func (c *checker) checkMeasurements() {
	for _, block := range slices.Sorted(maps.Keys(c.blocks)) {
		missing := make(map[int64]int64) // row groups, by group
		var r rowGroup
		var traces int64
		dest := []any{&r.group, &r.commit, &r.source, &traces, (*sql.RawBytes)(&r.data)}
		c.each("row_groups m", fmt.Sprintf(" WHERE m.block = %d", block), rowGroupColumns,
			"m.block, m.trace_group, m.commit_id, m.part, m.source_id", dest, func() {
				if r.commit == countCommit {
					missing[r.group] += traces
					return
				}
				missing[r.group]--
				r.traces = uint64(traces)
				c.checkRowGroup(&r)
			})
		if c.err != nil {
			return
		}
		for _, n := range missing {
			if n != 0 {
				c.fault("row_groups: %d rows are missing", n)
			}
		}
	}

	for at, n := range c.found {
		switch {
		case !c.ofFiles[at]:
			c.fault("source_commits: no row of commit %d of file %d", at.commit, at.source)
		case c.commits[at.commit]:
			c.readable[at.source] += n
		}
		delete(c.ofFiles, at)
	}
	for at := range c.ofFiles {
		c.fault("source_commits: commit %d of file %d has no measurements", at.commit, at.source)
	}
}

// checkRowGroup counts the measurements of a row group with everything that they name.
func (c *checker) checkRowGroup(r *rowGroup) {
	n := 0
	err := r.decode(^uint64(0), func(m *entry) {
		key := annotationsKeyOf(r.source, m.annotations)
		if c.spellings[m.spelling] && c.traces.has(m.trace) && (m.annotations == 0 || c.annotations[key]) {
			n++
		}
	})
	if err != nil {
		c.fault("row_groups: block of commit %d, file %d: %v", r.commit, r.source, err)
		return
	}
	c.found[sourceCommit{r.commit, r.source}] += n
}

// checkSources finds the files that have lost measurements.
func (c *checker) checkSources() {
	var id int64
	var f LostFile
	c.each("sources", "", "id, hour, path, records", "id", []any{&id, &f.hour, &f.Path, &f.Stored}, func() {
		if f.Lost = f.Stored - c.readable[id]; f.Lost != 0 {
			c.damage.Files = append(c.damage.Files, f)
		}
		delete(c.readable, id)
	})
	for id, n := range c.readable {
		c.fault("sources: the name of file %d, with %d measurements, is lost", id, n)
	}
	slices.SortFunc(c.damage.Files, func(a, b LostFile) int {
		return age{a.hour, a.Path}.compare(age{b.hour, b.Path})
	})
	if len(c.damage.Files) > 0 && len(c.damage.Faults) == 0 {
		c.fault("annotations: rows are missing")
	}
}
