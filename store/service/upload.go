package service

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"os"
	"time"

	"perfdata"
	"perfdata/format"
	"perfdata/ingest"
	"perfdata/store"
)

// A stored is the answer to an upload.
type stored struct {
	Path    string `json:"path"` // in the store
	Format  string `json:"format"`
	Records int    `json:"records"`
	Bytes   int64  `json:"bytes"`
	SHA256  string `json:"sha256"`

	// Faults counts the measurements or lines that were left out. FirstFaults describes the faults
	// with the first of them.
	Faults      int      `json:"faults,omitempty"`
	FirstFaults []string `json:"first_faults,omitempty"`
}

// maxName is the length of the longest name of an upload.
const maxName = 1000

// maxAhead is the time by which the hour of a name may be ahead of the clock. The newest hour wins,
// so that an hour far ahead would win for ever.
const maxAhead = time.Hour

// checkName returns the fault of the name of an upload.
func checkName(name string, now time.Time) error {
	if !isShort(name) {
		return fmt.Errorf("name: want at most %d bytes without control characters", maxName)
	}
	if name != "" && !fs.ValidPath(name) {
		return fmt.Errorf("name %q: want a path such as a/b.json, without . or .. or an empty part", name)
	}
	if hour, ok := ingest.HourOf(name); ok && hour.After(now.Add(maxAhead)) {
		return fmt.Errorf("name %q: the hour is ahead of the clock: want at most %s, in UTC",
			name, now.Add(maxAhead).UTC().Format("2006/01/02/15"))
	}
	return nil
}

// upload stores the body of a request: a file of any format, compressed or not. Either all of its
// sound measurements are stored, or none.
//
// In the URL, name is a path in the storage layout, or any other name, and format is the name of
// the format, if it is not to be detected. Commit, run and replaces, and the header
// Idempotency-Key, are as in [store.Upload].
func (s *Service) upload(w *response, r *http.Request) error {
	// Other types say nothing: curl sends any file as application/x-www-form-urlencoded.
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind == "multipart/form-data" {
		return &problem{Status: http.StatusUnsupportedMediaType, Detail: "a form was sent: want the file as the body"}
	}

	query := r.URL.Query()
	name, key := query.Get("name"), r.Header.Get(idempotencyKey)
	if err := cmp.Or(checkName(name, time.Now()), checkUpload(query, key)); err != nil {
		return badRequest(err)
	}

	// The body arrives before memory is reserved, so that a slow client keeps no other waiting.
	s.uploads.Add(1)
	defer s.uploads.Add(-1)
	body := newBody(w, r, s.config.Upload)
	arrived, err := s.receive(r.Context(), body, r.ContentLength)
	// An error of the body is for the store to note, and one of the service for the log.
	if err != nil && err != body.err {
		return err
	}

	in := io.Reader(body) // which fails again
	if err == nil {
		defer arrived.close()
		part, bytes := &s.budget.small, int64(smallMemory)
		// A few bytes may be much text. How much is measured before memory is reserved, so it is done for
		// one upload at a time: see sizing.
		s.sizing.Lock()
		size, isSmall := arrived.takes(s.config.Upload.Format)
		s.sizing.Unlock()
		if !isSmall {
			part, bytes = &s.budget.large, size
		}
		claim, err := admit(r.Context(), part, bytes)
		if err != nil {
			return err
		}
		defer claim.Release()
		in = arrived.reader()
	}

	// If the client hung up, the store notes it. The context must still be good then.
	file := store.Upload{Name: name, Key: key, Replaces: query.Get("replaces"), IngestOptions: store.IngestOptions{
		Run: query.Get("run"), AllowNoCommit: s.config.AllowNoCommit,
	}}
	file.Opener = perfdata.Opener{Format: query.Get("format")}
	file.Opener.Limits, file.Opener.Commit = s.config.Upload.Format, query.Get("commit")
	file.Strict = s.config.Strict
	uploaded := s.db.Upload(lasting(r), in, file)
	report := uploaded.Report
	if !uploaded.Repeated {
		s.Ingested(r.Context(), "upload", report, "request", w.number)
	}

	if report.Err != nil {
		return uploadProblem(report, body.err)
	}
	answer := stored{
		Path: report.File.Path, Format: report.Format, Records: report.Content.Records,
		Bytes: report.Content.Size, SHA256: hex.EncodeToString(report.Content.SHA256[:]),
		Faults: report.Faults,
	}
	for _, fault := range report.FirstFaults {
		answer.FirstFaults = append(answer.FirstFaults, fault.Error())
	}

	status := http.StatusCreated
	if uploaded.Repeated {
		status = http.StatusOK
	}
	w.answer(status, answer)
	return nil
}

// idempotencyKey is the header that a client repeats when it tries an upload again.
const idempotencyKey = "Idempotency-Key"

// uploadProblem returns the answer to an upload that failed. The error of its body is nil if it
// arrived as a whole. An error of the service is not the client's: it is for the log.
func uploadProblem(report ingest.Report, body error) error {
	p := &problem{Status: StatusOf(report.Err), Path: report.File.Path}
	e, isPlaced := errors.AsType[*format.Error](report.Err)
	if isPlaced && p.Status < 500 {
		// Others have no type: their status says all.
		p.Type, p.Title = "tag:perfdata.example,2026:invalid-file", "Invalid file"
		p.Position = &position{Line: e.Line, Column: e.Column, Offset: e.Offset, Element: e.Path}
	}

	// The error of a body goes first: the parser takes a body that ends early for a truncated file.
	tooLarge, isTooLarge := errors.AsType[*http.MaxBytesError](body)
	switch {
	case isTooLarge:
		p.Status = http.StatusRequestEntityTooLarge
		p.Detail = "the file is too large: want at most " + bytesText(tooLarge.Limit)
	case errors.Is(body, os.ErrDeadlineExceeded):
		p.Status, p.Detail = http.StatusRequestTimeout, "the upload was too slow or took too long"
	case body != nil:
		p.Status, p.Detail = http.StatusBadRequest, "the upload was interrupted: "+body.Error()
	// The detail stays empty: refuse has one that says nothing of the machine.
	case p.Status >= 500:
		p.Err = report.Err
	case is(report.Err, store.ErrNoCommit):
		p.Detail = report.Err.Error() + ": want a commit in the file, or in the URL as commit=HASH"
	default:
		p.Detail = report.Err.Error()
	}
	return p
}
