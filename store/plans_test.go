package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"

	"perfdata/internal/testing/faulty"
)

// A planner is an opener of databases that records how each query is executed.
type planner struct{ plans []string }

func (p *planner) open(c driver.Connector) *sql.DB { return sql.OpenDB(planConnector{c, p}) }

type planConnector struct {
	driver.Connector
	planner *planner
}

func (c planConnector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &planConn{&faultyConn{inner: conn, script: new(new(faulty.Script))}, c.planner}, nil
}

type planConn struct {
	*faultyConn
	planner *planner
}

func (c *planConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if strings.HasPrefix(strings.TrimSpace(query), "SELECT") {
		if err := c.explain(ctx, query, args); err != nil {
			return nil, err
		}
	}
	return c.faultyConn.QueryContext(ctx, query, args)
}

func (c *planConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if strings.HasPrefix(query, "DECLARE") {
		if err := c.explain(ctx, query, args); err != nil {
			return nil, err
		}
	}
	return c.faultyConn.ExecContext(ctx, query, args)
}

// explain records the plan of a query.
func (c *planConn) explain(ctx context.Context, query string, args []driver.NamedValue) error {
	explain := "EXPLAIN QUERY PLAN "
	if _, ok := c.inner.(driver.Pinger); ok && strings.Contains(fmt.Sprintf("%T", c.inner), "stdlib") {
		explain = "EXPLAIN "
	}
	rows, err := c.faultyConn.QueryContext(ctx, explain+query, args)
	if err != nil {
		return err
	}
	defer rows.Close()
	plan := query
	values := make([]driver.Value, len(rows.Columns()))
	for {
		switch err := rows.Next(values); err {
		case nil:
			plan += fmt.Sprint("\n", values[len(values)-1])
		case io.EOF:
			c.planner.plans = append(c.planner.plans, plan)
			return nil
		default:
			return err
		}
	}
}

// reading finds in a plan that all of a large table is read. SQLite names a table by its alias.
var reading = regexp.MustCompile(
	`Seq Scan on (traces|params|postings|row_groups)\b|(?m)^SCAN (t|tp|p|m|params|postings|row_groups|traces)\b`)

// Questions about a few traces, or about a commit, read no table as a whole, with and without
// statistics.
func TestPlans(t *testing.T) {
	onEach(t, func(t *testing.T, newDatabase func() string) {
		name := newDatabase()
		s := open(t, name)
		var results []string
		for i := range 4 * maxNamesRead {
			results = append(results, fmt.Sprintf("%d=%d", i, i))
		}
		for i := range 40 {
			part := results
			if i != 20 {
				part = results[:100]
			}
			putAll(t, s, tree{fmt.Sprintf("2026/01/02/03/%d.json", i): skia(at(fmt.Sprintf("c%d", i))+`,"key":{"os":"linux","arch":"x"}`, part...)})
		}
		putAll(t, s, tree{"2026/01/02/03/t.json": skia(at("c1")+`,"issue":"7"`, "1=1")})

		// More row groups, so that to read all of them takes longer than to find some.
		err := s.write(t.Context(), func(tx *transaction) error {
			var values []any
			for n := range int64(20_000) {
				values = append(values, 1000+n/1000, n%1000, 16_000, 1, n, 1, []byte{})
			}
			return tx.insert(t.Context(), rowGroupsTable, values)
		})
		if err != nil {
			t.Fatal(err)
		}

		for _, analyzed := range []bool{false, true} {
			if analyzed {
				err := s.write(t.Context(), func(tx *transaction) error {
					_, err := tx.ExecContext(t.Context(), "ANALYZE")
					return err
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			testPlans(t, name)
		}
	})
}

func testPlans(t *testing.T, name string) {
	p := new(planner)
	s, err := openBy(t.Context(), name, Options{}, p.open)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	const id = ",arch=x,os=linux,test=7,"
	for question, ask := range map[string]func() int{
		"a trace": func() int {
			return min(1, len(collect(t, s.Query(t.Context(), nil, Range{Trace: id}))[0].Points))
		},
		"measurements of a trace": func() int { return min(1, len(collect(t, s.Measurements(t.Context(), nil, Range{Trace: id})))) },
		"all params":              func() int { return len(collect(t, s.queryText(t, "arch=x&os=linux&test=7"))) },
		"some params":             func() int { return len(collect(t, s.queryText(t, "arch=x&test=7&test=9"))) - 1 },
		"params of a trial":       func() int { return len(collect(t, s.Params(t.Context(), Trial{Issue: "7"}))) },
		"at":                      func() int { return len(collect(t, s.Query(t.Context(), nil, Range{First: "c7", Last: "c7"}))) - 99 },
		"measurements at":         func() int { return len(storedRows(t, s, Range{First: "c7", Last: "c7"})) - 99 },
		"newest of a trace":       func() int { return len(collect(t, s.Query(t.Context(), mustQuery(t, "test=7"), Range{Newest: true}))) },
	} {
		t.Run(question, func(t *testing.T) {
			for range 7 { // from the sixth time on, PostgreSQL may use a plan for all arguments
				p.plans = nil
				check(t, "answers", 1, ask())
			}
			for _, plan := range p.plans {
				if reading.MatchString(plan) {
					t.Error(plan)
				}
			}
		})
	}
}
