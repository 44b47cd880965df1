package main

import (
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestPostgres runs the tests on a PostgreSQL server, if one is installed.
func TestPostgres(t *testing.T) {
	server := startPostgres(t)
	databases := 0
	testDatabase(t, func(t *testing.T) string {
		databases++
		name := fmt.Sprintf("tko%d", databases)
		db, err := sql.Open("pgx", server("postgres"))
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if _, err := db.ExecContext(t.Context(), "CREATE DATABASE "+name); err != nil {
			t.Fatal(err)
		}
		return server(name)
	})
}

// startPostgres starts a server that runs until the end of the test, and returns a function from
// the name of a database to its URL. It skips the test if that is not possible.
func startPostgres(t *testing.T) (server func(database string) string) {
	initdb, err := exec.LookPath("initdb")
	if err != nil {
		found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb") // of Debian's package
		if len(found) == 0 {
			t.Skip("PostgreSQL is not installed")
		}
		initdb = slices.Max(found)
	}

	// The folder has a short name, because the name of the server's socket is limited. The server
	// does not run as root, so for root, it is run by the user of Debian's package.
	dir, err := os.MkdirTemp("", "tko-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	var as []string
	if os.Getuid() == 0 {
		if out, err := exec.Command("chown", "postgres", dir).CombinedOutput(); err != nil {
			t.Skipf("PostgreSQL does not run as root, and the user postgres is missing: %s", out)
		}
		as = []string{"runuser", "-u", "postgres", "--"}
	}

	command := func(args ...string) {
		args = append(slices.Clone(as), args...)
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = dir

		log, err := os.Create(filepath.Join(dir, "command.log"))
		if err != nil {
			t.Fatal(err)
		}
		defer log.Close()
		cmd.Stdout, cmd.Stderr = log, log // a pipe would stay open as long as the server runs
		if err := cmd.Run(); err != nil {
			text, _ := os.ReadFile(log.Name())
			t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, text)
		}
	}

	data, control := filepath.Join(dir, "data"), filepath.Join(filepath.Dir(initdb), "pg_ctl")
	command(initdb, "-D", data, "-U", "tko", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync")
	options := "-c listen_addresses= -c fsync=off -c unix_socket_directories=" + dir
	command(control, "-D", data, "-w", "-l", filepath.Join(dir, "server.log"), "-o", options, "start")
	t.Cleanup(func() { command(control, "-D", data, "-m", "immediate", "-w", "stop") })
	return func(database string) string {
		return "postgres://tko@/" + database + "?host=" + url.QueryEscape(dir)
	}
}
