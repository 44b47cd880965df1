package store

import (
	"database/sql"
	"database/sql/driver"
	"errors"
	"flag"

	"maps"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"

	"perfdata/ingest"
	"perfdata/internal/testing/quick"
)

var plugs = flag.Int("plugs", 1, "how often TestPulledPlug stores its files, each time with other sectors on the disk")

// A plug is a VFS under the one of package store, and keeps what a power failure would leave of
// each file: the synced bytes, and some of the sectors that were written since. It has one store
// at a time.
type plug struct {
	mu     sync.Mutex
	names  map[uintptr]string // of open files
	sync   syncFunc           // of the system
	synced map[string][]byte  // content by name; a file that was never synced has no entry in its folder
	before func()             // is called before a sync
}

// plugVFS is the VFS of pages with checksums over plugged, to which the functions belong that
// SQLite calls.
const plugVFS = "pages over plug"

var plugged plug

var registerPlug = sync.OnceValue(func() error {
	return errors.Join(registerVFS("plug", "", openPlugged), registerVFS(plugVFS, "plug", openPages))
})

type syncFunc = func(tls *libc.TLS, file uintptr, flags int32) int32

func openPlugged(tls *libc.TLS, self, name, file uintptr, flags int32, outFlags uintptr) int32 {
	v := inC[vfs](self)
	code := called[openFunc](inC[sqlite3.Tsqlite3_vfs](v.under).FxOpen)(tls, v.under, name, file, flags, outFlags)
	if code != sqlite3.SQLITE_OK {
		return code
	}
	plugged.mu.Lock()
	defer plugged.mu.Unlock()
	plugged.names[file] = libc.GoString(name)
	f := inC[sqlite3.Tsqlite3_file](file)
	address, m := allocate[sqlite3.Tsqlite3_io_methods](tls) // as long as the test runs
	*m = *inC[sqlite3.Tsqlite3_io_methods](f.FpMethods)
	plugged.sync = called[syncFunc](m.FxSync)
	f.FpMethods, m.FxSync = address, callable(syncFunc(syncPlugged))
	return code
}

// syncPlugged syncs a file. SQLite syncs the folder of a new log with it.
func syncPlugged(tls *libc.TLS, file uintptr, flags int32) int32 {
	plugged.before()
	code := plugged.sync(tls, file, flags)
	plugged.mu.Lock()
	defer plugged.mu.Unlock()
	if name := plugged.names[file]; code == sqlite3.SQLITE_OK {
		plugged.synced[name], _ = os.ReadFile(name)
	}
	return code
}

// pull writes the files that are left into a folder.
func (p *plug) pull(r *rand.Rand, dir string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(p.synced)) {
		content := slices.Clone(p.synced[name])
		written, _ := os.ReadFile(name)
		const sector = 512
		share := r.IntN(3) // of the sectors: none, half, all
		for at := 0; at < len(written); at += sector {
			if r.IntN(2) >= share {
				continue
			}
			end := min(at+sector, len(written))
			if end > len(content) {
				content = append(content, make([]byte, end-len(content))...)
			}
			copy(content[at:end], written[at:end])
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(name)), content, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// Wherever the plug is pulled: all files that were acknowledged are there, all or nothing of the
// others is, and nothing is damaged. A file of which SQLite has synced nothing is lost, and so is
// the shared memory.
func TestPulledPlug(t *testing.T) {
	if err := registerPlug(); err != nil {
		t.Fatal(err)
	}
	opener := func(c driver.Connector) *sql.DB {
		uri, ok := c.(sqliteConnector)
		if !ok {
			t.Fatalf("a connector %T", c)
		}
		return sql.OpenDB(sqliteConnector(strings.Replace(string(uri), "vfs="+pagesVFS, "vfs="+url.PathEscape(plugVFS), 1)))
	}
	for seed := range uint64(*plugs) {
		pulls := 0
		r := rand.New(rand.NewPCG(39, seed))
		name := filepath.Join(t.TempDir(), "perf.db")
		plugged.names, plugged.synced, plugged.before = make(map[uintptr]string), make(map[string][]byte), func() {}
		s, err := openBy(t.Context(), name, Options{}, opener)
		if err != nil {
			t.Fatal(err)
		}
		// A new database was synced under another name, see createSQLite, and nothing is written to
		// it before its log is.
		clear(plugged.synced)
		if plugged.synced[name], err = os.ReadFile(name); err != nil {
			t.Fatal(err)
		}
		if _, err := s.db.(*sqliteDB).conn.ExecContext(t.Context(), "PRAGMA wal_autocheckpoint(20)"); err != nil {
			t.Fatal(err)
		}

		acknowledged := make(map[string]bool)
		plugged.before = func() {
			pulls++
			checkPulled(t, r, acknowledged)
		}
		files := randomTree(seed, quick.Of(40, 16))
		for f, err := range shuffled(files, seed) {
			if err != nil {
				t.Fatal(err)
			}
			one := func(yield func(ingest.File, error) bool) { yield(f, nil) }
			summary, err := s.Ingest(t.Context(), one, IngestOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if summary.Failed == 0 {
				acknowledged[f.Path] = true
			}
		}
		plugged.before()
		plugged.before = func() {}
		s.Close()
		if pulls < len(files)+10 {
			t.Errorf("%d syncs of %d files: no checkpoint", pulls, len(files))
		}
	}
}

// checkPulled opens the remaining files, and compares them with what was acknowledged.
func checkPulled(t *testing.T, r *rand.Rand, acknowledged map[string]bool) {
	t.Helper()
	dir := t.TempDir()
	if err := plugged.pull(r, dir); err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), filepath.Join(dir, "perf.db"))
	if err != nil {
		t.Error(err)
		return
	}
	defer s.Close()
	stored := make(map[string]bool)
	for src, err := range s.Sources(t.Context()) {
		if err != nil {
			t.Error(err)
		}
		stored[src.Path] = src.SHA256 != nil
	}
	for path := range acknowledged {
		if !stored[path] {
			t.Errorf("%s was acknowledged, and is lost", path)
		}
	}
	if found, err := s.Check(t.Context()); err != nil || len(found.Faults) > 0 {
		t.Errorf("damage %+v, %v", found, err)
	}
}
