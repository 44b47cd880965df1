package service

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"perfdata/ingest"
	"perfdata/ingest/admission"
	"perfdata/report"
	"perfdata/store"
)

// A Service serves a store.
type Service struct {
	db       *store.Store
	log      *slog.Logger
	metrics  metrics
	token    string
	noCommit bool
	limits   UploadLimits
	strict   bool
	grace    time.Duration
	requests sync.WaitGroup

	budget      *budget
	queryLimits QueryLimits
	uploads     atomic.Int64 // in progress
	readiness   readiness
	gzips       sync.Pool // of compressed answers

	// The page, and its data.
	html      []byte
	zipped    []byte // html, compressed
	policy    string
	commitURL string
	known     string // the file of accepted changes; may be empty
	snapshots snapshots
	writes    atomic.Uint64 // to the store, by this program
	rescan    time.Duration // after which data is old that other programs may have changed
}

// Open opens a database, as [store.Open] does, and returns a Service for it. The context is for Open only.
func Open(ctx context.Context, name string, c Config, log *slog.Logger) (*Service, error) {
	if c.Memory < MinMemory {
		return nil, fmt.Errorf("service: memory of %d bytes: want at least %d", c.Memory, MinMemory)
	}
	s := &Service{
		log:       log,
		token:     c.Token,
		limits:    c.Upload,
		strict:    c.Strict,
		grace:     c.Grace,
		noCommit:  c.AllowNoCommit,
		commitURL: c.CommitURL,
		known:     c.Known,
		rescan:    c.Rescan,
		snapshots: snapshots{build: make(chan struct{}, 1)},

		budget:      newBudget(c.Memory, c.Upload.Spool, c.Upload.Wait, c.Query.Wait),
		queryLimits: c.Query,
	}
	var html bytes.Buffer
	_, err := s.readKnown()
	if err == nil {
		err = writePage(&html, c.Refresh)
	}
	if err == nil {
		s.policy, err = report.ShellPolicy()
	}
	if err != nil {
		return nil, err
	}

	s.html = html.Bytes()
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	z.Write(s.html) // into memory
	z.Close()
	s.zipped = zipped.Bytes()
	s.addMetrics()
	s.db, err = store.OpenWith(ctx, name, store.Options{
		Memory: c.Memory / 8 * 3, Charset: c.Charset, Wrote: s.metrics.countTransaction,
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Close closes the database.
func (s *Service) Close() error { return s.db.Close() }

// Store returns the store of the service. Files that are added to it are reported to [Service.Ingested].
func (s *Service) Store() *store.Store { return s.db }

// Serve serves requests until the context is canceled, and returns after the requests in progress
// have ended, or their grace period has. It closes the listener.
func (s *Service) Serve(ctx context.Context, l net.Listener) error {
	server := &http.Server{
		Handler:           s.Handler(),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
		MaxHeaderBytes:    maxHeaderBytes,
	}

	connections := newConnLimit(l, s.budget.connections)
	server.ConnState = connections.changed
	s.addConnections(connections)
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(connections) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}

	// An upload that takes longer is rolled back.
	s.log.Info("shutting down")
	grace, end := context.WithTimeout(context.WithoutCancel(ctx), s.grace)
	defer end()
	if err := server.Shutdown(grace); err != nil {
		s.log.Warn("requests were interrupted", "error", err)
		server.Close()
	}
	s.requests.Wait()
	<-failed
	return nil
}

// Admit waits for the memory that a file of a size takes until it is stored, and then the claim is released.
func (s *Service) Admit(ctx context.Context, size int64) (*admission.Claim, error) {
	return s.budget.large.Admit(ctx, memoryOf(size))
}

// Handler returns the handler of all requests. Serve also limits connections and headers.
func (s *Service) Handler() http.Handler {
	mux, queries, reports := http.NewServeMux(), &s.budget.queries, &s.budget.reports
	mux.HandleFunc("POST /upload", s.handle(s.upload))
	mux.HandleFunc("GET /api/params", s.query(&s.budget.wide, queryMemory, s.paramSet))
	mux.HandleFunc("GET /api/series", s.query(queries, queryMemory, s.series))
	mux.HandleFunc("GET /api/changes", s.query(reports, reports.Limit, s.changes))
	mux.HandleFunc("GET /api/compare", s.query(reports, reports.Limit, s.compare))

	mux.HandleFunc("GET /api/links", s.query(queries, queryMemory, s.links))
	mux.HandleFunc("GET /api/files", s.query(queries, queryMemory, s.files))
	mux.HandleFunc("DELETE /api/files", s.admitted(reports, reports.Limit, 0, s.deleteFiles))
	mux.HandleFunc("GET /api/commits", s.query(queries, queryMemory, s.commits))
	mux.HandleFunc("PUT /api/commits", s.handle(s.setCommits))
	mux.HandleFunc("DELETE /api/commits", s.handle(s.deleteCommits))
	mux.HandleFunc("GET /metrics", s.query(&s.budget.pages, pageMemory, s.collect))
	mux.HandleFunc("GET /healthz", s.healthy)
	mux.HandleFunc("GET /readyz", s.ready)
	mux.HandleFunc("GET /api/report", s.query(nil, 0, s.reportHead))
	mux.HandleFunc("GET /api/report/findings", s.query(nil, 0, s.reportFindings))
	mux.HandleFunc("GET /api/report/values", s.handle(s.reportValues))
	mux.HandleFunc("GET /api/report/links", s.query(queries, queryMemory, s.reportLinks))
	mux.HandleFunc("GET /{$}", s.page)

	// A page of another site must not upload, as it could without CORS.
	protection := http.NewCrossOriginProtection()
	protection.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.fail(w, problem{Status: http.StatusForbidden, Detail: "the request is from a page of another site"})
	}))
	sameOrigin := protection.Handler(mux)

	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.requests.Add(1)
		defer s.requests.Done()

		began, recorder := time.Now(), newResponse(w, r, s)
		defer func() { s.done(r, recorder, time.Since(began)) }()

		header := w.Header()
		header.Set("Cross-Origin-Resource-Policy", "same-origin")
		if strings.HasPrefix(r.URL.Path, "/api/") || r.URL.Path == "/upload" {
			header.Set("Cache-Control", "no-store")
		}
		header.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Referrer-Policy", "no-referrer")
		if s.token == "" && !isLocal(r.Host) {
			s.fail(recorder, problem{Status: http.StatusMisdirectedRequest, Detail: "the host of the request is not local"})
			recorder.finish()
			return
		}

		_, pattern := mux.Handler(r)
		if detail := checkParams(pattern, r); detail != "" {
			s.fail(recorder, problem{Status: http.StatusBadRequest, Detail: detail})
			recorder.finish()
			return
		}
		sameOrigin.ServeHTTP(recorder, r)
		recorder.finish()
	})
}

// done counts and logs a request. One that failed because of the service has a line, with the number
// that the answer has.
func (s *Service) done(r *http.Request, w *response, took time.Duration) {
	s.metrics.countRequest(r.Pattern, w.status, took)
	level, message := slog.LevelDebug, "request"
	attributes := []any{"request", w.number, "method", r.Method, "path", r.URL.Path, "status", w.status, "duration", took}
	// A refusal is counted, and a client that hung up does not matter.
	if w.status >= 500 && !is(w.err, admission.ErrFull, context.Canceled) {
		level, message = slog.LevelError, "request failed"
		attributes = append(attributes, "error", w.err)
	}
	s.log.Log(r.Context(), level, message, attributes...)
}

// isLocal reports whether the Host of a request names this machine. Without the check, a page of
// another site could have its own name resolve to this machine, and read data that is for local
// users.
func isLocal(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// authorize returns an error unless a request has the token.
func (s *Service) authorize(r *http.Request) error {
	const want = "want the header Authorization: Bearer TOKEN"
	unauthorized := func(detail string) error { return &refusal{status: http.StatusUnauthorized, detail: detail} }
	if s.token == "" {
		return nil
	}
	header := r.Header.Get("Authorization")
	if header == "" {
		return unauthorized(want)
	}
	scheme, token, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "Bearer") || token == "" {
		return unauthorized(`the header Authorization does not have the form "Bearer", a space and the token: ` + want)
	}
	got, expected := sha256.Sum256([]byte(token)), sha256.Sum256([]byte(s.token))
	if subtle.ConstantTimeCompare(got[:], expected[:]) != 1 {
		return unauthorized("the token is wrong")
	}
	return nil
}

// Ingested counts and logs what became of a file, and how it came. The
// attributes are added to the line of the log.
func (s *Service) Ingested(ctx context.Context, via string, r ingest.Report, attributes ...any) {
	s.writes.Add(1)
	s.metrics.countFile(via, r)
	attributes = append([]any{"via", via, "path", r.File.Path}, attributes...)
	if r.Err != nil {
		s.log.WarnContext(ctx, "failed", append(attributes, "error", r.Err)...)
		return
	}
	s.log.InfoContext(ctx, "stored", append(attributes, "format", r.Format, "records", r.Content.Records)...)
	if r.Faults > 0 {
		s.log.WarnContext(ctx, "left out", "via", via, "path", r.File.Path, "faults", r.Faults, "first", r.FirstFaults[0])
	}
}
