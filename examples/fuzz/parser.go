package fuzz

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// parse is the parser after it was fuzzed.
func parse(text string) result {
	var res result
	iteration, n := 1, 0
	for line := range strings.Lines(strings.TrimPrefix(text, byteOrderMark)) {
		n++
		line = strings.Trim(line, space)
		if line == "" {
			iteration++
			continue
		}
		key, values, err := parseLine(line)
		if err != nil {
			res.Bad = append(res.Bad, n)
			continue
		}

		if len(values) > 0 {
			res.set(iteration, key, values[0])
		}
		if len(values) > 1 {
			res.set(iteration, key+"_dev", values[1])
		}
	}
	return res
}

// set sets the value of a key. In an iteration, the last value of a key is used.
func (r *result) set(iteration int, key string, f float64) {
	v := value{iteration, key, f}
	same := func(old value) bool { return old.Iteration == iteration && old.Key == key }
	if i := slices.IndexFunc(r.Values, same); i >= 0 {
		r.Values[i] = v
	} else {
		r.Values = append(r.Values, v)
	}
}

const (
	byteOrderMark = "\ufeff"
	space         = " \t\n\v\f\r" // unlike strings.TrimSpace, only ASCII
)

var (
	keyvalue  = regexp.MustCompile(`^([^=]*?)(\{\w*\})?=(.*)$`)
	deviation = regexp.MustCompile(`^(\d+(?:\.\d*)?)\+-(\d+(?:\.\d*)?)$`)
	number    = regexp.MustCompile(`(?i)^[-+]?(?:(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?|inf|infinity|nan)$`)
)

// parseLine parses a line that is not blank. An attribute has no values, a number with a deviation
// has two.
func parseLine(line string) (key string, values []float64, err error) {
	m := keyvalue.FindStringSubmatch(line)
	if m == nil || !utf8.ValidString(line) {
		return "", nil, fmt.Errorf("%q is not a keyval", line)
	}
	key, tag, text := m[1], m[2], m[3]
	switch tag {
	case "", "{perf}":
		values, err = parseValue(text)
		return key, values, err
	case "{attr}":
		return key, nil, nil
	}
	return "", nil, fmt.Errorf("%q has an unknown tag", line)
}

// parseValue returns a number, or a mean and a deviation.
func parseValue(text string) ([]float64, error) {
	numbers := []string{strings.Trim(text, space)}
	if m := deviation.FindStringSubmatch(text); m != nil {
		numbers = m[1:]
	} else if !number.MatchString(numbers[0]) {
		return nil, fmt.Errorf("%q is not a number", text)
	}

	var values []float64
	for _, s := range numbers {
		f, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return nil, err
		}
		values = append(values, f)
	}
	return values, nil
}
