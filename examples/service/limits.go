package main

import (
	"bufio"
	"compress/gzip"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"time"
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
}

func newResponse(w http.ResponseWriter, request *http.Request, stall time.Duration) *response {
	r := &response{
		ResponseWriter: w,
		number:         rand.Text()[:12],
		status:         http.StatusOK,
		takesGzip:      takesGzip(request.Header),
		controller:     http.NewResponseController(w),
		stall:          stall,
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

// limitSendBuffer keeps the system from holding much of an answer: only a client that reads makes
// room for the next piece.
func limitSendBuffer(ctx context.Context, conn net.Conn) context.Context {
	if tcp, ok := conn.(*net.TCPConn); ok {
		tcp.SetWriteBuffer(2 * piece) // an error only means that the default stays
	}
	return ctx
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

// limited returns the handler of a query that takes its turn, and ends in time.
func (s *service) limited(handler http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		select {
		case s.queries <- struct{}{}:
			defer func() { <-s.queries }()
		default:
			s.tooMany(w, 5, "too many queries at the same time")
			return
		}

		clock := newClock(r.Context(), s.turns, s.query.time)
		clock.resume()
		w.(*response).clock = clock
		defer func() {
			clock.pause()
			w.(*response).clock = nil // the end of a compressed answer takes no turn
		}()
		handler(w, r.WithContext(clock.ctx))
	}
}

// tooMany answers to a request for which no slot is free, with the seconds after which to try again.
func (s *service) tooMany(w http.ResponseWriter, seconds int, detail string) {
	w.Header().Set("Retry-After", strconv.Itoa(seconds))
	s.fail(w, problem{Status: http.StatusServiceUnavailable, Detail: detail})
}

// A body is the body of an upload. The client must send it at a least rate. It remembers the error
// with which it ended.
type body struct {
	io.Reader
	controller *http.ResponseController
	limits     uploadLimits
	ends       time.Time
	received   int64
	waited     time.Duration // for the client
	err        error
}

func newBody(w http.ResponseWriter, r *http.Request, limits uploadLimits) *body {
	return &body{
		Reader:     http.MaxBytesReader(w, r.Body, limits.bytes),
		controller: http.NewResponseController(w),
		limits:     limits,
		ends:       time.Now().Add(limits.time),
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

// deadline returns the time until which the client must send something. What the service itself
// takes to store the file is not the client's time.
func (b *body) deadline(now time.Time) time.Time {
	if b.limits.rate == 0 {
		return b.ends
	}
	// Without a limit of its own, the quotient may be too large for a Duration.
	seconds := min(float64(b.received)/float64(b.limits.rate), b.limits.time.Seconds())
	allowed := b.limits.pause + time.Duration(seconds*float64(time.Second))
	if t := now.Add(allowed - b.waited); t.Before(b.ends) {
		return t
	}
	return b.ends
}

// beginning returns the body after up to 64 KiB of it have arrived. A small file has then arrived as a
// whole, and takes a slot only while it is stored.
func (b *body) beginning() io.Reader {
	in := bufio.NewReaderSize(b, piece)
	in.Peek(piece) // an error is that of a later Read
	return in
}
