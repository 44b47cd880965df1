package service

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// routes are the patterns of the handlers that take parameters in the URL, with these.
var routes = map[string][]string{
	"POST /upload":     {"name", "format", "commit", "run", "replaces"},
	"GET /api/params":  {"issue", "patchset"},
	"GET /api/series":  {"q", "limit", "first", "last", "from", "until", "issue", "patchset"},
	"GET /api/changes": selecting,
	"GET /api/compare": {"q", "old", "new", "threshold", "alpha"},
	"GET /api/report":  append(selecting, "have"),

	"GET /api/report/findings": append(selecting, "version"),
	"GET /api/report/values":   append(selecting, "version", "block"),
	"GET /api/report/links":    append(selecting, "version", "series", "commit"),

	"GET /api/links":      {"id", "commit", "run", "n", "issue", "patchset"},
	"GET /api/files":      {"failed", "limit", "cursor"},
	"DELETE /api/files":   {"path", "run", "before", "commit", "q", "issue", "patchset", "dryrun"},
	"GET /api/commits":    {"issue", "patchset"},
	"PUT /api/commits":    {"repository"},
	"DELETE /api/commits": {"repository"},
	"GET /metrics":        {},
	"GET /healthz":        {},
	"GET /readyz":         {},
}

// selecting are the parameters that select series, and say what a change is.
var selecting = []string{"q", "first", "last", "issue", "patchset", "threshold", "alpha"}

// maxQueryParams is the number of parameters that are looked at. Each takes more memory than it has text.
const maxQueryParams = 100

// checkParams returns the fault of the parameters of a request, or an empty text. Each must
// be one that the handler knows, once: a parameter that is ignored would lose what it says. The
// files of the page have no parameters, and ignore any.
func checkParams(pattern string, r *http.Request) string {
	known, ok := routes[pattern]
	if !ok {
		return ""
	}
	if strings.Count(r.URL.RawQuery, "&") > maxQueryParams {
		return fmt.Sprintf("the query of the URL has more than %d parameters", maxQueryParams)
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return "the query of the URL: " + err.Error()
	}
	for name, values := range query {
		switch {
		case !slices.Contains(known, name) && len(known) == 0:
			return fmt.Sprintf("unknown parameter %q: want none", name)
		case !slices.Contains(known, name):
			return fmt.Sprintf("unknown parameter %q: want any of %s", name, strings.Join(known, ", "))
		case len(values) > 1:
			return fmt.Sprintf("parameter %q is given %d times: want it once", name, len(values))
		}
	}
	return ""
}

// checkUpload returns the fault of the parameters and the key of an upload, or an empty text.
func checkUpload(query url.Values, key string) string {
	for _, param := range []struct{ name, value string }{
		{"commit", query.Get("commit")}, {"run", query.Get("run")}, {"replaces", query.Get("replaces")},
		{idempotencyKey, key},
	} {
		if !isShort(param.value) {
			return fmt.Sprintf("%s: want at most %d bytes without control characters", param.name, maxName)
		}
		// As that of a command that failed: ?commit=$(git rev-parse HEAD).
		if query.Has(param.name) && param.value == "" {
			return param.name + " is empty: want a value, or leave it out"
		}
	}
	return ""
}

// isShort reports whether a text is not too long, and has no control characters.
func isShort(text string) bool {
	return len(text) <= maxName && utf8.ValidString(text) && !strings.ContainsFunc(text, unicode.IsControl)
}
