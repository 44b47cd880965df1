package store

import (
	"os"
	"sync"
	"testing"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"

	"perfdata/internal/testing/quick"
)

func TestMain(m *testing.M) {
	if err := registerUnsynced(); err != nil {
		panic(err)
	}
	if childMain() {
		return
	}
	quick.Main(m)
	if shared != nil {
		shared.stop()
		os.RemoveAll(shared.dir)
	}
}

// registerUnsynced makes a VFS the default that waits for no disk. No test makes the system fail:
// TestPulledPlug has a disk of its own.
func registerUnsynced() error {
	const name = "unsynced"
	if err := registerVFS(name, "", openUnsynced); err != nil {
		return err
	}
	tls := libc.NewTLS()
	defer tls.Close()
	cName, err := libc.CString(name)
	if err == nil {
		sqlite3.Xsqlite3_vfs_register(tls, sqlite3.Xsqlite3_vfs_find(tls, cName), 1)
		libc.Xfree(tls, cName)
	}
	return err
}

// unsynced is the function of a file that waits for the disk.
var (
	unsyncing sync.Mutex
	unsynced  = callable(syncFunc(func(*libc.TLS, uintptr, int32) int32 { return sqlite3.SQLITE_OK }))
)

// openUnsynced opens a file. Files share their tables of functions: the first one of each changes it.
func openUnsynced(tls *libc.TLS, self, name, file uintptr, flags int32, outFlags uintptr) int32 {
	under := inC[vfs](self).under
	code := called[openFunc](inC[sqlite3.Tsqlite3_vfs](under).FxOpen)(tls, under, name, file, flags, outFlags)
	if code == sqlite3.SQLITE_OK {
		unsyncing.Lock()
		defer unsyncing.Unlock()
		if m := inC[sqlite3.Tsqlite3_io_methods](inC[sqlite3.Tsqlite3_file](file).FpMethods); m.FxSync != unsynced {
			m.FxSync = unsynced
		}
	}
	return code
}
