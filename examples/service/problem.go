package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strconv"

	"perfdata/format"
	"perfdata/ingest"
	"perfdata/store"
)

// A problem is the answer to a request that failed, as RFC 9457 describes it. Path and Position
// are extensions.
type problem struct {
	Type     string    `json:"type,omitempty"`
	Title    string    `json:"title"`
	Status   int       `json:"status"`
	Detail   string    `json:"detail"`
	Path     string    `json:"path,omitempty"` // of the file in the store
	Position *position `json:"position,omitempty"`
}

// A position says where the fault in a file is.
type position struct {
	Line    int    `json:"line"`              // from 1
	Column  int    `json:"column"`            // in bytes, from 1
	Offset  int64  `json:"offset"`            // in bytes, decompressed
	Element string `json:"element,omitempty"` // such as results.0.measurement
}

// invalidFile is the type of problems with a position. Others have none: their status says all.
const invalidFile = "tag:perfdata.example,2026:invalid-file"

// fileProblem returns the problem of a file that could not be stored. A file with the status 503
// can be stored later; others fail again.
func fileProblem(report ingest.Report) problem {
	p := problem{Status: http.StatusServiceUnavailable, Detail: report.Err.Error(), Path: report.File.Path}
	e, positioned := errors.AsType[*format.Error](report.Err)
	switch {
	case is(report.Err, store.ErrOtherContent):
		p.Status = http.StatusConflict
	case is(report.Err, fs.ErrInvalid): // the path
		p.Status = http.StatusBadRequest
	case is(report.Err, format.ErrLimit):
		p.Status = http.StatusRequestEntityTooLarge
	case is(report.Err, format.ErrSyntax, format.ErrDuplicate, format.ErrVersion, format.ErrSchema, format.ErrUnknown,
		format.ErrSkipped, ingest.ErrLayout), positioned && is(e, io.ErrUnexpectedEOF):
		p.Status = http.StatusUnprocessableEntity
	}
	if positioned && p.Status != http.StatusServiceUnavailable {
		p.Type, p.Title = invalidFile, "Invalid file"
		p.Position = &position{Line: e.Line, Column: e.Column, Offset: e.Offset, Element: e.Path}
	}
	return p
}

// again reports whether another attempt with the same file may succeed.
func (p *problem) again() bool { return p.Status == http.StatusServiceUnavailable }

func is(err error, causes ...error) bool {
	for _, cause := range causes {
		if errors.Is(err, cause) {
			return true
		}
	}
	return false
}

// fail answers with a problem.
func (s *service) fail(w http.ResponseWriter, p problem) {
	if p.Title == "" {
		p.Title = http.StatusText(p.Status)
	}
	w.Header().Set("Content-Type", "application/problem+json")
	s.write(w, p.Status, p)
}

// answer answers with a value as JSON.
func (s *service) answer(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	s.write(w, status, value)
}

func (s *service) write(w http.ResponseWriter, status int, value any) {
	text, err := json.Marshal(value)
	if err != nil {
		s.log.Error("an answer is not JSON", "error", err)
		http.Error(w, "internal error", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(text)+1))
	w.WriteHeader(status)
	fmt.Fprintf(w, "%s\n", text) // an error means that the client is gone
}

// bytesText returns a size as a person writes it.
func bytesText(n int64) string {
	if n >= 1<<20 && n%(1<<20) == 0 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d bytes", n)
}
