package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
	"github.com/spf13/cobra"

	"perfdata/internal/chars"
	"perfdata/internal/message"
	"perfdata/store"
)

// storeExportCommand returns the command that writes a database as Parquet. A day is what most
// programs read at once, and what changes least: its file stays, unless something was stored late.
func (t *tool) storeExportCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "export DATABASE DIR",
		Short: "Write Parquet files by day, for DuckDB, ClickHouse and Spark, or bring them up to date",
		Long: `Write the measurements of a database, as perfdata store query prints them, to Parquet
files in DIR, or bring these up to date:

  DIR/measurements/day=2026-11-23/part-0.parquet
            trace_id, commit, commit_time, n, value, unit, better, params, attrs,
            links and file of the measurements of the commits of a day, in UTC.
            day=unknown has the measurements of commits whose time is not known.
            The params are the ones that are not part of the trace
  DIR/traces/part-0.parquet
            trace_id, trace (the trace ID) and params of each trace. A trace that
            files spell differently has a row and a trace_id for each spelling
  DIR/commits/part-0.parquet
            commit, position (in the order of the commits, from 0), commit_time,
            listed (whether a list of commits has it), hash, parents, author, subject
            and repository (of that list)

Unknown values are null. Measurements of changes under review are left out.

Days in which nothing was added, corrected or deleted since the last export are not
written again. Readers may read DIR at any time: each file is written under a temporary
name and then renamed. If the command is killed, the next one completes the work. DIR is
new, or was written by this command for the same database or its backup.`,
		Example: "  perfdata store export perf.db /srv/perf",
		RunE: t.inStore(func(ctx context.Context, s *store.Store, args []string) error {
			// The function sees one state of the database, so the traces, the commits and the days fit each
			// other, whatever others store meanwhile.
			return s.Export(ctx, func(from *store.Export) error {
				e := &export{Export: from, tool: t, dir: args[0]}
				err := e.run()
				// An error about a file of DIR has the name of the file. Other errors get the name of DIR.
				if _, isNamed := errors.AsType[*fs.PathError](err); err == nil || isNamed {
					return err
				}
				return fmt.Errorf("%s: %w", chars.Visible(e.dir), err)
			})
		}),
	}
}

// An export brings the files of a folder up to date. They are made in a temporary folder in it, and
// get their names when all are complete: the traces and commits before the days that refer to them.
type export struct {
	*store.Export
	tool *tool
	dir  string
	temp string // the temporary folder

	done, next manifest // what the folder has, and will have
	made       []string // files that get their names, in this order
}

// A manifest lists the contents of a folder. While files get their names, they have no state in it,
// so that the next export writes them again if this one is killed.
type manifest struct {
	Layout int                     `json:"layout"` // is exportLayout
	Store  string                  `json:"store"`  // store.Export.ID
	Files  map[string]exportedFile `json:"files"`
}

type exportedFile struct {
	State  string `json:"state"` // of the day, or the table
	SHA256 string `json:"sha256"`
}

// The layout is raised when the names or the columns of the files change: days of two layouts could
// not be read as one table, so readManifest refuses another layout.
const (
	exportLayout = 1
	manifestName = "perfdata.json"
	lockName     = ".lock"
	tempName     = ".tmp"
	tracesName   = "traces/part-0.parquet"
	commitsName  = "commits/part-0.parquet"
	dayName      = "measurements/day=%s/part-0.parquet"
)

func (e *export) path(name string) string { return filepath.Join(e.dir, filepath.FromSlash(name)) }

// run brings the folder up to date: a new one, or one that an export has written.
func (e *export) run() error {
	entries, err := os.ReadDir(e.dir)
	// The lock is made first, so a folder may have the lock alone, if the export that began it was
	// killed.
	isOurs := func(entry fs.DirEntry) bool { return entry.Name() == lockName || entry.Name() == manifestName }
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case len(entries) > 0 && !slices.ContainsFunc(entries, isOurs):
		return errors.New("is not empty, and store export has not written it: want a new folder")
	}
	if err := os.MkdirAll(e.dir, 0o777); err != nil {
		return err
	}

	// Two exports at the same time would rename each other's files. The system releases a lock when
	// the process ends, so an export that was killed keeps nobody out. The file of the lock stays, and
	// is no sign of a running export.
	locked, err := os.OpenFile(e.path(lockName), os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	defer locked.Close()
	if canLock && lock(locked, false) != nil {
		return errors.New("another export is writing it")
	}

	e.temp = e.path(tempName)
	clean := func() error { return os.RemoveAll(e.temp) } // also of what a killed export left
	create := func() error { return os.Mkdir(e.temp, 0o777) }
	// Until publish, everything that readers use is written to the temporary folder, so an error
	// leaves DIR as they know it. The temporary folder is in DIR, because a rename to another file
	// system is not possible.
	for _, step := range []func() error{e.readManifest, clean, create, e.writeTables, e.writeDays, e.publish} {
		if err == nil {
			err = step()
		}
	}
	return firstError(err, clean())
}

// readManifest reads the manifest, or writes that of a new folder.
func (e *export) readManifest() error {
	e.done = manifest{exportLayout, e.ID, make(map[string]exportedFile)}
	e.next = manifest{exportLayout, e.ID, make(map[string]exportedFile)}
	text, err := os.ReadFile(e.path(manifestName))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return e.writeManifest(&e.done)
	case err != nil:
		return err
	case json.Unmarshal(text, &e.done) != nil || e.done.Layout != exportLayout || e.done.Files == nil:
		return fmt.Errorf("%s is not that of an export of this version: want a new folder", manifestName)
	case e.done.Store != e.ID:
		return errors.New("is an export of another database: want a new folder")
	}
	// A file that somebody has removed is not current, whatever its state was: it is forgotten here,
	// and written by this export.
	maps.DeleteFunc(e.done.Files, func(name string, _ exportedFile) bool {
		_, err := os.Stat(e.path(name))
		return errors.Is(err, fs.ErrNotExist) || !filepath.IsLocal(name) // which would be removed as an old day
	})
	return nil
}

// writeManifest replaces the manifest, before and after the files that it describes are replaced.
func (e *export) writeManifest(m *manifest) error {
	return e.tool.writeFile(e.path(manifestName), func(w io.Writer) error {
		text, err := json.MarshalIndent(m, "", " ")
		if err == nil {
			_, err = w.Write(append(text, '\n'))
		}
		return err
	})
}

// isCurrent reports whether the folder has a file in a state, which it keeps then.
func (e *export) isCurrent(name, state string) bool {
	file, ok := e.done.Files[name]
	if ok = ok && file.State == state; ok {
		e.next.Files[name] = file
	}
	return ok
}

// writeTables writes the traces and the commits, to which the rows of all days refer.
func (e *export) writeTables() error {
	// The traces are written again only if there are others.
	if !e.isCurrent(tracesName, e.TracesState) {
		p := createPart[store.ExportedTrace](e, tracesName)
		err := e.Traces(func(t *store.ExportedTrace) error { return p.write(*t, len(t.Trace)+sizeOf(t.Params)) })
		if err = p.complete(e, e.TracesState, err); err != nil {
			return err
		}
	}

	// The commits are always written: any list can change all of their positions. If their bytes are
	// the same, the file stays.
	p := createPart[store.ExportedCommit](e, commitsName)
	for _, c := range e.Commits {
		// A run without a commit has no row: the measurements of such runs have a null commit, which
		// joins with nothing.
		if c.Commit != "" {
			p.write(c, len(c.Parents)+len(c.Subject)) // complete has its error
		}
	}
	return p.complete(e, "", nil)
}

// writeDays writes the days that have changed.
func (e *export) writeDays() error {
	var changed []int
	for i, day := range e.Days {
		if !e.isCurrent(fmt.Sprintf(dayName, day.Name), day.State) {
			changed = append(changed, i)
		}
	}

	// The commits of days are usually next to each other in the database, so several days are read and
	// written at the same time. The number is bounded, because each of them holds a row group in
	// memory.
	for days := range slices.Chunk(changed, 8) {
		parts := make(map[int]*part[store.ExportedRow])
		for _, day := range days {
			parts[day] = createPart[store.ExportedRow](e, fmt.Sprintf(dayName, e.Days[day].Name))
		}
		err := e.Rows(days, func(day int, r *store.ExportedRow) error {
			return parts[day].write(*r, sizeOf(r.Params)+sizeOf(r.Attrs)+sizeOf(r.Links))
		})
		// Each part is completed even after an error, because that closes its file.
		for day, p := range parts {
			err = p.complete(e, e.Days[day].State, err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// publish gives the files their names, and removes days that the database does not have any more.
func (e *export) publish() error {
	var gone []string
	for name := range e.done.Files {
		if _, ok := e.next.Files[name]; !ok {
			gone = append(gone, name)
		}
	}
	// From here until the end, a killed command leaves files of two exports, and a manifest that
	// says so.
	between := manifest{exportLayout, e.ID, maps.Clone(e.done.Files)}
	for _, name := range append(gone, e.made...) {
		between.Files[name] = exportedFile{}
	}
	if !maps.Equal(between.Files, e.done.Files) {
		if err := e.writeManifest(&between); err != nil {
			return err
		}
	}

	// This comes before the new table of traces, which may lack traces that only such a day has:
	// otherwise, readers would find rows without a trace there.
	for _, name := range gone {
		if err := os.Remove(e.path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		os.Remove(filepath.Dir(e.path(name))) // unless something else is there
	}

	// The tables are the first of these, so that the trace and the commit of a new row are there
	// before it.
	for _, name := range e.made {
		err := os.MkdirAll(filepath.Dir(e.path(name)), 0o777)
		if err = firstError(err, os.Rename(e.tempName(name), e.path(name))); err != nil {
			return err
		}
	}

	days := slices.DeleteFunc(e.made, func(name string) bool { return name == tracesName || name == commitsName })
	e.tool.note("%s: wrote %s, %d unchanged, %d removed", chars.Visible(e.dir), message.Plural(len(days), "day"),
		len(e.Days)-len(days), len(gone))
	// An export that finds no change writes nothing, not even the manifest.
	if maps.Equal(between.Files, e.next.Files) {
		return nil
	}
	return e.writeManifest(&e.next)
}

// tempName returns the name of a file until it gets its own.
func (e *export) tempName(name string) string {
	return filepath.Join(e.temp, strings.ReplaceAll(name, "/", "_"))
}

// sizeOf returns the bytes of pairs.
func sizeOf(pairs map[string]string) int {
	n := 0
	for key, value := range pairs {
		n += len(key) + len(value)
	}
	return n
}

// A part is a Parquet file of rows in the temporary folder.
type part[Row any] struct {
	name string // that it will have
	file *os.File
	sum  hash.Hash
	out  *parquet.GenericWriter[Row]
	rows []Row // that are written next

	bytes int   // of texts in the row group
	err   error // the first one, after which the file is of no use
}

// Bounds of the rows of a part that are held in memory. The writer ends a row group after 64,000
// rows, whose texts may have any length, such as links: so the bytes are bounded, too.
const (
	partRows       = 256     // that are written at once
	partGroupBytes = 8 << 20 // of texts in a row group, roughly
)

// createPart creates a file in the temporary folder. Most of its options are the same as in
// parquetTable, where they are explained. The methods of the part return its error. The hash is of
// the bytes on their way to the file, which is not read for it. Only the traces have the column of
// the Bloom filter; in the other files, the option has no effect.
func createPart[Row any](e *export, name string) *part[Row] {
	file, err := os.Create(e.tempName(name))
	sum := sha256.New()
	out := parquet.NewGenericWriter[Row](io.MultiWriter(file, sum),
		parquet.Compression(&zstd.Codec{Level: zstd.SpeedBetterCompression}),
		parquet.DataPageVersion(1), // which compresses the levels
		parquet.PageBufferSize(512<<10),
		parquet.MaxRowsPerRowGroup(64_000),
		parquet.DataPageStatistics(false),
		parquet.BloomFilters(parquet.SplitBlockFilter(10, "trace")))
	return &part[Row]{name: name, file: file, sum: sum, out: out, err: err}
}

// write writes a row with a number of bytes that it does not share with most others.
func (p *part[Row]) write(row Row, bytes int) error {
	p.rows = append(p.rows, row)
	if p.bytes += bytes; len(p.rows) >= partRows || p.bytes >= partGroupBytes {
		p.flush()
	}
	return p.err
}

// flush writes the rows, and the row group if it is large.
func (p *part[Row]) flush() {
	if p.err == nil {
		_, p.err = p.out.Write(p.rows)
	}
	if p.rows = p.rows[:0]; p.err == nil && p.bytes >= partGroupBytes {
		p.bytes = 0
		p.err = p.out.Flush()
	}
}

// complete writes the rest of the part, unless an error came before, which it returns. A file that
// the folder has with the same bytes stays as it is. The state of a day may be new without a
// difference in its bytes: rows that newer runs hide change the state, and are not in the file.
func (p *part[Row]) complete(e *export, state string, err error) error {
	if err == nil {
		p.flush()
		// Without Sync, a machine that loses power after the rename may have an empty file.
		err = firstError(p.err, p.out.Close(), p.file.Sync())
	}
	if err = firstError(err, p.file.Close()); err != nil {
		return err
	}
	sum := fmt.Sprintf("%x", p.sum.Sum(nil))
	e.next.Files[p.name] = exportedFile{state, sum}
	if e.done.Files[p.name].SHA256 != sum {
		e.made = append(e.made, p.name)
	}
	return nil
}
