package service

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"strconv"
	"time"

	"perfdata/format"
	"perfdata/ingest"
	"perfdata/ingest/admission"
	"perfdata/store"
	"perfdata/traceid"
)

// A problem is the answer to a request that failed, as RFC 9457 describes it. Path, Position and
// Request are extensions.
type problem struct {
	Type     string    `json:"type,omitempty"`
	Title    string    `json:"title"`
	Status   int       `json:"status"`
	Detail   string    `json:"detail"`
	Path     string    `json:"path,omitempty"` // of the file in the store
	Position *position `json:"position,omitempty"`
	Request  string    `json:"request,omitempty"` // the number of the request, which the log has

	// The rest is not in the answer.
	Err        error         `json:"-"` // for the log, with a status of 500 or more; may be nil
	RetryAfter time.Duration `json:"-"` // or 0
}

// A problem is an error of which the client gets all.
func (p *problem) Error() string { return p.Detail }
func (p *problem) Unwrap() error { return p.Err }

// A position says where the fault in a file is.
type position struct {
	Line    int    `json:"line"`              // from 1
	Column  int    `json:"column"`            // in bytes, from 1
	Offset  int64  `json:"offset"`            // in bytes, decompressed
	Element string `json:"element,omitempty"` // such as results.0.measurement
}

// invalidFile is the type of problems with a position. Others have none: their status says all.
const invalidFile = "tag:perfdata.example,2026:invalid-file"

// StatusOf returns the status of an error. With 503, the same request may succeed later: only the
// causes that are listed here may pass. A fault of the file or the request is 4xx, and an
// unknown error is 500.
func StatusOf(err error) int {
	if p, ok := errors.AsType[*problem](err); ok {
		return p.Status
	}
	switch {
	case is(err, store.ErrUnavailable, errQueryTime, context.DeadlineExceeded, format.ErrChanged, admission.ErrFull):
		return http.StatusServiceUnavailable
	case is(err, format.ErrMisuse):
		return http.StatusInternalServerError
	case is(err, store.ErrOtherContent):
		return http.StatusConflict
	case is(err, store.ErrUnknownCommit, store.ErrUnknownPath):
		return http.StatusNotFound
	case is(err, traceid.ErrLimit, fs.ErrInvalid): // of a query; the path
		return http.StatusBadRequest
	case is(err, format.ErrLimit):
		return http.StatusRequestEntityTooLarge
	case format.IsFinal(err), is(err, ingest.ErrLayout):
		return http.StatusUnprocessableEntity
	}
	return http.StatusInternalServerError
}

func is(err error, causes ...error) bool {
	for _, cause := range causes {
		if errors.Is(err, cause) {
			return true
		}
	}
	return false
}

// badRequest returns the problem of a request with a fault.
func badRequest(err error) error {
	return &problem{Status: http.StatusBadRequest, Detail: err.Error(), Err: err}
}

// A handler answers to a request, or returns an error.
type handler func(w http.ResponseWriter, r *http.Request) error

// handle returns the handler that answers with errors, in place of the contents of a spool.
func (s *Service) handle(h handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := h(w, r); err != nil {
			w.(*response).restart()
			s.refuse(w, err)
		}
	}
}

// refuse answers to a request that failed. The log says what an answer must not show: see service.done.
func (s *Service) refuse(w http.ResponseWriter, err error) {
	if p, ok := errors.AsType[*problem](err); ok {
		s.fail(w, *p)
		return
	}
	p := problem{Status: StatusOf(err), Err: err}
	if is(err, errQueryTime) {
		p.Detail = "the query took too long: want one that selects less"
	} else if p.Status < 500 {
		p.Detail = err.Error()
	}
	s.fail(w, p)
}

// numberOf returns the number of the request that a response answers.
func numberOf(w http.ResponseWriter) string { return w.(*response).number }

// fail answers with a problem. One of the service has the number of the request, and a fixed detail
// unless it is given: an error could name files, users and addresses.
func (s *Service) fail(w http.ResponseWriter, p problem) {
	if p.Status >= 500 {
		p.Request = numberOf(w)
		w.(*response).err = p.Err
		if p.Err == nil {
			w.(*response).err = errors.New(p.Detail)
		}
		if p.Status == http.StatusServiceUnavailable {
			p.Detail = cmp.Or(p.Detail, "the database is not available: try again later")
			wait := cmp.Or(p.RetryAfter, 30*time.Second)
			w.Header().Set("Retry-After", strconv.Itoa(int(wait.Seconds())))
		}

		p.Detail = cmp.Or(p.Detail, "the service is at fault: its log has more under the number of the request")
	}
	if p.Status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	if p.Title == "" {
		p.Title = http.StatusText(p.Status)
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Type", "application/problem+json")
	s.write(w, p.Status, p)
}

// answer answers with a value as JSON.
func (s *Service) answer(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	s.write(w, status, value)
}

func (s *Service) write(w http.ResponseWriter, status int, value any) {
	text, err := json.Marshal(value)
	if err != nil {
		s.log.Error("an answer is not JSON", "request", numberOf(w), "error", err)
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
