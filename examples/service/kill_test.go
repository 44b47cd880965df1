package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"perfdata/store"
)

// The test binary runs the service if there is a database in these environment variables. The tree
// may be empty.
const (
	treeVariable     = "SERVICE_TEST_TREE"
	databaseVariable = "SERVICE_TEST_DATABASE"
	waitVariable     = "SERVICE_TEST_QUERY_WAIT" // for others and for the client; empty for the defaults
)

func TestMain(m *testing.M) {
	if os.Getenv(databaseVariable) == "" {
		status := m.Run()
		if chromium.stop != nil {
			chromium.stop()
		}
		os.Exit(status)
	}
	var c config
	c.addFlags(flag.NewFlagSet("service", flag.ContinueOnError)) // for the defaults
	c.listen, c.database, c.tree = "localhost:0", os.Getenv(databaseVariable), os.Getenv(treeVariable)
	c.Rescan, c.settle, c.lateness = time.Hour, 0, 0
	if wait, err := time.ParseDuration(os.Getenv(waitVariable)); err == nil {
		c.Query.Wait, c.Query.Stall = wait, wait
	}
	debug.SetMemoryLimit(c.HeapLimit())
	log := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{Level: slog.LevelDebug}))
	if err := run(context.Background(), c, log); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// A service that is killed many times while it takes a tree, and restarted each time, ends with
// the same store as an undisturbed service.
func TestKill(t *testing.T) {
	dir := t.TempDir()
	const files = 60
	for i := range files {
		var b strings.Builder
		for j := range 300 {
			fmt.Fprintf(&b, "BenchmarkA/i=%d 1 %d ns/op\n", j, i*j)
		}
		name := fmt.Sprintf("go/2026/01/02/%02d/%d.json", i%24, i)
		writeFile(t, filepath.Join(dir, name), fmt.Sprintf("commit: c%d\n%s", i%7, b.String()))
	}

	killed, whole := filepath.Join(t.TempDir(), "killed.db"), filepath.Join(t.TempDir(), "whole.db")
	random := rand.New(rand.NewPCG(1, 2))
	kills := 0
	for !runUntil(t, dir, killed, 1+random.IntN(5)) {
		kills++
	}
	if kills < 10 {
		t.Errorf("killed %d times", kills)
	}
	runUntil(t, dir, whole, files+1)
	if diff := cmp.Diff(dump(t, whole), dump(t, killed)); diff != "" {
		t.Errorf("(-undisturbed +killed):\n%s", diff)
	}
}

// runUntil runs the service on a tree, and kills it when it has stored some files, or the whole
// tree. It reports whether it took the whole tree.
func runUntil(t *testing.T, tree, database string, files int) (ended bool) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), treeVariable+"="+tree, databaseVariable+"="+database)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}

	stored := 0
	for in := bufio.NewScanner(out); stored < files && !ended && in.Scan(); {
		switch line := in.Text(); {
		case strings.Contains(line, "msg=stored"):
			stored++
		case strings.Contains(line, "msg=scanned"):
			ended = true
		case !strings.Contains(line, "msg=listening"):
			t.Errorf("unexpected: %s", line)
		}
	}

	cmd.Process.Kill()
	if _, ok := errors.AsType[*exec.ExitError](cmd.Wait()); !ok {
		t.Error("the service ended before it was killed")
	}
	return ended
}

// dump returns what a database has, as text.
func dump(t *testing.T, database string) string {
	t.Helper()
	db, err := store.Open(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var b strings.Builder
	if err := db.Dump(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
