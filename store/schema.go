package store

import (
	"context"
	"fmt"
	"strings"
)

// The schema is a list of steps. A database records how many of them were made, and Open makes the
// others. A step that was released does not change any more: add another.
//
// The words in braces are the types of the database. See database.types.
//
// Names are interned: a table with the column hash has one row for each name, whose key is its
// integer ID. So the rows of measurements are short, and an index never has a key that is longer
// than PostgreSQL allows.
//
// A measurement that loses against a newer one keeps its row. Queries choose the winner, so the
// contents of the database depend on the set of the files only, and not on their order.
var schema = []string{
	`
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
		error       {text} NOT NULL DEFAULT ''  -- why the last attempt failed, or the first fault
	){rows};
	CREATE INDEX sources_by_hour ON sources (hour, path);

	-- A commit of an issue and patchset is not the commit of the mainline with the same name.
	CREATE TABLE commits (
		id       {id},
		hash     {bytes} NOT NULL UNIQUE,
		name     {text} NOT NULL,
		issue    {text} NOT NULL,
		patchset {text} NOT NULL,
		hour     {text} NOT NULL -- the earliest of its sources
	){rows};
	CREATE TABLE source_commits (
		commit_id {int} NOT NULL,
		source_id {int} NOT NULL,
		PRIMARY KEY (commit_id, source_id)
	){key};
	CREATE TABLE commit_order (
		position {int} PRIMARY KEY,
		name     {text} NOT NULL
	){rows};

	CREATE TABLE traces (
		id   {id},
		hash {bytes} NOT NULL UNIQUE,
		name {text} NOT NULL -- the canonical trace ID
	){rows};
	-- The verbatim params of traces, where they differ from the canonical ones, as JSON.
	CREATE TABLE spellings (
		id     {id},
		hash   {bytes} NOT NULL UNIQUE,
		params {text} NOT NULL
	){rows};
	CREATE TABLE params (
		id    {id},
		hash  {bytes} NOT NULL UNIQUE,
		key   {text} NOT NULL, -- canonical, as the value is
		value {text} NOT NULL
	){rows};
	CREATE INDEX params_by_key ON params (key);
	CREATE TABLE trace_params (
		param_id {int} NOT NULL,
		trace_id {int} NOT NULL,
		PRIMARY KEY (param_id, trace_id)
	){key};

	-- The block is commit_id / 16: see commitsPerBlock.
	CREATE TABLE measurements (
		block       {int} NOT NULL,
		trace_id    {int} NOT NULL,
		commit_id   {int} NOT NULL,
		source_id   {int} NOT NULL,
		n           {int} NOT NULL,
		value       {float}, -- in SQLite, NULL is NaN
		spelling_id {int} NOT NULL, -- 0 if the params are canonical
		links_id    {int} NOT NULL, -- 0 without links
		PRIMARY KEY (block, trace_id, commit_id, source_id, n)
	){key};
	CREATE TABLE links (
		source_id {int} NOT NULL,
		id        {int} NOT NULL, -- counts the sets of links of the source
		links     {text} NOT NULL, -- as JSON
		PRIMARY KEY (source_id, id)
	){key};
	`,
	`
	-- For people: all measurements with their names, losing ones included.
	CREATE VIEW all_measurements AS
	SELECT t.name AS trace, c.name AS commit_name, c.issue, c.patchset, m.n, m.value, s.hour, s.path
	FROM measurements m
	JOIN traces t ON t.id = m.trace_id
	JOIN commits c ON c.id = m.commit_id
	JOIN sources s ON s.id = m.source_id;
	`,
	`
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
	INSERT INTO listed_commits SELECT '', position + 1, name, '', NULL, '', '' FROM commit_order;
	DROP TABLE commit_order;

	-- The hour of a commit becomes that of its first source, by hour and path. The position is that
	-- of the commit in the source, and the time of a commit, in seconds since 1970, the earliest
	-- that a source gives it.
	ALTER TABLE commits ADD COLUMN path {text} NOT NULL DEFAULT '';
	ALTER TABLE commits ADD COLUMN position {int} NOT NULL DEFAULT 0;
	ALTER TABLE commits ADD COLUMN time {int};
	ALTER TABLE source_commits ADD COLUMN position {int} NOT NULL DEFAULT 0;
	ALTER TABLE source_commits ADD COLUMN time {int};
	UPDATE commits SET path = COALESCE((
		SELECT s.path FROM source_commits sc JOIN sources s ON s.id = sc.source_id
		WHERE sc.commit_id = commits.id ORDER BY s.hour, s.path LIMIT 1), '');
	`,
}

// commitsPerBlock is the number of commits whose measurements are next to each other in the table:
// a block is sorted by trace. A file usually has the measurements of many traces at one commit. In
// a table sorted by trace, each measurement would change another page, and soon each file would
// write the whole table again. In a table sorted by commit, a query would search for each value.
const commitsPerBlock = 16

// noSource is the hour of a commit all of whose sources were deleted. It is after all others.
const noSource = "9999/99/99/99"

// migrate makes the steps of the schema that the database does not have. Other processes may do
// the same.
func (s *Store) migrate(ctx context.Context, steps []string) error {
	return s.write(ctx, func(t *transaction) error {
		if err := t.lockNames(ctx); err != nil {
			return err
		}
		if _, err := t.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL)"); err != nil {
			return err
		}
		version := 0
		row := t.QueryRowContext(ctx, "SELECT COALESCE(MAX(version), 0) FROM schema_version")
		if err := row.Scan(&version); err != nil {
			return err
		}

		switch {
		case version == len(steps):
			return nil
		case version > len(steps):
			return fmt.Errorf("its schema has version %d: want at most %d, update this program", version, len(steps))
		}
		types := s.db.types()
		for _, step := range steps[version:] {
			if _, err := t.ExecContext(ctx, types.Replace(strings.TrimSpace(step))); err != nil {
				return err
			}
		}
		_, err := t.ExecContext(ctx, "INSERT INTO schema_version (version) VALUES ($1)", len(steps))
		return err
	})
}
