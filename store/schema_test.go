package store

import (
	"crypto/sha256"
	"database/sql"
	"errors"
	"strings"
	"testing"

	"perfdata/series"
)

// An oldRow is a row that an older version of the package wrote. Rows get the IDs 1, 2 and so on.
type oldRow struct {
	table, columns string
	values         []any
}

// version2 is a database as the version 2 of the schema has it. The file b.json has two
// commits, and both files have measurements without a commit.
func version2() []oldRow {
	sum := sha256.Sum256([]byte("content"))
	hash := func(text string) []byte { h := hashed(text).hash; return h[:] }
	commit := func(name string) []byte { h := commitHash(name, Trial{}, ""); return h[:] }
	return []oldRow{
		{"sources", "path, hour, sha256, format, records", []any{"b/d/2026/01/02/03/b.json", "2026/01/02/03", sum[:], "skiav1", 2}},
		{"sources", "path, hour, sha256, format, records", []any{"b/d/2026/01/02/03/a.json", "2026/01/02/03", sum[:], "skiav1", 1}},
		{"sources", "path, hour, format, error", []any{"b/d/2026/01/02/04/c.json", "2026/01/02/04", "skiav1", "broken"}},
		{"sources", "path, hour, sha256, format, records, issue", []any{"b/d/2026/01/02/05/d.json", "2026/01/02/05", sum[:], "skiav1", 1, "9"}},
		{"commits", "hash, name, issue, patchset, hour", []any{commit("c1"), "c1", "", "", "2026/01/02/03"}},
		{"commits", "hash, name, issue, patchset, hour", []any{commit("c2"), "c2", "", "", "2026/01/02/03"}},
		{"commits", "hash, name, issue, patchset, hour", []any{hash("\x00\x00"), "", "", "", "2026/01/02/03"}},
		{"commits", "hash, name, issue, patchset, hour", []any{hash("c1\x009\x00"), "c1", "9", "", "2026/01/02/05"}},
		{"source_commits", "commit_id, source_id", []any{1, 1}},
		{"source_commits", "commit_id, source_id", []any{2, 1}},
		{"source_commits", "commit_id, source_id", []any{1, 2}},
		{"source_commits", "commit_id, source_id", []any{3, 1}},
		{"source_commits", "commit_id, source_id", []any{3, 2}},
		{"source_commits", "commit_id, source_id", []any{4, 4}},
		{"commit_order", "position, name", []any{0, "c2"}},
		{"commit_order", "position, name", []any{1, "c1"}},
		{"traces", "hash, name", []any{hash(",test=x,"), ",test=x,"}},
		{"traces", "hash, name", []any{hash(",test=y,"), ",test=y,"}},
		{"params", "hash, key, value", []any{hash("test=x"), "test", "x"}},
		{"params", "hash, key, value", []any{hash("test=y"), "test", "y"}},
		{"trace_params", "param_id, trace_id", []any{1, 1}},
		{"trace_params", "param_id, trace_id", []any{2, 2}},
		{"measurements", "block, trace_id, commit_id, source_id, n, value, spelling_id, links_id", []any{0, 1, 1, 1, 1, 1.5, 0, 0}},
		{"measurements", "block, trace_id, commit_id, source_id, n, value, spelling_id, links_id", []any{0, 1, 2, 1, 1, 2.5, 0, 0}},
		{"measurements", "block, trace_id, commit_id, source_id, n, value, spelling_id, links_id", []any{0, 1, 1, 2, 1, 3.5, 0, 0}},
		{"measurements", "block, trace_id, commit_id, source_id, n, value, spelling_id, links_id", []any{0, 2, 3, 1, 1, 7.5, 0, 0}},
		{"measurements", "block, trace_id, commit_id, source_id, n, value, spelling_id, links_id", []any{0, 2, 3, 2, 1, 8.5, 0, 0}},
		{"measurements", "block, trace_id, commit_id, source_id, n, value, spelling_id, links_id", []any{0, 2, 3, 2, 2, 9.5, 0, 1}},
		{"measurements", "block, trace_id, commit_id, source_id, n, value, spelling_id, links_id", []any{0, 2, 4, 4, 1, 6.5, 0, 0}},
		{"links", "source_id, id, links", []any{2, 1, `{"log":"https://example.com/old"}`}},
	}
}

// Open changes the tables of an older version, and nothing that they hold is lost.
func TestMigrate(t *testing.T) {
	onEach(t, func(t *testing.T, newDatabase func() string) {
		steps := schema
		defer func() { schema = steps }()
		name := newDatabase()
		s, err := connect(t.Context(), name, Options{}, sql.OpenDB)
		if err != nil {
			t.Fatal(err)
		}
		err = s.write(t.Context(), func(tx *transaction) error {
			if _, err := tx.ExecContext(t.Context(), versionTable); err != nil {
				return err
			}
			if err := s.migrate(t.Context(), tx, 0, steps[:2]); err != nil {
				return err
			}
			for _, row := range version2() {
				params := make([]string, len(row.values))
				for i := range params {
					params[i] = "$" + string(rune('1'+i))
				}
				query := "INSERT INTO " + row.table + " (" + row.columns + ") VALUES (" + strings.Join(params, ", ") + ")"
				if _, err := tx.ExecContext(t.Context(), query, row.values...); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		s.Close()

		// The charset of an older version is the default.
		_, err = OpenWith(t.Context(), name, Options{Charset: skiaCharset})
		if !errors.Is(err, ErrOtherCharset) {
			t.Errorf("another charset: error %v", err)
		}
		s = open(t, name)
		check(t, "series", []string{",test=x, c2=2.5 c1=1.5"}, found(t, s, "test=x", Range{}))
		const nameless = ",test=y, [b/d/2026/01/02/03/a.json@3]=8.5 [b/d/2026/01/02/03/a.json@3]#2=9.5 [b/d/2026/01/02/03/b.json@3]=7.5"
		check(t, "series without a commit", []string{nameless}, found(t, s, "test=y", Range{}))
		check(t, "measurements", []string{
			`,test=x, ,test=x, c2#1 c2 2.5 ""  [{test x}] [] [] b/d/2026/01/02/03/b.json:-1`,
			`,test=x, ,test=x, c1#1 c1 1.5 ""  [{test x}] [] [] b/d/2026/01/02/03/b.json:-1`,
		}, storedRows(t, s, Range{})[:2])
		check(t, "trial", []string{",test=y, c1=6.5"}, found(t, s, "", Range{Trial: Trial{Issue: "9"}}))
		for one, err := range s.Params(t.Context(), Trial{Issue: "9"}) {
			if one.Value != "y" || err != nil {
				t.Errorf("param of the trial: %v, %v", one, err)
			}
		}
		const oldLinks = "[{log https://example.com/old}]"
		if last := storedRows(t, s, Range{}); !strings.Contains(strings.Join(last, "\n"), oldLinks) {
			t.Errorf("measurements %q: want links %s", last, oldLinks)
		}
		_, order, err := s.Commits(t.Context(), Trial{})
		if err != nil {
			t.Fatal(err)
		}
		check(t, "order", series.Order{By: "list"}, order)
		deletePath(t, s, "b/d/2026/01/02/05/d.json")
		check(t, "trial without its file", []string(nil), found(t, s, "", Range{Trial: Trial{Issue: "9"}}))

		// Without the list, the first file of c1 decides.
		if err := s.DeleteCommits(t.Context(), ""); err != nil {
			t.Fatal(err)
		}
		check(t, "series", []string{",test=x, c1=1.5 c2=2.5"}, found(t, s, "test=x", Range{}))
		putAll(t, s, tree{"b/d/2026/01/02/02/d.json": skia(at("c3"), "x=4.5")})
		check(t, "series", []string{",test=x, c3=4.5 c1=1.5 c2=2.5"}, found(t, s, "test=x", Range{}))
		s.Close()

		schema = steps[:2]
		_, err = Open(t.Context(), name)
		if err == nil || !strings.Contains(err.Error(), ": want at most 2, update this program") {
			t.Errorf("error %v", err)
		}
	})
}

// The tables of a new database are those that the steps of the schema make of an empty one.
func TestNewTables(t *testing.T) {
	onEach(t, func(t *testing.T, newDatabase func() string) {
		migrated, err := connect(t.Context(), newDatabase(), Options{}, sql.OpenDB)
		if err != nil {
			t.Fatal(err)
		}
		defer migrated.Close()
		err = migrated.write(t.Context(), func(tx *transaction) error {
			if _, err := tx.ExecContext(t.Context(), versionTable); err != nil {
				return err
			}
			return migrated.migrate(t.Context(), tx, 0, schema)
		})
		if err != nil {
			t.Fatal(err)
		}
		made := open(t, newDatabase())
		for _, query := range catalogQueries(made) {
			want := textRows(t, migrated, query)
			if len(want) == 0 {
				t.Errorf("%s: no rows", query)
			}
			check(t, query, want, textRows(t, made, query))
		}
	})
}

// catalogQueries returns queries of all that a database says of its tables, and of the rows of a new one.
func catalogQueries(s *Store) []string {
	rows := []string{"SELECT name, value FROM stamps ORDER BY name", "SELECT version FROM schema_version"}
	if isPostgres(s) {
		// The names of constraints are those of tables before they were renamed.
		return append(rows, `
			SELECT table_name, column_name, data_type, collation_name, is_nullable, column_default, identity_generation
			FROM information_schema.columns WHERE table_schema = current_schema() ORDER BY table_name, ordinal_position`, `
			SELECT c.relname, pg_get_constraintdef(k.oid) FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid
			WHERE c.relnamespace = current_schema()::regnamespace ORDER BY 1, 2`, `
			SELECT tablename, replace(replace(indexdef, schemaname || '.', ''), indexname, '') FROM pg_indexes
			WHERE schemaname = current_schema() ORDER BY 1, 2`, `
			SELECT relname, relkind, relpersistence, reloptions FROM pg_class
			WHERE relnamespace = current_schema()::regnamespace AND relkind <> 'i' ORDER BY 1`)
	}
	return append(rows, `
		SELECT type, name, tbl_name, sql IS NULL FROM sqlite_schema ORDER BY 1, 2`, `
		SELECT name, type, wr, strict, ncol FROM pragma_table_list WHERE schema = 'main' ORDER BY name`, `
		SELECT t.name, c.name, c.type, c."notnull", c.dflt_value, c.pk, c.hidden
		FROM sqlite_schema t, pragma_table_xinfo(t.name) c WHERE t.type = 'table' ORDER BY t.name, c.cid`, `
		SELECT t.name, i.name, i."unique", i.origin, i.partial, x.name, x.desc, x.coll, x.key
		FROM sqlite_schema t, pragma_index_list(t.name) i, pragma_index_xinfo(i.name) x
		WHERE t.type = 'table' ORDER BY t.name, i.name, x.seqno`)
}

// textRows returns the rows of a query, with blanks between their values.
func textRows(t *testing.T, s *Store, query string) []string {
	t.Helper()
	var texts []string
	err := s.view(t.Context(), func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(t.Context(), query)
		if err != nil {
			return err
		}
		defer rows.Close()
		columns, err := rows.Columns()
		if err != nil {
			return err
		}
		row := make([]any, len(columns))
		for i := range row {
			row[i] = new(sql.NullString)
		}
		for rows.Next() {
			if err := rows.Scan(row...); err != nil {
				return err
			}
			text := ""
			for _, value := range row {
				text += value.(*sql.NullString).String + " "
			}
			texts = append(texts, text)
		}
		return rows.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}
