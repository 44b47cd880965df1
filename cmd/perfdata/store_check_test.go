package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/internal/testing/quick"
)

var damages = flag.Int("damages", 4, "number of bits that TestStoreDamage flips")

// damagedCommands are all commands that read a database.
var damagedCommands = [][]string{
	{"store", "dump", "DB"},
	{"store", "query", "--as", "jsonl", "DB"},
	{"store", "query", "--newest", "DB", "arch=x86&test=~^s"},
	{"store", "params", "DB"},
	{"store", "sources", "DB"},
	{"store", "commits", "DB"},
	{"store", "diff", "DB", "c1", "c30"},
	{"store", "delete", "--dry-run", "--commit", "c7", "DB"},
	{"store", "ingest", "--dry-run", "DB", "FILES"},
	{"store", "check", "DB"},
	{"records", "--as", "csv", "DB"},
	{"info", "DB"},
	{"convert", "--to", "benchfmt", "DB"},
	{"compare", "DB", "--", "FILES/39.json"},
	{"check", "DB", "--", "FILES/39.json"},
	{"changes", "DB"},
	{"drift", "DB", "--", "FILES/39.json"},
	{"report", "DB"},
	// These commands write, and their output is compared.
	{"store", "ingest", "--verify", "DB", "FILES"},
	{"store", "vacuum", "DB"},
	{"store", "backup", "DB", "BACKUP"},
	{"store", "export", "DB", "BACKUP"},
}

// For any flipped bit of a database, a command fails, or prints the same as for the sound
// database.
func TestStoreDamage(t *testing.T) {
	dir := t.TempDir()
	files, sound := filepath.Join(dir, "files"), filepath.Join(dir, "sound.db")
	if err := os.Mkdir(files, 0o777); err != nil {
		t.Fatal(err)
	}
	for i := range 40 {
		text := fmt.Sprintf(`{"version":1,"git_hash":"c%d","links":{"log":"https://example.com/%d"},"results":[`, i, i)
		for test := range 60 {
			text += fmt.Sprintf(`{"key":{"arch":"x86","test":"sort %d","unit":"ns"},"measurement":%d},`, test, 100+i*test%7)
		}
		name := filepath.Join(files, fmt.Sprintf("%d.json", i))
		if err := os.WriteFile(name, []byte(strings.TrimSuffix(text, ",")+"]}"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if stdout, stderr, status := runTool(nil, "store", "ingest", sound, files); status != 0 {
		t.Fatal(stdout, stderr)
	}
	content, err := os.ReadFile(sound)
	if err != nil {
		t.Fatal(err)
	}

	// run runs a command on a database with a content, and then dumps the database.
	db, backup := filepath.Join(dir, "perf.db"), filepath.Join(dir, "backup.db")
	run := func(command []string, content []byte) (out string, status int) {
		t.Helper()
		for _, name := range []string{db, backup} {
			os.RemoveAll(name)
		}
		if err := os.WriteFile(db, content, 0o666); err != nil {
			t.Fatal(err)
		}
		names := strings.NewReplacer("DB", db, "FILES", files, "BACKUP", backup)
		args := make([]string, len(command))
		for i, arg := range command {
			args[i] = names.Replace(arg)
		}
		out, _, status = runTool(nil, args...)
		if command[1] == "vacuum" {
			out = ""
		}
		if command[1] == "export" && status == 0 {
			return strings.Join(exportedLines(t, backup), "\n"), status
		}
		if command[1] == "backup" {
			db = backup
			defer func() { db = filepath.Join(dir, "perf.db") }()
		}
		if status == 0 && (out == "" || command[1] == "ingest") {
			dump, _, dumped := runTool(nil, "store", "dump", db)
			out, status = out+dump, dumped
		}
		return out, status
	}

	r := rand.New(rand.NewPCG(39, 5))
	for n, command := range damagedCommands {
		t.Run(strings.Join(command, " "), func(t *testing.T) {
			want, wantStatus := run(command, content)
			if wantStatus == statusFailed || wantStatus == statusInvalid {
				t.Fatal("it fails with the sound database")
			}
			failed := 0
			for range max(1, quick.Of(*damages, 2)*(1+n%2)/2) {
				damaged := slices.Clone(content)
				at := r.IntN(len(damaged))
				damaged[at] ^= 1 << r.IntN(8)
				got, status := run(command, damaged)
				if status == statusFailed || status == statusInvalid && command[1] == "check" {
					failed++
				} else if status != wantStatus || got != want {
					t.Errorf("offset %d: status %d (-want +got):\n%s", at, status, cmp.Diff(want, got))
				}
			}
			t.Logf("%d failed", failed)
		})
	}
}

// store check names the files that have lost measurements, or how to go on without their names.
func TestStoreCheck(t *testing.T) {
	dir := t.TempDir()
	file, db := filepath.Join(dir, "a.json"), filepath.Join(dir, "perf.db")
	const text = `{"version":1,"git_hash":"c1","results":[{"key":{"test":"x"},"measurement":1}]}`
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, stderr, status := runTool(nil, "store", "ingest", db, file); status != 0 {
		t.Fatal(stderr)
	}
	stdout, stderr, status := runTool(nil, "store", "check", db)
	if want := "perfdata: note: " + db + ": sound\n"; stdout != "" || stderr != want || status != 0 {
		t.Errorf("sound: %q, %q, %d", stdout, stderr, status)
	}

	// The page with the row of the measurement begins with its table in the order of the tables.
	content, err := os.ReadFile(db)
	if err != nil {
		t.Fatal(err)
	}
	named := 0
	for page := 1; page < len(content)/4096; page++ {
		damaged := slices.Clone(content)
		damaged[page*4096+2000] ^= 1
		if err := os.WriteFile(db, damaged, 0o666); err != nil {
			t.Fatal(err)
		}
		stdout, stderr, status := runTool(nil, "store", "check", db)
		if status != statusInvalid || !strings.Contains(stderr, "perfdata store ingest NEW.db") {
			t.Errorf("page %d: %q, %d", page, stderr, status)
		}
		if strings.HasSuffix(stdout, "a.json\t1 of 1 measurement\n") {
			named++
		}
	}
	if named < 3 { // measurements, traces, commits
		t.Errorf("the file is named for %d pages", named)
	}
	if err := os.WriteFile(db, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	_, stderr, status = runTool(nil, "store", "check", db)
	// The hint of other commands, to run this one, is missing.
	if status != statusInvalid || !strings.Contains(stderr, "the file is empty\n") {
		t.Errorf("empty: %q, %d", stderr, status)
	}
	_, stderr, status = runTool(nil, "store", "query", db)
	if status != statusFailed || !strings.Contains(stderr, "the file is empty (perfdata store check prints") {
		t.Errorf("query of empty: %q, %d", stderr, status)
	}
}
