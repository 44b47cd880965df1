package main

import (
	"bufio"
	"strconv"
	"strings"
)

// parseFirst is the first version of the parser, before it was fuzzed.
func parseFirst(text string) result {
	var res result
	iteration := 1
	lines := bufio.NewScanner(strings.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		if lines.Text() == "" {
			iteration++
			continue
		}
		key, number, _ := strings.Cut(lines.Text(), "=")
		if strings.HasSuffix(key, "{attr}") {
			continue
		}
		f, err := strconv.ParseFloat(number, 64)
		if err != nil {
			res.Bad = append(res.Bad, n)
			continue
		}
		res.Values = append(res.Values, value{iteration, strings.TrimSuffix(key, "{perf}"), f})
	}
	return res
}
