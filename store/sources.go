package store

import (
	"context"
	"database/sql"
	"iter"
	"time"

	"perfdata/ingest"
)

// A Source is a file that was stored, or failed.
type Source struct {
	Path   string
	Hour   time.Time // zero if the file has none
	SHA256 []byte    // of the content that is stored; nil if nothing is

	Format  string
	Commit  string // of the header, or of IngestOptions
	Trial   Trial
	Run     string // see [IngestOptions]; empty if nothing is stored of the file
	Records int    // that are stored

	// ReplacedBy is the path of the upload that replaced the file: nothing that it said is left.
	ReplacedBy string

	// Faults counts the faulty measurements that were left out: see ingest.RunOptions.Strict.
	Faults int

	// Err says why the last attempt to store the file failed. For a file with Faults, it is the
	// first of them. It is empty otherwise.
	Err string
}

// Sources iterates over all files that were to be stored, also the ones that failed, by hour and
// then by path.
func (s *Store) Sources(ctx context.Context) iter.Seq2[Source, error] {
	return s.SourcesAfter(ctx, time.Time{}, "")
}

// SourcesAfter is [Store.Sources] for the files after an hour and path, such as those of the last
// file of a page. The store need not have that file.
func (s *Store) SourcesAfter(ctx context.Context, hour time.Time, path string) iter.Seq2[Source, error] {
	return iterate(ctx, s, "sources", func(v *viewer, yield func(Source) error) error {
		return v.eachSource(hour, path, func(_ int64, src *Source) error { return yield(*src) })
	})
}

// eachSource calls do for the files after an hour and path, with their IDs. A Source belongs to the
// call, but not its SHA256.
func (v *viewer) eachSource(hour time.Time, path string, do func(id int64, src *Source) error) error {
	if err := checkCount(v.ctx, v.tx, "sources"); err != nil {
		return err
	}
	const query = `
		SELECT id, path, hour, sha256, format, commit_name, issue, patchset, run, records, replaced_by, faults, error
		FROM sources WHERE (hour, path) > ($1, $2) ORDER BY hour, path`
	after := []any{hourText(ingest.File{Hour: hour}), replaceUnstorable(path)} // PostgreSQL refuses to search for others
	var id int64
	var src Source
	var at string
	dest := []any{&id, &src.Path, &at, &src.SHA256, &src.Format, &src.Commit, &src.Trial.Issue,
		&src.Trial.Patchset, &src.Run, &src.Records, &src.ReplacedBy, &src.Faults, &src.Err}

	return v.each(query, after, dest, func() error {
		src.Hour = parseHour(at)
		return do(id, &src)
	})
}

// Note records the outcome of a file, so that [Store.Sources] lists it: the error of a file that
// failed, or the faulty measurements that a stored file lacks. From an error that is not about
// the file, it removes the names of files and servers. [Store.Ingest] calls it for each file.
func (s *Store) Note(ctx context.Context, report ingest.Report) error {
	text := ""
	switch {
	case report.Err != nil:
		text = noted(report.Err)
	case report.Faults > 0:
		text = report.FirstFaults[0].Error()
	default:
		return nil
	}

	err := s.write(ctx, func(t *transaction) error {
		args := []any{shown(report.File.Path), shown(report.Format), report.Faults, shown(text)}
		n, err := t.exec(ctx, `
			UPDATE sources SET error = $4, faults = CASE WHEN $3 > 0 THEN $3 ELSE faults END,
				format = CASE WHEN sha256 IS NULL THEN $2 ELSE format END
			WHERE path = $1`, args...)
		if err == nil && n == 0 {
			t.countRows("sources", 1)
			_, err = t.exec(ctx, "INSERT INTO sources (path, format, faults, error, hour) VALUES ($1, $2, $3, $4, $5)",
				append(args, hourText(report.File))...)
		}
		return err
	})
	return wrap(err, "recording that "+report.File.Path+" failed")
}

// shown returns text as every database can store it, and not too long for an index.
func shown(text string) string {
	if len(text) > maxPath {
		text = text[:maxPath-3] + "..."
	}
	return replaceUnstorable(text)
}

// minAge is how long ago a file was modified, at least, so that its time tells it from a later
// version. A file system may not tell times apart that are closer.
const minAge = 2 * time.Second

// stampOf returns what tells a file from other versions of it, as the database has it: NULL if
// nothing does.
func stampOf(f ingest.File, now time.Time) (size, modified any) {
	if f.ModTime.IsZero() || now.Sub(f.ModTime) < minAge {
		return nil, nil
	}
	return f.Size, f.ModTime.UnixNano()
}

// Lookup returns the stored properties of a file, or nil if the store does not have it in its
// present form, judging by size and time. Files that failed, or had faults, are read again, so
// that they are reported. [ingest.Run] calls it. An error of the database, except for damage, is
// reported when the file is stored.
func (s *Store) Lookup(ctx context.Context, f ingest.File) (*ingest.Stored, error) {
	return s.lookup(ctx, f, "path = $3 AND replaced_by = ''", f.Path)
}

// lookup is Lookup for the files that a condition with arguments from $3 on selects.
func (s *Store) lookup(ctx context.Context, f ingest.File, condition string, args ...any) (*ingest.Stored, error) {
	size, modified := stampOf(f, time.Now())
	if modified == nil || checkPath("path", f.Path) != nil {
		return nil, nil
	}
	var stored ingest.Stored
	var sum []byte
	err := s.view(ctx, func(tx *sql.Tx) error {
		return tx.QueryRowContext(ctx, `
			SELECT format, records, sha256 FROM sources
			WHERE size = $1 AND modified = $2 AND sha256 IS NOT NULL AND error = '' AND `+condition+" LIMIT 1",
			append([]any{size, modified}, args...)...).Scan(&stored.Format, &stored.Content.Records, &sum)
	})
	if isDamaged(err) {
		return nil, wrap(err, "looking for "+f.Path)
	}
	if err != nil || len(sum) != len(stored.Content.SHA256) {
		return nil, nil
	}
	stored.Content.Size, stored.Content.SHA256 = f.Size, [32]byte(sum)
	return &stored, nil
}

// Lookup is Store.Lookup, and for a version also that of a path of arrival. A file at the path of a
// version is not read only if it is of the same folder, or if it is not known of which: in two
// folders, files of equal names may have the same size and time. If the options name a commit, a
// file stored at another one is read.
func (s *sink) Lookup(ctx context.Context, f ingest.File) (*ingest.Stored, error) {
	if s.options.Verify || s.upload != nil {
		return nil, nil
	}
	v := s.versionOf(f)
	if v == nil {
		return s.Store.Lookup(ctx, f)
	}
	return s.lookup(ctx, f, "(request = $3 OR path = $4 AND request IS NULL) AND ($5 = '' OR commit_name = $5)",
		v.request, f.Path, s.options.Opener.Commit)
}
