package store

import (
	"fmt"
	"testing"
)

// A history has more commits than are written at once, and its second suite has earlier ones: all
// of them have the place that the whole file gives them. So they have after a file that comes
// before it.
func TestCommitPlaces(t *testing.T) {
	leaveOut(t)
	var lines, others []string
	for i := range recordsAtOnce + 100 {
		lines = append(lines, fmt.Sprintf("%08x 2026-01-01T00:00:00Z %d", i, 2*i+2))
	}
	lines = append(lines, "")
	for i := range 150 {
		lines = append(lines, fmt.Sprintf("%08x 2026-01-01T00:00:00Z %d", 1<<24+i, 4*i+1))
	}
	for i := range 200 {
		others = append(others, fmt.Sprintf("%08x 2025-01-01T00:00:00Z %d", i*50, 1000-i))
	}
	files := []tree{{"b.js": history(lines...)}, {"a.js": history(others...)}}

	onEach(t, func(t *testing.T, newDatabase func() string) {
		s := open(t, newDatabase())
		putAll(t, s, files[0])
		check(t, "commits with another place than in the file", []string{"0 "}, textRows(t, s, `
			SELECT COUNT(*) FROM commits c JOIN source_commits sc ON sc.commit_id = c.id
			WHERE c.path <> 'b.js' OR c.position <> sc.position OR c.time <> sc.time`))
		check(t, "first commits", []string{"01000000 1 ", "00000000 2 ", "00000001 3 ", "01000001 4 "},
			textRows(t, s, "SELECT name, position FROM commits ORDER BY position LIMIT 4"))

		putAll(t, s, files[1])
		other := open(t, newDatabase())
		putAll(t, other, files[1])
		putAll(t, other, files[0])
		check(t, "dump after the other order", dump(t, other), dump(t, s))
		check(t, "commits of the earlier file", []string{"200 "}, textRows(t, s,
			"SELECT COUNT(*) FROM commits WHERE path = 'a.js' AND time = 1735689600"))
	})
}
