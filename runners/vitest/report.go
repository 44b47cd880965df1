package vitest

import (
	"strings"

	"perfdata/internal/jsontree"
	"perfdata/internal/rows"
)

var assertions = jsontree.ArrayOf(jsontree.Object(
	jsontree.Member{Name: "fullName", Type: jsontree.Text.Unique().Needed()},
	jsontree.Member{Name: "status", Type: jsontree.Text.From(`"passed"`)},
	jsontree.Member{Name: "failureMessages", Type: jsontree.ArrayOf(jsontree.Text)},
	jsontree.Member{Name: "benchmarks", Type: jsontree.ArrayOf(jsontree.Object(
		jsontree.Member{Name: "name", Type: jsontree.Text.Unique().Needed()},
		jsontree.Member{Name: "tasks", Type: jsontree.ArrayOf(task().Or(jsontree.Repeats)).Needed()},
	)).Needed()},
))

// readReport makes the records of a file of tests, which the JSON reporter writes since version 5.
func readReport(m *rows.Maker, v jsontree.Value) {
	path := v.Get("name").Text()
	file := base(path)
	empty := true

	for test := range v.Get("assertionResults").Elements() {
		if test.Get("status").Text() == "failed" {
			empty = false
			m.Faultf(test, "%s: the test failed%s", test.Get("fullName").Text(), whyFailed(test))
		}
		for c := range test.Get("benchmarks").Elements() {
			for task := range c.Get("tasks").Elements() {
				empty = false
				if !task.Get("fromStore").IsTrue() {
					inFile(m, task, task.Get("latency"), path, file, c.Get("name").Text())
				}
			}
		}
	}

	switch message := v.Get("message").Text(); {
	case message != "":
		m.Faultf(v, "%s: the file failed: %s", file, firstLine(message))
	case empty && !v.Get("assertionResults").Faulty():
		m.Warn(v, withoutBenchmarks(path))
	}
}

// whyFailed returns the first line of why a test failed.
func whyFailed(test jsontree.Value) string {
	for text := range test.Get("failureMessages").Elements() {
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
