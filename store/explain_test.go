package store
import ("testing";"database/sql";"perfdata/traceid";"time")
func TestExplain(t *testing.T) {
	server := startPostgres(t)
	s := open(t, server.newDatabase(t))
	*manyTraces = 30000
	for commit := range 16 { for part := range 10 { f := benchSource(commit, manyFile(commit, part)); f.Path += string(rune('0'+part)); ingestBench(t, s, 1, f) } }
	q, _ := traceid.ParseQuery("arch=a3&group=g0&os=linux&test=draw_0&units=ms")
	for range 2 {
	s.view(t.Context(), func(tx *sql.Tx) error {
		v := s.newViewer(t.Context(), tx)
		b := time.Now()
		lap := func(n string) { t.Log(n, time.Since(b)); b = time.Now() }
		v.selectCommits(Range{}); lap("commits")
		f, _, err := v.filters(v.charset.Query(q)); lap("filters")
		tr, err := v.traces(q); lap("traces")
		v.measurements(tr, false); lap("measurements")
		rows, err := tx.QueryContext(t.Context(), "EXPLAIN ANALYZE SELECT t.id, t.name FROM trace_params p JOIN traces t ON t.id = p.trace_id WHERE p.param_id IN "+list(f[0]))
		if err != nil { t.Fatal(err) }
		for rows.Next() { var l string; rows.Scan(&l); t.Log(l) }
		rows, err = tx.QueryContext(t.Context(), "EXPLAIN ANALYZE "+usedParams, "", "", commitsPerBlock)
		if err != nil { t.Fatal(err) }
		for rows.Next() { var l string; rows.Scan(&l); t.Log(l) }
		return nil
	})
	}
}
