package store

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"perfdata/internal/testing/faulty"
)

// A breaking is how the calls of a database fail.
type breaking int

const (
	refused breaking = iota // the call does nothing, and returns an error
	unheard                 // the call does its work, and returns an error, except for COMMIT
	dead                    // the connection dies before the call
)

func (b breaking) String() string { return [...]string{"refused", "unheard", "dead"}[b] }

// faultyOpener returns an opener of databases whose calls fail as the script says that is there at
// the call.
func faultyOpener(s **faulty.Script, how breaking) opener {
	return func(c driver.Connector) *sql.DB {
		return sql.OpenDB(faultyConnector{Connector: c, script: s, how: how})
	}
}

// watchedOpener returns an opener of databases that calls a function before each call of the
// database.
func watchedOpener(before func()) opener {
	return func(c driver.Connector) *sql.DB {
		return sql.OpenDB(faultyConnector{Connector: c, script: new(new(faulty.Script)), before: before})
	}
}

type faultyConnector struct {
	driver.Connector
	script **faulty.Script
	how    breaking
	before func() // nil for none
}

func (c faultyConnector) Connect(ctx context.Context) (driver.Conn, error) {
	if err := (*c.script).Err("connect"); err != nil {
		return nil, err
	}
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &faultyConn{inner: conn, script: c.script, how: c.how, before: c.before}, nil
}

// A faultyConn is a connection of either database.
type faultyConn struct {
	inner   driver.Conn
	script  **faulty.Script
	how     breaking
	before  func()
	hasRead bool // a row
}

func (c *faultyConn) Prepare(query string) (driver.Stmt, error) {
	return c.PrepareContext(context.Background(), query)
}

func (c *faultyConn) Begin() (driver.Tx, error) {
	return c.BeginTx(context.Background(), driver.TxOptions{})
}

func (c *faultyConn) Close() error { return c.inner.Close() }

// call makes a call of the connection, or of a value that belongs to it.
func (c *faultyConn) call(name string, do func() error) error {
	fault := (*c.script).Err(name)
	if c.before != nil {
		c.before()
	}
	switch {
	case fault == nil:
		return do()
	case c.how == refused:
		return fault
	case c.how == dead:
		c.die()
		return do()
	case name == "commit":
		return do()
	}
	return errors.Join(fault, do())
}

// die breaks the connection to PostgreSQL.
func (c *faultyConn) die() { c.inner.(*stdlib.Conn).Conn().PgConn().Conn().Close() }

// Conn is for the COPY of PostgreSQL. It fails by the death of the connection.
func (c *faultyConn) Conn() *pgx.Conn {
	if (*c.script).Err("copy") != nil {
		c.die()
	}
	return c.inner.(*stdlib.Conn).Conn()
}

func (c *faultyConn) PrepareContext(ctx context.Context, query string) (stmt driver.Stmt, err error) {
	err = c.call("prepare", func() error {
		if p, ok := c.inner.(driver.ConnPrepareContext); ok {
			stmt, err = p.PrepareContext(ctx, query)
		} else {
			stmt, err = c.inner.Prepare(query)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return faultyStmt{stmt, c}, nil
}

func (c *faultyConn) BeginTx(ctx context.Context, options driver.TxOptions) (tx driver.Tx, err error) {
	err = c.call("begin", func() error {
		tx, err = c.inner.(driver.ConnBeginTx).BeginTx(ctx, options)
		return err
	})
	return faultyTx{tx, c}, err
}

func (c *faultyConn) ExecContext(
	ctx context.Context, query string, args []driver.NamedValue,
) (r driver.Result, err error) {
	e, ok := c.inner.(driver.ExecerContext)
	if !ok {
		return nil, driver.ErrSkip
	}
	err = c.call("exec", func() error {
		r, err = e.ExecContext(ctx, query, args)
		return err
	})
	return r, err
}

func (c *faultyConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	q, ok := c.inner.(driver.QueryerContext)
	if !ok {
		return nil, driver.ErrSkip
	}
	return c.rows(func() (driver.Rows, error) { return q.QueryContext(ctx, query, args) })
}

func (c *faultyConn) rows(query func() (driver.Rows, error)) (rows driver.Rows, err error) {
	err = c.call("query", func() error {
		rows, err = query()
		return err
	})
	if err != nil {
		if rows != nil {
			rows.Close()
		}
		return nil, err
	}
	return faultyRows{rows, c}, nil
}

func (c *faultyConn) Ping(ctx context.Context) error {
	if p, ok := c.inner.(driver.Pinger); ok {
		return p.Ping(ctx)
	}
	return nil
}

func (c *faultyConn) ResetSession(ctx context.Context) error {
	return c.inner.(driver.SessionResetter).ResetSession(ctx)
}

func (c *faultyConn) IsValid() bool {
	v, ok := c.inner.(driver.Validator)
	return !ok || v.IsValid()
}

func (c *faultyConn) CheckNamedValue(value *driver.NamedValue) error {
	if checker, ok := c.inner.(driver.NamedValueChecker); ok {
		return checker.CheckNamedValue(value)
	}
	return driver.ErrSkip
}

type faultyStmt struct {
	driver.Stmt
	conn *faultyConn
}

func (s faultyStmt) ExecContext(ctx context.Context, args []driver.NamedValue) (r driver.Result, err error) {
	err = s.conn.call("exec", func() error {
		r, err = s.Stmt.(driver.StmtExecContext).ExecContext(ctx, args)
		return err
	})
	return r, err
}

func (s faultyStmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	return s.conn.rows(func() (driver.Rows, error) { return s.Stmt.(driver.StmtQueryContext).QueryContext(ctx, args) })
}

type faultyRows struct {
	driver.Rows
	conn *faultyConn
}

// A connection dies before its first row only. Others are the same to it: all rows of a query have
// arrived, and the next query fails.
func (r faultyRows) Next(dest []driver.Value) (err error) {
	if r.conn.hasRead && r.conn.how == dead {
		return r.Rows.Next(dest)
	}
	r.conn.hasRead = true
	fault := r.conn.call("next", func() error {
		err = r.Rows.Next(dest)
		return nil
	})
	return cmp.Or(fault, err)
}

type faultyTx struct {
	driver.Tx
	conn *faultyConn
}

func (t faultyTx) Commit() error   { return t.conn.call("commit", t.Tx.Commit) }
func (t faultyTx) Rollback() error { return t.conn.call("rollback", t.Tx.Rollback) }
