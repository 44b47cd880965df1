package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"perfdata/format"
	"perfdata/keyval"
	"perfdata/keyval/job"
	"perfdata/traceid"
)

// storeJob stores a job in one transaction. It replaces an earlier job with the same tag. The
// faults that it returns are errors in files of the job, whose other contents are stored.
func storeJob(ctx context.Context, db *sql.DB, tag string, results *job.Reader) ([]*format.Error, error) {
	header, err := results.Header()
	if err != nil {
		return nil, err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer tx.Rollback() // does nothing after Commit

	s := storer{ctx: ctx, tx: tx}
	if err := s.insertMachine(header); err != nil {
		return nil, err
	}
	if err := s.insertJob(tag, header); err != nil {
		return nil, err
	}

	for test, err := range results.Tests() {
		if err == nil {
			err = s.insertTest(test)
		}
		if err := s.keepFault(err); err != nil {
			return nil, err
		}
	}
	return s.faults, tx.Commit()
}

// A storer stores one job.
type storer struct {
	ctx          context.Context
	tx           *sql.Tx
	machine, job sql.NullInt64 // the indices of the rows
	faults       []*format.Error
}

// keepFault keeps an error in a file of the job, and returns any other error.
func (s *storer) keepFault(err error) error {
	if e, ok := errors.AsType[*format.Error](err); ok && e.Severity == format.Recoverable {
		s.faults = append(s.faults, e)
		return nil
	}
	return err
}

func (s *storer) exec(query string, args ...any) error {
	_, err := s.tx.ExecContext(s.ctx, query, args...)
	return err
}

// insert runs an INSERT statement with a RETURNING clause, and returns the index of the new row.
func (s *storer) insert(query string, args ...any) (index sql.NullInt64, err error) {
	err = s.tx.QueryRowContext(s.ctx, query, args...).Scan(&index)
	return index, err
}

// insertMachine inserts the machine of the job, or updates it.
func (s *storer) insertMachine(h job.Header) (err error) {
	if h.Host == "" {
		return nil // the job's machine is NULL
	}
	s.machine, err = s.insert(`
		INSERT INTO tko_machines (hostname, machine_group, owner) VALUES ($1, $2, $3)
		ON CONFLICT (hostname) DO UPDATE SET machine_group = excluded.machine_group, owner = excluded.owner
		RETURNING machine_idx`,
		h.Host, text(h.HostAttrs, "platform"), text(h.Attrs, "owner"))
	if err != nil {
		return fmt.Errorf("tko_machines: %w", err)
	}
	return nil
}

// insertJob inserts the job and its attributes. It deletes an earlier job with the same tag.
func (s *storer) insertJob(tag string, h job.Header) (err error) {
	// DELETE does not see a job that another process is storing. INSERT waits for it.
	err = s.exec("INSERT INTO tko_jobs (tag) VALUES ($1) ON CONFLICT (tag) DO UPDATE SET tag = excluded.tag", tag)
	if err != nil {
		return err
	}
	if err := s.exec("DELETE FROM tko_jobs WHERE tag = $1", tag); err != nil {
		return err
	}
	s.job, err = s.insert(`
		INSERT INTO tko_jobs (tag, label, username, machine_idx, queued_time, started_time, finished_time)
		VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING job_idx`,
		tag, text(h.Attrs, "label"), text(h.Attrs, "user"), s.machine,
		seconds(h.Attrs, "job_queued"), seconds(h.Attrs, "job_started"), seconds(h.Attrs, "job_finished"))
	if err != nil {
		return fmt.Errorf("tko_jobs: %w", err)
	}

	for key, value := range h.Attrs.All() {
		err := s.exec("INSERT INTO tko_job_keyvals (job_id, key, value) VALUES ($1, $2, $3)", s.job, key, value)
		if err != nil {
			return fmt.Errorf("tko_job_keyvals: %q: %w", key, err)
		}
	}
	return nil
}

// insertTest inserts a test, its attributes and its iterations.
func (s *storer) insertTest(test *job.Test) error {
	index, err := s.insert(`
		INSERT INTO tko_tests (job_idx, test, subdir, status, reason, machine_idx, started_time, finished_time)
		VALUES ($1, $2, $3, (SELECT status_idx FROM tko_status WHERE word = $4), $5, $6, $7, $8)
		RETURNING test_idx`,
		s.job, test.Name, test.Subdir, test.Status, test.Reason, s.machine,
		timeOf(test.Started), timeOf(test.Finished))
	if err != nil {
		return fmt.Errorf("tko_tests: %q: %w", test.Name, err)
	}

	for key, value := range test.Attrs.All() {
		const query = "INSERT INTO tko_test_attributes (test_idx, attribute, value) VALUES ($1, $2, $3)"
		if err := s.exec(query, index, key, value); err != nil {
			return fmt.Errorf("tko_test_attributes: %q: %w", key, err)
		}
	}

	for it, err := range test.Iterations() {
		if err == nil {
			err = s.insertIteration(index, it)
		}
		if err := s.keepFault(err); err != nil {
			return fmt.Errorf("test %q: %w", test.Name, err)
		}
	}
	return nil
}

func (s *storer) insertIteration(test sql.NullInt64, it *keyval.Iteration) error {
	for key, value := range it.Attr.All() {
		const query = `
			INSERT INTO tko_iteration_attributes (test_idx, iteration, attribute, value) VALUES ($1, $2, $3, $4)`
		if err := s.exec(query, test, it.Index, key, value); err != nil {
			return fmt.Errorf("tko_iteration_attributes: %q: %w", key, err)
		}
	}
	for _, kv := range it.Perf {
		// SQLite does not have NaN. As in the original, NaN and infinities are NULL.
		value := sql.NullFloat64{Float64: kv.Value, Valid: !math.IsNaN(kv.Value) && !math.IsInf(kv.Value, 0)}
		const query = `
			INSERT INTO tko_iteration_result (test_idx, iteration, attribute, value) VALUES ($1, $2, $3, $4)`
		if err := s.exec(query, test, it.Index, kv.Key, value); err != nil {
			return fmt.Errorf("tko_iteration_result: %q: %w", kv.Key, err)
		}
	}
	return nil
}

// text returns an attribute, or NULL.
func text(attrs traceid.Params, key string) sql.NullString {
	value, ok := attrs.Get(key)
	return sql.NullString{String: value, Valid: ok}
}

// seconds returns an attribute that is a time in seconds since 1970, or NULL if it is missing or
// malformed. tko_job_keyvals has its text.
func seconds(attrs traceid.Params, key string) sql.NullTime {
	value, _ := attrs.Get(key)
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return sql.NullTime{}
	}
	return timeOf(time.Unix(n, 0).UTC())
}

// timeOf returns a time, or NULL for the zero time and times that databases do not hold.
func timeOf(t time.Time) sql.NullTime {
	return sql.NullTime{Time: t, Valid: !t.IsZero() && 0 < t.Year() && t.Year() < 10_000}
}
