// Perfstore stores performance results in a database, and queries it:
//
//	perfstore ingest DATABASE FOLDER...     store the files in folders
//	perfstore query DATABASE [QUERY]        print the values of the traces that a query selects
//	perfstore params DATABASE               print the keys of the traces with their values
//	perfstore sources DATABASE              print what became of each file
//	perfstore delete DATABASE PATH...       delete what is stored of files
//
// A DATABASE is a file of SQLite, which is created, or a URL of PostgreSQL, as in
// postgres://user@host/database. The exit status is 0 on success, 1 if a file failed, and 2 for
// other errors.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"

	"perfdata/ingest"
	"perfdata/internal/visible"
	"perfdata/store"
	"perfdata/traceid"
)

func main() {
	// The first interrupt ends the ingestion after rolling back, and the second one the program.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	out := bufio.NewWriter(os.Stdout)
	err := run(ctx, out, os.Args[1:])
	if flushErr := out.Flush(); err == nil {
		err = flushErr
	}
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, "perfstore:", visible.String(err.Error()))
	if errors.Is(err, errFailed) {
		os.Exit(1)
	}
	os.Exit(2)
}

const usage = "usage: perfstore ingest DATABASE FOLDER... | query DATABASE [QUERY] | params DATABASE | " +
	"sources DATABASE | delete DATABASE PATH"

// errFailed is the error of an ingestion in which files failed.
var errFailed = errors.New("files failed")

func run(ctx context.Context, out *bufio.Writer, args []string) error {
	if len(args) < 2 {
		return errors.New(usage)
	}
	command, database, rest := args[0], args[1], args[2:]
	commands := map[string]struct {
		run      func(context.Context, *store.Store, *bufio.Writer, []string) error
		min, max int
	}{
		"ingest":  {ingestFolders, 1, 1 << 20},
		"query":   {query, 0, 1},
		"params":  {params, 0, 0},
		"sources": {sources, 0, 0},
		"delete":  {remove, 1, 1 << 20},
	}

	c, ok := commands[command]
	if !ok || len(rest) < c.min || len(rest) > c.max {
		return errors.New(usage)
	}

	if command != "ingest" && !strings.Contains(database, "://") {
		// Open would create it.
		if _, err := os.Stat(database); err != nil {
			return err
		}
	}
	s, err := store.Open(ctx, database)
	if err != nil {
		return err
	}
	defer s.Close()
	return c.run(ctx, s, out, rest)
}

// ingestFolders stores the files of folders. Their paths in the store begin below the folder.
func ingestFolders(ctx context.Context, s *store.Store, out *bufio.Writer, folders []string) error {
	failed := 0
	for _, folder := range folders {
		if info, err := os.Stat(folder); err != nil || !info.IsDir() {
			return errors.Join(fmt.Errorf("%s is not a folder", folder), err)
		}
		files := ingest.Walk(os.DirFS(folder), ".", ingest.WalkOptions{Order: ingest.ByPath})
		summary, err := s.Ingest(ctx, files, ingest.RunOptions{Report: func(r ingest.Report) {
			if r.Err != nil {
				fmt.Fprintln(os.Stderr, visible.String(r.Err.Error()))
			}
		}})
		fmt.Fprintf(out, "%s: stored %d measurements of %d files, %d files failed\n",
			visible.String(folder), summary.Records, summary.Files, summary.Failed)
		if err != nil {
			return err
		}
		failed += summary.Failed
	}
	if failed > 0 {
		return fmt.Errorf("%d %w", failed, errFailed)
	}
	return nil
}

// query prints a line for each value, with tabs between the trace ID, commit, number and value.
func query(ctx context.Context, s *store.Store, out *bufio.Writer, args []string) error {
	q, err := traceid.ParseQuery(strings.Join(args, ""))
	if err != nil {
		return err
	}
	for series, err := range s.Query(ctx, q, store.Range{}) {
		if err != nil {
			return err
		}
		for _, p := range series.Points {
			fmt.Fprintf(out, "%s\t%s\t%d\t%v\n", series.ID, visible.String(p.Commit), p.N, p.Value)
		}
	}
	return nil
}

func params(ctx context.Context, s *store.Store, out *bufio.Writer, _ []string) error {
	set, err := s.ParamSet(ctx, store.Trial{})
	if err != nil {
		return err
	}
	for key, values := range set.All() {
		fmt.Fprintf(out, "%s\t%s\n", key, strings.Join(values, " "))
	}
	return nil
}

// sources prints a line for each file, with tabs between the path, format, number of measurements
// and error.
func sources(ctx context.Context, s *store.Store, out *bufio.Writer, _ []string) error {
	for src, err := range s.Sources(ctx) {
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s\t%s\t%d\t%s\n",
			visible.String(src.Path), visible.String(src.Format), src.Records, visible.String(src.Err))
	}
	return nil
}

func remove(ctx context.Context, s *store.Store, _ *bufio.Writer, paths []string) error {
	for _, path := range paths {
		if err := s.Delete(ctx, path); err != nil {
			return err
		}
	}
	return nil
}
