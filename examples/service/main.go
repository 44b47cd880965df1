// Command service is a small results service. It takes files of any format over HTTP and from a
// folder or bucket, stores them with package store, and answers queries, also with a page that
// plots values over commits.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime/debug"
	"sync"
	"syscall"
	"time"

	"perfdata/format"
	"perfdata/report"
	"perfdata/store"
)

// A config is what flags and the environment set.
type config struct {
	listen   string
	database string
	tree     string // the folder or bucket to ingest; may be empty
	token    string // for uploads; may be empty
	noCommit bool   // take results without a commit
	commits  string // a file with a list of commits; may be empty
	charset  string // of trace IDs; empty for the one that the database has
	memory   int64  // see budget
	query    queryLimits
	upload   uploadLimits
	strict   bool // refuse files with faulty measurements
	watch    watchTimes

	commitURL string        // of the page's links; may be empty
	refresh   time.Duration // between two questions of a page for newer values

	grace time.Duration // for requests that are in progress at the end
}

// queryLimits bounds what one query, and all of them together, can use.
type queryLimits struct {
	time  time.Duration // without the time in which the client takes the answer
	wait  time.Duration // for others
	stall time.Duration // in which a client must take a piece of an answer
}

// uploadLimits bounds what one upload, and all of them together, can use.
type uploadLimits struct {
	bytes  int64 // of a request's body
	time   time.Duration
	rate   int64         // bytes a second that a client must send, if it is not 0
	pause  time.Duration // that is allowed in addition
	spool  int64         // bytes of all in temporary files
	wait   time.Duration // for others
	format format.Limits
}

// tokenVariable is the environment variable of the token. A flag would show it to all users of the
// machine.
const tokenVariable = "SERVICE_TOKEN"

// addFlags adds the flags that set a config, which gets their defaults.
func (c *config) addFlags(flags *flag.FlagSet) {
	flags.StringVar(&c.listen, "listen", "localhost:8080", "`address` to listen on; elsewhere, uploads need a token")
	flags.StringVar(&c.database, "db", "perf.db", "`file` of the database, or a postgres:// URL")
	flags.StringVar(&c.charset, "charset", "", "characters that trace IDs replace by _, as a `regexp` such as "+
		"invalid_param_char_regex of Skia Perf; a new database records it, and another one is refused")
	flags.StringVar(&c.tree, "ingest", "", "`folder` or URL of a bucket to ingest, now and when files are added")
	flags.StringVar(&c.commits, "commits", "",
		"`file` with the commits as git log prints them; read again when it changes")
	flags.BoolVar(&c.noCommit, "allow-no-commit", false, "store results that name no commit, each run by itself")
	flags.DurationVar(&c.watch.rescan, "rescan", time.Minute, "time between two looks at all files of the tree")
	flags.DurationVar(&c.watch.settle, "settle", time.Second, "time for which a file of a folder must not have changed")
	flags.DurationVar(&c.watch.lateness, "lateness", 24*time.Hour,
		"time by which a file of a bucket may come after files of later hours")
	flags.DurationVar(&c.grace, "grace", 10*time.Second, "time for requests to end after SIGTERM or SIGINT")

	const commitURL = "the `address` of a commit, with {commit} for its hash, for the links of the page"
	flags.Func("commit-url", commitURL, func(text string) error {
		c.commitURL = text
		return report.CheckCommitURL(text)
	})
	flags.DurationVar(&c.refresh, "refresh", 10*time.Second, "time between two questions of an open page for newer values")

	flags.Int64Var(&c.memory, "memory", 256<<20, "memory in `bytes` for all that clients send and ask; the process takes more")
	flags.DurationVar(&c.query.wait, "query-wait", 10*time.Second, "time for which a query waits for the others")
	flags.DurationVar(&c.query.time, "query-time", 30*time.Second, "time of the longest query, without that of its client")
	flags.DurationVar(&c.query.stall, "stall", 20*time.Second, "time in which a client must take 64 KiB of an answer")

	flags.BoolVar(&c.strict, "strict", false,
		"refuse a file with a faulty measurement, which is otherwise left out and reported")
	flags.Int64Var(&c.upload.bytes, "max-upload", 1<<30, "size of the largest upload, in `bytes`")
	flags.Int64Var(&c.upload.format.MaxDecompressedBytes, "max-decompressed", 4<<30, "its decompressed size, in `bytes`")
	flags.DurationVar(&c.upload.time, "upload-time", 10*time.Minute, "time of the longest upload")
	flags.Int64Var(&c.upload.rate, "upload-rate", 10_000, "`bytes` a second that an upload must send at least; 0 for any")
	flags.DurationVar(&c.upload.pause, "upload-pause", 10*time.Second, "time for which it may send less")
	flags.DurationVar(&c.upload.wait, "upload-wait", 2*time.Minute, "time for which an upload waits for the others")
	flags.Int64Var(&c.upload.spool, "spool", 4<<30, "`bytes` of temporary files in which uploads wait")
}

func main() {
	c := config{token: os.Getenv(tokenVariable)}
	c.addFlags(flag.CommandLine)
	flag.Usage = func() {
		fmt.Fprintf(flag.CommandLine.Output(),
			"usage: service [flags]\n\nThe environment variable %s has the token for uploads.\n\n", tokenVariable)
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() > 0 || c.memory < minMemory {
		flag.Usage()
		os.Exit(2)
	}

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	debug.SetMemoryLimit(heapLimit(c.memory))
	err := run(ctx, c, log)
	stop()
	if err != nil {
		log.Error("the service failed", "error", err)
		os.Exit(1)
	}
}

// run runs the service until the context is canceled. It logs the address at which it listens.
func run(ctx context.Context, c config, log *slog.Logger) error {
	transactions := newTransactions()
	db, err := store.OpenWith(ctx, c.database, store.Options{
		Memory: c.memory / 8 * 3, Charset: c.charset, Wrote: transactions.add,
	})
	if err != nil {
		return err
	}
	defer db.Close()
	listener, err := listen(c)
	if err != nil {
		return err
	}

	s := newService(db, c, log)
	s.metrics.registry.MustRegister(transactions.collectors()...)
	list := &commitsFile{service: s, name: c.commits}
	if c.commits != "" {
		if err := list.load(ctx); err != nil {
			listener.Close()
			return err
		}
	}
	server := &http.Server{
		Handler:           s.handler(),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
		MaxHeaderBytes:    maxHeaderBytes,
	}
	connections := newConnLimit(listener, s.budget.connections)
	server.ConnState = connections.changed
	s.metrics.addConnections(connections)

	// The tree and the server run until the context is canceled, or either fails.
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var running sync.WaitGroup
	if c.tree != "" {
		running.Go(func() {
			if err := s.watch(ctx, c.tree, c.watch); err != nil {
				cancel(err)
			}
		})
	}

	if c.commits != "" {
		running.Go(func() {
			if err := list.watch(ctx, c.watch); err != nil {
				cancel(err)
			}
		})
	}

	running.Go(func() {
		if err := server.Serve(connections); err != http.ErrServerClosed {
			cancel(err)
		}
	})
	log.Info("listening", "url", "http://"+listener.Addr().String())
	<-ctx.Done()

	// Requests in progress get some time. An upload that takes longer is rolled back.
	log.Info("shutting down")
	grace, end := context.WithTimeout(context.WithoutCancel(ctx), c.grace)
	defer end()
	if err := server.Shutdown(grace); err != nil {
		log.Warn("requests were interrupted", "error", err)
		server.Close()
	}
	s.requests.Wait()
	running.Wait()
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// listen listens on the address of a config. Elsewhere than on this machine, a token is necessary.
func listen(c config) (net.Listener, error) {
	listener, err := net.Listen("tcp", c.listen)
	if err != nil {
		return nil, err
	}
	if addr, ok := listener.Addr().(*net.TCPAddr); c.token == "" && (!ok || !addr.IP.IsLoopback()) {
		listener.Close()
		return nil, fmt.Errorf("%s is not a local address: want a token for uploads in %s", c.listen, tokenVariable)
	}
	return listener, nil
}
