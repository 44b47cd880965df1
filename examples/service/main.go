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
	"os"
	"os/signal"
	"runtime/debug"
	"sync"
	"syscall"
	"time"

	"perfdata/report"
	"perfdata/store/service"
)

// A config is what flags and the environment set.
type config struct {
	service.Config
	listen   string
	database string
	tree     string // the folder or bucket to ingest; may be empty
	commits  string // a file with a list of commits; may be empty

	settle   time.Duration // in which a file of a folder must not have changed
	lateness time.Duration // by which a file of a bucket may come after files of later hours
}

// tokenVariable is the environment variable of the token. A flag would show it to all users of the
// machine.
const tokenVariable = "SERVICE_TOKEN"

// addFlags adds the flags that set a config, which gets their defaults.
func (c *config) addFlags(flags *flag.FlagSet) {
	c.Config = service.DefaultConfig()
	flags.StringVar(&c.listen, "listen", "localhost:8080", "`address` to listen on; elsewhere, uploads need a token")
	flags.StringVar(&c.database, "db", "perf.db", "`file` of the database, or a postgres:// URL")
	flags.StringVar(&c.Charset, "charset", "", "characters that trace IDs replace by _, as a `regexp` such as "+
		"invalid_param_char_regex of Skia Perf; a new database records it, and another one is refused")
	flags.StringVar(&c.tree, "ingest", "", "`folder` or URL of a bucket to ingest, now and when files are added")
	flags.StringVar(&c.commits, "commits", "",
		"`file` with the commits as git log prints them; read again when it changes")
	flags.BoolVar(&c.AllowNoCommit, "allow-no-commit", false, "store results that name no commit, each run by itself")
	flags.DurationVar(&c.Rescan, "rescan", c.Rescan, "time between two scans of the whole tree")
	flags.DurationVar(&c.settle, "settle", time.Second, "time for which a file of a folder must not have changed")
	flags.DurationVar(&c.lateness, "lateness", 24*time.Hour,
		"how late a file of a bucket may come, after files of later hours")
	flags.DurationVar(&c.Grace, "grace", c.Grace, "time for requests to end after SIGTERM or SIGINT")

	const commitURL = "the `address` of a commit, with {commit} for its hash, for the links of the page"
	flags.Func("commit-url", commitURL, func(text string) error {
		c.CommitURL = text
		return report.CheckCommitURL(text)
	})
	flags.StringVar(&c.Known, "known", "",
		"`file` of accepted changes, QUERY COMMIT REASON on each line; read again when it changes")
	flags.DurationVar(&c.Refresh, "refresh", c.Refresh, "time between two requests of an open page for newer values")

	flags.Int64Var(&c.Memory, "memory", c.Memory,
		"memory in `bytes` for what clients send and ask; the process takes more")
	flags.DurationVar(&c.Query.Wait, "query-wait", c.Query.Wait, "time for which a query waits for other queries")
	flags.DurationVar(&c.Query.Time, "query-time", c.Query.Time,
		"time of the longest query, without the time that the client takes to read the answer")
	flags.DurationVar(&c.Query.Stall, "stall", c.Query.Stall, "time in which a client must take 64 KiB of an answer")

	flags.BoolVar(&c.Strict, "strict", false,
		"refuse a file with a faulty measurement, which is otherwise left out and reported")
	flags.Int64Var(&c.Upload.Bytes, "max-upload", c.Upload.Bytes, "size of the largest upload, in `bytes`")
	decompressed := &c.Upload.Format.MaxDecompressedBytes
	flags.Int64Var(decompressed, "max-decompressed", *decompressed,
		"size of the largest upload after decompression, in `bytes`")
	flags.DurationVar(&c.Upload.Time, "upload-time", c.Upload.Time, "time of the longest upload")
	flags.Int64Var(&c.Upload.Rate, "upload-rate", c.Upload.Rate, "least `bytes` a second of an upload; 0 for any")
	flags.DurationVar(&c.Upload.Pause, "upload-pause", c.Upload.Pause,
		"time for which an upload may arrive slower than -upload-rate")
	flags.DurationVar(&c.Upload.Wait, "upload-wait", c.Upload.Wait, "time for which an upload waits for other uploads")
	flags.Int64Var(&c.Upload.Spool, "spool", c.Upload.Spool,
		"`bytes` of temporary files in which uploads wait; answers have a quarter of as many")
}

func main() {
	var c config
	c.addFlags(flag.CommandLine)
	c.Token = os.Getenv(tokenVariable)
	flag.Usage = func() {
		fmt.Fprintf(flag.CommandLine.Output(),
			"usage: service [flags]\n\nThe environment variable %s has the token for uploads.\n\n", tokenVariable)
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() > 0 || c.Memory < service.MinMemory {
		flag.Usage()
		os.Exit(2)
	}

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	debug.SetMemoryLimit(c.HeapLimit())
	err := run(ctx, c, log)
	stop()
	if err != nil {
		log.Error("the service failed", "error", err)
		os.Exit(1)
	}
}

// run runs the service until the context is canceled. It logs the address at which it listens.
func run(ctx context.Context, c config, log *slog.Logger) error {
	s, err := service.Open(ctx, c.database, c.Config, log)
	if err != nil {
		return err
	}
	defer s.Close()
	listener, err := listen(c)
	if err != nil {
		return err
	}

	list := &commitsFile{service: s, log: log, name: c.commits}
	if c.commits != "" {
		if err := list.load(ctx); err != nil {
			listener.Close()
			return err
		}
	}

	// All run until the context is canceled, or one fails.
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var running sync.WaitGroup
	begin := func(wanted bool, run func() error) {
		if wanted {
			running.Go(func() {
				if err := run(); err != nil {
					cancel(err)
				}
			})
		}
	}
	begin(c.tree != "", func() error { return newTree(s, c, log).run(ctx) })
	begin(c.commits != "", func() error { return list.watch(ctx, c) })
	log.Info("listening", "url", "http://"+listener.Addr().String())
	begin(true, func() error { return s.Serve(ctx, listener) })
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
	if addr, ok := listener.Addr().(*net.TCPAddr); c.Token == "" && (!ok || !addr.IP.IsLoopback()) {
		listener.Close()
		return nil, fmt.Errorf("%s is not a local address: want a token for uploads in %s", c.listen, tokenVariable)
	}
	return listener, nil
}
