package store

import (
	"context"
	"database/sql/driver"
	"strings"

	"modernc.org/sqlite"
)

// A sqliteConnector connects to a URI.
type sqliteConnector string

func (uri sqliteConnector) Driver() driver.Driver { return new(sqlite.Driver) }

func (uri sqliteConnector) Connect(context.Context) (driver.Conn, error) {
	conn, err := new(sqlite.Driver).Open(string(uri))
	if err != nil {
		return nil, err
	}
	return &sqliteConn{conn.(driverConn), make(map[string]*sqliteStmt)}, nil
}

// A sqliteConn prepares each statement once: for a question, that can take longer than to run it.
type sqliteConn struct {
	driverConn
	kept map[string]*sqliteStmt // prepared, and not in use
}

// A driverConn has the methods of a connection without those for a query, as which database/sql prepares it.
type driverConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.SessionResetter
	driver.Validator
}

// maxKept is the number of statements that are kept, of some 10 KB each. The package has fewer, but a term of a
// query may have any number of values.
const maxKept = 200

func (c *sqliteConn) Prepare(query string) (driver.Stmt, error) {
	if s := c.kept[query]; s != nil {
		delete(c.kept, query) // rows of another call of the same query need a statement of their own
		return s, nil
	}
	stmt, err := c.driverConn.Prepare(query)
	if err != nil {
		return nil, err
	}
	return &sqliteStmt{stmt.(driverStmt), c, query}, nil
}

func (c *sqliteConn) Close() error {
	for _, s := range c.kept {
		s.driverStmt.Close()
	}
	return c.driverConn.Close()
}

// A sqliteStmt is a statement that its connection keeps after its use.
type sqliteStmt struct {
	driverStmt
	conn  *sqliteConn
	query string
}

type driverStmt interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

// Close keeps the statement. Some PRAGMAs take effect only when they are prepared.
func (s *sqliteStmt) Close() error {
	kept := s.conn.kept
	if kept[s.query] != nil || len(kept) == maxKept || strings.HasPrefix(s.query, "PRAGMA") {
		return s.driverStmt.Close()
	}
	kept[s.query] = s
	return nil
}
