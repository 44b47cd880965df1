package store

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Databases of each released version can be opened, and have all their rows.
func TestReleased(t *testing.T) {
	files, err := filepath.Glob("testdata/v*.db")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(strings.TrimSuffix(file, ".db") + ".txt")
			if err != nil {
				t.Fatal(err)
			}
			name := filepath.Join(t.TempDir(), "perf.db")
			if err := os.WriteFile(name, content, 0o666); err != nil {
				t.Fatal(err)
			}
			check(t, "dump", string(want), dump(t, open(t, name)))
		})
	}
}

// A database that was made before the first release is refused with the way out, and stays as it is.
func TestOlder(t *testing.T) {
	onEach(t, func(t *testing.T, newDatabase func() string) {
		name, driver := newDatabase(), "pgx"
		if !isURL(name) {
			name, driver = filepath.Join(t.TempDir(), "perf.db"), "sqlite"
		}
		db, err := sql.Open(driver, name)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		for _, query := range []string{
			"CREATE TABLE schema_version (version INTEGER NOT NULL)", "INSERT INTO schema_version VALUES (13)",
			"CREATE TABLE stamps (name TEXT PRIMARY KEY, value BIGINT NOT NULL)", "CREATE TABLE sources (id BIGINT)",
		} {
			if _, err := db.ExecContext(t.Context(), query); err != nil {
				t.Fatal(err)
			}
		}

		_, err = Open(t.Context(), name)
		if !errors.Is(err, ErrOlder) || !strings.Contains(err.Error(), "perfdata convert --to skiav1 --split DIR DATABASE") {
			t.Errorf("error %v", err)
		}
		version, tables := 0, 0
		err = db.QueryRowContext(t.Context(), "SELECT version, (SELECT COUNT(*) FROM stamps) FROM schema_version").
			Scan(&version, &tables)
		if version != 13 || tables != 0 || err != nil {
			t.Errorf("version %d, %d stamps, %v", version, tables, err)
		}
	})
}

// Files that are not databases, or not whole, are not taken for new ones.
func TestNotDatabase(t *testing.T) {
	page := string(firstPage())
	for _, test := range []struct {
		name, content string
		want          error
	}{
		{"empty", "", ErrDamaged},
		{"a part of the header", page[:99], ErrDamaged},
		{"without the magic text", "x" + page[1:], ErrDamaged},
		{"another size of pages", page[:16] + "\x20" + page[17:], ErrDamaged},
		{"no room for checksums", page[:20] + "\x00" + page[21:], ErrDamaged},
		{"of another program", page[:68] + "abcd" + page[72:], ErrDamaged},
		{"a bit of the header", page[:40] + "\x01" + page[41:], ErrDamaged},
		{"the first page is cut off", page[:4000], ErrDamaged},
		{"text", strings.Repeat("text ", 100), errors.ErrUnsupported},
		{"another program's", page[:20] + "\x00" + page[21:68] + "abcd" + page[72:], ErrOlder},
	} {
		t.Run(test.name, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "perf.db")
			if err := os.WriteFile(name, []byte(test.content), 0o666); err != nil {
				t.Fatal(err)
			}
			s, err := Open(t.Context(), name)
			if !errors.Is(err, test.want) {
				t.Errorf("error %v, want %v", err, test.want)
			}
			if err == nil {
				s.Close()
			}
			if got, err := os.ReadFile(name); string(got) != test.content || err != nil {
				t.Errorf("the file was changed: %v", err)
			}
		})
	}
}
