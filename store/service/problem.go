package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"slices"
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

// StatusOf returns the status of an error. With 503, the same request may succeed later: only the
// causes that are listed here may pass. A fault of the file or the request is 4xx, and an
// unknown error is 500.
func StatusOf(err error) int {
	if p, ok := errors.AsType[*problem](err); ok {
		return p.Status
	}
	switch {
	// It is first, because an error of a database that is away may also be io.ErrUnexpectedEOF, which
	// is that of a truncated file.
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
	return slices.ContainsFunc(causes, func(cause error) bool { return errors.Is(err, cause) })
}

// badRequest returns the problem of a request with a fault.
func badRequest(err error) error {
	return &problem{Status: http.StatusBadRequest, Detail: err.Error(), Err: err}
}

// A handler answers to a request, or returns an error.
type handler func(w *response, r *http.Request) error

// refuse answers to a request that failed, in place of what was written before. The log says what an
// answer must not show: an error of the service could name files, users and addresses. So the answer
// has the number of the request, and a fixed detail unless a problem has one.
func (r *response) refuse(err error) {
	r.endCompression()
	header := r.Header()
	header.Del("Content-Encoding")
	header.Del("Vary")
	r.spool.close()
	r.spool, r.began = new(spool), false

	// A problem was written for clients, as were errors about what they sent. Others have a fixed text.
	p := problem{Status: StatusOf(err), Err: err}
	if given, ok := errors.AsType[*problem](err); ok {
		p = *given
	} else if is(err, errQueryTime) {
		p.Detail = "the query took too long: want one that selects less"
	} else if p.Status < 500 {
		p.Detail = err.Error()
	}
	if p.Status >= 500 {
		p.Request = r.number
		if r.err = p.Err; p.Err == nil {
			r.err = errors.New(p.Detail)
		}
		if p.Status == http.StatusServiceUnavailable {
			p.Detail = cmp.Or(p.Detail, "the database is not available: try again later")
			// Nobody knows when a database comes back. A budget estimates when it has room.
			wait := cmp.Or(p.RetryAfter, 30*time.Second)
			header.Set("Retry-After", strconv.Itoa(int(wait.Seconds())))
		}
		p.Detail = cmp.Or(p.Detail, "the service is at fault: its log has more under the number of the request")
	}

	if p.Status == http.StatusUnauthorized {
		// RFC 9110 requires it with 401.
		header.Set("WWW-Authenticate", "Bearer")
	}
	p.Title = cmp.Or(p.Title, http.StatusText(p.Status))
	// Caches may keep an answer 404 or 410 on their own.
	header.Set("Cache-Control", "no-store")
	header.Set("Content-Type", "application/problem+json")
	r.answer(p.Status, p)
}

// bytesText returns a size as a person writes it.
func bytesText(n int64) string {
	if n >= 1<<20 && n%(1<<20) == 0 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d bytes", n)
}
