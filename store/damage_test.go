package store

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/ingest"
	"perfdata/internal/testing/quick"
	"perfdata/series"
	"perfdata/traceid"
)

var damages = flag.Int("damages", 40, "number of bits that TestDamage flips, and five times the number of its truncations")

// answers asks all questions, and returns the answers, or the first error.
func answers(ctx context.Context, name string) (string, error) {
	if _, err := os.Stat(name); err != nil && !isURL(name) {
		return "", err
	}
	s, err := Open(ctx, name)
	if err != nil {
		return "", err
	}
	defer s.Close()
	var b strings.Builder
	if err := s.Dump(ctx, &b); err != nil {
		return "", err
	}

	for one, err := range s.Measurements(ctx, nil, Range{}) {
		if err != nil {
			return "", err
		}
		fmt.Fprintln(&b, one.Record, one.Trace, one.Point, one.File)
	}
	for _, r := range []Range{{Newest: true}, {Trial: Trial{Issue: "1"}}} {
		for _, text := range []string{"", "test=z", "test=~z"} {
			q, err := traceid.ParseQuery(text)
			if err != nil {
				return "", err
			}
			for one, err := range s.Query(ctx, q, r) {
				if err != nil {
					return "", err
				}
				fmt.Fprintln(&b, *one)
			}
		}
	}
	if _, err := s.ParamSet(ctx, Trial{}); err != nil {
		return "", err
	}
	return b.String(), nil
}

// damagedStore makes a store of many pages, and returns its name and answers.
func damagedStore(t *testing.T, name string) string {
	t.Helper()
	s := open(t, name)
	files := randomTree(3, 40)
	for i := range 20 {
		var results []string
		for test := range 200 {
			results = append(results, fmt.Sprintf("bench/%d=%d.5", test*7919%1000, i*test))
		}
		files[fmt.Sprintf("b/d/2026/02/01/03/%d.json", i)] = skia(at(fmt.Sprintf("d%d", i)), results...)
	}
	put(t, s, files, ingest.RunOptions{})
	list := []series.Commit{{Hash: "d0", Author: "a"}, {Hash: "d1", Subject: "s"}, {Hash: "c3"}}
	if _, err := s.SetCommits(t.Context(), "", list); err != nil {
		t.Fatal(err)
	}
	found, err := s.Check(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	check(t, "damage of a sound store", Damage{}, found)
	s.Close()
	want, err := answers(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return want
}

// A file with a bit that was flipped, or that was cut off, has the same answers or an error, and
// Check finds what an answer notices.
func TestDamage(t *testing.T) {
	dir := t.TempDir()
	want := damagedStore(t, filepath.Join(dir, "sound.db"))
	sound, err := os.ReadFile(filepath.Join(dir, "sound.db"))
	if err != nil {
		t.Fatal(err)
	}
	noticed, named := 0, 0
	try := func(name string, content []byte) {
		t.Helper()
		file := filepath.Join(dir, "damaged.db")
		if err := os.WriteFile(file, content, 0o666); err != nil {
			t.Fatal(err)
		}
		got, err := answers(t.Context(), file)
		if err == nil && got != want {
			t.Errorf("%s: other answers without an error", name)
		}
		if err != nil && !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v, want %v", name, err, ErrDamaged)
		}
		s, openErr := Open(t.Context(), file)
		if openErr != nil {
			return
		}
		defer s.Close()
		damage, checkErr := s.Check(t.Context())
		switch {
		case checkErr != nil:
			t.Errorf("%s: check: %v", name, checkErr)
		case err != nil && len(damage.Faults) == 0:
			t.Errorf("%s: check finds nothing, but an answer %v", name, err)
		}
		if len(damage.Faults) > 0 {
			noticed++
		}
		if len(damage.Files) > 0 {
			named++
		}
	}

	r := rand.New(rand.NewPCG(39, 3))
	n := *damages
	if quick.Test() {
		n = min(n, 10)
	}
	for range n {
		at, bit := r.IntN(len(sound)), byte(1)<<r.IntN(8)
		damaged := slices.Clone(sound)
		damaged[at] ^= bit
		try(fmt.Sprintf("offset %d, bit %x", at, bit), damaged)
	}
	for i := range n / 5 {
		n := r.IntN(len(sound))
		if i%2 == 0 {
			n -= n % pageSize
		}
		try(fmt.Sprintf("%d of %d bytes", n, len(sound)), sound[:n])
	}
	t.Logf("%d bytes: damage noticed by Check: %d, of these %d with names of files", len(sound), noticed, named)
}

// What a row has lost is noticed on both databases, and Check names the files. Stored again, they
// are whole.
func TestDamagedRows(t *testing.T) {
	const first, second, third = "b/d/2026/01/02/03/a.json", "b/d/2026/01/02/04/b.json", "b/d/2026/01/02/05/c.json"
	files := tree{
		first:  skia(at("c1")+`,"links":{"log":"https://example.com"}`, "x=1", "y y=2"),
		second: skia(at("c2")+`,"links":{"log":"https://example.org"}`, "x=3", "z=4"),
		third:  skia(at("c2"), "x=5"),
	}
	flip := func(table, column, of string) func(*Store, *transaction) error {
		return func(s *Store, tx *transaction) error {
			var b []byte
			where := " WHERE source_id = (SELECT id FROM sources WHERE path = $1)"
			if err := tx.QueryRowContext(t.Context(), "SELECT "+column+" FROM "+table+where, of).Scan(&b); err != nil {
				return err
			}
			b[len(b)/2] ^= 4
			_, err := tx.exec(t.Context(), "UPDATE "+table+" SET "+column+" = $2"+where, of, b)
			return err
		}
	}
	run := func(query string, args ...any) func(*Store, *transaction) error {
		return func(s *Store, tx *transaction) error {
			n, err := tx.exec(t.Context(), query, args...)
			if err == nil && n != 1 {
				err = fmt.Errorf("%d rows", n)
			}
			return err
		}
	}
	lost := func(path string, lost, stored int) []LostFile {
		return []LostFile{{Path: path, Lost: lost, Stored: stored, hour: path[4:17]}}
	}

	for _, test := range []struct {
		name       string
		damage     func(*Store, *transaction) error
		files      []LostFile
		fault      string
		isRepaired bool // by storing the file again, which does not change names that others have, too
	}{
		{"measurements", flip("row_groups", "data", first), lost(first, 2, 2), "row_groups: ", true},
		{"traces of measurements",
			run("UPDATE row_groups SET traces = 1 WHERE source_id = (SELECT id FROM sources WHERE path = $1)", second),
			lost(second, 2, 2), "row_groups: ", true},
		{"links", flip("annotations", "texts", first), lost(first, 2, 2), "annotations: ", true},
		{"a row of measurements", run("DELETE FROM row_groups WHERE source_id = (SELECT id FROM sources WHERE path = $1)", third),
			lost(third, 1, 1), "source_commits: ", true},
		{"a row of links", run("DELETE FROM annotations WHERE source_id = (SELECT id FROM sources WHERE path = $1)", second),
			lost(second, 2, 2), "", true},
		{"the name of a trace", run("UPDATE traces SET name = ',test=w,' WHERE name = ',test=z,'"),
			lost(second, 1, 2), "traces: ", false},
		{"a trace", run("DELETE FROM traces WHERE name = ',test=z,'"), lost(second, 1, 2), "postings: ", false},
		{"a spelling", run("UPDATE spellings SET unit = 'ms' WHERE params <> ''"), lost(first, 1, 2), "spellings: ", false},
		{"a commit", run("UPDATE commits SET name = 'c3' WHERE name = 'c1'"), lost(first, 2, 2), "commits: ", false},
		{"the commit of a file",
			run("DELETE FROM source_commits WHERE source_id = (SELECT id FROM sources WHERE path = $1)", first),
			lost(first, 2, 2), "source_commits: ", false},
		{"a param", run("UPDATE params SET value = 'w' WHERE value = 'z'"), nil, "params: ", false},
		{"the traces of a param",
			run("UPDATE postings SET traces = 0 WHERE param_id = (SELECT id FROM params WHERE value = 'z')"), nil, "postings: ",
			false},
	} {
		t.Run(test.name, func(t *testing.T) {
			onEach(t, func(t *testing.T, newDatabase func() string) {
				name := newDatabase()
				s := open(t, name)
				putAll(t, s, files)
				s.Close()
				want, err := answers(t.Context(), name)
				if err != nil {
					t.Fatal(err)
				}

				s = open(t, name)
				if err := s.write(t.Context(), func(tx *transaction) error { return test.damage(s, tx) }); err != nil {
					t.Fatal(err)
				}
				if _, err := answers(t.Context(), name); !errors.Is(err, ErrDamaged) {
					t.Errorf("answers: %v, want %v", err, ErrDamaged)
				}
				damage, err := s.Check(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if !strings.Contains(strings.Join(damage.Faults, "\n"), test.fault) || len(damage.Faults) == 0 {
					t.Errorf("faults %q, want %q", damage.Faults, test.fault)
				}
				damage.Faults = nil
				if diff := cmp.Diff(Damage{Files: test.files}, damage, cmp.AllowUnexported(LostFile{})); diff != "" {
					t.Errorf("damage (-want +got):\n%s", diff)
				}

				if !test.isRepaired {
					return
				}
				deletePath(t, s, test.files[0].Path)
				putAll(t, s, files)
				if damage, err := s.Check(t.Context()); len(damage.Faults) > 0 || err != nil {
					t.Errorf("stored again: %+v, %v", damage, err)
				}
				if got, err := answers(t.Context(), name); got != want || err != nil {
					t.Errorf("stored again: other answers, %v", err)
				}
			})
		})
	}
}

// Of bytes of the rows of PostgreSQL, none can change without an error.
func TestDamagedBytes(t *testing.T) {
	onEach(t, func(t *testing.T, newDatabase func() string) {
		name := newDatabase()
		damagedStore(t, name)
		s := open(t, name)
		r := rand.New(rand.NewPCG(39, 4))
		for i := range quick.Of(*damages, 8) {
			table, other, column := "row_groups", "part", "data"
			if i%4 == 0 {
				table, other, column = "annotations", "id", "texts"
			}
			where := " WHERE source_id = $1 AND " + other + " = $2"
			const whole = " WHERE source_id > 0" // not a number of row groups
			var source, id int64
			var before []byte
			err := s.write(t.Context(), func(tx *transaction) error {
				var n int
				if err := tx.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM "+table+whole).Scan(&n); err != nil {
					return err
				}
				query := "SELECT source_id, " + other + ", " + column + " FROM " + table + whole + " ORDER BY 1, 2 LIMIT 1 OFFSET $1"
				if err := tx.QueryRowContext(t.Context(), query, r.IntN(n)).Scan(&source, &id, &before); err != nil {
					return err
				}
				after := slices.Clone(before)
				after[r.IntN(len(after))] ^= byte(1 + r.IntN(255))
				_, err := tx.exec(t.Context(), "UPDATE "+table+" SET "+column+" = $3"+where, source, id, after)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := answers(t.Context(), name); !errors.Is(err, ErrDamaged) {
				t.Errorf("%s, source %d, row %d: %v", table, source, id, err)
			}
			err = s.write(t.Context(), func(tx *transaction) error {
				_, err := tx.exec(t.Context(), "UPDATE "+table+" SET "+column+" = $3"+where, source, id, before)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	})
}
