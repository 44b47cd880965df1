package ingest

import (
	"fmt"
	"strings"
	"time"
)

// MakePath returns the path at which to store a file that was written at the given time, so that
// Skia Perf ingests it:
//
//	gs://<bucket>/<one or more directories>/YYYY/MM/DD/HH/<zero or more directories>/<unique name>.json
//
// The dir is the bucket and the directories before the hour, which is in UTC. The name is the
// file's name, and may have directories; it must end in .json.
//
// Every file below HH whose name ends in .json is ingested. If two files have the same measurement,
// that of the file with the later hour is used. The rest of the path has no meaning. (The Skia Perf
// Format, "Storage".)
func MakePath(dir string, written time.Time, name string) (string, error) {
	hour := written.UTC().Truncate(time.Hour)
	if year := hour.Year(); year < 0 || year > 9999 {
		return "", fmt.Errorf("storage path: year %d does not have four digits", year)
	}

	// ParsePath must return the same: no part is empty or looks like another.
	path := "gs://" + dir + "/" + hour.Format(hourLayout) + "/" + name
	parsedDir, parsedHour, parsedName, err := ParsePath(path)
	if err != nil {
		return "", err
	}
	if parsedDir != dir || parsedName != name {
		return "", fmt.Errorf("storage path %s: it would be parsed as hour %s", path, parsedHour.Format(hourLayout))
	}
	return path, nil
}

// ParsePath parses the path of a stored file, including the bucket: see [MakePath]. It may begin
// with gs://. The hour is the first four directories that can be one.
func ParsePath(path string) (dir string, hour time.Time, name string, err error) {
	fail := func(why string) (string, time.Time, string, error) {
		return "", time.Time{}, "", fmt.Errorf("storage path %s: %s", path, why)
	}
	parts := strings.Split(strings.TrimPrefix(path, "gs://"), "/")
	for _, part := range parts {
		if part == "" || part == "." || part == ".." {
			return fail(fmt.Sprintf("%q cannot be the name of a directory or file", part))
		}
	}
	if !strings.HasSuffix(path, ".json") || parts[len(parts)-1] == ".json" {
		return fail("its name does not end in .json")
	}

	full := strings.Join(parts, "/")
	if len(parts) > 2 {
		after := len(parts[0]) + len(parts[1]) + len("//")
		if start, hour, ok := findHour(full[after:]); ok {
			start += after
			return full[:start-1], hour, full[start+len(hourLayout)+1:], nil
		}
	}
	return fail("no directories YYYY/MM/DD/HH after a bucket and one or more directories")
}

// HourOf returns the hour that the directories of a path name: the first four that can be
// YYYY/MM/DD/HH. Unlike [ParsePath], it does not need a bucket, or another directory before the
// hour, and accepts any file name after it. It returns false if the path has no hour.
func HourOf(path string) (time.Time, bool) {
	start, hour, ok := findHour(path)
	return hour, ok && start+len(hourLayout)+1 < len(path)
}

const hourLayout = "2006/01/02/15"

// findHour returns where the first hour of a path begins, which has a slash after it. Only a year has
// four digits, so no two hours overlap.
func findHour(path string) (start int, hour time.Time, ok bool) {
	for n := len(hourLayout); start+n < len(path); start++ {
		if path[start+n] == '/' && (start == 0 || path[start-1] == '/') {
			if hour, ok = parseDate(path[start : start+n]); ok {
				return start, hour, true
			}
		}
	}
	return 0, time.Time{}, false
}

// parseDate returns the first hour of a year, a month, a day or an hour, in UTC.
func parseDate(text string) (time.Time, bool) {
	switch len(text) {
	case len("2006"), len("2006/01"), len("2006/01/02"), len(hourLayout):
		at, err := time.Parse(hourLayout[:len(text)], text)
		return at, err == nil
	}
	return time.Time{}, false
}
