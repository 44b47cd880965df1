package service

import (
	"compress/gzip"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

// A response is an answer. It waits in a spool until it is complete, so that a query that fails at its
// end has the answer that says so. Then it is sent as the client takes it.
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
	spool      *spool
	body       *body // of the request, or nil if nothing reads it
}

// newResponse returns the answer to a request, whose number has 60 random bits, so that the logs of
// several processes have none twice.
func newResponse(w http.ResponseWriter, request *http.Request, s *Service) *response {
	r := &response{
		ResponseWriter: w,
		service:        s,
		number:         rand.Text()[:12],
		status:         http.StatusOK,
		takesGzip:      takesGzip(request.Header),
		controller:     http.NewResponseController(w),
		spool:          new(spool),
	}
	// The deadline of the previous answer on the connection is not that of this one.
	r.controller.SetWriteDeadline(time.Time{})
	return r
}

func (r *response) WriteHeader(status int) {
	if !r.began {
		r.began, r.status = true, status
		r.compress()
	}
}

func (r *response) Write(p []byte) (n int, err error) {
	r.WriteHeader(http.StatusOK)
	if r.gzip != nil {
		return r.gzip.Write(p)
	}
	return r.spool.Write(p)
}

// send answers with text.
func (r *response) send(kind string, text []byte) {
	r.Header().Set("Content-Type", kind)
	r.Write(text) // finish finds the error
}

// share answers with text that other answers have, too. It is neither copied nor compressed, so that
// it needs no claim.
func (r *response) share(kind string, text []byte) {
	r.Header().Set("Content-Type", kind)
	r.began, r.spool = true, &spool{memory: text, size: int64(len(text))}
}

// answer answers with a value as JSON.
func (r *response) answer(status int, value any) {
	text := append(toJSON(value), '\n')
	if r.Header().Get("Content-Type") == "" {
		r.Header().Set("Content-Type", "application/json")
	}
	r.Header().Set("Content-Length", strconv.Itoa(len(text))) // for compress
	r.WriteHeader(status)
	r.Write(text)
}

// compress decides, before the header is written, whether the answer is compressed: if it is text, and
// the client takes that. It is compressed while it is made, so that it takes less of the disk. A
// short answer is sent in one packet anyway.
func (r *response) compress() {
	header := r.Header()
	if header.Get("Content-Encoding") != "" || r.status == http.StatusNoContent || r.status == http.StatusNotModified {
		return
	}

	kind, _, _ := mime.ParseMediaType(header.Get("Content-Type"))
	switch kind {
	case "application/json", "application/problem+json", "application/jsonl", "text/csv", "text/html":
	default:
		return
	}
	header.Add("Vary", "Accept-Encoding")
	length, err := strconv.Atoi(header.Get("Content-Length"))
	if isShort := err == nil && length < 1024; isShort || !r.takesGzip {
		return
	}
	header.Del("Content-Length")
	header.Set("Content-Encoding", "gzip")
	// A new one takes a megabyte.
	if z, ok := r.service.gzips.Get().(*gzip.Writer); ok {
		z.Reset(r.spool)
		r.gzip = z
		return
	}
	r.gzip, _ = gzip.NewWriterLevel(r.spool, gzip.BestSpeed) // an error is for other levels only
}

// endCompression ends a compressed answer.
func (r *response) endCompression() {
	if r.gzip != nil {
		r.gzip.Close() // finish finds the error
		r.service.gzips.Put(r.gzip)
		r.gzip = nil
	}
}

// takesGzip reports whether the Accept-Encoding of a request has gzip, or *, with a weight above 0.
func takesGzip(header http.Header) bool {
	takes := false
	for part := range strings.SplitSeq(strings.Join(header.Values("Accept-Encoding"), ","), ",") {
		coding, parameters, _ := strings.Cut(part, ";")
		weight := 1.0
		if q, ok := strings.CutPrefix(strings.ToLower(strings.ReplaceAll(parameters, " ", "")), "q="); ok {
			weight, _ = strconv.ParseFloat(q, 64) // 0 if it is invalid
		}
		switch strings.ToLower(strings.TrimSpace(coding)) {
		case "gzip", "x-gzip":
			return weight > 0
		case "*":
			takes = weight > 0
		}
	}
	return takes
}

// piece is the size of the parts of an answer. The client must take each in time, so that one that
// reads slowly gets its answer, and one that does not read is cut off.
const piece = 64 << 10

// finish sends the answer.
func (r *response) finish() {
	// The end of the compression may be what does not fit into the spool.
	r.endCompression()
	if err := r.spool.err; err != nil { // the client gets no part for the whole
		r.refuse(err)
		r.endCompression()
	}
	defer r.spool.close()
	if r.status != http.StatusNoContent {
		// A client that gets less knows that the answer was cut off.
		r.Header().Set("Content-Length", strconv.FormatInt(r.spool.size, 10))
	}
	r.ResponseWriter.WriteHeader(r.status)
	in := r.spool.reader()
	for n := int64(piece); n == piece; {
		if stall := r.service.config.Query.Stall; stall > 0 {
			r.controller.SetWriteDeadline(time.Now().Add(stall))
		}
		n, _ = io.CopyN(r.ResponseWriter, in, piece) // an error means that the client is gone
	}
	// To close a connection on which text arrives discards an answer that was not read yet.
	if r.body != nil && r.status == http.StatusRequestEntityTooLarge {
		// A client that sends all of its body before it reads gets the answer, which is sent already.
		r.controller.Flush() // an error means that the client is gone
		r.controller.SetReadDeadline(time.Now().Add(5 * time.Second))
		io.Copy(io.Discard, r.body.rest)
	}
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

func newBody(w *response, r *http.Request, limits UploadLimits) *body {
	// Otherwise, net/http reads some of the rest of the body before it sends an answer, and closes
	// the connection if there is more: see finish. An error means that there is no client.
	w.controller.EnableFullDuplex()
	w.body = &body{
		Reader:     http.MaxBytesReader(nil, r.Body, limits.Bytes),
		rest:       r.Body,
		controller: w.controller,
		limits:     limits,
	}
	return w.body
}

func (b *body) Read(p []byte) (int, error) {
	began := time.Now()
	if b.err == nil {
		// The deadline moves with what has arrived, which ReadTimeout of a server does not.
		b.err = b.controller.SetReadDeadline(b.deadline(began))
	}
	if b.err != nil {
		return 0, b.err
	}
	n, err := b.Reader.Read(p)
	b.waited += time.Since(began)
	b.received += int64(n)

	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = fmt.Errorf("the upload took too long: %w", os.ErrDeadlineExceeded)
	} else if _, ok := errors.AsType[*net.OpError](err); ok {
		err = errors.New("the connection broke") // the error names addresses
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
