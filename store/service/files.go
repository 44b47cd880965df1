package service

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

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
	// The run of an upload that names none is its path, which would only say the same again.
	if src.Run != src.Path {
		f.Run = src.Run
	}
	return f
}

// files answers with a page of the files that were stored or failed, by hour and then by path:
//
//	{"files": [FILE, ...], "next": "CURSOR"}
//
// With failed=1 in the URL, it leaves out files without an error. Limit is the number of files, and
// cursor is the member next of the previous page, which the last page lacks. Files that are stored
// or deleted meanwhile do not affect the others.
func (s *Service) files(w *response, r *http.Request) error {
	params := paramsOf(r)
	limit := params.limit(1000, 10_000)
	hour, path := params.cursor()
	onlyFailed := params.isSet("failed")
	if params.err != nil {
		return params.err
	}

	out := newStream(w, `{"files":[`)
	next := ""
	var last store.Source
	for src, err := range s.db.SourcesAfter(r.Context(), hour, path) {
		if err != nil {
			return err
		}
		if onlyFailed && src.Err == "" {
			continue
		}
		if out.n == limit {
			// The cursor is the last file, and not a number of files, which deletions would shift. It is
			// encoded so that clients do not make their own.
			at := ""
			if !last.Hour.IsZero() {
				at = last.Hour.Format(time.RFC3339)
			}
			next = fmt.Sprintf(`,"next":%q`, base64.RawURLEncoding.EncodeToString([]byte(at+" "+last.Path)))
			break
		}

		last = src
		if err := out.add(newFile(src)); err != nil {
			return err
		}
	}
	return out.finish("]" + next + "}\n")
}

// cursor returns the hour and path of a cursor, or none for the first page.
func (p *params) cursor() (hour time.Time, path string) {
	text := p.Get("cursor")
	if text == "" {
		return hour, ""
	}
	decoded, err := base64.RawURLEncoding.DecodeString(text)
	at, path, ok := strings.Cut(string(decoded), " ")
	if err == nil && at != "" {
		hour, err = time.Parse(time.RFC3339, at)
	}
	if err != nil || !ok {
		p.fault("cursor", errors.New("want the next of another page"))
	}
	return hour, path
}

// deleteFiles deletes files, or measurements of files, as [store.Delete] does. In the URL, path, run,
// before, and issue with patchset, select files, and commit and q measurements. With dryrun=1, it only
// answers what would be deleted.
func (s *Service) deleteFiles(w *response, r *http.Request) error {
	params := paramsOf(r)
	selection, isDry := params.selection()
	if params.err != nil {
		return params.err
	}
	do := s.db.Delete
	if isDry {
		do = s.db.Selected
	}

	// There is no limit for the time: a large deletion takes many transactions, between which others
	// write. A client that hangs up ends it.
	found, err := do(r.Context(), selection)
	if !isDry {
		// Even after an error: what was deleted before it stays deleted.
		s.writes.Add(1)
		s.log.Info("deleted", "request", w.number, "files", len(found.Files), "measurements", found.Measurements)
	}
	// A selection of nothing is probably a mistake, except that of a regular job which deletes what
	// is old, and must not fail when nothing is.
	onlyBefore := selection.Paths == nil && selection.Run == "" && selection.Trial == nil && selection.Commit == "" &&
		selection.Query == nil
	switch {
	case err != nil:
		return err
	case len(found.Files) == 0 && !onlyBefore:
		return &problem{Status: http.StatusNotFound, Detail: "the store has nothing that is selected"}
	}

	if found.Files == nil {
		found.Files = []store.DeletedFile{} // not null
	}
	w.answer(http.StatusOK, struct {
		store.Deleted
		DryRun bool `json:"dryrun,omitempty"` // nothing was deleted
	}{found, isDry})
	return nil
}

// selection returns the files and measurements to delete. An empty parameter, as from a command
// that failed, is an error: without it, more would be deleted.
func (p *params) selection() (selection store.Selection, isDry bool) {
	for name := range p.Values {
		if p.Get(name) == "" && name != "patchset" {
			p.refuse(fmt.Errorf("%s is empty: want a value, or leave it out", name))
		}
	}

	selection.Run, selection.Commit, selection.Before = p.Get("run"), p.Get("commit"), p.time("before")
	if p.Has("path") {
		selection.Paths = []string{p.Get("path")}
	}
	if p.Has("issue") || p.Has("patchset") {
		of := p.trial()
		selection.Trial = &of
	}
	if p.Has("q") {
		selection.Query = p.query()
	}
	return selection, p.isSet("dryrun")
}
