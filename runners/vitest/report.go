package vitest

import (
	"strings"

	"perfdata/internal/jsontree"
	"perfdata/internal/rows"
)

// The members of a test, and of the comparisons of benchmarks that it made.
const (
	testName = iota
	status
	failures
	comparisons
)

const (
	comparison = iota
	tasks
)

var assertions = jsontree.ArrayOf(jsontree.Object(
	jsontree.Member{Name: "fullName", Type: jsontree.Text.Unique().Needed()},
	jsontree.Member{Name: "status", Type: jsontree.Text.From(`"passed"`)},
	jsontree.Member{Name: "failureMessages", Type: jsontree.ArrayOf(jsontree.Text)},
	jsontree.Member{Name: "benchmarks", Type: jsontree.ArrayOf(jsontree.Object(
		jsontree.Member{Name: "name", Type: jsontree.Text.Unique().Needed()},
		jsontree.Member{Name: "tasks", Type: jsontree.ArrayOf(jsontree.Object(members...).Or(jsontree.Repeats)).Needed()},
	)).Needed()},
))

// readReport makes the records of a file of tests, which the JSON reporter writes since version 5.
func readReport(m *rows.Maker, v jsontree.Value) {
	path := v.Get(testPath).Text()
	file := base(path)
	empty := true

	for test := range v.Get(tests).Elements() {
		if test.Get(status).Text() == "failed" {
			empty = false
			m.Faultf(test, "%s: the test failed%s", test.Get(testName).Text(), whyFailed(test))
		}
		for c := range test.Get(comparisons).Elements() {
			for task := range c.Get(tasks).Elements() {
				empty = false
				if task.Get(fromStore).IsTrue() {
					continue
				}
				if m.Next(); !named(m, task) {
					continue
				}

				m.Param("file", file)
				m.Param("group", c.Get(comparison).Text())
				m.Attr("filepath", path)
				times(m, task, task.Get(latency))
			}
		}
	}

	switch message := v.Get(message).Text(); {
	case message != "":
		m.Faultf(v, "%s: the file failed: %s", file, firstLine(message))
	case empty && !v.Get(tests).Faulty():
		m.Warn(v, withoutBenchmarks(path))
	}
}

// whyFailed returns the first line of why a test failed.
func whyFailed(test jsontree.Value) string {
	for text := range test.Get(failures).Elements() {
		return ": " + firstLine(text.Text())
	}
	return ""
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// base returns the last element of a path of any platform.
func base(path string) string { return path[strings.LastIndexAny(path, `/\`)+1:] }

// withoutBenchmarks is the warning about a file, whose path is known, that has no benchmarks.
func withoutBenchmarks(path string) string {
	const message = "the file has no benchmarks"
	if path == "" {
		return message
	}
	return base(path) + ": " + message
}
