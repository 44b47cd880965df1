package service

import (
	"compress/gzip"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"perfdata/format"
)

// A response is an answer that the client must take. It remembers its status.
type response struct {
	http.ResponseWriter
	number     string // of the request, for its answer and the log
	status     int
	err        error // of a status of 500 or more, for the log
	takesGzip  bool
	began      bool         // the header is written
	gzip       *gzip.Writer // nil unless the answer is compressed
	controller *http.ResponseController
	stall      time.Duration
	clock      *clock // of a query, or nil
	gzips      *sync.Pool
}

func newResponse(w http.ResponseWriter, request *http.Request, s *Service) *response {
	r := &response{
		ResponseWriter: w,
		number:         rand.Text()[:12],
		status:         http.StatusOK,
		takesGzip:      takesGzip(request.Header),
		controller:     http.NewResponseController(w),
		stall:          s.queryLimits.Stall,
		gzips:          &s.gzips,
	}
	// The deadline of the previous answer on the connection is not that of this one.
	r.controller.SetWriteDeadline(time.Time{})
	return r
}

func (r *response) WriteHeader(status int) {
	if !r.began {
		r.began = true
		r.status = status
		r.compress()
	}
	r.ResponseWriter.WriteHeader(status)
}

// Unwrap is for [http.ResponseController].
func (r *response) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// piece is the size of the parts of an answer. The client must take each in time, so that one that
// reads slowly gets its answer, and one that does not read is cut off.
const piece = 64 << 10

func (r *response) Write(p []byte) (n int, err error) {
	if !r.began {
		r.WriteHeader(http.StatusOK)
	}
	if r.gzip != nil {
		return r.gzip.Write(p)
	}
	return r.send(p)
}

// send writes a part of the answer as the client gets it.
func (r *response) send(p []byte) (n int, err error) {
	if r.clock != nil {
		r.clock.pause()
		defer r.clock.resume()
	}
	for first := true; first || n < len(p); first = false {
		if r.stall > 0 {
			r.controller.SetWriteDeadline(time.Now().Add(r.stall))
		}
		m, err := r.ResponseWriter.Write(p[n:min(len(p), n+piece)])
		if n += m; err != nil {
			return n, err
		}
	}
	return n, nil
}

// errQueryTime is the cause of the end of a query that took too long.
var errQueryTime = errors.New("the query took too long")

// A clock lets queries work in turn, and ends one that works for too long. While the client takes
// the answer, the clock stops, and other queries take their turn.
type clock struct {
	ctx    context.Context // of the query
	turns  chan struct{}   // has an element for each query that works
	inTurn bool
	timer  *time.Timer // ends the context
	left   time.Duration
	since  time.Time
}

// newClock returns a stopped clock, and its context.
func newClock(ctx context.Context, turns chan struct{}, limit time.Duration) *clock {
	ctx, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(time.Hour, func() { cancel(errQueryTime) })
	timer.Stop()
	return &clock{ctx: ctx, turns: turns, timer: timer, left: limit}
}

func (c *clock) pause() {
	if c.timer.Stop() {
		c.left -= time.Since(c.since)
	}
	if c.inTurn {
		<-c.turns
		c.inTurn = false
	}
}

func (c *clock) resume() {
	select {
	case c.turns <- struct{}{}:
		c.inTurn = true
	case <-c.ctx.Done(): // the query ends without a turn
	}
	c.since = time.Now()
	c.timer.Reset(max(c.left, 0))
}

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

// drain reads what is left of the body, so that a client that sends all of it before it reads gets the
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
