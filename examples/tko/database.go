package main

import (
	"context"
	"database/sql"
	_ "embed"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"
	"text/tabwriter"

	_ "github.com/jackc/pgx/v5/stdlib" // PostgreSQL
	_ "modernc.org/sqlite"
)

//go:embed schema.sql
var schema string

// openDatabase opens a database, which is the name of a SQLite file or the URL of a PostgreSQL
// database, and creates the tables if they are missing.
func openDatabase(ctx context.Context, database string) (*sql.DB, error) {
	driver, key := "sqlite", "INTEGER PRIMARY KEY"
	if strings.HasPrefix(database, "postgres://") || strings.HasPrefix(database, "postgresql://") {
		driver, key = "pgx", "INTEGER GENERATED ALWAYS AS IDENTITY PRIMARY KEY"
	} else {
		const options = "?_pragma=foreign_keys(1)&_pragma=busy_timeout(10000)&_txlock=immediate&_time_format=sqlite"
		database = "file:" + (&url.URL{Path: database}).EscapedPath() + options
	}

	db, err := sql.Open(driver, database)
	if err != nil {
		return nil, err
	}
	if err := createTables(ctx, db, strings.ReplaceAll(schema, "SERIAL_KEY", key)); err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}

// createTables creates all tables, or none if they exist.
func createTables(ctx context.Context, db *sql.DB, schema string) error {
	if err := db.PingContext(ctx); err != nil || hasTables(ctx, db) {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err = tx.ExecContext(ctx, schema); err == nil {
		err = tx.Commit()
	}

	// If another process creates them at the same time, this one fails after the other has ended.
	if err != nil && !hasTables(ctx, db) {
		return fmt.Errorf("creating the tables: %w", err)
	}
	return nil
}

// hasTables reports whether the last statement of the schema was executed, which makes the view.
func hasTables(ctx context.Context, db *sql.DB) bool {
	rows, err := db.QueryContext(ctx, "SELECT 1 FROM tko_perf_view_2 WHERE 1 = 0")
	return err == nil && rows.Close() == nil
}

// printValues prints the performance values of a job.
func printValues(ctx context.Context, db *sql.DB, tag string, out io.Writer) error {
	rows, err := db.QueryContext(ctx, `
		SELECT test_name, status, iteration, iteration_key, iteration_value
		FROM tko_perf_view_2
		WHERE job_tag = $1 AND iteration IS NOT NULL
		ORDER BY test_idx, iteration, iteration_key`, tag)
	if err != nil {
		return err
	}
	defer rows.Close()

	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "test_name\tstatus\titeration\titeration_key\titeration_value")
	for rows.Next() {
		var test, status, key string
		var iteration int
		var value sql.NullFloat64
		if err := rows.Scan(&test, &status, &iteration, &key, &value); err != nil {
			return err
		}

		text := "NULL"
		if value.Valid {
			text = strconv.FormatFloat(value.Float64, 'g', -1, 64)
		}
		fmt.Fprintf(table, "%s\t%s\t%d\t%s\t%s\n", printable(test), status, iteration, printable(key), text)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	return table.Flush()
}

// printable returns text that comes from a file without control characters, which a terminal would
// obey.
func printable(text string) string {
	quoted := strconv.Quote(text)
	if quoted == `"`+text+`"` {
		return text
	}
	return quoted
}
