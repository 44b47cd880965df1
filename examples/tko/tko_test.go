package main

import (
	"context"
	"database/sql"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const jobFolder = "../../testdata/keyval/job"

func TestSQLite(t *testing.T) {
	testDatabase(t, func(t *testing.T) string { return filepath.Join(t.TempDir(), "what? 100%#.db") })
}

// testDatabase runs the tests on databases that empty returns the names of.
func testDatabase(t *testing.T, empty func(*testing.T) string) {
	t.Run("README", func(t *testing.T) { testReadme(t, empty(t)) })
	t.Run("columns of the view", func(t *testing.T) { testColumns(t, empty(t)) })
	t.Run("tables", func(t *testing.T) { testTables(t, empty(t)) })
	t.Run("replace", func(t *testing.T) { testReplace(t, empty(t)) })
	t.Run("rollback", func(t *testing.T) { testRollback(t, empty(t)) })
	t.Run("at the same time", func(t *testing.T) { testAtOnce(t, empty(t), empty(t)) })
	t.Run("odd values", func(t *testing.T) { testOddValues(t, empty(t)) })
}

// testReadme runs the command of README, and compares what it prints with what README shows.
func testReadme(t *testing.T, database string) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```text\n(.*?)```").FindAllStringSubmatch(string(readme), -1)

	var out, errOut strings.Builder
	if status := run([]string{"-db", database, jobFolder}, &out, &errOut); status != 1 {
		t.Errorf("status %d, want 1 for a fault", status)
	}
	if diff := cmp.Diff(blocks[0][1], out.String()); diff != "" {
		t.Errorf("output (-README +got):\n%s", diff)
	}
	if diff := cmp.Diff(blocks[1][1], errOut.String()); diff != "" {
		t.Errorf("errors (-README +got):\n%s", diff)
	}
}

// testColumns compares the columns of the view with the columns of the original.
func testColumns(t *testing.T, database string) {
	db, err := openDatabase(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.QueryContext(t.Context(), "SELECT * FROM tko_perf_view_2")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	got, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}

	want := []string{
		"test_idx", "job_idx", "test_name", "subdir", "kernel_idx", "status_idx", "reason", "machine_idx",
		"test_started_time", "test_finished_time", "job_tag", "job_name", "job_owner", "job_queued_time",
		"job_started_time", "job_finished_time", "hostname", "platform", "machine_owner", "kernel_hash",
		"kernel_base", "kernel", "status", "iteration", "iteration_key", "iteration_value",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func testTables(t *testing.T, database string) {
	store(t, database, "job", jobFolder)
	for _, test := range []struct{ name, query, want string }{
		{
			"machine",
			`SELECT hostname, machine_group, owner FROM tko_machines`,
			"lumpy-7 lumpy NULL",
		},
		{
			"job",
			`SELECT tag, label, username, queued_time, started_time, finished_time FROM tko_jobs`,
			"job release/perf chromeos-test 2014-05-13T16:53:20Z 2014-05-13T16:55:00Z 2014-05-13T17:10:00Z",
		},
		{
			"attributes of the job",
			`SELECT key, value FROM tko_job_keyvals WHERE key IN ('label', 'suite') ORDER BY key`,
			"label release/perf\nsuite perf_v2",
		},
		{
			"tests",
			`SELECT test, subdir, word, reason FROM tko_tests JOIN tko_status ON status = status_idx
			ORDER BY test_idx`,
			"SERVER_JOB  GOOD \nprovision  GOOD completed successfully\nCLIENT_JOB.0  GOOD \n" +
				"graphics_WebGLAquarium graphics_WebGLAquarium GOOD completed successfully\n" +
				"platform_BootPerf platform_BootPerf.warm WARN temperature above 60 C\n" +
				"network_Throughput network_Throughput FAIL no carrier on eth0",
		},
		{
			"times of a test",
			`SELECT started_time, finished_time FROM tko_tests WHERE test = 'provision'`,
			"2014-05-13T16:55:10Z 2014-05-13T16:55:30Z",
		},
		{
			"attributes of a test",
			`SELECT a.attribute, a.value FROM tko_test_attributes a JOIN tko_tests t ON t.test_idx = a.test_idx
			WHERE t.test = 'graphics_WebGLAquarium' AND attribute NOT LIKE '%label%' ORDER BY attribute`,
			"host-platform lumpy\nparam-scene 'aquarium'\nversion 1",
		},
		{
			"attributes of iterations",
			`SELECT iteration, attribute, value FROM tko_iteration_attributes ORDER BY iteration`,
			"1 fish 50\n2 fish 250\n3 fish 1000",
		},
		{
			"values",
			`SELECT iteration, value FROM tko_iteration_result WHERE attribute = 'fps_WebGLAquarium'
			ORDER BY iteration`,
			"1 60\n2 59.8\n3 41.25",
		},
		{
			"view",
			`SELECT iteration_value, hostname, platform, job_name, job_owner, test_started_time, kernel
			FROM tko_perf_view_2 WHERE iteration_key = 'seconds_power_on_to_login'`,
			"7.75 lumpy-7 lumpy release/perf chromeos-test 2014-05-13T17:00:20Z NULL",
		},
		{
			"tests without values",
			`SELECT test_name, iteration FROM tko_perf_view_2 WHERE iteration IS NULL ORDER BY test_idx`,
			"SERVER_JOB NULL\nprovision NULL\nCLIENT_JOB.0 NULL",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, query(t, database, test.query)); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
		})
	}
}

// A job that is stored again replaces only itself.
func testReplace(t *testing.T, database string) {
	store(t, database, "first", jobFolder)
	before := dump(t, database)
	store(t, database, "second", jobFolder)
	both := dump(t, database)
	store(t, database, "second", jobFolder)
	if diff := cmp.Diff(both, dump(t, database)); diff != "" {
		t.Errorf("stored again (-before +after):\n%s", diff)
	}

	folder := writeJob(t, "a{perf}=1\n")
	store(t, database, "second", folder)
	if diff := cmp.Diff(before+"\nsecond dummy 1 a 1", dump(t, database)); diff != "" {
		t.Errorf("replaced (-want +got):\n%s", diff)
	}
}

// A job that cannot be stored leaves the database unchanged.
func testRollback(t *testing.T, database string) {
	store(t, database, "job", jobFolder)
	before := dump(t, database)

	// The database refuses the last value.
	execute(t, database, `CREATE UNIQUE INDEX one_a ON tko_iteration_result (value)`)
	folder := writeJob(t, "a{perf}=1000\nb{perf}=1000\n")
	var out, errOut strings.Builder
	if status := run([]string{"-db", database, "-tag", "job", folder}, &out, &errOut); status != 2 {
		t.Errorf("status %d, want 2", status)
	}
	const want = `storing job "job": test "dummy": tko_iteration_result: "b": `
	if out.Len() > 0 || !strings.HasPrefix(errOut.String(), want) {
		t.Errorf("output %q, errors %q, want %q", out.String(), errOut.String(), want)
	}
	if diff := cmp.Diff(before, dump(t, database)); diff != "" {
		t.Errorf("(-before +after):\n%s", diff)
	}
}

// Jobs that are stored at the same time, in an empty database, are stored as one after the other.
func testAtOnce(t *testing.T, database, other string) {
	folders := []string{jobFolder, writeJob(t, "a{perf}=1\n")}
	tags := []string{"a", "b", "c", "d"}
	var all sync.WaitGroup
	for i := range 3 * len(tags) {
		all.Go(func() {
			tag, folder := tags[i%len(tags)], folders[i%len(folders)]
			if _, err := storeAndPrint(t.Context(), database, tag, folder, io.Discard); err != nil {
				t.Errorf("%s: %v", tag, err)
			}
		})
	}
	all.Wait()

	for i, tag := range tags {
		store(t, other, tag, folders[i%len(folders)])
	}
	if diff := cmp.Diff(dump(t, other), dump(t, database)); diff != "" {
		t.Errorf("(-one after the other +at the same time):\n%s", diff)
	}
}

func testOddValues(t *testing.T, database string) {
	key := strings.Repeat("k", 40)
	folder := writeJob(t, "nan{perf}=nan\ninf{perf}=-inf\n"+key+"{perf}=0.1\n\n\nred\x1b[31m{perf}=1e300\n")
	var out, errOut strings.Builder
	if status := run([]string{"-db", database, "-tag", "odd", folder}, &out, &errOut); status != 0 {
		t.Fatalf("status %d: %s", status, errOut.String())
	}

	var got []string
	for line := range strings.Lines(out.String()) {
		got = append(got, strings.Join(strings.Fields(line), " "))
	}
	want := []string{
		"test_name status iteration iteration_key iteration_value",
		"dummy GOOD 1 inf NULL", "dummy GOOD 1 " + key + " 0.1", "dummy GOOD 1 nan NULL",
		`dummy GOOD 3 "red\x1b[31m" 1e+300`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("output (-want +got):\n%s", diff)
	}
}

func TestUsage(t *testing.T) {
	database := filepath.Join(t.TempDir(), "tko.db")
	for _, test := range []struct {
		name   string
		args   []string
		status int
		want   string
	}{
		{"help", []string{"-h"}, 0, "usage: tko "},
		{"no folder", nil, 2, "usage: tko "},
		{"missing folder", []string{"missing"}, 2, "missing"},
		{"not a job", []string{t.TempDir()}, 2, "opening a job's results folder: read "},
		{"a file", []string{"../../testdata/skiav1/small.json"}, 2, "is not the results folder of an Autotest job"},
		{"no such database", []string{"-db", t.TempDir() + "/no/tko.db", jobFolder}, 2, "opening the database: "},
		{"no server", []string{"-db", "postgres:///tko?host=" + t.TempDir(), jobFolder}, 2, "opening the database: "},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out, errOut strings.Builder
			status := run(append([]string{"-db", database}, test.args...), &out, &errOut)
			if status != test.status || !strings.Contains(errOut.String(), test.want) {
				t.Errorf("status %d, errors %q, want %d and %q", status, errOut.String(), test.status, test.want)
			}
			if out.Len() > 0 {
				t.Errorf("output %q", out.String())
			}
		})
	}
}

// store stores a job, which may have faults.
func store(t *testing.T, database, tag, folder string) {
	t.Helper()
	var out strings.Builder
	if _, err := storeAndPrint(t.Context(), database, tag, folder, &out); err != nil {
		t.Fatal(err)
	}
}

// writeJob writes a job folder with one test, whose keyval file is given.
func writeJob(t *testing.T, keyvals string) string {
	t.Helper()
	folder := t.TempDir()
	log := "START\tdummy\tdummy\ttimestamp=1400000000\tlocaltime=May 13 16:53:20\t\n" +
		"END GOOD\tdummy\tdummy\ttimestamp=1400000001\tlocaltime=May 13 16:53:21\t\n"
	if err := os.MkdirAll(filepath.Join(folder, "dummy/results"), 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		".autoserv_execute": "1\n0\n1\n", "status.log": log, "dummy/results/keyval": keyvals,
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// dump returns the values of all jobs.
func dump(t *testing.T, database string) string {
	t.Helper()
	return query(t, database, `
		SELECT job_tag, test_name, iteration, iteration_key, iteration_value FROM tko_perf_view_2
		WHERE iteration IS NOT NULL ORDER BY job_tag, test_name, iteration, iteration_key`)
}

func execute(t *testing.T, database, statement string) {
	t.Helper()
	db, err := openDatabase(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}

// query returns the rows of a query, one a line.
func query(t *testing.T, database, query string) string {
	t.Helper()
	db, err := openDatabase(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	lines, err := queryLines(t.Context(), db, query)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "\n")
}

func queryLines(ctx context.Context, db *sql.DB, query string) ([]string, error) {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}

	var lines []string
	for rows.Next() {
		values := make([]sql.NullString, len(columns))
		pointers := make([]any, len(columns))
		for i := range values {
			pointers[i] = &values[i]
		}
		if err := rows.Scan(pointers...); err != nil {
			return nil, err
		}

		var texts []string
		for _, v := range values {
			if !v.Valid {
				v.String = "NULL"
			}
			texts = append(texts, v.String)
		}
		lines = append(lines, strings.Join(texts, " "))
	}
	return lines, rows.Err()
}
