package service

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"perfdata/ingest"
	"perfdata/ingest/admission"
	"perfdata/store"
)

// A Service serves a store.
type Service struct {
	db       *store.Store
	config   Config
	log      *slog.Logger
	metrics  metrics
	requests sync.WaitGroup

	budget    *budget
	uploads   atomic.Int64 // in progress
	sizing    sync.Mutex   // of uploads: to decompress one may take two windows of zstd, 64 MiB, without a claim
	readiness remembered[struct{}]
	size      remembered[store.Size]
	gzips     sync.Pool // of compressed answers

	// The page, and its data.
	makePage  func() error // once
	html      []byte
	zipped    []byte // html, compressed
	policy    string
	snapshots snapshots
	writes    atomic.Uint64 // to the store, by this program
}

// Open opens a database, as [store.Open] does, and returns a Service for it. The context is for Open only.
func Open(ctx context.Context, name string, c Config, log *slog.Logger) (*Service, error) {
	if c.Memory < MinMemory {
		return nil, fmt.Errorf("service: memory of %d bytes: want at least %d", c.Memory, MinMemory)
	}
	s := &Service{
		config:    c,
		log:       log,
		metrics:   metrics{families: make(map[string]*family)},
		snapshots: snapshots{build: make(chan struct{}, 1)},
		budget:    newBudget(c.Memory, c.Upload.Spool, c.Upload.Wait, c.Query.Wait),
	}
	// A wrong name of the file is noticed at the start, and not by the first reader of the page.
	if _, err := s.readKnown(); err != nil {
		return nil, err
	}

	s.makePage = sync.OnceValue(s.writePage)
	s.addMetrics()
	var err error
	// The database is last, so that no error above has to close it.
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
	lasting, interrupt := context.WithCancel(context.WithoutCancel(ctx))
	defer interrupt()
	// There is no timeout for a body or an answer as a whole, because large ones take long: body.Read
	// and response.finish move the deadlines. A client that sends its header slowly is cut off.
	server := &http.Server{
		BaseContext:       func(net.Listener) context.Context { return context.WithValue(lasting, lastingKey{}, lasting) },
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
	var failure error
	select {
	case failure = <-failed: // what is in progress can still be answered
	case <-ctx.Done():
	}

	// An upload that takes longer is rolled back.
	s.log.Info("shutting down")
	grace, end := context.WithTimeout(context.WithoutCancel(ctx), s.config.Grace)
	defer end()
	if err := server.Shutdown(grace); err != nil {
		interrupt()
		s.log.Warn("requests were interrupted", "error", err)
		server.Close()
	}
	s.requests.Wait()
	if failure == nil {
		<-failed
	}
	return failure
}

// lastingKey is the key of the context of requests for the one that ends with the grace period.
type lastingKey struct{}

// lasting returns the context of what goes on when the client has gone.
func lasting(r *http.Request) context.Context {
	if ctx, ok := r.Context().Value(lastingKey{}).(context.Context); ok {
		return ctx
	}
	return context.WithoutCancel(r.Context()) // of a server that is not Serve's
}

// Admit waits for the memory that a file of a size takes until it is stored, and then the claim is released.
func (s *Service) Admit(ctx context.Context, size int64) (*admission.Claim, error) {
	return s.budget.large.Admit(ctx, memoryOf(size))
}

// A route is a pattern of requests, with the parameters in the URL that its handler knows.
type route struct {
	pattern string
	params  []string
	handle  handler
}

// routes returns all routes except that of the page, which ignores any parameters, as its script reads
// them. The token is checked before anything waits, so that clients without it cannot fill a queue.
func (s *Service) routes() []route {
	quick := func(h handler) handler { return s.query(&s.budget.queries, queryMemory, h) }
	reports := &s.budget.reports
	trial := []string{"issue", "patchset"}
	// The parameters that select series, and say what a change is.
	selecting := func(more ...string) []string {
		return slices.Concat([]string{"q", "first", "last", "issue", "patchset", "threshold", "alpha"}, more)
	}

	return []route{
		{"POST /upload", []string{"name", "format", "commit", "run", "replaces"}, s.authorized(s.upload)},
		{"GET /api/params", trial, s.query(&s.budget.wide, queryMemory, s.paramSet)},
		{"GET /api/series", []string{"q", "limit", "first", "last", "from", "until", "issue", "patchset"}, quick(s.series)},
		{"GET /api/changes", selecting(), s.query(reports, reports.Limit, s.changes)},
		{"GET /api/compare", []string{"q", "old", "new", "threshold", "alpha"}, s.query(reports, reports.Limit, s.compare)},
		{"GET /api/links", []string{"id", "commit", "run", "n", "issue", "patchset"}, quick(s.links)},
		{"GET /api/files", []string{"failed", "limit", "cursor"}, quick(s.files)},
		{
			"DELETE /api/files", []string{"path", "run", "before", "commit", "q", "issue", "patchset", "dryrun"},
			s.authorized(s.admitted(reports, reports.Limit, 0, s.deleteFiles)),
		},

		{"GET /api/commits", trial, quick(s.commits)},
		{"PUT /api/commits", []string{"repository"}, s.authorized(s.setCommits)},
		{"DELETE /api/commits", []string{"repository"}, s.authorized(s.deleteCommits)},
		// Most requests of open pages find a snapshot that is made, and take nothing. The others reserve
		// what they need themselves.
		{"GET /api/report", selecting("have"), s.query(nil, 0, s.reportHead)},
		{"GET /api/report/findings", selecting("version"), s.query(nil, 0, s.reportFindings)},
		{"GET /api/report/values", selecting("version", "block"), s.reportValues},
		{"GET /api/report/links", selecting("version", "series", "commit"), quick(s.reportLinks)},

		{"GET /metrics", nil, s.query(&s.budget.pages, pageMemory, s.collect)},
		{"GET /healthz", nil, healthy},
		{"GET /readyz", nil, s.ready},
	}
}

// Handler returns the handler of all requests. Serve also limits connections and headers.
func (s *Service) Handler() http.Handler {
	mux := http.NewServeMux()
	for _, route := range s.routes() {
		mux.HandleFunc(route.pattern, func(w http.ResponseWriter, r *http.Request) {
			// A request with a fault is refused before it waits for anything.
			err := checkParams(route.params, r)
			if err != nil {
				err = badRequest(err)
			} else {
				err = route.handle(w.(*response), r)
			}
			if err != nil {
				w.(*response).refuse(err)
			}
		})
	}
	mux.HandleFunc("GET /{$}", s.page)

	// A page of another site must not upload, as it could without CORS.
	protection := http.NewCrossOriginProtection()
	protection.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.(*response).refuse(&problem{Status: http.StatusForbidden, Detail: "the request is from a page of another site"})
	}))
	sameOrigin := protection.Handler(mux)

	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Close of a server does not wait for handlers, but Serve must: they use the database, which its
		// caller closes next.
		s.requests.Add(1)
		defer s.requests.Done()

		began, recorder := time.Now(), newResponse(w, r, s)
		defer func() { s.done(r, recorder, time.Since(began)) }()

		// Answers show the text of files that anyone may have uploaded. A browser must not run it, take
		// it for another type, embed it in a page of another site, or send its address to one.
		header := w.Header()
		header.Set("Cross-Origin-Resource-Policy", "same-origin")
		if strings.HasPrefix(r.URL.Path, "/api/") || r.URL.Path == "/upload" {
			header.Set("Cache-Control", "no-store")
		}
		header.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Referrer-Policy", "no-referrer")
		// A service with a token may have any name. Everyone who can connect may query it anyway.
		if s.config.Token == "" && !isLocal(r.Host) {
			recorder.refuse(&problem{Status: http.StatusMisdirectedRequest, Detail: "the host of the request is not local"})
		} else {
			sameOrigin.ServeHTTP(recorder, r)
		}
		recorder.finish()
	})
}

// done counts and logs a request. One that failed because of the service has a line, with the number
// that the answer has.
func (s *Service) done(r *http.Request, w *response, took time.Duration) {
	s.metrics.add("service_request_seconds", "Time from the header of a request to the end of the answer.", took.Seconds(),
		requestBuckets, "route", r.Pattern, "status", strconv.Itoa(w.status)) // a request may match no pattern
	// Open pages send requests all the time: the metrics count them, and the log leaves them out.
	level, message := slog.LevelDebug, "request"
	attributes := []any{"request", w.number, "method", r.Method, "path", r.URL.Path, "status", w.status, "duration", took}
	// A refusal is counted: lines of the log for each would help those who flood the service. A client
	// that hung up does not matter.
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

// authorized returns a handler of requests that have the token.
func (s *Service) authorized(h handler) handler {
	const want = "want the header Authorization: Bearer TOKEN"
	return func(w *response, r *http.Request) error {
		detail := ""
		header := r.Header.Get("Authorization")
		scheme, token, _ := strings.Cut(header, " ")
		// Hashes have the same length, so that the time says nothing about the length of the token.
		got, expected := sha256.Sum256([]byte(token)), sha256.Sum256([]byte(s.config.Token))
		switch {
		case s.config.Token == "":
		case header == "":
			detail = want
		case !strings.EqualFold(scheme, "Bearer") || token == "":
			detail = `the header Authorization does not have the form "Bearer", a space and the token: ` + want
		case subtle.ConstantTimeCompare(got[:], expected[:]) != 1:
			detail = "the token is wrong"
		}
		if detail != "" {
			return &problem{Status: http.StatusUnauthorized, Detail: detail}
		}
		return h(w, r)
	}
}

// Ingested counts and logs what became of a file, and how it came. The attributes are added to the
// line of the log. A file that failed is a write, too, as the page lists it.
func (s *Service) Ingested(ctx context.Context, via string, r ingest.Report, attributes ...any) {
	s.writes.Add(1)
	attributes = append([]any{"via", via, "path", r.File.Path}, attributes...)
	const files, help = "service_files_total", "Files that were stored, or failed."
	if r.Err != nil {
		s.metrics.add(files, help, 1, nil, "result", "failed", "via", via)
		s.log.WarnContext(ctx, "failed", append(attributes, "error", r.Err)...)
		return
	}

	s.metrics.add(files, help, 1, nil, "result", "stored", "via", via)
	s.metrics.add("service_records_total", "Measurements in the files that were stored.",
		float64(r.Content.Records), nil, "via", via)
	s.metrics.add("service_file_bytes_total", "Size of the files that were stored, as they arrived.",
		float64(r.Content.Size), nil, "via", via)
	s.log.InfoContext(ctx, "stored", append(attributes, "format", r.Format, "records", r.Content.Records)...)
	if r.Faults > 0 {
		s.log.WarnContext(ctx, "left out", "via", via, "path", r.File.Path, "faults", r.Faults, "first", r.FirstFaults[0])
	}
}
