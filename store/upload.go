package store

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync"
	"time"

	"perfdata/ingest"
	"perfdata/traceid"
)

// An Upload is a file that was sent. All fields may be empty.
type Upload struct {
	// Name is a path in the storage layout, with directories YYYY/MM/DD/HH, or any other name. A
	// file with another name gets a path with the current hour, which ends with the last part of
	// the name. Later uploads with a Store get later paths: they sort by the time of arrival.
	Name string

	// Key is any text that the sender makes for an upload, and repeats when it tries again: the
	// file is stored once. Other content with the same key is the error [ErrOtherContent].
	//
	// Without a Key, an upload is a repetition if its content equals that of the newest upload
	// with the same name, commit and run.
	Key string

	// Replaces is the path of a file in the store. Its measurements are deleted in the transaction
	// that stores the upload. [Store.Sources] still lists it, with the path that replaced it, and
	// storing it again changes nothing. If the store does not have the path, the upload fails with
	// [ErrUnknownPath].
	Replaces string

	IngestOptions
}

// A UploadReport says what became of an upload.
type UploadReport struct {
	// File.Path is the path in the store: of a repetition, that of the first upload.
	ingest.Report

	// Repeated says that the file was stored before, by an earlier attempt, and not once more.
	Repeated bool
}

// Upload stores a file that has been sent, and returns what became of it. To cancel an upload,
// make the reader fail. A file such as an [os.File] must be at its beginning, and stays open: it
// may be read twice.
func (s *Store) Upload(ctx context.Context, in io.Reader, u Upload) UploadReport {
	path := u.Name
	hour, ok := ingest.HourOf(path)
	if !ok {
		var err error
		if path, err = s.arrivals.path(ctx, u.Name, s.view); err != nil {
			return UploadReport{Report: ingest.Report{File: ingest.File{Path: u.Name}, Err: wrap(err, "upload")}}
		}
		hour, _ = ingest.HourOf(path)
	}

	file := ingest.File{Path: path, Hour: hour, Open: func(context.Context) (io.ReadCloser, error) {
		if f, ok := in.(seekableFile); ok {
			return openFile{f}, nil
		}
		return io.NopCloser(in), nil
	}}

	var result ingest.Report
	report := u.Report
	u.Report = func(r ingest.Report) {
		result = r
		if report != nil {
			report(r)
		}
	}
	u.Workers = 1
	one := func(yield func(ingest.File, error) bool) { yield(file, nil) }
	identity := []string{"name", u.Name, u.Opener.Commit, u.Run}
	if u.Key != "" {
		identity = []string{"key", u.Key}
	}
	request := &request{hash: requestHash(identity...), hasKey: u.Key != "", replaces: u.Replaces}
	sink := &sink{Store: s, options: u.IngestOptions, upload: request}
	if _, err := s.ingest(ctx, one, sink); err != nil && result.Err == nil {
		result = ingest.Report{File: file, Err: err}
	}
	return UploadReport{result, request.repeated != "" && result.Err == nil}
}

// A seekableFile is a file that an upload can read twice, if its header follows its results.
type seekableFile interface {
	fs.File
	io.Seeker
}

// An openFile is a file that stays open.
type openFile struct{ seekableFile }

func (openFile) Close() error { return nil }

// A request is what an upload has more than a file of a tree.
type request struct {
	hash     []byte // of what tells the request from others
	hasKey   bool
	replaces string
	repeated string // the path of the first upload, if this one was not stored
}

// requestHash returns the hash of what tells a request, or the name of a file, from others.
func requestHash(identity ...string) []byte {
	hash := sha256.Sum256(fmt.Appendf(nil, "%q", identity))
	return hash[:]
}

// findFirst looks for an earlier upload that this one repeats.
func (r *request) findFirst(ctx context.Context, t *transaction, content *ingest.Content) error {
	r.repeated = ""
	var path string
	var sum []byte
	err := t.QueryRowContext(ctx, `
		SELECT path, sha256 FROM sources
		WHERE request = $1 AND sha256 IS NOT NULL AND replaced_by = ''
		ORDER BY hour DESC, path DESC LIMIT 1`, r.hash).Scan(&path, &sum)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil
	case err != nil:
		return err
	case string(sum) == string(content.SHA256[:]):
		r.repeated = path
	case r.hasKey:
		return fmt.Errorf("%w: the key of the upload is that of %s", ErrOtherContent, path)
	}
	return nil
}

// replace deletes everything that the replaced file said.
func (r *request) replace(ctx context.Context, s *Store, t *transaction, by string) error {
	if r.replaces == "" {
		return nil
	}
	missing := &inputError{fmt.Sprintf("%q is not in the store, so it cannot be replaced", r.replaces), ErrUnknownPath}
	if !isText(r.replaces) || r.replaces == by {
		return missing
	}
	var id int64
	err := t.QueryRowContext(ctx, "SELECT id FROM sources WHERE path = $1", r.replaces).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return missing
	}
	if err != nil {
		return err
	}
	return s.replaceSource(ctx, t, id, by)
}

// arrivals makes paths that sort by the time of arrival.
type arrivals struct {
	clock func() time.Time // time.Now if it is nil

	mu     sync.Mutex
	last   time.Time // of a path
	loaded time.Time // when the newest path of the database was read
}

// arrivalLayout is the beginning of a path of arrival.
const arrivalLayout = "uploads/" + hourLayout + "/0405.000000000"

// path returns a path in the storage layout for a file that has none. It ends with the last part
// of the name, in which characters become _, except for ASCII letters, digits, and . _ and -.
// Random letters before it tell the paths of several processes apart.
func (a *arrivals) path(
	ctx context.Context, name string, view func(context.Context, func(tx *sql.Tx) error) error,
) (string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	// Another process may have added the newest path of arrival, and the clock may have been set
	// back: times are kept after it.
	if time.Since(a.loaded) > time.Second { // not for each of many
		newest := ""
		const query = "SELECT COALESCE(MAX(path), '') FROM sources WHERE path > 'uploads/' AND path < 'uploads0'"
		err := view(ctx, func(tx *sql.Tx) error { return tx.QueryRowContext(ctx, query).Scan(&newest) })
		if err != nil {
			return "", err
		}
		at, err := time.Parse(arrivalLayout, newest[:min(len(newest), len(arrivalLayout))])
		if err == nil && at.After(a.last) {
			a.last = at
		}
		a.loaded = time.Now()
	}

	base := name[strings.LastIndexAny(name, `/\`)+1:]
	base = traceid.CanonicalString(base)
	base = strings.TrimSuffix(base[:min(len(base), 100)], ".json")
	random := strings.ToLower(rand.Text()[:16])
	return fmt.Sprintf("%s-%s-%s.json", a.next().Format(arrivalLayout), random, base), nil
}

// next returns the time of a path, which is after that of the path before, even if the clock is not.
func (a *arrivals) next() time.Time {
	clock := a.clock
	if clock == nil {
		clock = time.Now
	}
	now := clock().UTC()
	if !now.After(a.last) {
		now = a.last.Add(time.Nanosecond) // the last digit of the layout
	}
	a.last = now
	return now
}
