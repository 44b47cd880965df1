package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"time"

	"perfdata/format"
	"perfdata/traceid"
)

// An Export reads the mainline of one state of the database by the days of its commits, for copies
// that are brought up to date: see [Store.Export]. A State changes if its rows change, or if the
// rows that newer runs hide change, and only then.
type Export struct {
	ID          string           // of the database, and of its backups
	Days        []Day            // sorted by name
	Commits     []ExportedCommit // in their order
	TracesState string           // of what Traces returns

	v         *viewer
	days      []int    // by commit, indexes of Days
	canonical traceSet // that a file spells as their IDs: TraceID is twice the number
	spelled   traceSet // other spellings: TraceID is twice the number and one
	traces    traceSet // all
}

// A Day is what the mainline has of the commits of a day.
type Day struct {
	Name  string // of the times of its commits in UTC, as 2026-11-23, or UnknownDay
	State string
}

// UnknownDay is the day of commits whose time is not known, and of measurements without a commit.
const UnknownDay = "unknown"

// The rows of the tables have tags with their columns in Parquet.

// An ExportedRow is a measurement of a Day. The properties that all measurements of a trace share
// are in an [ExportedTrace].
type ExportedRow struct {
	TraceID    int64             `parquet:"trace_id,delta"` // of an ExportedTrace
	Commit     string            `parquet:"commit,optional,dict"`
	CommitTime *time.Time        `parquet:"commit_time,optional,dict,timestamp(millisecond)"`
	N          int64             `parquet:"n,optional,dict"` // as in Point
	Value      float64           `parquet:"value"`
	Unit       string            `parquet:"unit,optional,dict"`
	Better     string            `parquet:"better,optional,dict"`
	Params     map[string]string `parquet:"params" parquet-key:",dict" parquet-value:",dict"` // except those of the trace
	Attrs      map[string]string `parquet:"attrs" parquet-key:",dict" parquet-value:",dict"`
	Links      map[string]string `parquet:"links" parquet-key:",dict" parquet-value:",dict"`
	File       string            `parquet:"file,dict"`
}

// An ExportedTrace is a trace as files spell it. A trace that they spell differently is several,
// with one Trace.
type ExportedTrace struct {
	TraceID int64             `parquet:"trace_id,delta"` // is never that of another trace of the database
	Trace   string            `parquet:"trace"`
	Params  map[string]string `parquet:"params" parquet-key:",dict" parquet-value:",dict"` // verbatim
}

// An ExportedCommit is a [Commit]. Its time is nil if it is not known.
type ExportedCommit struct {
	Commit     string     `parquet:"commit"` // empty for a run
	Position   int64      `parquet:"position,delta"`
	CommitTime *time.Time `parquet:"commit_time,optional,timestamp(millisecond)"`
	Listed     bool       `parquet:"listed"`
	Hash       string     `parquet:"hash,optional"`
	Parents    string     `parquet:"parents,optional"`
	Author     string     `parquet:"author,optional,dict"`
	Subject    string     `parquet:"subject,optional"`
	Repository string     `parquet:"repository,optional,dict"`
}

// Export calls do with the mainline, which stays as it is until do returns.
func (s *Store) Export(ctx context.Context, do func(*Export) error) error {
	err := s.read(ctx, func(v *viewer) error {
		e := &Export{v: v}
		if err := e.load(); err != nil {
			return err
		}
		return do(e)
	})
	return wrap(err, "export")
}

// load sets the days and commits, and their contents.
func (e *Export) load() error {
	list, err := e.v.commitList(Trial{})
	if err != nil {
		return err
	}
	id, err := readStamp(e.v.ctx, e.v.tx, identityStamp)
	if err != nil {
		return err
	}
	e.ID, e.v.list = fmt.Sprintf("%016x", id), list

	names := make([]string, len(list.commits)) // of days
	for i := range names {
		c := &list.commits[i].Commit
		e.Commits = append(e.Commits, ExportedCommit{
			Commit: c.Name, Position: int64(i), Listed: c.Position >= 0, Hash: c.Listed.Hash,
			Parents: strings.Join(c.Listed.Parents, " "), Author: c.Listed.Author, Subject: c.Listed.Subject,
			Repository: c.Repository,
		})
		if names[i] = UnknownDay; c.Name != "" && !c.Time.IsZero() {
			e.Commits[i].CommitTime, names[i] = &c.Time, c.Time.UTC().Format(time.DateOnly)
		}
	}
	days := slices.Compact(slices.Sorted(slices.Values(names)))
	for _, name := range days {
		e.Days = append(e.Days, Day{Name: name})
	}
	for _, name := range names {
		day, _ := slices.BinarySearch(days, name)
		e.days = append(e.days, day)
	}

	sums := make([]stateSum, len(e.Days))
	if err := cmp.Or(e.addCommits(sums), e.addMeasurements(sums)); err != nil {
		return err
	}
	for i := range sums {
		e.Days[i].State = sums[i].String()
	}
	var sum stateSum
	for i, set := range []traceSet{e.canonical, e.spelled} {
		for group, members := range set {
			sum.add(fmt.Appendf(nil, "traces %d %d %x", i, group, members))
		}
	}
	e.TracesState = sum.String()
	return nil
}

// A stateSum is the sum of the hashes of texts, whose order does not matter.
type stateSum [2]uint64

func (s *stateSum) add(text []byte) {
	hash := sha256.Sum256(text)
	s[0] += binary.BigEndian.Uint64(hash[:])
	s[1] += binary.BigEndian.Uint64(hash[8:])
}

func (s *stateSum) String() string { return fmt.Sprintf("%016x%016x", s[0], s[1]) }

// addCommits adds commits and their sources to the sums of days. Whether a run is the newest at a
// commit depends on its newest file, which may be of another day.
func (e *Export) addCommits(sums []stateSum) error {
	if err := cmp.Or(checkCount(e.v.ctx, e.v.tx, "sources"), checkSourceCommits(e.v.ctx, e.v.tx)); err != nil {
		return err
	}
	for i := range e.Commits {
		c := &e.v.list.commits[i]
		sums[e.days[i]].add(fmt.Appendf(nil, "commit %d %q %q %d", c.id, c.Name, c.Run, c.Time.Unix()))
	}

	const query = "SELECT sc.commit_id, s.id, s.sha256, " + runColumns + `
		FROM source_commits sc JOIN sources s ON s.id = sc.source_id WHERE s.issue = '' AND s.patchset = ''`
	var commit, source int64
	var hash []byte
	var run runOf
	dest := []any{&commit, &source, &hash, &run.name, &run.source.hour, &run.source.path,
		&run.newest.hour, &run.newest.path}
	return e.v.each(query, nil, dest, func() error {
		if i, ok := e.v.list.index[commit]; ok {
			sums[e.days[i]].add(fmt.Appendf(nil, "source %d %d %q %x %q %q",
				commit, source, run.source, hash, run.name, run.newest))
		}
		return nil
	})
}

// addMeasurements adds row groups to the sums of days, and finds the traces that these have.
func (e *Export) addMeasurements(sums []stateSum) error {
	e.canonical, e.spelled, e.traces = make(traceSet), make(traceSet), make(traceSet)
	isCanonical := idSet{0: true}
	canonical, err := column[int64](e.v.ctx, e.v.tx, "SELECT id FROM spellings WHERE params = ''")
	if err != nil {
		return err
	}
	for _, id := range canonical {
		isCanonical[id] = true
	}

	var line []byte
	return eachRowGroup(e.v.ctx, e.v.tx, true, "m.block >= 0", nil, func(r *rowGroup) error {
		i, ok := e.v.list.index[r.commit]
		if !ok {
			return errLost("a commit")
		}
		line = line[:0]
		for _, key := range r.keys() {
			line = binary.BigEndian.AppendUint64(line, uint64(key))
		}
		sums[e.days[i]].add(append(line, r.data...))

		e.traces[r.group] |= r.traces
		return r.decode(^uint64(0), func(m *entry) {
			if isCanonical[m.spelling] {
				e.canonical.add(m.trace)
			} else {
				e.spelled.add(m.spelling)
			}
		})
	})
}

// Rows calls each with the rows of some Days, which are indexes: of each day sorted by trace, and
// then by commit. A row belongs to the call. A part of the rows is in memory, however many there
// are.
func (e *Export) Rows(days []int, each func(day int, row *ExportedRow) error) error {
	v := e.v
	v.selectWhere(func(i int) bool { return slices.Contains(days, e.days[i]) })
	var traces []traceRow
	for _, id := range e.traces.ids() {
		traces = append(traces, traceRow{id: id})
	}
	return v.eachOf(traces, func(chunk []traceRow) error {
		traces, err := v.measurements(chunk)
		if err == nil {
			err = v.loadNames(traces)
		}
		if err != nil {
			return err
		}

		var row ExportedRow
		var links format.Links
		var attrs traceid.Params
		for _, t := range traces {
			for i := range t.rows {
				m := &t.rows[i]
				params, err := v.parsed.into(m, &links, &attrs)
				if err != nil {
					return err
				}

				c, as := &e.Commits[m.commit], v.spellings[m.spelling]
				row = ExportedRow{
					TraceID: 2 * t.id, Commit: c.Commit, CommitTime: c.CommitTime,
					N: int64(m.n), Value: m.value, Unit: as.unit, Better: as.better.String(),
					Params: mapOf(params), Attrs: mapOf(attrs), Links: mapOf(links), File: v.runs[m.source].source.path,
				}
				if as.params != nil {
					row.TraceID = 2*m.spelling + 1
				}
				if err := each(e.days[m.commit], &row); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// mapOf returns pairs as a map, which is nil without any: most rows have none of some kind.
func mapOf(pairs traceid.Params) map[string]string {
	if len(pairs) == 0 {
		return nil
	}
	return pairs.Map()
}

// Traces calls each with the traces that the days have. An ExportedTrace belongs to the call.
func (e *Export) Traces(each func(t *ExportedTrace) error) error {
	v := e.v
	err := v.eachName(e.canonical.ids(), func(t traceRow) error {
		params, err := traceid.Parse(t.name)
		if err != nil {
			return err
		}
		return each(&ExportedTrace{2 * t.id, t.name, params.Map()})
	})
	if err != nil {
		return err
	}

	for ids := range slices.Chunk(e.spelled.ids(), maxAtOnce) {
		v.spellings = make(map[int64]spelled)
		if err := v.loadSpellings(slices.Clone(ids)); err != nil {
			return err
		}
		for _, id := range ids {
			params := v.spellings[id].params
			if err := each(&ExportedTrace{2*id + 1, v.charset.ID(params), params.Map()}); err != nil {
				return err
			}
		}
	}
	return nil
}
