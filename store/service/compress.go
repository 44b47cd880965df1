package service

import (
	"compress/gzip"
	"mime"
	"net/http"
	"strconv"
	"strings"
)

// minCompressed is the length from which on an answer is compressed, if its length is known.
const minCompressed = 1024

// compress decides, before the header is written, whether the answer is compressed: if it is text, and
// the client takes that. It is compressed while it is made.
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
	if isShort := err == nil && length < minCompressed; isShort || !r.takesGzip {
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
