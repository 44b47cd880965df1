package store

import (
	"context"
	"io/fs"
	"maps"
	"slices"
	"time"

	"perfdata/traceid"
)

// A Selection selects what [Store.Delete] deletes: what all of its fields select that are set. At
// least one must be set.
//
// Paths, Run, Before and Trial select files, and without Commit and Query, the files are deleted:
// it is as if they had never been stored. A deleted file may be stored again, with any content,
// and is if it is ingested again.
//
// Commit and Query select measurements of these files, or of all files. The files stay, without
// the measurements: [Store.Sources] has them, including those with nothing left, and ingesting
// them again changes nothing. To restore the measurements, delete the files, and ingest them.
//
// Newer and older versions of a measurement are selected alike. Nothing else is deleted: after the
// newest file of a measurement is deleted, queries return the value of the next older one.
type Selection struct {
	Paths []string // of files
	Run   string   // as in [Source]: without [IngestOptions], the path of the file

	// Before selects the files of earlier hours. Files without an hour are not selected.
	Before time.Time

	// Trial selects the files of a change under review, or if it is the zero Trial, the files of
	// the mainline. If it is nil, both are selected.
	Trial *Trial

	Commit string         // as the files have it: Name of [Commit]
	Query  *traceid.Query // selects traces, as in [Store.Query]; it must have a term
}

// Deleted says what was deleted, or would be.
type Deleted struct {
	Files        []DeletedFile `json:"files"`            // by hour and then by path; of each, something was deleted
	Measurements int           `json:"measurements"`     // of all files, including measurements that newer ones hid
	Missing      []string      `json:"-"`                // Paths that the store does not have
	NoHour       int           `json:"noHour,omitempty"` // files that only lack the hour that Before compares
}

// A DeletedFile is a file, or what was deleted of it.
type DeletedFile struct {
	Path         string `json:"path"`
	Measurements int    `json:"measurements"`
}

// Selected returns what [Store.Delete] would delete.
func (s *Store) Selected(ctx context.Context, selection Selection) (Deleted, error) {
	d, err := s.plan(ctx, selection)
	if err != nil {
		return Deleted{}, wrap(err, "selecting what to delete")
	}
	for _, f := range d.files {
		d.found.add(f.path, f.selected)
	}
	return d.found, nil
}

// The files, and the measurements of all of them, from which a transaction deletes. Files with
// hours near each other have commits of the same blocks, which are read once for all of them.
const (
	deletedFiles        = 64
	deletedMeasurements = 100_000
)

// Delete deletes what a Selection selects of what the store has when it begins.
//
// It takes a transaction for each 64 files, or 100,000 measurements, between which others can
// write. If it fails, or the process is killed, some files are deleted and the others are
// unchanged; call Delete with the same Selection to delete the rest. With an error, it returns
// what was deleted before the error.
//
// Traces without values stay in the database until [Store.Vacuum], which also frees space.
func (s *Store) Delete(ctx context.Context, selection Selection) (Deleted, error) {
	d, err := s.plan(ctx, selection)
	if err != nil {
		return Deleted{}, wrap(err, "delete")
	}
	for len(d.files) > 0 {
		n, records := 0, 0
		for n < min(len(d.files), deletedFiles) && (n == 0 || records+d.files[n].records <= deletedMeasurements) {
			records += d.files[n].records
			n++
		}

		var found Deleted
		err := s.write(ctx, func(t *transaction) (err error) {
			found, err = d.delete(t, d.files[:n])
			return err
		})
		if err != nil {
			return d.found, wrap(err, "delete")
		}
		d.found.Files = append(d.found.Files, found.Files...)
		d.found.Measurements += found.Measurements
		d.files = d.files[n:]
	}
	return d.found, nil
}

func (d *Deleted) add(path string, measurements int) {
	d.Files = append(d.Files, DeletedFile{path, measurements})
	d.Measurements += measurements
}

// A deletion is a Selection in the database.
type deletion struct {
	*Store
	ctx     context.Context
	want    Selection
	files   []selectedFile // by hour and then by path
	traces  traceSet       // nil for all
	commits idSet          // nil for all
	found   Deleted
}

// A selectedFile is a file with something selected in it.
type selectedFile struct {
	id       int64
	path     string
	records  int // that are stored
	selected int // of these
}

// deletesFiles reports whether whole files are deleted.
func (d *deletion) deletesFiles() bool { return d.want.Commit == "" && d.want.Query == nil }

// plan returns what a Selection selects.
func (s *Store) plan(ctx context.Context, want Selection) (*deletion, error) {
	isEmpty := want.Paths == nil && want.Run == "" && want.Before.IsZero() && want.Trial == nil && want.Commit == ""
	if want.Query != nil {
		isEmpty = len(want.Query.Terms()) == 0
	}
	if isEmpty {
		return nil, &inputError{"the selection is empty: want one that does not select everything", fs.ErrInvalid}
	}

	d := &deletion{Store: s, ctx: ctx, want: want}
	err := s.read(ctx, func(v *viewer) error {
		if err := d.findFiles(v); err != nil || d.deletesFiles() {
			return err
		}
		if err := d.findTraces(v); err != nil {
			return err
		}
		return d.countMeasurements(v)
	})
	return d, err
}

// findFiles finds the selected files, and the names of files that are missing. The program compares
// all files with the Selection, so that the database, which has to count them anyway, is not asked
// for names that it could not store.
func (d *deletion) findFiles(v *viewer) error {
	before := d.want.Before.UTC().Truncate(time.Hour)
	missing := make(map[string]bool)
	for _, path := range d.want.Paths {
		missing[path] = true
	}

	err := v.eachSource(time.Time{}, "", func(id int64, src *Source) error {
		switch {
		case d.want.Paths != nil && !missing[src.Path],
			d.want.Run != "" && d.want.Run != src.Run,
			d.want.Trial != nil && *d.want.Trial != src.Trial:
		case !d.want.Before.IsZero() && src.Hour.IsZero():
			d.found.NoHour++
		case d.want.Before.IsZero() || src.Hour.Before(before):
			delete(missing, src.Path)
			d.files = append(d.files, selectedFile{id, src.Path, src.Records, src.Records})
		}
		return nil
	})
	d.found.Missing = slices.Sorted(maps.Keys(missing))
	return err
}

// findTraces finds the traces that the query selects.
func (d *deletion) findTraces(v *viewer) error {
	if d.want.Query == nil {
		return nil
	}
	d.traces = make(traceSet)
	search, err := v.newSearch(d.want.Query)
	if err != nil || search == nil {
		return err
	}
	return v.eachTraces(search, func(chunk []traceRow) error {
		for _, t := range chunk {
			d.traces.add(t.id)
		}
		return nil
	})
}

// countMeasurements finds the selected commits, and counts the measurements of each file that are
// selected at them. It leaves out the files that have none.
func (d *deletion) countMeasurements(v *viewer) error {
	if d.want.Commit != "" {
		d.commits = make(idSet)
	}
	var blocks []int64
	err := v.eachCommit(func(c *commitRow, _ Trial) error {
		if d.commits != nil {
			if d.want.Commit != c.Name {
				return nil
			}
			d.commits[c.id] = true
		}
		blocks = append(blocks, c.block)
		return nil
	})
	if err != nil {
		return err
	}
	slices.Sort(blocks)
	blocks = slices.Compact(blocks)

	if len(blocks) == 0 || d.traces != nil && len(d.traces) == 0 {
		d.files = nil
		return nil
	}
	where, args := d.db.in("m.block", blocks)
	if len(d.traces) > 0 && len(d.traces) <= maxParamList {
		ofGroups, both := d.db.in("m.trace_group", slices.Sorted(maps.Keys(d.traces)), args...)
		where, args = where+" AND "+ofGroups, both
	}
	selected := make(map[int64]int)
	err = eachRowGroup(d.ctx, v.tx, true, where, args, func(r *rowGroup) error {
		wanted := d.selects(r.commit, r.group)
		if r.traces&wanted == 0 {
			return nil
		}
		return r.decode(wanted, func(*entry) { selected[r.source]++ })
	})
	if err != nil {
		return err
	}

	for i := range d.files {
		d.files[i].selected = selected[d.files[i].id]
	}
	d.files = slices.DeleteFunc(d.files, func(f selectedFile) bool { return f.selected == 0 })
	return nil
}

// selects returns the traces of a group that are selected at a commit.
func (d *deletion) selects(commit, group int64) uint64 {
	switch {
	case d.commits != nil && !d.commits[commit]:
		return 0
	case d.traces != nil:
		return d.traces[group]
	}
	return ^uint64(0)
}
