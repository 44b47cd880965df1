package store

import (
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

// A postgresServer is a PostgreSQL server with its data in a temporary folder. It listens on a
// socket in the folder only.
type postgresServer struct {
	dir       string
	bin       string // folder of the programs
	databases atomic.Int64
}

// shared is the server that most tests use. TestMain stops it.
var shared *postgresServer

// startPostgres returns the shared server. It skips the test if PostgreSQL is not installed.
func startPostgres(t testing.TB) *postgresServer {
	t.Helper()
	if shared == nil {
		shared = newPostgres(t)
	}
	return shared
}

// newPostgres makes and starts a server, in a folder that the caller removes.
func newPostgres(t testing.TB) *postgresServer {
	t.Helper()
	initdb, err := exec.LookPath("initdb")
	if err != nil {
		found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
		if len(found) == 0 {
			t.Skip("PostgreSQL is not installed")
		}
		initdb = slices.Max(found)
	}
	dir, err := os.MkdirTemp("", "perfdata-postgres-")
	if err != nil {
		t.Fatal(err)
	}
	p := &postgresServer{dir: dir, bin: filepath.Dir(initdb)}
	if os.Getuid() == 0 {
		// The programs refuse to run as root. Debian's package makes a user for them.
		if out, err := exec.Command("chown", "postgres", dir).CombinedOutput(); err != nil {
			t.Skipf("PostgreSQL cannot be run as root, and there is no user postgres: %s", out)
		}
	}

	p.run(t, "initdb", "-D", dir+"/data", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync")
	p.start(t)
	return p
}

// command returns a command of the server, run by a user other than root.
func (p *postgresServer) command(program string, args ...string) *exec.Cmd {
	line := append([]string{filepath.Join(p.bin, program)}, args...)
	if os.Getuid() != 0 {
		cmd := exec.Command(line[0], line[1:]...)
		cmd.Dir = p.dir
		return cmd
	}
	for i, arg := range line {
		line[i] = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
	}
	cmd := exec.Command("su", "postgres", "-s", "/bin/sh", "-c", strings.Join(line, " "))
	cmd.Dir = p.dir
	return cmd
}

func (p *postgresServer) run(t testing.TB, program string, args ...string) {
	t.Helper()
	cmd := p.command(program, args...)
	log, err := os.Create(p.dir + "/" + program + ".log")
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log // not pipes, which the server would keep open
	if err := cmd.Run(); err != nil {
		text, _ := os.ReadFile(log.Name())
		t.Fatalf("%s: %v\n%s", program, err, text)
	}
}

func (p *postgresServer) start(t testing.TB) {
	t.Helper()
	options := fmt.Sprintf("-c listen_addresses= -c unix_socket_directories=%s -c fsync=off -c max_connections=200", p.dir)
	p.run(t, "pg_ctl", "-D", p.dir+"/data", "-w", "-l", p.dir+"/server.log", "-o", options, "start")
}

func (p *postgresServer) stop() error {
	return p.command("pg_ctl", "-D", p.dir+"/data", "-w", "-m", "immediate", "stop").Run()
}

// url returns the URL of a database.
func (p *postgresServer) url(database string) string {
	return "postgres://postgres@/" + database + "?host=" + url.QueryEscape(p.dir)
}

// newDatabase makes an empty schema and returns the URL of a database in which it is the only one.
// To make a database takes much longer.
func (p *postgresServer) newDatabase(t testing.TB) string {
	t.Helper()
	db, err := sql.Open("pgx", p.url("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	name := fmt.Sprintf("test%d", p.databases.Add(1))
	if _, err := db.ExecContext(t.Context(), "CREATE SCHEMA "+name); err != nil {
		t.Fatal(err)
	}
	return p.url("postgres") + "&search_path=" + name
}
