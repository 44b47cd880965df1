package store

import (
	"errors"
	"math/rand/v2"
	"net"
	"testing"

	"perfdata/ingest"
	"perfdata/internal/testing/faulty"
)

// makeOld makes the tables of version 10 of the schema, before packs, with all that the store has.
func makeOld(t *testing.T, s *Store) {
	t.Helper()
	makeUnpacked(t, s)
	err := s.write(t.Context(), func(tx *transaction) error {
		for _, query := range []string{
			`DROP TABLE postings`,
			`DROP TABLE packs`,
			`CREATE VIEW all_measurements AS SELECT * FROM measurements`,
			`DELETE FROM stamps WHERE name = 'names'`,
			`ALTER TABLE commits ADD COLUMN changed {int} NOT NULL DEFAULT 0`,
			`DELETE FROM schema_version`,
			`INSERT INTO schema_version VALUES (10)`,
		} {
			if _, err := tx.ExecContext(t.Context(), s.db.types().Replace(query)); err != nil {
				t.Error(query)
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Open packs the measurements of version 10, and nothing else changes.
func TestRepack(t *testing.T) {
	onEach(t, func(t *testing.T, newDatabase func() string) {
		name := newDatabase()
		s := open(t, name)
		put(t, s, randomTree(childSeed, childFiles), ingest.RunOptions{})
		putAll(t, s, tree{"b/d/2026/02/01/00/large.json": large("c9", "y")})
		want := dump(t, s)
		makeOld(t, s)
		s.Close()

		s = open(t, name)
		check(t, "dump", want, dump(t, s))
		set := asTextOf(t, s)
		deletePath(t, s, "b/d/2026/02/01/00/large.json")
		putAll(t, s, tree{"b/d/2026/02/01/00/large.json": large("c9", "y")})
		check(t, "dump after a file was stored again", want, dump(t, s))
		check(t, "params", set, asTextOf(t, s))
	})
}

func asTextOf(t *testing.T, s *Store) []string {
	t.Helper()
	set, err := s.ParamSet(t.Context(), Trial{})
	if err != nil {
		t.Fatal(err)
	}
	return asText(set)
}

// An Open that is killed, before any call of the database, leaves nothing half moved, and the
// next one goes on.
func TestRepackIsKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts many processes")
	}
	onEach(t, func(t *testing.T, newDatabase func() string) {
		name := newDatabase()
		s := open(t, name)
		put(t, s, randomTree(childSeed, childFiles), ingest.RunOptions{})
		want := checksum(t, s)
		r := rand.New(rand.NewPCG(1, 2))
		kills := 0
		for range 5 {
			makeOld(t, s)
			for kill(t, child(t, name, 0, moment{"open", 1 + r.Int64N(4<<r.IntN(10))})) {
				if kills++; kills > 500 {
					t.Fatal("no process has ended by itself")
				}
			}
			if got := checksum(t, s); got != want {
				t.Fatalf("after %d kills: checksum %s, want %s", kills, got, want)
			}
		}
		t.Logf("%d kills", kills)
		if kills < 5 {
			t.Errorf("%d kills, want at least 5", kills)
		}
	})
}

// Whatever call of the database fails, the next Open finds all measurements.
func TestRepackFails(t *testing.T) {
	total := 0
	onEach(t, func(t *testing.T, newDatabase func() string) {
		name := newDatabase()
		s := open(t, name)
		putAll(t, s, tree{
			oldPath: skia(at("c1")+`,"links":{"log":"https://example.com/0"}`, "x=1", "y y=2"),
			newPath: skia(at("c2")+`,"issue":"7"`, "x=2", "z=4"),
		})
		want := checksum(t, s)
		total += faulty.Check(t, faulty.Subject{
			Forgiven: []string{"rollback"}, TriesAgain: true,
			IsFault: func(err error) bool { return errors.Is(err, faulty.Err) || errors.Is(err, net.ErrClosed) },
			Try: func(script *faulty.Script) (string, error) {
				makeOld(t, s)
				first, err := openBy(t.Context(), name, Options{}, faultyOpener(script, refused))
				if err == nil {
					first.Close()
				}
				again := open(t, name)
				defer again.Close()
				if got := checksum(t, again); got != want {
					t.Errorf("checksum %s, want %s", got, want)
				}
				return "", err
			},
		})
	})
	t.Logf("%d calls failed", total)
}
