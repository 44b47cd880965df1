package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"sync"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// Each page of a database file of SQLite has a checksum. It covers everything that an answer may
// depend on: rows, indexes, and that no row is missing. A page has 4,096 bytes, of which SQLite
// leaves the last 8 to others: see firstPage. They are the checksum of the rest, and the number
// of the page.
//
// SQLite reads and writes its files by a VFS, which is a table of functions in C. Ours is the
// default one of the system, except that the functions that read and write pages of a database
// file are called by two of ours. The write-ahead log has checksums of SQLite, and its pages get
// one of ours when they are copied to the file.
const (
	pageSize = 4096
	pageEnd  = 8 // bytes
	pagesVFS = "perfdata"
)

// castagnoli is a checksum for which most processors have an instruction.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// endOf returns what the end of a page must be.
func endOf(page []byte, number int64) uint64 {
	return uint64(crc32.Checksum(page[:pageSize-pageEnd], castagnoli))<<32 | uint64(uint32(number))
}

// firstPage returns a database without tables. SQLite would make one whose pages have no room for
// a checksum, and has no statement that changes that.
func firstPage() []byte {
	page := make([]byte, pageSize)
	copy(page, sqliteMagic)
	binary.BigEndian.PutUint16(page[16:], pageSize)
	copy(page[18:], []byte{1, 1, pageEnd, 64, 32, 32})
	binary.BigEndian.PutUint32(page[28:], 1) // the number of pages
	copy(page[68:], "perf")                  // tells the files of this package from others of SQLite

	// The table of tables is an empty leaf, whose rows begin at the end of the page.
	page[100] = 13
	binary.BigEndian.PutUint16(page[105:], pageSize-pageEnd)
	binary.BigEndian.PutUint64(page[pageSize-pageEnd:], endOf(page, 1))
	return page
}

const sqliteMagic = "SQLite format 3\x00"

// ErrOlder is the cause of an error of Open: an older version of this package made the database,
// before the first release.
var ErrOlder error = &inputError{"an older perfdata made the database: let it write the measurements " +
	"(perfdata convert --to skiav1 --split DIR DATABASE), and store them in a new one " +
	"(perfdata store ingest NEW.db DIR)", errors.ErrUnsupported}

// checkPages returns an error for a file whose pages have no checksums.
func checkPages(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	header := make([]byte, 100)
	n, err := io.ReadFull(f, header)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return err
	}

	want := firstPage()
	isOurs := string(header[68:72]) == string(want[68:72])
	switch {
	case n == 0:
		return fmt.Errorf("%w: the file is empty", ErrDamaged)
	case n < len(header) || string(header[:16]) != sqliteMagic && isOurs:
		return fmt.Errorf("%w: the file has no header", ErrDamaged)
	case string(header[:16]) != sqliteMagic:
		return &inputError{"the file is not a database", errors.ErrUnsupported}
	case isOurs && header[20] == pageEnd && string(header[16:18]) == string(want[16:18]):
		return nil
	case isOurs || header[20] == pageEnd:
		return fmt.Errorf("%w: its header has other sizes", ErrDamaged)
	}
	return ErrOlder
}

// registerPages registers the VFS with SQLite, for the whole process.
var registerPages = sync.OnceValue(func() error { return registerVFS(pagesVFS, "", openPages) })

// A vfs is a VFS over another one, which keeps its own state in the same memory.
type vfs struct {
	sqlite3.Tsqlite3_vfs
	under uintptr // a Tsqlite3_vfs
}

// A methods has the functions of an open file, and the functions that some of them call.
type methods struct {
	sqlite3.Tsqlite3_io_methods
	under uintptr // a Tsqlite3_io_methods
}

// The functions of a VFS and its files that are replaced.
type (
	openFunc     = func(tls *libc.TLS, vfs, name, file uintptr, flags int32, outFlags uintptr) int32
	transferFunc = func(tls *libc.TLS, file, buf uintptr, n int32, offset int64) int32
	fileFunc     = func(tls *libc.TLS, file uintptr) int32
)

// inC returns the value at an address of the memory that SQLite uses, which Go does not move or
// free.
func inC[T any](address uintptr) *T { return *(**T)(unsafe.Pointer(&address)) }

// called returns a function of a table of functions, and callable how such a table has one of Go.
func called[F any](f uintptr) F   { return *(*F)(unsafe.Pointer(&f)) }
func callable[F any](f F) uintptr { return *(*uintptr)(unsafe.Pointer(&f)) }

// allocate returns memory for a T that SQLite uses.
func allocate[T any](tls *libc.TLS) (address uintptr, t *T) {
	var zero T
	if address = sqlite3.Xsqlite3_malloc(tls, int32(unsafe.Sizeof(zero))); address == 0 {
		return 0, nil
	}
	t = inC[T](address)
	*t = zero
	return address, t
}

// registerVFS adds a VFS that opens files by a function over another VFS, or the default if its
// name is empty.
func registerVFS(name, under string, open openFunc) error {
	tls := libc.NewTLS()
	defer tls.Close()
	var cUnder uintptr
	cName, err := libc.CString(name) // as long as the process runs
	if err == nil && under != "" {
		cUnder, err = libc.CString(under)
	}
	if err != nil {
		return err
	}

	over := sqlite3.Xsqlite3_vfs_find(tls, cUnder)
	address, v := allocate[vfs](tls)
	if over == 0 || address == 0 {
		return errors.New("SQLite has no VFS for the files of this system")
	}
	v.Tsqlite3_vfs, v.under = *inC[sqlite3.Tsqlite3_vfs](over), over
	v.FpNext, v.FzName, v.FxOpen = 0, cName, callable(open)
	if code := sqlite3.Xsqlite3_vfs_register(tls, address, 0); code != sqlite3.SQLITE_OK {
		return fmt.Errorf("SQLite does not take a VFS: error %d", code)
	}
	return nil
}

// openPages opens a file by the VFS under one, and gives the file of a database methods of its own,
// whose memory closeMethods frees. Others are as without checksums.
func openPages(tls *libc.TLS, self, name, file uintptr, flags int32, outFlags uintptr) int32 {
	v := inC[vfs](self)
	open := called[openFunc](inC[sqlite3.Tsqlite3_vfs](v.under).FxOpen)
	code := open(tls, v.under, name, file, flags, outFlags)
	if code != sqlite3.SQLITE_OK || flags&sqlite3.SQLITE_OPEN_MAIN_DB == 0 {
		return code
	}
	f := inC[sqlite3.Tsqlite3_file](file)
	address, m := allocate[methods](tls)
	if address == 0 {
		called[fileFunc](inC[sqlite3.Tsqlite3_io_methods](f.FpMethods).FxClose)(tls, file)
		f.FpMethods = 0
		return sqlite3.SQLITE_NOMEM
	}

	m.Tsqlite3_io_methods, m.under = *inC[sqlite3.Tsqlite3_io_methods](f.FpMethods), f.FpMethods
	m.FiVersion = 2 // without the functions that map pages into memory
	m.FxRead, m.FxWrite = callable(transferFunc(readPage)), callable(transferFunc(writePage))
	m.FxDeviceCharacteristics = callable(fileFunc(wholePages))
	m.FxClose = callable(fileFunc(closeMethods))
	f.FpMethods = address
	return code
}

// underOf returns the methods that a file's own methods replace.
func underOf(file uintptr) *sqlite3.Tsqlite3_io_methods {
	return inC[sqlite3.Tsqlite3_io_methods](inC[methods](inC[sqlite3.Tsqlite3_file](file).FpMethods).under)
}

func closeMethods(tls *libc.TLS, file uintptr) int32 {
	address, under := inC[sqlite3.Tsqlite3_file](file).FpMethods, underOf(file)
	code := called[fileFunc](under.FxClose)(tls, file)
	sqlite3.Xsqlite3_free(tls, address)
	return code
}

// wholePages says that SQLite may not read parts of pages, which have no checksum.
func wholePages(tls *libc.TLS, file uintptr) int32 {
	return called[fileFunc](underOf(file).FxDeviceCharacteristics)(tls, file) &^ sqlite3.SQLITE_IOCAP_SUBPAGE_READ
}

// readPage reads a page, or a part of the header, whose page SQLite also reads.
func readPage(tls *libc.TLS, file, buf uintptr, n int32, offset int64) int32 {
	code := called[transferFunc](underOf(file).FxRead)(tls, file, buf, n, offset)
	if n != pageSize || code != sqlite3.SQLITE_OK && code != sqlite3.SQLITE_IOERR_SHORT_READ {
		return code
	}
	page := unsafe.Slice(inC[byte](buf), n)
	if binary.BigEndian.Uint64(page[n-pageEnd:]) != endOf(page, 1+offset/pageSize) {
		return sqlite3.SQLITE_IOERR_DATA
	}
	return code
}

func writePage(tls *libc.TLS, file, buf uintptr, n int32, offset int64) int32 {
	if n == pageSize {
		page := unsafe.Slice(inC[byte](buf), n)
		binary.BigEndian.PutUint64(page[n-pageEnd:], endOf(page, 1+offset/pageSize))
	}
	return called[transferFunc](underOf(file).FxWrite)(tls, file, buf, n, offset)
}
