package service

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"perfdata/internal/hint"
	"perfdata/store"
)

// A file is a source in an answer.
type file struct {
	Path    string    `json:"path"`
	Hour    time.Time `json:"hour,omitzero"`
	SHA256  string    `json:"sha256,omitempty"` // of the content that is stored
	Format  string    `json:"format,omitempty"`
	Commit  string    `json:"commit,omitempty"`
	Run     string    `json:"run,omitempty"` // if it is not the path
	Records int       `json:"records"`
	Faults  int       `json:"faults,omitempty"` // measurements or lines that were left out
	Error   string    `json:"error,omitempty"`  // of the last attempt, or the first of the faults

	ReplacedBy string `json:"replacedBy,omitempty"` // path of the upload that replaced the file
}

func newFile(src store.Source) file {
	f := file{
		Path: src.Path, Hour: src.Hour, SHA256: hex.EncodeToString(src.SHA256), Format: src.Format, Commit: src.Commit,
		Records: src.Records, Faults: src.Faults, Error: src.Err, ReplacedBy: src.ReplacedBy,
	}
	if src.Run != src.Path {
		f.Run = src.Run
	}
	return f
}

// The numbers of files of a page.
const (
	defaultFiles = 1000
	maxFiles     = 10_000
)

// files answers with a page of the files that were stored or failed, by hour and then by path:
//
//	{"files": [FILE, ...], "next": "CURSOR"}
//
// With failed=1 in the URL, it leaves out those without an error. Limit is the number of files, and
// cursor is what the page before has as next, which the last page has not. Files that are stored or
// deleted meanwhile change nothing of the others.
func (s *Service) files(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	limit, err := parseLimit(query, defaultFiles, maxFiles)
	var hour time.Time
	var path string
	if err == nil {
		hour, path, err = parseCursor(query.Get("cursor"))
	}
	if err != nil {
		s.fail(w, problem{Status: http.StatusBadRequest, Detail: err.Error()})
		return
	}

	out := s.stream(w, `{"files":[`)
	next := ""
	var last store.Source
	for src, err := range s.db.SourcesAfter(r.Context(), hour, path) {
		if err != nil {
			out.fail(err)
			return
		}
		if query.Get("failed") == "1" && src.Err == "" {
			continue
		}
		if out.n == limit {
			next = fmt.Sprintf(`,"next":%q`, cursorOf(last))
			break
		}
		if last = src; !out.add(newFile(src)) {
			return
		}
	}
	out.end("]" + next + "}\n")
	out.flush()
}

// cursorOf returns the cursor of the files after one.
func cursorOf(src store.Source) string {
	hour := ""
	if !src.Hour.IsZero() {
		hour = src.Hour.Format(time.RFC3339)
	}
	return base64.RawURLEncoding.EncodeToString([]byte(hour + " " + src.Path))
}

// parseCursor returns the hour and path of a cursor.
func parseCursor(text string) (hour time.Time, path string, err error) {
	if text == "" {
		return hour, "", nil
	}
	decoded, err := base64.RawURLEncoding.DecodeString(text)
	at, path, ok := strings.Cut(string(decoded), " ")
	if err == nil && at != "" {
		hour, err = time.Parse(time.RFC3339, at)
	}
	if err != nil || !ok {
		return hour, "", errors.New("cursor: want the next of another page")
	}
	return hour, path, nil
}

// A deletion is the answer to a request to delete.
type deletion struct {
	Files        []deletedFile `json:"files"`
	Measurements int           `json:"measurements"`     // of all files
	NoHour       int           `json:"noHour,omitempty"` // files that before cannot select
	DryRun       bool          `json:"dryrun,omitempty"` // nothing was deleted
}

type deletedFile struct {
	Path         string `json:"path"`
	Measurements int    `json:"measurements"`
}

// deleteFiles deletes files, or measurements of files, as [store.Delete] does. In the URL, path, run,
// before, and issue with patchset, select files, and commit and q measurements. With dryrun=1, it only
// answers what would be deleted.
func (s *Service) deleteFiles(w http.ResponseWriter, r *http.Request) {
	if !s.mayWrite(w, r) {
		return
	}
	selection, isDry, err := parseSelection(r.URL.Query())
	if err != nil {
		s.fail(w, problem{Status: http.StatusBadRequest, Detail: err.Error()})
		return
	}
	do := s.db.Delete
	if isDry {
		do = s.db.Selected
	}
	found, err := do(r.Context(), selection)
	if !isDry {
		s.writes.Add(1)
		s.log.Info("deleted", "request", numberOf(w), "files", len(found.Files), "measurements", found.Measurements)
	}
	onlyBefore := selection.Paths == nil && selection.Run == "" && selection.Trial == nil && selection.Commit == "" &&
		selection.Query == nil
	switch {
	case err != nil:
		s.refuse(w, err)
		return
	case len(found.Files) == 0 && !onlyBefore:
		s.fail(w, problem{Status: http.StatusNotFound, Detail: "the store has nothing that is selected"})
		return
	}

	answer := deletion{Files: []deletedFile{}, Measurements: found.Measurements, NoHour: found.NoHour, DryRun: isDry}
	for _, f := range found.Files {
		answer.Files = append(answer.Files, deletedFile{f.Path, f.Measurements})
	}
	s.answer(w, http.StatusOK, answer)
}

// parseSelection returns what the query of a URL selects to be deleted. A parameter that is empty, as
// that of a command that failed, is an error: without it, more would be deleted.
func parseSelection(query url.Values) (selection store.Selection, isDry bool, err error) {
	for name := range query {
		if query.Get(name) == "" && name != "patchset" {
			return selection, false, fmt.Errorf("%s is empty: want a value, or leave it out", name)
		}
	}

	if path := query.Get("path"); path != "" {
		selection.Paths = []string{path}
	}
	selection.Run, selection.Commit = query.Get("run"), query.Get("commit")
	if query.Has("issue") || query.Has("patchset") {
		of := trial(query)
		selection.Trial = &of
	}

	if text := query.Get("before"); text != "" {
		if selection.Before, err = time.Parse(time.RFC3339, text); err != nil {
			return selection, false, fmt.Errorf("before: %w", err)
		}
	}
	if text := query.Get("q"); text != "" {
		if selection.Query, err = hint.ParseQuery(text); err != nil {
			return selection, false, fmt.Errorf("q: %w", err)
		}
	}

	switch query.Get("dryrun") {
	case "", "0":
	case "1":
		isDry = true
	default:
		err = errors.New("dryrun: want 1 or 0")
	}
	return selection, isDry, err
}
