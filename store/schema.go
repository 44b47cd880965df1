package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
)

// The schema is a list of steps, for databases of older versions. A database records how many of them
// were made, and Open makes the others. A step that was released does not change any more: add another, and
// change the tables of a new database, which are in tables.go.
var schema = []step{
	{sql: `
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
	`},
	{sql: `
	-- For people: all measurements with their names, losing ones included.
	CREATE VIEW all_measurements AS
	SELECT t.name AS trace, c.name AS commit_name, c.issue, c.patchset, m.n, m.value, s.hour, s.path
	FROM measurements m
	JOIN traces t ON t.id = m.trace_id
	JOIN commits c ON c.id = m.commit_id
	JOIN sources s ON s.id = m.source_id;
	`},
	{sql: `
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
	`},
	{sql: `
	-- Files of a run add up. A file that belongs to no other is a run with the name of its path, and
	-- one that was replaced, or of which nothing is stored, to none.
	ALTER TABLE sources ADD COLUMN run {text} NOT NULL DEFAULT '';
	ALTER TABLE sources ADD COLUMN request {bytes};  -- tells an upload from others; NULL for other files
	ALTER TABLE sources ADD COLUMN replaced_by {text} NOT NULL DEFAULT ''; -- a path
	UPDATE sources SET run = path WHERE sha256 IS NOT NULL;
	CREATE INDEX sources_by_run ON sources (run, hour, path);
	CREATE INDEX sources_by_request ON sources (request, hour, path);

	-- Measurements without a commit are at one for each run, without a name.
	ALTER TABLE commits ADD COLUMN run {text} NOT NULL DEFAULT '';
	DROP VIEW all_measurements;
	CREATE VIEW all_measurements AS
	SELECT t.name AS trace, c.name AS commit_name, c.issue, c.patchset, m.n, m.value, s.hour, s.path, s.run
	FROM measurements m
	JOIN traces t ON t.id = m.trace_id
	JOIN commits c ON c.id = m.commit_id
	JOIN sources s ON s.id = m.source_id;
	`, do: separateRuns},
	{sql: `
	-- What holds for all of the database.
	CREATE TABLE settings (
		name  {text} PRIMARY KEY,
		value {text} NOT NULL
	){rows};
	`},
	{sql: `
	-- A spelling is how files spell a series: also with its unit and direction. The params are empty
	-- if they are the canonical ones.
	ALTER TABLE spellings ADD COLUMN unit {text} NOT NULL DEFAULT '';
	ALTER TABLE spellings ADD COLUMN better {int} NOT NULL DEFAULT 0; -- 1 lower, 2 higher

	-- The details of a source are sets that its measurements share, as JSON, each empty without any:
	-- links, attrs, and the params that are not part of the identity of the series.
	ALTER TABLE links RENAME TO details;
	ALTER TABLE details ADD COLUMN attrs {text} NOT NULL DEFAULT '';
	ALTER TABLE details ADD COLUMN params {text} NOT NULL DEFAULT '';
	ALTER TABLE measurements RENAME COLUMN links_id TO details_id;
	ALTER TABLE measurements ADD COLUMN byte_offset {int}; -- in the decompressed file; NULL if not known
	`},
	{sql: `
	-- A row of details is a pack of them: see packSize.
	ALTER TABLE details ADD COLUMN pack {text} NOT NULL DEFAULT '';
	`},
	{sql: `
	-- Queries start with the param that the fewest traces have.
	ALTER TABLE params ADD COLUMN traces {int} NOT NULL DEFAULT 0;
	UPDATE params SET traces = (SELECT COUNT(*) FROM trace_params tp WHERE tp.param_id = params.id);

	-- Something is remembered of the database as long as its stamp is the same: see writeStamps.
	CREATE TABLE stamps (
		name  {text} PRIMARY KEY,
		value {int} NOT NULL
	){rows};
	INSERT INTO stamps VALUES ('commits', 0);
	ALTER TABLE commits ADD COLUMN changed {int} NOT NULL DEFAULT 0; -- 1 if the last update changed it

	-- The commits of trials have blocks of their own: see blockOf.
	UPDATE measurements SET block = -commit_id
	WHERE block IN (SELECT id / 16 FROM commits WHERE issue <> '' OR patchset <> '')
		AND commit_id IN (SELECT id FROM commits WHERE issue <> '' OR patchset <> '');
	`},
	{sql: `
	-- What tells that a file is the one that was stored, without reading it: see stampOf.
	ALTER TABLE sources ADD COLUMN size {int};
	ALTER TABLE sources ADD COLUMN modified {int}; -- nanoseconds since 1970
	`},
	{sql: `
	INSERT INTO stamps VALUES ('deletions', 0); -- of measurements: see paramCache
	`},
	{sql: `
	-- The measurements of a group of 64 traces that a source has at a commit: see pack.go. The group is
	-- trace_id / 64, and traces has a bit for each trace.
	CREATE TABLE packs (
		block       {int32} NOT NULL, -- see blockOf
		trace_group {int32} NOT NULL,
		commit_id   {int32} NOT NULL,
		part        {int32} NOT NULL, -- tells the rows of a source apart
		source_id   {int} NOT NULL,
		traces      {int} NOT NULL,
		pack        {bytes} NOT NULL,
		PRIMARY KEY (block, trace_group, commit_id, part, source_id)
	){key};
	-- The traces of a group that have a param.
	CREATE TABLE postings (
		param_id    {int32} NOT NULL,
		trace_group {int32} NOT NULL,
		traces      {int} NOT NULL,
		PRIMARY KEY (param_id, trace_group)
	){key};
	INSERT INTO postings
	SELECT CAST(param_id AS INTEGER), CAST(trace_id / 64 AS INTEGER), {bits}(CAST(1 AS BIGINT) << CAST(trace_id % 64 AS INTEGER))
	FROM trace_params GROUP BY 1, 2;
	DROP TABLE trace_params;

	-- Open packs the measurements of older versions, which cannot store others meanwhile: see repack.
	DROP VIEW all_measurements;
	ALTER TABLE measurements RENAME TO unpacked;
	INSERT INTO stamps VALUES ('unpacked', 0);
	`, do: dropUnpacked},
	{sql: `
	INSERT INTO stamps VALUES ('names', 0); -- of names that were deleted: see Store.Vacuum
	`},
	{sql: `
	ALTER TABLE commits DROP COLUMN changed; -- updateCommits knows what it changes
	`},
}

// settingCharset is the name of the setting that has the charset, as a regular expression. Without
// it, as in the databases of older versions, the charset is the default.
const settingCharset = "charset"

// settingMark and the name of a tree are the name of the setting that has the mark of the tree.
const settingMark = "mark "

// A step changes the tables of the version before it: with SQL, and then by a function, if that is
// not nil.
type step struct {
	sql string
	do  func(ctx context.Context, t *transaction) error
}

// commitsPerBlock is the number of commits whose measurements are next to each other in the
// table: a block is sorted by group of traces. A file usually has the measurements of many traces
// at one commit. In a table sorted by trace, each row would change another page, and soon each
// file would write the whole table again. In a table sorted by commit, a query would search for
// each value.
const commitsPerBlock = 16

// blockOf returns the block of a commit. Each commit of a trial has a block of its own, below zero, so
// that questions about a trial read nothing else, and those about the mainline no trials.
func blockOf(commit int64, trial Trial) int64 {
	if trial != (Trial{}) {
		return -commit
	}
	return commit / commitsPerBlock
}

// noSource is the hour of a commit all of whose sources were deleted. It is after all others.
const noSource = "9999/99/99/99"

// versionTable makes the table of the number of steps that were made.
const versionTable = "CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL)"

// makeTables makes the tables of a new database, or those steps of the schema that an older one does not
// have. It reports whether the database is new. Other processes may do the same.
func (s *Store) makeTables(ctx context.Context, t *transaction) (isNew bool, err error) {
	if err := t.lockNames(ctx); err != nil {
		return false, err
	}
	if _, err := t.ExecContext(ctx, versionTable); err != nil {
		return false, err
	}
	version := 0
	row := t.QueryRowContext(ctx, "SELECT COALESCE(MAX(version), 0) FROM schema_version")
	if err := row.Scan(&version); err != nil {
		return false, err
	}
	switch {
	case version > len(schema):
		return false, fmt.Errorf("its schema has version %d: want at most %d, update this program", version, len(schema))
	case version > 0:
		return false, s.migrate(ctx, t, version, schema)
	}
	_, err = t.ExecContext(ctx, s.db.types().Replace(fmt.Sprintf("%s; INSERT INTO schema_version VALUES (%d)",
		strings.TrimSpace(newTables), len(schema))))
	return true, err
}

// migrate makes the steps of the schema that come after those of a version.
func (s *Store) migrate(ctx context.Context, t *transaction, version int, steps []step) error {
	if version == len(steps) {
		return nil
	}
	types := s.db.types()
	for _, step := range steps[version:] {
		if _, err := t.ExecContext(ctx, types.Replace(strings.TrimSpace(step.sql))); err != nil {
			return err
		}
		if step.do == nil {
			continue
		}
		if err := step.do(ctx, t); err != nil {
			return err
		}
	}
	_, err := t.ExecContext(ctx, "INSERT INTO schema_version (version) VALUES ($1)", len(steps))
	return err
}

// separateRuns gives measurements without a commit one for each source, in place of one for all. It
// is a part of a step: like that, it does not change any more.
func separateRuns(ctx context.Context, t *transaction) error {
	type shared struct {
		commit, source, position int64
		time                     sql.NullInt64
		trial                    Trial
		age
	}
	rows, err := t.QueryContext(ctx, `
		SELECT c.id, s.id, sc.position, sc.time, c.issue, c.patchset, s.hour, s.path
		FROM source_commits sc
		JOIN commits c ON c.id = sc.commit_id
		JOIN sources s ON s.id = sc.source_id
		WHERE c.name = '' ORDER BY s.hour, s.path`)
	if err != nil {
		return err
	}
	defer rows.Close()
	var all []shared
	for rows.Next() {
		var one shared
		err := rows.Scan(&one.commit, &one.source, &one.position, &one.time,
			&one.trial.Issue, &one.trial.Patchset, &one.hour, &one.path)
		if err != nil {
			return err
		}
		all = append(all, one)
	}
	if err := rows.Err(); err != nil {
		return err
	}

	for _, one := range all {
		ids, err := t.internCommits(ctx, []batchCommit{{}}, one.trial, one.path, nowhere)
		if err != nil {
			return err
		}
		_, err = t.exec(ctx, `
			UPDATE measurements SET block = $1, commit_id = $2 WHERE block = $3 AND commit_id = $4 AND source_id = $5`,
			ids[0].id/commitsPerBlock, ids[0].id, one.commit/commitsPerBlock, one.commit, one.source)
		if err != nil {
			return err
		}
		_, err = t.exec(ctx, "UPDATE source_commits SET commit_id = $1 WHERE commit_id = $2 AND source_id = $3",
			ids[0].id, one.commit, one.source)
		if err != nil {
			return err
		}
		_, err = t.exec(ctx, `
			UPDATE commits SET
				hour = CASE WHEN (hour, path, position) > ($1, $2, $3) THEN $1 ELSE hour END,
				path = CASE WHEN (hour, path, position) > ($1, $2, $3) THEN $2 ELSE path END,
				position = CASE WHEN (hour, path, position) > ($1, $2, $3) THEN $3 ELSE position END,
				time = CASE WHEN time IS NULL OR time > $4 THEN $4 ELSE time END
			WHERE id = $5`, one.hour, one.path, one.position, one.time, ids[0].id)
		if err != nil {
			return err
		}
	}
	_, err = t.exec(ctx, "DELETE FROM commits WHERE name = '' AND run = ''")
	return err
}
