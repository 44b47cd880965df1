package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"perfdata/internal/testing/faulty"
)

// waitingJobs returns the number of jobs that wait.
func (g *group) waitingJobs() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.waiting)
}

// occupy keeps the writer of a store busy until the function that it returns is called, which
// returns when it is free.
func occupy(t *testing.T, s *Store) (free func()) {
	t.Helper()
	busy, end, ended := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() {
		ended <- s.writeTogether(t.Context(), 1, func(*transaction) error {
			close(busy)
			<-end
			return nil
		})
	}()
	<-busy
	return func() {
		close(end)
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// Uploads that wait are committed together. One that fails, even halfway, or that is canceled, takes
// nothing of the others with it.
func TestGroupCommit(t *testing.T) {
	onEach(t, func(t *testing.T, newDatabase func() string) {
		name := newDatabase()
		commits := new(commitCounter)
		s, err := openBy(t.Context(), name, Options{}, commits.open)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()

		const uploads = 30
		free := occupy(t, s)
		before := commits.n.Load()
		canceled, cancel := context.WithCancel(t.Context())
		results := make([]error, uploads)
		var done sync.WaitGroup
		for i := range uploads {
			u, ctx := Upload{Name: fmt.Sprintf("2026/01/02/03/%02d.json", i)}, t.Context()
			switch i {
			case 7:
				u.Replaces = "none" // it fails after its values are written
			case 9:
				ctx = canceled
			}
			done.Go(func() {
				text := skia(at(fmt.Sprintf("c%d", i%3)), fmt.Sprintf("own%d=1", i), "shared=2")
				results[i] = s.Upload(ctx, strings.NewReader(text), u).Err
			})
		}
		for s.group.waitingJobs() < uploads {
			runtime.Gosched()
		}
		cancel()
		for s.group.waitingJobs() == uploads {
			runtime.Gosched()
		}
		free()
		done.Wait()

		want := tree{}
		for i, err := range results {
			switch i {
			case 7:
				if !errors.Is(err, ErrUnknownPath) {
					t.Errorf("upload %d: %v", i, err)
				}
				continue
			case 9:
				if !errors.Is(err, context.Canceled) {
					t.Errorf("upload %d: %v", i, err)
				}
				continue
			}
			if err != nil {
				t.Errorf("upload %d: %v", i, err)
			}
			want[fmt.Sprintf("2026/01/02/03/%02d.json", i)] = skia(at(fmt.Sprintf("c%d", i%3)), fmt.Sprintf("own%d=1", i), "shared=2")
		}
		// Three transactions: by occupy, by the uploads, and by the note that one failed.
		if n := commits.n.Load() - before; n > 3 {
			t.Errorf("%d commits", n)
		}
		plain := open(t, newDatabase())
		putAll(t, plain, want)
		check(t, "series", found(t, plain, "", Range{}), found(t, s, "", Range{}))
	})
}

// A commitCounter is an opener of databases that counts transactions that are committed.
type commitCounter struct{ n atomic.Int64 }

func (c *commitCounter) open(inner driver.Connector) *sql.DB {
	return sql.OpenDB(countingConnector{inner, c})
}

type countingConnector struct {
	driver.Connector
	counter *commitCounter
}

func (c countingConnector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &countingConn{&faultyConn{inner: conn, script: new(new(faulty.Script))}, c.counter}, nil
}

type countingConn struct {
	*faultyConn
	counter *commitCounter
}

func (c *countingConn) BeginTx(ctx context.Context, options driver.TxOptions) (driver.Tx, error) {
	tx, err := c.faultyConn.BeginTx(ctx, options)
	return countingTx{tx, c.counter}, err
}

type countingTx struct {
	driver.Tx
	counter *commitCounter
}

func (t countingTx) Commit() error {
	t.counter.n.Add(1)
	return t.Tx.Commit()
}

// If the transaction of a group fails, each of the batches is tried in one of its own.
func TestGroupFails(t *testing.T) {
	onEach(t, func(t *testing.T, newDatabase func() string) {
		s := open(t, newDatabase())
		free := occupy(t, s)
		var done sync.WaitGroup
		for i := range 5 {
			done.Go(func() {
				err := s.writeTogether(t.Context(), 1, func(tx *transaction) error {
					if i == 2 {
						tx.ExecContext(t.Context(), "ROLLBACK") // as SQLite does when the disk is full
						return errors.New("the disk is full")
					}
					_, err := tx.ExecContext(t.Context(), "INSERT INTO settings VALUES ($1, $2)", fmt.Sprint("n", i), "x")
					return err
				})
				if (err != nil) != (i == 2) {
					t.Errorf("job %d: %v", i, err)
				}
			})
		}
		for s.group.waitingJobs() < 5 {
			runtime.Gosched()
		}
		free()
		done.Wait()
		n := 0
		err := s.view(t.Context(), func(tx *sql.Tx) error {
			return tx.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM settings").Scan(&n)
		})
		if err != nil || n != 4 {
			t.Errorf("%d rows, %v", n, err)
		}
	})
}
