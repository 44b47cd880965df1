package service

import (
	"compress/gzip"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"time"

	"perfdata/format"
)

// A response is an answer that the client must take. It remembers its status.
type response struct {
	http.ResponseWriter
	service    *Service
	number     string // of the request, for its answer and the log
	status     int
	err        error // of a status of 500 or more, for the log
	takesGzip  bool
	began      bool         // the status is known
	gzip       *gzip.Writer // nil unless the answer is compressed
	controller *http.ResponseController
	spool      *spool // of a query, or nil
}

func newResponse(w http.ResponseWriter, request *http.Request, s *Service) *response {
	r := &response{
		ResponseWriter: w,
		service:        s,
		number:         rand.Text()[:12],
		status:         http.StatusOK,
		takesGzip:      takesGzip(request.Header),
		controller:     http.NewResponseController(w),
	}
	// The deadline of the previous answer on the connection is not that of this one.
	r.controller.SetWriteDeadline(time.Time{})
	return r
}

func (r *response) WriteHeader(status int) {
	if r.began {
		return
	}
	r.began, r.status = true, status
	r.compress()
	if r.spool == nil {
		r.ResponseWriter.WriteHeader(status)
	}
}

// Unwrap is for [http.ResponseController].
func (r *response) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// piece is the size of the parts of an answer. The client must take each in time, so that one that
// reads slowly gets its answer, and one that does not read is cut off.
const piece = 64 << 10

func (r *response) Write(p []byte) (n int, err error) {
	r.WriteHeader(http.StatusOK)
	if r.gzip != nil {
		return r.gzip.Write(p)
	}
	return r.send(p)
}

// send writes a part of the answer as the client gets it.
func (r *response) send(p []byte) (n int, err error) {
	if r.spool != nil {
		return r.spool.Write(p)
	}
	for first := true; first || n < len(p); first = false {
		r.expect()
		m, err := r.ResponseWriter.Write(p[n:min(len(p), n+piece)])
		if n += m; err != nil {
			return n, err
		}
	}
	return n, nil
}

// expect gives the client the time for one piece.
func (r *response) expect() {
	if r.service.config.Query.Stall > 0 {
		r.controller.SetWriteDeadline(time.Now().Add(r.service.config.Query.Stall))
	}
}

// finish ends the answer, and sends what waits of it. Nothing is sent of the answer of a query before, so that a query
// that fails at its end has the answer that says so.
func (r *response) finish() {
	r.endCompression()
	if r.spool == nil {
		return
	}
	if err := r.spool.err; err != nil { // the client gets no part for the whole
		r.restart()
		r.service.refuse(r, err)
		r.endCompression()
	}
	s := r.spool
	defer s.close()
	r.spool = nil
	if r.began && r.status != http.StatusNoContent {
		r.Header().Set("Content-Length", strconv.FormatInt(s.size, 10))
	}
	r.ResponseWriter.WriteHeader(r.status)
	in := s.reader()
	for n := int64(piece); n == piece; {
		r.expect()
		n, _ = io.CopyN(r.ResponseWriter, in, piece) // an error means that the client is gone
	}
}

// restart drops the contents of the spool, for another answer.
func (r *response) restart() {
	if r.spool == nil {
		return // nothing was written
	}
	r.endCompression()
	r.Header().Del("Content-Encoding")
	r.Header().Del("Vary")
	r.spool.close()
	r.spool, r.began = new(spool), false
}

// errQueryTime is the cause of the end of a query that took too long.
var errQueryTime = errors.New("the query took too long")

// A body is the body of an upload. The client must send it at a least rate. It remembers the error
// with which it ended.
type body struct {
	io.Reader
	rest       io.Reader // without a limit
	controller *http.ResponseController
	limits     UploadLimits
	received   int64
	waited     time.Duration // for the client
	err        error
}

func newBody(w http.ResponseWriter, r *http.Request, limits UploadLimits) *body {
	controller := http.NewResponseController(w)
	controller.EnableFullDuplex() // for drain; an error means that there is no client
	return &body{
		Reader:     http.MaxBytesReader(nil, r.Body, limits.Bytes),
		rest:       r.Body,
		controller: controller,
		limits:     limits,
	}
}

// errConnection takes the place of errors that name addresses.
var errConnection = errors.New("the connection broke")

func (b *body) Read(p []byte) (int, error) {
	began := time.Now()
	if err := b.controller.SetReadDeadline(b.deadline(began)); err != nil {
		b.err = err
		return 0, err
	}
	n, err := b.Reader.Read(p)
	b.waited += time.Since(began)
	b.received += int64(n)

	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = fmt.Errorf("the upload took too long: %w", os.ErrDeadlineExceeded)
	} else if _, ok := errors.AsType[*net.OpError](err); ok {
		err = errConnection
	}
	if err != nil && err != io.EOF {
		b.err = err
	}
	return n, err
}

// deadline returns the time until which the client must send something. What the service itself takes,
// to wait for room and to store the file, is not the client's time.
func (b *body) deadline(now time.Time) time.Time {
	allowed := b.limits.Time
	if b.limits.Rate > 0 {
		// Without a limit of its own, the quotient may be too large for a Duration.
		seconds := min(float64(b.received)/float64(b.limits.Rate), b.limits.Time.Seconds())
		allowed = min(allowed, b.limits.Pause+time.Duration(seconds*float64(time.Second)))
	}
	return now.Add(allowed - b.waited)
}

// drain reads the rest of the body, so that a client that sends all of it before it reads gets the
// answer, which is sent already.
func (b *body) drain(err error) {
	const longest = 5 * time.Second
	if !errors.Is(err, format.ErrLimit) && !errors.As(b.err, new(*http.MaxBytesError)) {
		return
	}
	b.controller.Flush() // an error means that the client is gone
	b.controller.SetReadDeadline(time.Now().Add(longest))
	io.Copy(io.Discard, b.rest)
}
