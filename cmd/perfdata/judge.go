package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"perfdata/cmd/perfdata/internal/judging"
	"perfdata/format"
	"perfdata/internal/hint"
	"perfdata/series"
	"perfdata/series/compare"
	"perfdata/series/drift"
	"perfdata/traceid"
	"perfdata/unit"
)

// A judge is what the commands that judge have in common: compare, check, changes, drift and
// report. They ask files and stores a question, read on after faults, list what they could not
// judge with their results, and exit by the judgment. Package judging has what they print. Each of
// these commands makes one, so that a flag, a fault and an exit status mean the same in all of
// them.
type judge struct {
	*tool
	answer series.Answer

	// The options are the same for all commands, so that a page, a comparison and a check agree on
	// what a change is.
	options compare.Options

	by      []string // keys of params and attrs
	ignored []string // keys of params that are not part of the identity
	rules   []seriesRule
	commits string // the name of a list, or empty
	failOn  map[string]bool
	strict  bool
	form    string

	begin   func() // called when an input was opened; may be nil
	skips   judging.Skips
	sources int      // files and stores that were read
	twice   []string // names of inputs of which a note says that they are given twice

	contradicted []string // traces of series for which the file says another direction than the unit
}

// A seriesRule is a value of --better, or of --exact.
type seriesRule struct {
	flag   string
	query  *traceid.Query
	better format.Direction
}

// conditions are those of --fail-on, and the verdicts that each includes.
var (
	// A verdict that is not certain fails a build only if the user asks for that: a suspicion
	// (worse?), an unknown, and a regression for which an earlier commit has failed already
	// (known).
	conditions = []string{"never", "worse", "suspect", "unknown", "known", "drift"}
	failing    = map[string][]string{
		"never": nil, "worse": {"worse"}, "suspect": {"worse", "worse?"}, "unknown": {"worse", "worse?", "unknown"},
		"known": {"worse", "known"}, "drift": {"worse", "drift"},
	}
)

// addJudgeFlags adds the flags of a command that judges, of which some do not matter to it. These
// are hidden in its help.
func (t *tool) addJudgeFlags(cmd *cobra.Command, failOn string, useless ...string) *judge {
	j := &judge{tool: t, options: compare.DefaultOptions(), form: judging.Forms[0]}
	j.setFailOn(failOn)
	addForm(cmd, &j.form, judging.Forms)
	addFunc(cmd, "exact",
		"the values of series that match `QUERY` are exact: one is enough, and p does not matter (repeatable)",
		func(text string) error { return j.addRule("exact", text, format.Unknown) })
	addFunc(cmd, "alpha", "the largest `P` that is significant (default 0.05)", setNumber(&j.options.Alpha, false, 1))
	addFunc(cmd, "fail-on", "exit with 3 on `CONDITION`: worse, suspect (also worse?), unknown (also unknown), known "+
		"(also what was worse at an earlier commit), drift (worse or drifted) or never (default "+failOn+")",
		j.setFailOn, conditions...)
	j.addSeriesFlags(cmd)
	for _, name := range useless {
		cmd.Flags().MarkHidden(name)
	}
	return j
}

// addFunc adds a flag that has a function and no variable, because its value is a list, or needs a
// check that names the flag. The shell completes some values.
func addFunc(cmd *cobra.Command, name, usage string, set func(string) error, values ...string) {
	cmd.Flags().Func(name, usage, set)
	complete(cmd, name, values...)
}

// addSeriesFlags adds the flags about series and the order of their commits, and about reading
// inputs. The command report has only these, because a page has one form and fails no build.
func (j *judge) addSeriesFlags(cmd *cobra.Command) {
	addFunc(cmd, "threshold", "how large a change must be to matter: a `SHARE` of the old value (default 5%)",
		setNumber(&j.options.Threshold, true, 1))
	addFunc(cmd, "by",
		"group by the params or attrs `KEY,...`; an attr becomes part of what tells series apart, e.g. host",
		setKeys(&j.by))
	addFunc(cmd, "ignore", "the params `KEY,...` do not tell series apart, e.g. cpu where runners change it",
		setKeys(&j.ignored))
	addFunc(cmd, "better", "`QUERY=lower|higher`: which values of the matching series are better, "+
		"e.g. unit=frames=higher (repeatable)", func(text string) error {
		// A direction without a query is the direction of all series: the empty query matches each
		// of them.
		i := strings.LastIndexByte(text, '=') // a query has others
		for _, better := range []format.Direction{format.Lower, format.Higher} {
			if text[i+1:] == better.String() {
				return j.addRule("better", text[:max(i, 0)], better)
			}
		}
		return fmt.Errorf("%q: want QUERY=lower or QUERY=higher", text[i+1:])
	})
	cmd.Flags().StringVar(&j.commits, "commits", "",
		"a `FILE` with the order of the commits, as git rev-list --reverse HEAD prints it; - is standard input")
	cmd.Flags().BoolVar(&j.strict, "strict", false, "exit with 1 if anything could not be judged")
	cmd.Flags().BoolVarP(&j.recursive, "recursive", "r", false,
		"read the files in folders, except hidden files, and files whose names and contents are of no known format")
	j.addMatchFlag(cmd)
	j.addCharsetFlag(cmd)
	j.addOutputFlag(cmd)
	j.addOpenerFlags(cmd)
}

// readNamed reads the file that a flag names, if there is one. Errors about its lines have its name.
func readNamed[T any](name string, read func(in io.Reader, name string) (T, error)) (all T, err error) {
	if name == "" {
		return all, nil
	}
	file, err := os.Open(name)
	if err != nil {
		return all, err
	}
	defer file.Close() // it was read only, so an error does not matter
	return read(file, name)
}

// setKeys returns a function that adds keys, with commas between them, to a list.
func setKeys(keys *[]string) func(string) error {
	return func(text string) error {
		for key := range strings.SplitSeq(text, ",") {
			if key == "" {
				return errors.New("a key is empty")
			}
			// A repeated key would be a second column of CSV with the same cells.
			if !slices.Contains(*keys, key) {
				*keys = append(*keys, key)
			}
		}
		return nil
	}
}

// setNumber returns a function that sets a number between 0 and a bound, or a share, which may be 0
// and in percent.
func setNumber(to *float64, isShare bool, bound float64) func(string) error {
	return func(text string) error {
		number, isPercent := strings.CutSuffix(text, "%")
		x, err := strconv.ParseFloat(number, 64)
		if isPercent {
			x /= 100
		}
		// The conditions are negated because NaN, which ParseFloat reads, compares as false. A
		// threshold may be 0: then any difference matters. An alpha of 0 could find nothing.
		switch *to = x; {
		case isShare && (err != nil || !(x >= 0 && x < bound)):
			return errors.New("want a share such as 5% or 0.05")
		case !isShare && (err != nil || isPercent || !(x > 0 && x < bound)):
			return errors.New("want a number between 0 and 1")
		}
		return nil
	}
}

// setFailOn sets the verdicts that fail a build. It begins with none of them: conditions of the
// user replace the default of the command, and do not add to it.
func (j *judge) setFailOn(text string) error {
	j.failOn = make(map[string]bool)
	for name := range strings.SplitSeq(text, ",") {
		verdicts, ok := failing[name]
		if !ok {
			return unknownChoice("condition", name, conditions)
		}
		for _, verdict := range verdicts {
			j.failOn[verdict] = true
		}
	}
	return nil
}

// addRule keeps a rule of --better or --exact. Whether a series matches it is known only after the
// inputs were read, and settle applies it then.
func (j *judge) addRule(flag, text string, better format.Direction) error {
	query, err := hint.ParseQuery(text)
	j.rules = append(j.rules, seriesRule{flag, query, better})
	return err
}

// settle makes what --better and --exact say part of a series. It keeps the name of one whose file
// contradicts its unit.
func (j *judge) settle(s *series.Series) error {
	isGiven := false
	for _, rule := range slices.Backward(j.rules) { // the first one decides
		if ok, err := series.Selects(j.charset, rule.query, s.Identity, s.Unit); err != nil {
			return err
		} else if ok && rule.better == format.Unknown {
			s.Exact = true
		} else if ok {
			s.Better, s.ByUnit, isGiven = rule.better, false, true
		}
	}
	// A file decides against its unit, as it may measure something unusual. If the file is wrong,
	// each regression reads as an improvement, so the user is told, and --better is the way to
	// decide.
	u, _ := unit.Parse(s.Unit)
	if !isGiven && s.Better != u.Better && s.Better != format.Unknown && u.Better != format.Unknown {
		j.contradicted = append(j.contradicted, s.Trace)
	}
	return nil
}

// settled returns all series, in the order of their traces, so that results do not depend on that
// of the inputs. It checks the keys of the flags.
func (j *judge) settled() ([]*series.Series, error) {
	all := slices.SortedFunc(slices.Values(j.answer.Series()), byTrace)
	for _, s := range all {
		if err := j.settle(s); err != nil {
			return nil, err
		}
	}
	// A key is absent only if no series of any input has it, so this is the earliest place to say
	// so.
	j.checkKeys(all)
	return all, nil
}

func byTrace(a, b *series.Series) int { return strings.Compare(a.Trace, b.Trace) }

// conclude prints a table, unless it is nil, after what could not be read, and sets the exit
// status by what was judged, and by a drift, which may be nil.
func (j *judge) conclude(t *judging.Table, nothing string, counts map[string]int, r *drift.Report) {
	// A reader of a log sees what is missing before the conclusion that is drawn without it. The
	// table has it once more in JSON, Markdown and annotations, which are read without standard
	// error.
	j.reportUnread()
	if t != nil {
		t.Skips = &j.skips
		colors := map[string]style{"error": red, "warning": yellow, "notice": cyan}
		p := judging.Printer{Form: j.form, Out: j.stdout, Data: j.data, Note: j.note, Color: func(level, text string) string {
			return styled(j.colorOut && level != "", colors[level], text)
		}}
		p.Print(t)
	}
	// Drift is not the verdict of a series, but --fail-on finds both in one map. It is added after
	// printing, because the counts that are printed are of verdicts.
	if r != nil && r.HasDrifted() {
		counts["drift"] = 1
	}
	j.finish(nothing, counts)
}

// finish sets the exit status. Nothing is green if nothing was judged, for the reason that is
// given; else a judgment that fails a build decides, by the numbers of the verdicts, unless
// something else went wrong.
func (j *judge) finish(nothing string, counts map[string]int) {
	if n := len(j.contradicted); n > 0 {
		j.note("%d series whose file says the opposite of what the unit implies, such as %s: --better decides otherwise",
			n, j.contradicted[0])
	}
	// A query that nothing matches is the reason why nothing was judged, so its message comes first
	// and takes the place of the general one.
	j.reportUnmatched("measurement")
	switch {
	case j.status == statusOK && nothing != "":
		j.report(errors.New(nothing))
		j.status = max(j.status, statusInvalid)
	case j.strict && len(j.skips.All) > 0:
		j.status = max(j.status, statusInvalid)
	}
	// Status 3 says that the judgment is of all that was asked. If an input failed, the status of
	// the failure stays, so that a script does not take the rest for the whole.
	for verdict, n := range counts {
		if n > 0 && j.failOn[verdict] && j.status == statusOK {
			j.status = statusJudged
		}
	}
}

// paramKeys returns the keys of flags that name params as the files have them.
func (j *judge) paramKeys() (named namedKeys) {
	named.add("by", j.by)
	named.add("promote", j.reading.opener.Promote)
	named.add("ignore", j.ignored)
	named.attrs.Absent = nil // the keys of --promote are params of series
	return named
}

// checkKeys reports keys of flags that no series has, with a similar key that exists.
func (j *judge) checkKeys(all []*series.Series) {
	// The queries of rules are compared in the charset, and so are their keys.
	named, queried := j.paramKeys(), namedKeys{}
	// An ignored key is not in the identity of any series, so the answer knows whether a
	// measurement had it.
	named.params.Absent = slices.DeleteFunc(named.params.Absent, j.answer.LeftOut)
	for _, rule := range j.rules {
		for _, term := range j.charset.Query(rule.query).Terms() {
			// A term such as os=!linux also selects series that lack the key.
			if term.Required() {
				queried.add(rule.flag, []string{term.Key()})
			}
		}
	}

	for _, s := range all {
		named.look(&format.Record{Params: s.Identity})
		queried.look(&format.Record{Params: j.charset.Canonical(s.Identity)})
		named.lookUnit(s.Unit)
		queried.lookUnit(s.Unit)
	}
	j.reportKeys(&named)
	j.reportKeys(&queried)
}

// checkList reports a list of commits that has none of the measured commits, and notes a list
// that can order none.
func (j *judge) checkList() {
	a := &j.answer
	i := slices.IndexFunc(a.Commits, func(c series.Commit) bool { return c.Hash != "" })
	switch {
	// With the list of another repository, the commits would be in the order of the next best
	// guess, and the user would take it for the order of the list. So that is an error. If no
	// result names a commit, the list may be right, and a note says what the results lack.
	case a.List == nil || a.Order.By == "list":
	case i >= 0:
		j.report(fmt.Errorf("--commits %s: it has none of the commits of the results, such as %s: want their hashes, "+
			"or names", j.commits, a.Commits[i].Hash))
	case len(a.Commits) > 1:
		j.note("--commits %s: no measurement names its commit, so the list orders none; store ingest --commit names it",
			j.commits)
	}
}
