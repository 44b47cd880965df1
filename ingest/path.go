package ingest

import (
	"fmt"
	"strings"
	"time"
)

// A StoragePath is the path at which a file is stored, so that Skia Perf ingests it:
//
//	gs://<bucket>/<one or more directories>/YYYY/MM/DD/HH/<zero or more directories>/<unique name>.json
//
// Every file below HH whose name ends in .json is ingested. If two files have the same measurement,
// that of the file with the later hour is used. The rest of the path has no meaning. (The Skia Perf
// Format, "Storage".)
type StoragePath struct {
	Bucket string    // without a scheme
	Dir    string    // between the bucket and the hour: at least one directory
	Hour   time.Time // when the file was written: a full hour, in UTC
	Name   string    // below the hour: any directories, and the file's name, which ends in .json
}

// MakePath returns the path at which to store a file that was written at the given time, with the
// hour in UTC. The dir is one or more directories. The name is that of the file, and may have
// directories; it must end in .json.
func MakePath(bucket, dir string, written time.Time, name string) (StoragePath, error) {
	p := StoragePath{Bucket: bucket, Dir: dir, Hour: written.UTC().Truncate(time.Hour), Name: name}
	if year := p.Hour.Year(); year < 0 || year > 9999 {
		return StoragePath{}, fmt.Errorf("storage path: year %d does not have four digits", year)
	}

	// ParsePath must return the same: no part is empty or looks like another.
	back, err := ParsePath(p.String())
	if err != nil {
		return StoragePath{}, err
	}
	if back != p {
		return StoragePath{}, fmt.Errorf("storage path %s: it would be parsed as hour %s", p, back.Hour.Format(hourLayout))
	}
	return p, nil
}

// ParsePath parses the path of a stored file, including the bucket. It may begin with gs://. The
// hour is the first four directories that can be one.
func ParsePath(path string) (StoragePath, error) {
	fail := func(why string) (StoragePath, error) {
		return StoragePath{}, fmt.Errorf("storage path %s: %s", path, why)
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
	for i := 2; i+4 < len(parts); i++ {
		if hour, ok := parseHour(parts[i : i+4]); ok {
			return StoragePath{
				Bucket: parts[0],
				Dir:    strings.Join(parts[1:i], "/"),
				Hour:   hour,
				Name:   strings.Join(parts[i+4:], "/"),
			}, nil
		}
	}
	return fail("no directories YYYY/MM/DD/HH after a bucket and one or more directories")
}

const hourLayout = "2006/01/02/15"

// parseHour returns the hour that four directories name.
func parseHour(parts []string) (time.Time, bool) {
	text := strings.Join(parts, "/")
	if len(text) != len(hourLayout) {
		return time.Time{}, false // time.Parse accepts an hour of one digit
	}
	hour, err := time.Parse(hourLayout, text)
	return hour, err == nil
}

// String returns the path, with gs:// before it.
func (p StoragePath) String() string {
	return "gs://" + strings.Join([]string{p.Bucket, p.Dir, p.Hour.Format(hourLayout), p.Name}, "/")
}
