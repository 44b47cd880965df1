package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"perfdata/cmd/perfdata/internal/judging"
	"perfdata/internal/message"
	"perfdata/series"
	"perfdata/series/accepted"
	"perfdata/series/check"
	"perfdata/series/drift"
	"perfdata/series/judgment"
	"perfdata/store"
	"perfdata/traceid"
)

// checkCommand returns the command for builds: it fails once for a regression, at the commit that
// is to blame as far as can be known. A build that stayed red after that would say nothing about
// the commits that follow.
func (t *tool) checkCommand() *cobra.Command {
	c := &checking{}
	cmd := &cobra.Command{
		Use:   "check HISTORY... -- NEW...",
		Short: "Judge new results against their history: what got worse",
		Long: `Judge the values of NEW against those of HISTORY: files, folders, a data.js, or a
database, with the results of several commits. One new value is enough.

New values are compared with the values since the last change of their series, and
not with the last run. They are worse if the change exceeds the threshold, and they
lie farther from the others than such values do by chance; p says how often they do,
and q is p adjusted for the number of series. More new values decide more. A change
that exceeds the threshold and lies in the usual range is within noise.

A regression fails one commit: the first at which it is certain. From then on, the
results are "worse since" the commit at which it began, and fail with --fail-on known
only. perfdata help verdicts has an example of each verdict.

--known FILE lists changes that are accepted. A line is a query, a commit and a
reason, separated by blanks; values before the commit are left out:

  name=Sort 3f2a9c1 sorts are stable now

For a change under review, --base COMMIT leaves out what is after the commit that it
is based on. With a database, --trial ISSUE/PATCHSET takes the new values from it.

Series that were renamed or vanished since the last five commits are named as drift
names them: of the history, those whose params agree with the ones that all new
series share.

Exit status: 3 if anything is worse (--fail-on), 0 if not, 1 if nothing of a file could
be read, a limit ended the reading or nothing was judged (--allow-new), 2 for usage and
I/O errors.`,
		Example: `  perfdata check data.js -- new.json
  perfdata check --commits commits.txt perf.db -- bench.txt
  perfdata check --base 3f2a9c1 --trial 1234/2 perf.db`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return c.run(cmd, args) },
	}
	c.judge = t.addJudgeFlags(cmd, "worse")
	addTrialFlag(cmd, &c.trial)
	cmd.Flags().StringVar(&c.base, "base", "", "the `COMMIT` of the history that the new values are based on")
	cmd.Flags().StringVar(&c.knownFile, "known", "", "a `FILE` of accepted changes: QUERY COMMIT REASON")
	cmd.Flags().BoolVar(&c.allowNew, "allow-new", false,
		"exit with 0 if all series are new, so that nothing can be judged")
	return cmd
}

// A checking is a run of check.
type checking struct {
	*judge
	trial     store.Trial
	base      string
	knownFile string
	allowNew  bool
	known     []knownChange
}

// A knownChange is a line of --known. A change of the history sets the place, at which the values
// that are judged begin, and a change of the new values sets the reason.
type knownChange struct {
	accepted.Change
	place  int    // of its commit in the history
	reason string // if it is a change of the new values
	isUsed bool   // a series matches the query
}

// run reads the new values, and then the history of their series, judges them and prints the
// judgments.
func (c *checking) run(cmd *cobra.Command, args []string) error {
	old, new, err := c.sets(cmd, args)
	isTrial := c.trial != store.Trial{}
	if err == nil && (len(old) == 0 || (len(new) == 0) != isTrial) {
		err = errors.New("want a history and new results, as in perfdata check data.js -- new.json, " +
			"or the trial of a database, as in perfdata check --trial 123/4 perf.db")
	}
	if err != nil {
		return err
	}
	c.noteSame(old, new)

	// The values of a trial are in the database that has the history, so both questions go to the
	// same inputs.
	if isTrial {
		new = old
	}
	if err := c.ask(series.New, &series.Question{Trial: c.trial}, new); err != nil {
		return err
	}
	// This comes before the history is read, so that a misspelled trial is an error at once.
	if isTrial && c.answer.Len() == 0 {
		nothing := fmt.Sprintf("--trial %s/%s: the database has no measurement of it", c.trial.Issue, c.trial.Patchset)
		c.conclude(nil, nothing, nil, nil)
		return nil
	}

	// The new values are read before the history because their params say which part of it matters.
	shared, listed, err := c.answer.Shared(series.New, c.by...)
	if err != nil {
		return err
	}
	// A database is asked only for series like the new ones, because it may have many others. The
	// files are read to their end in any case, and explain needs their other series.
	question := &series.Question{Until: c.base}
	if slices.ContainsFunc(old, isStore) {
		question.Queries = []*traceid.Query{listed}
	}
	if err := c.ask(series.Old, question, old); err != nil {
		return err
	}

	// The history has the commits at which the judged series were measured. Others are left out
	// because a database was not asked for them, and must give the same answer as its files.
	isNew := func(s *series.Series) bool { return s.Has(series.New) }
	if n := c.answer.SortOf(isNew); n != 1 {
		if n == 0 {
			return fmt.Errorf("--base %s: neither the history nor --commits has this commit", c.base)
		}
		return fmt.Errorf("--base %s: %s in the history", c.base, message.Plural(n, "commit"))
	}
	if len(c.answer.Commits) == 0 { // nothing can be judged: drift says why
		c.answer.Sort()
	}
	// Only now are the commits in order, so that the places that the next steps look up are final.
	c.checkList()
	changes, err := readNamed(c.knownFile, accepted.Read)
	if err != nil {
		return err
	}
	c.known = c.findKnown(c.knownFile, changes)

	recent, gone, err := c.explain(old, shared)
	if err != nil {
		return err
	}
	all, err := c.settled()
	if err != nil {
		return err
	}
	rows, err := c.judgeSeries(all)
	if err != nil {
		return err
	}
	// A line without an effect is likely misspelled, and its author believes that a change is
	// accepted.
	for _, k := range c.known {
		if !k.isUsed {
			c.note("%s:%d: no series that is judged matches the query", c.knownFile, k.Line)
		}
	}
	c.print(rows, recent, gone)
	return nil
}

// findKnown looks up the commits of accepted changes, which a file has. It notes the lines that
// accept nothing: the commit of one is not known, or may be any of several.
func (j *judge) findKnown(file string, all []accepted.Change) (known []knownChange) {
	// In most runs the accepted commit is a part of the history. It is among the new commits in the
	// build that it would fail. One that is in both is that of the history.
	history, isOld := j.answer.Commits, make(map[string]bool)
	for _, commit := range history {
		isOld[commit.Hash] = true
	}
	isBoth := func(c series.Commit) bool { return isOld[c.Hash] }
	commits := slices.Concat(history, slices.DeleteFunc(slices.Clone(j.answer.NewCommits), isBoth))

	for _, change := range all {
		one := knownChange{Change: change}
		switch place, n := series.FindCommit(commits, change.Commit); {
		case n == 0:
			j.note("%s:%d: no measurement has the commit %s", file, change.Line, change.Commit)
			continue
		case n > 1:
			// Any choice could accept a change that nobody has looked at.
			j.note("%s:%d: %s is the beginning of %d commits, so that nothing is accepted", file, change.Line,
				change.Commit, n)
			continue
		case place < len(history):
			one.place = place
		default:
			one.reason = "accepted: " + change.Reason
		}
		known = append(known, one)
	}
	return known
}

// judgeSeries judges the series that have new values. Values before the last accepted change of a
// series are left out.
func (c *checking) judgeSeries(all []*series.Series) ([]*judgment.Judgment, error) {
	var failure error
	// All series go to one Checker at once: what it knows of the noise is pooled, and q depends on
	// their number.
	checker := check.Checker{Options: c.options}
	rows, undecided := checker.Series(all, c.answer.Commits, func(s *series.Series) (from int, reason string) {
		for i := range c.known {
			k := &c.known[i]
			if ok, err := series.Selects(c.charset, k.Query, s.Identity, s.Unit); err != nil {
				failure = err
			} else if ok {
				k.isUsed = true
				// Of several accepted changes of a series, the latest one has the level that people
				// accept.
				from, reason = max(from, k.place), cmp.Or(k.reason, reason)
			}
		}
		return from, reason
	})
	c.skipUndecided(undecided)
	return rows, failure
}

// explain says which series vanished or appeared since the last commits at which the series were
// measured, and how many commits these are. A series has vanished only if its params agree with
// the params that all new series share: others may belong to another machine, or another job.
func (c *checking) explain(old []string, shared *traceid.Query) (n int, r *drift.Report, err error) {
	const most = 5 // commits of the history: older series may have ended on purpose
	isInBoth := func(s *series.Series) bool { return s.Has(series.New) && s.Has(series.Old) }
	all, commits := c.answer.Series(), c.answer.Commits
	if !slices.ContainsFunc(all, isInBoth) {
		shared = new(traceid.Query) // nothing can be judged, and another value of a shared param may be why
	}
	// These are the commits of the judged series. They are asked for by name, because the last
	// commits of a database may be those of another job, at which none of these series was
	// measured.
	var recent []string // names; without any, the last commits of a file or a database
	for _, commit := range slices.Backward(commits) {
		if commit.Hash != "" && len(recent) < most {
			recent = slices.Insert(recent, 0, commit.Hash)
		}
	}

	question := &series.Question{Queries: []*traceid.Query{shared}, Until: c.base, Commits: recent}
	if n = len(recent); n == 0 {
		n, question.Last = min(most, len(commits)), most
	}

	// The rest of a database is only asked for these commits, each of which is a side. They need an
	// answer of their own: the first one is sorted, and its sides are the history and the new
	// values.
	j := &judge{tool: c.tool, by: c.by, ignored: c.ignored, twice: c.twice}
	stores := slices.DeleteFunc(slices.Clone(old), func(name string) bool { return !isStore(name) })
	if err := j.ask(series.Old, question, stores); err != nil {
		return 0, nil, err
	}

	if n == 0 { // the database has other series only
		j.answer.Sort()
		n = len(j.answer.Commits)
	}
	all = append(all, j.answer.Series()...)
	slices.SortFunc(all, byTrace)
	var failure error
	// A new series always has its values. An old series has some, and so may have vanished, if a
	// new run like this one would measure it: its params are those that all new series share, and
	// it was measured at one of the recent commits.
	values := func(s *series.Series, side int) (values []float64) {
		isStored := s.Of() == &j.answer
		isShared, err := shared.Match(c.charset.Canonical(s.Identity))
		failure = cmp.Or(failure, err)

		switch {
		case side == series.New && !isStored:
			return s.AppendSide(nil, side)
		case side == series.New || !isShared:
			return nil
		// The values of a database come only from the commits that were asked for.
		case isStored:
			for side := range max(len(recent), 1) {
				values = s.AppendSide(values, side)
			}
			return values
		}

		// The files were read whole, so the old commits are left out here.
		for _, sample := range s.Samples(side) {
			at := sample.Commit
			if slices.Contains(recent, commits[at].Hash) || len(recent) == 0 && at >= len(commits)-most {
				values = append(values, sample.Values...)
			}
		}
		return values
	}
	r, err = drift.OfSeries(all, []string{"the history", "the new results"}, values)
	return n, r, cmp.Or(failure, err)
}

// print prints what the check says: the judgments, and the drift since a number of commits.
func (c *checking) print(rows []*judgment.Judgment, recent int, gone *drift.Report) {
	w := judging.Judgments{Rows: rows, Sides: []string{"history", "new"}, By: c.by, IsHistory: true}
	// An accepted change has a row and no count, so that it fails no build. The rows that are not
	// counted are the accepted ones.
	t, counts, isAccepted, nothing := w.Table(), w.Counts(), len(rows), ""
	for _, n := range counts {
		isAccepted -= n
	}
	// A build must not be green because nothing was looked at. With --allow-new, a first run may be
	// green. If series vanished at the same time, the new ones are perhaps the old ones under other
	// names, and then nobody looked at them.
	const nothingChecked = "nothing was judged: no series is in the history and in the new results"
	if len(rows) == 0 && (!c.allowNew || c.answer.Len() == 0 || gone.Vanished > 0) {
		nothing = nothingChecked + hintOf(gone)
	}

	// Without a commit of the judged series, recent tells a history of other series from an empty
	// one: in the first case, the names are what to look at.
	history := "a history of " + message.Plural(len(c.answer.Commits), "commit")
	switch {
	case len(c.answer.Commits) > 0:
	case recent > 0:
		history = "no history of these series"
	default:
		history = "no history"
	}

	t.Summary = judging.Summary(counts)
	if isAccepted > 0 {
		t.Summary = strings.TrimPrefix(fmt.Sprintf("%s, %d accepted", t.Summary, isAccepted), ", ")
	}
	t.Summary = cmp.Or(t.Summary, nothingChecked) // it is empty only without rows

	t.Footer = strings.TrimPrefix(history, "a ")
	// One commit has no order to speak of.
	if len(c.answer.Commits) > 1 {
		t.Footer += "; " + c.answer.Order.String()
	}
	t.Compared = ", against " + history
	t.Sections = append(t.Sections, judging.Section{Lines: w.Reasons()})
	// Without a commit, nothing can have vanished, and the section would only repeat that all is
	// new.
	if recent > 0 {
		t.Sections = append(t.Sections, judging.DriftSection("renamed or vanished series, since the last "+
			strings.TrimPrefix(message.Plural(recent, "commit"), "1 "),
			fmt.Sprintf(": %d vanished, %d appeared", gone.Vanished, gone.Appeared), gone))
	}

	t.Rest = struct {
		Commits  int            `json:"commits"`
		Order    string         `json:"order"`
		Drift    *drift.Report  `json:"drift"`
		Counts   map[string]int `json:"counts"`
		Accepted int            `json:"accepted"`
	}{len(c.answer.Commits), c.answer.Order.String(), gone, counts, isAccepted}
	c.conclude(t, nothing, counts, gone)
}
