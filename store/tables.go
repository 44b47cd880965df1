package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// schemaVersion is the version of the tables. Each released version of the package can read the
// tables of earlier versions: see testdata.
const schemaVersion = 1

// The names of settings: that of the charset, as a regular expression, without which it is the
// default, and with the name of a tree after it, that of the checkpoint of the tree.
const settingCharset, settingCheckpoint = "charset", "checkpoint "

// commitsPerBlock is the number of commits whose measurements are next to each other in the
// table: a block is sorted by group of traces. A file usually has the measurements of many traces
// at one commit. In a table sorted by trace, each row would change another page, and soon each
// file would write the whole table again. In a table sorted by commit, a query would search for
// each value.
const commitsPerBlock = 16

// blockOf returns the block of a commit. Each commit of a trial has a block of its own, below
// zero, so that questions about a trial read nothing else, and those about the mainline no trials.
func blockOf(commit int64, trial Trial) int64 {
	if trial != (Trial{}) {
		return -commit
	}
	return commit / commitsPerBlock
}

// noSource is the hour of a commit all of whose sources were deleted. It is after all others.
const noSource = "9999/99/99/99"

// setUp makes the tables of a new database, and records its charset, unless that is the default. It
// loads the settings of any other. Other processes may do the same.
func (s *Store) setUp(ctx context.Context, charset string) error {
	return s.write(ctx, func(t *transaction) error {
		n := 0
		_, err := t.ExecContext(ctx, s.db.types().Replace(stampsTable))
		if err == nil {
			err = t.QueryRowContext(ctx, "SELECT COUNT(*) FROM stamps").Scan(&n)
		}
		switch {
		case err != nil:
			return err
		case n > 0:
			return s.load(ctx, t, charset)
		}

		_, err = t.ExecContext(ctx, s.db.types().Replace(strings.TrimSpace(newTables)))
		if e, ok := errors.AsType[*pgconn.PgError](err); ok && e.Code == "42P07" { // there is such a table
			return ErrOlder
		}
		if err == nil {
			const insert = "INSERT INTO stamps VALUES ($1, $2), ($3, $4)"
			_, err = t.exec(ctx, insert, schemaStamp, schemaVersion, identityStamp, rand.Int64())
		}
		if err == nil && charset != "" {
			err = t.set(ctx, settingCharset, charset)
		}
		if err == nil {
			s.charset, err = parseCharset(charset)
		}
		return err
	})
}

// setting returns the value of a setting, or an empty text if it has none.
func setting(ctx context.Context, q querier, name string) (value string, err error) {
	err = q.QueryRowContext(ctx, "SELECT value FROM settings WHERE name = $1", name).Scan(&value)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return value, err
}

// set changes a setting.
func (t *transaction) set(ctx context.Context, name, value string) error {
	n, err := t.exec(ctx, "UPDATE settings SET value = $2 WHERE name = $1", name, value)
	if err == nil && n == 0 {
		t.countRows("settings", 1)
		_, err = t.exec(ctx, "INSERT INTO settings (name, value) VALUES ($1, $2)", name, value)
	}
	return err
}

// checkVersion returns an error if the tables have another version.
func checkVersion(ctx context.Context, q querier) error {
	version, err := readStamp(ctx, q, schemaStamp)
	if err == nil && version != schemaVersion {
		err = fmt.Errorf("its tables have version %d: want %d", version, schemaVersion)
	}
	return err
}

// stampsTable makes the table of stamps: see commitsStamp.
const stampsTable = `
	CREATE TABLE IF NOT EXISTS stamps (
		name  {text} PRIMARY KEY,
		value {int} NOT NULL
	)`

// newTables makes the tables of a new database.
//
// The words in braces are the types of the database. See database.types.
//
// Names are interned: a table with the column hash has one row for each name, whose key is its
// integer ID. So the rows of measurements are short, and an index never has a key that is longer
// than PostgreSQL allows.
//
// A measurement that loses against a newer one is kept. Queries choose the winner, so the
// contents of the database depend on the set of the files only, and not on their order.
const newTables = `
	CREATE TABLE sources (
		id          {id},
		path        {text} NOT NULL UNIQUE,
		hour        {text} NOT NULL, -- YYYY/MM/DD/HH, or empty; it sorts as text
		sha256      {bytes},         -- NULL if nothing is stored of the file
		format      {text} NOT NULL DEFAULT '',
		commit_name {text} NOT NULL DEFAULT '', -- of the header
		issue       {text} NOT NULL DEFAULT '',
		patchset    {text} NOT NULL DEFAULT '',
		records     {int} NOT NULL DEFAULT 0,
		faults      {int} NOT NULL DEFAULT 0,   -- measurements that were left out
		error       {text} NOT NULL DEFAULT '', -- why the last attempt failed, or the first fault
		commits     {int} NOT NULL DEFAULT 0,   -- its rows in source_commits
		run         {text} NOT NULL DEFAULT '', -- empty if the file was replaced, or nothing is stored of it
		request     {bytes},                    -- tells an upload from others; NULL for other files
		replaced_by {text} NOT NULL DEFAULT '', -- a path
		size        {int},                      -- size and modified: see stampOf
		modified    {int}                       -- nanoseconds since 1970
	);
	CREATE INDEX sources_by_hour ON sources (hour, path);
	CREATE INDEX sources_by_run ON sources (run, hour, path);
	CREATE INDEX sources_by_request ON sources (request, hour, path);

	-- A commit of an issue and patchset is not the commit of the mainline with the same name. Measurements
	-- without a commit are at one for each run, without a name.
	CREATE TABLE commits (
		id       {id},
		hash     {bytes} NOT NULL UNIQUE,
		name     {text} NOT NULL,
		issue    {text} NOT NULL,
		patchset {text} NOT NULL,
		hour     {text} NOT NULL,           -- of its first source, by hour and path, or noSource
		path     {text} NOT NULL DEFAULT '',
		position {int} NOT NULL DEFAULT 0,  -- in this source
		time     {int},                     -- seconds since 1970, the earliest that a source gives it
		run      {text} NOT NULL DEFAULT ''
	);
	CREATE TABLE source_commits (
		commit_id {int} NOT NULL,
		source_id {int} NOT NULL,
		position  {int} NOT NULL DEFAULT 0, -- of the commit in the source
		time      {int},
		parts     {int} NOT NULL,           -- its rows in row_groups
		PRIMARY KEY (commit_id, source_id)
	){key};
	-- The commits of repositories, as lists give them.
	CREATE TABLE listed_commits (
		repository {text} NOT NULL,
		position   {int} NOT NULL,  -- from 1, the oldest
		hash       {text} NOT NULL,
		parents    {text} NOT NULL, -- hashes with blanks between them
		time       {int},           -- seconds since 1970; NULL if not known
		author     {text} NOT NULL,
		subject    {text} NOT NULL,
		PRIMARY KEY (repository, position)
	){key};
	CREATE UNIQUE INDEX listed_commits_by_hash ON listed_commits (hash, repository);

	CREATE TABLE traces (
		id   {id},
		hash {bytes} NOT NULL UNIQUE,
		name {text} NOT NULL -- the canonical trace ID
	);
	-- How files spell a series.
	CREATE TABLE spellings (
		id     {id},
		hash   {bytes} NOT NULL UNIQUE,
		params {text} NOT NULL,           -- verbatim, as JSON; empty if they are the canonical ones
		unit   {text} NOT NULL DEFAULT '',
		better {int} NOT NULL DEFAULT 0   -- 1 lower, 2 higher
	);
	CREATE TABLE params (
		id     {id},
		hash   {bytes} NOT NULL UNIQUE,
		key    {text} NOT NULL, -- canonical, as the value is
		value  {text} NOT NULL,
		traces {int} NOT NULL DEFAULT 0 -- their number: queries start with the param that the fewest have
	);
	CREATE INDEX params_by_key ON params (key);
	-- The traces of a group of 64 that have a param, as bits.
	CREATE TABLE postings (
		param_id    {int32} NOT NULL,
		trace_group {int32} NOT NULL, -- trace_id / 64
		traces      {int} NOT NULL,
		PRIMARY KEY (param_id, trace_group)
	){key};

	-- The measurements of a group of traces that a source has at a commit: see rowgroup.go. With the
	-- commit 0, the number of rows of a block and a group is in the place of the traces.
	CREATE TABLE row_groups (
		block       {int32} NOT NULL, -- see blockOf
		trace_group {int32} NOT NULL,
		commit_id   {int32} NOT NULL DEFAULT 0,
		part        {int32} NOT NULL DEFAULT 0, -- tells the rows of a source apart
		source_id   {int} NOT NULL DEFAULT 0,
		traces      {int} NOT NULL,             -- a bit for each
		data        {bytes} NOT NULL DEFAULT '',
		PRIMARY KEY (block, trace_group, commit_id, part, source_id)
	){key};
	-- The annotations of measurements: a row has several, see annotationsPerRow.
	CREATE TABLE annotations (
		source_id {int} NOT NULL,
		id        {int} NOT NULL, -- counts the rows of the source
		texts     {bytes} NOT NULL,
		PRIMARY KEY (source_id, id)
	){key};

	-- The numbers of rows of tables: see checkCount.
	CREATE TABLE counts (
		name  {text} PRIMARY KEY,
		value {int} NOT NULL
	);
	INSERT INTO counts VALUES ('sources', 0), ('commits', 0), ('listed_commits', 0), ('traces', 0), ('params', 0),
		('spellings', 0), ('settings', 0);

	-- What holds for all of the database.
	CREATE TABLE settings (
		name  {text} PRIMARY KEY,
		value {text} NOT NULL
	);
	-- What Probe writes.
	CREATE TABLE probes (
		id           {int} PRIMARY KEY,
		milliseconds {int} NOT NULL
	);
	INSERT INTO stamps VALUES ('commits', 0), ('deletions', 0), ('names', 0)
`
