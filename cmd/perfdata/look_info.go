package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"perfdata"
	"perfdata/format"
	"perfdata/internal/chars"
	"perfdata/internal/message"
	"perfdata/perun"
	"perfdata/traceid"
)

// infoCommand returns the command that summarizes files. It reads all of a file, because its output
// must describe the whole file, and up to four times: a Perun profile is validated, and then read
// for its measurements, for its snapshots and for its models.
func (t *tool) infoCommand() *cobra.Command {
	form := "text"
	forms := []string{"text", "json"}
	cmd := &cobra.Command{
		Use:   "info FILE...",
		Short: "Summarize files",
		Long: `For each file, print its format and header; the numbers of its measurements,
commits, samples, snapshots and models; the most frequent values of each param;
and the number, minimum, median and maximum of the values for each unit. Values
without a unit are grouped by sub_result or key. The last lines count the errors
and warnings; "perfdata validate" lists them.

A median is exact for up to 10,000 values. For more, it is the median of a
random sample, and marked with ~. Param values that begin with the same 200 bytes are
counted as one. Use - for standard input.

A FILE may also be a database of perfdata store. Its summary covers the
measurements that store query prints, without the files' headers, errors and samples.
In JSON, the numbers of errors and warnings are 0.`,
		Example: "  perfdata info run.json.gz\n  perfdata info --as json --match 'arch=x86' run.json",
		RunE: func(_ *cobra.Command, files []string) error {
			// The names of the members of an object are promised: a test compares them with a schema. Without
			// escapes for HTML, a name with <, such as the name of a C++ template, stays readable.
			enc := json.NewEncoder(t.data)
			enc.SetEscapeHTML(false)
			enc.SetIndent("", "  ")
			// A summary is printed when a file has been read, so a bar does no harm before.
			t.prints = true
			first := true
			var failure error
			// readsOnce is not set, because a file is read several times: a pipe is copied for that.
			t.readsStores = true
			t.eachInput(files, func(in *input) error {
				about := &fileInfo{
					File: in.name, Format: in.info.Name, Compression: in.compression, title: in.info.Title,
					isStored: in.stored != nil,
				}
				if in.stored == nil {
					err := t.inspect(in, about)
					// A query that cannot decide about a measurement makes the number of matches unknown. The
					// error is about the input, as in other commands.
					if errors.Is(err, traceid.ErrLimit) {
						return err
					}
					failure = firstError(failure, err)
				} else if err := t.inspectRecords(in, about); err != nil {
					failure = firstError(failure, err)
					return nil // a part of a store would look like all of it
				}
				// JSON objects follow each other without empty lines, as in other streams of
				// objects. The buffer keeps an error of writing, and the end of the command reports it.
				if form == "json" {
					enc.Encode(about)
					return nil
				}
				if !first {
					fmt.Fprintln(t.stdout)
				}
				first = false
				t.printInfo(about)
				return nil
			})

			// A failure of one file does not keep the others from being printed.
			t.reportUnmatched("measurement")
			return failure
		},
	}

	addForm(cmd, &form, forms)
	t.addMatchFlag(cmd)
	t.addOutputFlag(cmd)
	t.addReadingFlags(cmd)
	return cmd
}

// fileInfo is what info prints about a file. A count that does not apply to all files is a pointer:
// JSON has no such member for the other files, and a 0 only where something could have been counted.
type fileInfo struct {
	File         string          `json:"file"`
	Format       string          `json:"format"`
	Compression  []string        `json:"compression,omitempty"`
	Header       json.RawMessage `json:"header,omitempty"` // as in the file
	Measurements int             `json:"measurements"`
	Matching     *int            `json:"matching,omitempty"` // with --match
	Commits      *commitsInfo    `json:"commits,omitempty"`
	Samples      *sampleCounts   `json:"samples,omitempty"`
	Snapshots    *int            `json:"snapshots,omitempty"` // of a Perun profile, like Models
	Models       *int            `json:"models,omitempty"`
	Params       []*paramInfo    `json:"params"`
	OtherParams  int             `json:"other_params,omitempty"` // occurrences of params beyond the bounds
	Values       []*valueInfo    `json:"values"`
	Errors       int             `json:"errors"`
	Warnings     int             `json:"warnings"`

	header   format.Header
	title    string // of the format
	isStored bool   // it is about a store, whose errors are not counted
}

// sampleCounts are the counts of the arrays of samples in a nanolegacy file, and of their values.
type sampleCounts struct {
	Arrays int `json:"arrays"`
	Values int `json:"values"`
}

// inspect finds out about an input. It reads the input several times: it validates first, because
// that finds more errors. It returns the error that ends a later reading, unless validation found
// errors too.
func (t *tool) inspect(in *input, about *fileInfo) (failure error) {
	f, err := in.openFile()
	if err != nil {
		t.report(err)
		return nil
	}

	// Validation makes no records, so the measurements take another reading.
	for e := range f.Validate() {
		switch {
		// Problems are counted and not listed: validate is the command for them.
		case e.Severity == format.Warning:
			about.Warnings++
			continue
		case statusOf(e) == statusFailed:
			t.report(e) // the file could not be read
		}
		// The status is that of validate, without its lines: a script may ask either.
		about.Errors++
		t.status = max(t.status, statusInvalid)
	}

	// What validation had no error about was readable, so now the file has changed. But only
	// records notices that an input is not of the format that --from names.
	if err := t.inspectRecords(in, about); err != nil {
		switch {
		case errors.Is(err, traceid.ErrLimit):
			return err // of a query, which validation does not have
		case about.Errors == 0 && !errors.Is(err, format.ErrUnknown):
			return secondPassError(err)
		}
		// Validation may find no error in a file of another format than --from names.
		about.Errors = max(about.Errors, 1)
		t.report(err)
	}
	return nil
}

// inspectRecords reads the header and the measurements, and then counts samples, snapshots and
// models. It returns the error that ends the reading.
func (t *tool) inspectRecords(in *input, about *fileInfo) error {
	r, header, err := in.openHeader()
	if err != nil {
		return err
	}
	if in.stored == nil { // the measurements of a store have no header in common
		about.header, about.Header = header, chars.JSON(header)
	}

	// After an error that ends the reading, the summary of everything before it is still printed.
	// t.matching would leave out the measurements that do not match, but they are counted too.
	s, matching, failure := newSummary(), 0, error(nil)
	for rec, err := range in.records(r) {
		if err != nil {
			if severityOf(err) != format.Recoverable {
				failure = err
			} else if about.Errors == 0 { // otherwise validation reported it
				t.report(err)
			}
			continue
		}

		about.Measurements++
		selected, err := t.matches(rec)
		if err != nil {
			return err
		}
		if selected {
			matching++
			s.add(rec)
		}
	}

	if len(t.queries) > 0 {
		about.Matching = &matching
	}
	if s.commits.Count > 0 {
		about.Commits = &s.commits
	}
	about.Params, about.OtherParams, about.Values = s.paramInfos(), s.others, s.valueInfos()
	// The next reading would end at the same place.
	if failure != nil {
		return failure
	}
	return in.countExtra(r.Reader, about)
}

// openHeader opens an input, and reads its header, which comes first in most formats. Otherwise,
// the Reader looks for it before the first measurement, so callers can rely on the order.
func (in *input) openHeader() (*perfdata.File, format.Header, error) {
	r, err := in.open()
	if err != nil {
		return nil, format.Header{}, err
	}
	header, err := r.FileHeader()
	return r, header, err
}

// countExtra counts the samples of a file that has some, or the snapshots and models of a Perun
// profile. They are not records, so the file is read again for them. Validation has reported their
// faults.
func (in *input) countExtra(r format.Reader, about *fileInfo) error {
	switch r.(type) {
	// In JSON, a format that could have some has a count of 0, and the others have no count.
	case format.Sampler:
		about.Samples = new(sampleCounts)
	case *perun.Reader:
		about.Snapshots, about.Models = new(int), new(int)
		// Snapshots after the last one that has resources are not counted. They are numbered from
		// 0, and the Reader does not count them, so the largest number is looked for.
		if err := in.profile(func(r *perun.Reader) error {
			for res, err := range format.Tolerant(r.Resources(), nil) {
				if err != nil {
					return err
				}
				*about.Snapshots = max(*about.Snapshots, res.Snapshot+1)
			}
			return nil
		}); err != nil {
			return err
		}
	default:
		return nil
	}

	for x, err := range format.Tolerant(in.extras(), nil) {
		switch {
		case err != nil:
			return err
		case x.samples != nil:
			about.Samples.Arrays++
			about.Samples.Values += len(x.samples.Values)
		default:
			*about.Models++
		}
	}
	return nil
}

// Bounds of what info lists. They cut the text only: in JSON, the lists have everything that the
// summary keeps.
const (
	maxListed       = 5   // values of a param
	maxListedHeader = 12  // lines of the header
	maxListedValues = 100 // groups of values
)

// printInfo prints a summary of a file for people.
func (t *tool) printInfo(about *fileInfo) {
	title := func(name string) string { return styled(t.colorOut, bold, name+":") }
	line := func(name, text string, args ...any) {
		fmt.Fprintf(t.stdout, "%s %s\n", title(name), fmt.Sprintf(text, args...))
	}
	line("File", "%s", chars.Visible(about.File))
	packed := ""
	if len(about.Compression) > 0 {
		packed = ", compressed with " + strings.Join(about.Compression, ", ")
	}
	line("Format", "%s (%s)%s", about.Format, about.title, packed)

	// Each part is printed only if the file has it, and lists are cut, so that a summary fits on a
	// screen.
	if lines := headerLines(about.header); len(lines) > 0 {
		fmt.Fprintln(t.stdout, title("Header"))
		listLines(t.stdout, lines, maxListedHeader)
	}
	matching := ""
	if about.Matching != nil {
		matching = fmt.Sprintf(" (%d match)", *about.Matching)
	}
	line("Measurements", "%d%s", about.Measurements, matching)
	// The only commit of most files is in their header, which was printed.
	if c := about.Commits; c != nil && (c.Count > 1 || about.header.Commit == "") {
		line("Commits", "%s", c)
	}
	// JSON has a count of 0 as well, which says that the format could have samples.
	if s := about.Samples; s != nil && s.Arrays > 0 {
		line("Samples", "%d in %s", s.Values, message.Plural(s.Arrays, "array"))
	}
	if about.Snapshots != nil { // and Models
		line("Snapshots", "%d", *about.Snapshots)
		line("Models", "%d", *about.Models)
	}

	if len(about.Params) > 0 {
		fmt.Fprintln(t.stdout, title("Params"))
	}
	for _, p := range about.Params {
		fmt.Fprintf(t.stdout, "  %s: %s\n", chars.Visible(p.Key), p)
	}
	if about.OtherParams > 0 {
		fmt.Fprintf(t.stdout, "  and %s of params with other keys\n", message.Plural(about.OtherParams, "occurrence"))
	}
	if len(about.Values) > 0 {
		fmt.Fprintln(t.stdout, title("Values"))
		// The first line has the titles.
		listLines(t.stdout, valueLines(about.Values), 1+maxListedValues)
	}
	// The help promises these two as the last lines, so they are printed even if they are 0. Of a
	// store, a 0 would say that its files had no errors. JSON keeps both members, because its schema
	// requires them.
	if !about.isStored {
		line("Errors", "%d", about.Errors)
		line("Warnings", "%d", about.Warnings)
	}
}

// headerLines returns a line for each member of a header that all formats share.
func headerLines(h format.Header) (lines []string) {
	add := func(key, value string) {
		// Most formats have only some of these members, and by default, a member may have 1 MiB,
		// which would fill the screen.
		if value != "" {
			lines = append(lines, chars.Visible(cutText(key)+": "+cutText(value)))
		}
	}
	add("commit", h.Commit)
	add("issue", h.Issue)
	add("patchset", h.Patchset)
	for key, value := range h.Params.All() {
		add(key, value)
	}
	for key, url := range h.Links.All() {
		add("link "+key, url)
	}
	return lines
}

// listLines prints at most the first n lines, and how many there are after them.
func listLines(out io.Writer, lines []string, n int) {
	for i, line := range lines {
		if i == n {
			fmt.Fprintf(out, "  and %d more\n", len(lines)-n)
			return
		}
		fmt.Fprintf(out, "  %s\n", line)
	}
}

// headerCommand returns the command that prints headers. Readers read the header first, so it is
// fast even for large files.
func (t *tool) headerCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "header FILE...",
		Short: "Print file headers as JSON",
		Long: `Print the header of each file as a JSON object. With several files, each object
starts with the file name. Use - for standard input.`,
		Example: "  perfdata header run.json",
		RunE: func(_ *cobra.Command, files []string) error {
			// The command reads little more than the header, and only once, so a pipe is not copied.
			t.readsOnce = true
			t.eachInput(files, func(in *input) error {
				r, header, err := in.openHeader()
				if err != nil {
					return err
				}
				// A header is the same in all formats if it is empty. A measurement shows the format.
				if in.doubtful {
					for _, err := range in.records(r) {
						if errors.Is(err, format.ErrUnknown) {
							return err
						}
						break
					}
				}

				// A header is printed as its format has it, and not as what all formats share: it is
				// for people who know the format. The name is added as text, because a map would not
				// keep the order of the other members.
				object, err := json.Marshal(header)
				if err != nil {
					return err
				}
				if t.isSeveral(files) {
					first := chars.AppendJSON([]byte(`{"file":`), in.name)
					if string(object) != "{}" { // JSON has no comma after the last member
						first = append(first, ',')
					}
					object = append(first, object[1:]...)
				}
				enc := json.NewEncoder(t.data)
				enc.SetEscapeHTML(false)
				enc.SetIndent("", "  ")
				return enc.Encode(json.RawMessage(object))
			})
			return nil
		},
	}
	t.addOutputFlag(cmd)
	t.addReadingFlags(cmd)
	return cmd
}
