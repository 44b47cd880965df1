package main

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"perfdata"
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

	// Faults counts the measurements or lines that were left out. FirstFaults says what is wrong
	// with the first of them.
	Faults      int      `json:"faults,omitempty"`
	FirstFaults []string `json:"first_faults,omitempty"`
}

// maxName is the length of the longest name of an upload.
const maxName = 1000

// upload stores the body of a request: a file of any format, compressed or not. The body is parsed
// while it arrives. All of its measurements are stored, except those that are faulty, or none.
//
// In the URL, name is a path in the storage layout, or any other name, and format is the name of
// the format, if it is not to be detected.
func (s *service) upload(w http.ResponseWriter, r *http.Request) {
	if !s.authorized(r) {
		w.Header().Set("WWW-Authenticate", "Bearer")
		s.fail(w, problem{Status: http.StatusUnauthorized, Detail: "want the header Authorization: Bearer TOKEN"})
		return
	}
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind == "multipart/form-data" {
		s.fail(w, problem{Status: http.StatusUnsupportedMediaType, Detail: "a form was sent: want the file as the body"})
		return
	}

	query := r.URL.Query()
	name := query.Get("name")
	if len(name) > maxName || !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) {
		detail := fmt.Sprintf("name: want at most %d bytes without control characters", maxName)
		s.fail(w, problem{Status: http.StatusBadRequest, Detail: detail})
		return
	}

	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	default:
		w.Header().Set("Retry-After", "5")
		s.fail(w, problem{Status: http.StatusServiceUnavailable, Detail: "too many uploads at the same time"})
		return
	}

	// Whatever the client does, the upload ends.
	if err := http.NewResponseController(w).SetReadDeadline(time.Now().Add(s.limits.time)); err != nil {
		s.fail(w, problem{Status: http.StatusInternalServerError, Detail: err.Error()})
		return
	}
	body := &body{Reader: http.MaxBytesReader(w, r.Body, s.limits.bytes)}

	// If the client hangs up, reading the body fails, and the store notes it. The context must
	// still be good then.
	file := store.Upload{Name: name, IngestOptions: store.IngestOptions{
		Commit: query.Get("commit"), Run: query.Get("run"), AllowNoCommit: s.noCommit,
	}}
	file.Opener = perfdata.Opener{Format: query.Get("format"), Limits: s.limits.format}
	file.Strict = s.strict
	report := s.db.Upload(context.WithoutCancel(r.Context()), body, file).Report
	s.ingested(r.Context(), "upload", report)
	if report.Err != nil {
		s.fail(w, uploadProblem(report, body.err))
		return
	}
	answer := stored{
		Path: report.File.Path, Format: report.Format, Records: report.Content.Records,
		Bytes: report.Content.Size, SHA256: hex.EncodeToString(report.Content.SHA256[:]),
		Faults: report.Faults,
	}
	for _, fault := range report.FirstFaults {
		answer.FirstFaults = append(answer.FirstFaults, fault.Error())
	}
	s.answer(w, http.StatusCreated, answer)
}

// A body remembers the error with which it ended.
type body struct {
	io.Reader
	err error
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if err != nil && err != io.EOF {
		b.err = err
	}
	return n, err
}

// uploadProblem returns the answer to an upload that failed. The error of its body is nil if it
// arrived as a whole.
func uploadProblem(report ingest.Report, body error) problem {
	p := fileProblem(report)
	if tooLarge, ok := errors.AsType[*http.MaxBytesError](body); ok {
		p.Status = http.StatusRequestEntityTooLarge
		p.Detail = "the file is too large: want at most " + bytesText(tooLarge.Limit)
	} else if errors.Is(body, os.ErrDeadlineExceeded) {
		p.Status, p.Detail = http.StatusRequestTimeout, "the upload took too long"
	} else if body != nil {
		p.Status, p.Detail = http.StatusBadRequest, "the upload was interrupted: "+body.Error()
	}
	return p
}
