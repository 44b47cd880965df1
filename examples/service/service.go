package main

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"embed"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"perfdata/ingest"
	"perfdata/store"
)

// A service is what the handlers of requests, and the watched tree, share.
type service struct {
	db       *store.Store
	log      *slog.Logger
	metrics  *metrics
	token    string
	noCommit bool
	limits   uploadLimits
	strict   bool
	slots    chan struct{} // has an element for each upload in progress
	requests sync.WaitGroup
}

func newService(db *store.Store, c config, log *slog.Logger) *service {
	slots := make(chan struct{}, c.upload.atOnce)
	return &service{
		db:      db,
		log:     log,
		metrics: newMetrics(func() float64 { return float64(len(slots)) }),
		token:   c.token,
		limits:  c.upload,
		strict:  c.strict,

		noCommit: c.noCommit,
		slots:    slots,
	}
}

//go:embed page
var embedded embed.FS

// securityPolicy lets the page use its own files only. Params and links come from uploads: even if
// the page made markup of them, no script in it would run.
const securityPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; " +
	"img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// handler returns the handler of all requests.
func (s *service) handler() http.Handler {
	page, err := fs.Sub(embedded, "page")
	if err != nil {
		panic(err) // the name is invalid
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /upload", s.upload)
	mux.HandleFunc("GET /api/params", s.paramSet)
	mux.HandleFunc("GET /api/series", s.series)
	mux.HandleFunc("GET /api/links", s.links)
	mux.HandleFunc("GET /api/files", s.files)
	mux.Handle("GET /metrics", s.metrics.handler())
	mux.Handle("GET /", http.FileServerFS(page))

	// A page of another site must not upload, as it could without CORS.
	protection := http.NewCrossOriginProtection()
	protection.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.fail(w, problem{Status: http.StatusForbidden, Detail: "the request is from a page of another site"})
	}))
	sameOrigin := protection.Handler(mux)

	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.requests.Add(1)
		defer s.requests.Done()

		began, recorder := time.Now(), &statusRecorder{ResponseWriter: w, status: http.StatusOK}
		defer func() {
			s.metrics.request(r.Pattern, recorder.status, time.Since(began))
			s.log.Debug("request", "method", r.Method, "path", r.URL.Path, "status", recorder.status)
		}()

		header := w.Header()
		header.Set("Content-Security-Policy", securityPolicy)
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Referrer-Policy", "no-referrer")
		if s.token == "" && !isLocal(r.Host) {
			s.fail(recorder, problem{Status: http.StatusMisdirectedRequest, Detail: "the host of the request is not local"})
			return
		}
		sameOrigin.ServeHTTP(recorder, r)
	})
}

// isLocal reports whether the Host of a request names this machine. Without the check, a page of
// another site could have its own name resolve to this machine, and read what is for local users.
func isLocal(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// authorized reports whether a request has the token, if there is one.
func (s *service) authorized(r *http.Request) bool {
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	got, want := sha256.Sum256([]byte(token)), sha256.Sum256([]byte(s.token))
	return s.token == "" || subtle.ConstantTimeCompare(got[:], want[:]) == 1
}

// ingested counts and logs what became of a file. Each is called via one of: upload, tree.
func (s *service) ingested(ctx context.Context, via string, r ingest.Report) {
	s.metrics.file(via, r)
	if r.Err != nil {
		s.log.WarnContext(ctx, "failed", "via", via, "path", r.File.Path, "error", r.Err)
		return
	}
	s.log.InfoContext(ctx, "stored", "via", via, "path", r.File.Path, "format", r.Format, "records", r.Content.Records)
	if r.Faults > 0 {
		s.log.WarnContext(ctx, "left out", "via", via, "path", r.File.Path, "faults", r.Faults, "first", r.FirstFaults[0])
	}
}

// A statusRecorder remembers the status of a response.
type statusRecorder struct {
	http.ResponseWriter
	status int
}

func (r *statusRecorder) WriteHeader(status int) {
	r.status = status
	r.ResponseWriter.WriteHeader(status)
}

// Unwrap is for [http.ResponseController].
func (r *statusRecorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
