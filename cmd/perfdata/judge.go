package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"perfdata/format"
	"perfdata/series"
	"perfdata/traceid"
)

// A judge is what the commands that judge have in common: compare, check, changes, drift and report. They
// read on after faults, list what they could not judge with their results, and exit by the judgment.
type judge struct {
	*tool
	answer series.Answer

	by        []string // keys of params and attrs
	ignored   []string // keys of params that are not part of the identity
	rules     []betterRule
	exact     []*traceid.Query
	threshold float64 // 0.05 for 5%
	alpha     float64
	commits   string // the name of a list, or empty
	failOn    map[string]bool
	strict    bool
	form      string

	begin    func() // called when an input was opened; may be nil
	unjudged []unjudged
	left     int // more that were not judged
	sources  int // files and stores that were read
}

// statusJudged is the exit status of a judgment that fails a build.
const statusJudged = 3

// An unjudged is something that could not be judged: an input, a measurement in it, or a series.
type unjudged struct {
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	Trace  string `json:"trace,omitempty"`
	Reason string `json:"reason"`
	More   int    `json:"more,omitempty"` // others with the same reason
}

// String returns a line about something that could not be judged.
func (u *unjudged) String() string {
	text := u.Reason
	if u.Trace != "" {
		text = u.Trace + ": " + text
	}
	switch {
	case u.File != "" && u.Line > 0:
		text = fmt.Sprintf("%s:%d:%d: %s", u.File, u.Line, u.Column, text)
	case u.File != "":
		text = u.File + ": " + text
	}
	if u.More > 0 {
		text += fmt.Sprintf(", and %d more like this", u.More)
	}
	return text
}

// maxUnjudged is the number of different things that are kept.
const maxUnjudged = 1000

// A betterRule is a value of --better.
type betterRule struct {
	query  *traceid.Query
	better format.Direction
}

// The conditions of --fail-on. Suspect and unknown include those before them, and all but never include
// worse.
const (
	failNever   = "never"
	failWorse   = "worse"
	failSuspect = "suspect"
	failUnknown = "unknown"
	failKnown   = "known"
	failDrift   = "drift"
)

// judgeForms are the forms of all commands that judge.
var judgeForms = []string{"text", "csv", "json", "markdown", "github"}

// addJudgeFlags adds the flags of a command that judges.
func (t *tool) addJudgeFlags(cmd *cobra.Command, failOn string) *judge {
	j := &judge{tool: t, threshold: 0.05, alpha: 0.05}
	j.setFailOn(failOn)
	flags := cmd.Flags()
	flags.StringVar(&j.form, "as", judgeForms[0], "`FORM` of the output: "+oneOf(judgeForms))
	complete(cmd, "as", judgeForms...)
	j.addSeriesFlags(cmd)
	flags.Var(textFlag{"query", j.addExact}, "exact",
		"the values of series that match `QUERY` are exact: one is enough, and p does not matter (repeatable)")
	flags.Var(textFlag{"share", j.setThreshold}, "threshold", "`SHARE` that a change must exceed (default 5%)")
	flags.Float64Var(&j.alpha, "alpha", j.alpha, "the largest p that is significant")
	flags.Var(textFlag{"condition", j.setFailOn}, "fail-on",
		"exit with 3 on `CONDITION`: worse, suspect (also worse?), unknown (also unknown), known (also what was worse "+
			"at an earlier commit), drift (worse or drifted) or never (default "+failOn+")")
	for _, name := range []string{"exact", "threshold", "alpha"} {
		complete(cmd, name)
	}
	complete(cmd, "fail-on", failWorse, failSuspect, failUnknown, failKnown, failDrift, failNever)

	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if !slices.Contains(judgeForms, j.form) {
			return unknownForm(j.form, judgeForms)
		}
		if !(j.alpha > 0 && j.alpha < 1) {
			return fmt.Errorf("--alpha %v: want a number between 0 and 1", j.alpha)
		}
		t.prints = true
		return run(cmd, args)
	}
	return j
}

// addSeriesFlags adds the flags about series and the order of their commits.
func (j *judge) addSeriesFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.Var(textFlag{"keys", setKeys(&j.by)}, "by",
		"group by the params or attrs `KEY,...`; an attr becomes part of what tells series apart, e.g. host")
	flags.Var(textFlag{"keys", setKeys(&j.ignored)}, "ignore",
		"the params `KEY,...` do not tell series apart, e.g. cpu where runners change it")
	flags.Var(textFlag{"rule", j.addRule}, "better",
		"`QUERY=lower|higher`: which values of the matching series are better, e.g. unit=frames=higher (repeatable)")
	flags.StringVar(&j.commits, "commits", "",
		"a `FILE` with the order of the commits, as git rev-list --reverse HEAD prints it; - is standard input")
	flags.BoolVar(&j.strict, "strict", false, "exit with 1 if anything could not be judged")
	complete(cmd, "by")
	complete(cmd, "ignore")
	complete(cmd, "better")
}

// A textFlag is a flag whose value a function takes.
type textFlag struct {
	kind string
	set  func(string) error
}

func (f textFlag) String() string        { return "" }
func (f textFlag) Type() string          { return f.kind }
func (f textFlag) Set(text string) error { return f.set(text) }

// setKeys returns a function that adds keys, with commas between them, to a list.
func setKeys(keys *[]string) func(string) error {
	return func(text string) error {
		for key := range strings.SplitSeq(text, ",") {
			if key == "" {
				return errors.New("a key is empty")
			}
			if !slices.Contains(*keys, key) {
				*keys = append(*keys, key)
			}
		}
		return nil
	}
}

func (j *judge) addRule(text string) error {
	i := strings.LastIndexByte(text, '=')
	if i < 0 {
		return errors.New("want QUERY=lower or QUERY=higher")
	}
	rule := betterRule{better: format.Lower}
	switch text[i+1:] {
	case format.Lower.String():
	case format.Higher.String():
		rule.better = format.Higher
	default:
		return fmt.Errorf("%q: want QUERY=lower or QUERY=higher", text[i+1:])
	}
	var err error
	rule.query, err = parseQuery(text[:i])
	j.rules = append(j.rules, rule)
	return err
}

func (j *judge) addExact(text string) error {
	query, err := parseQuery(text)
	j.exact = append(j.exact, query)
	return err
}

func (j *judge) setThreshold(text string) error {
	number, percent := strings.CutSuffix(text, "%")
	share, err := strconv.ParseFloat(number, 64)
	if percent {
		share /= 100
	}
	if err != nil || !(share >= 0 && share < 1) {
		return fmt.Errorf("%q: want a share such as 5%% or 0.05", text)
	}
	j.threshold = share
	return nil
}

func (j *judge) setFailOn(text string) error {
	all := []string{failNever, failWorse, failSuspect, failUnknown, failKnown, failDrift}
	set := make(map[string]bool)
	for name := range strings.SplitSeq(text, ",") {
		switch name {
		case failNever:
		case failWorse:
			set[failWorse] = true
		case failSuspect:
			set[failWorse], set[failSuspect] = true, true
		case failUnknown:
			set[failWorse], set[failSuspect], set[failUnknown] = true, true, true
		case failDrift, failKnown:
			set[failWorse], set[name] = true, true
		default:
			return unknownChoice("condition", name, all)
		}
	}
	j.failOn = set
	return nil
}

// direction returns whether lower or higher values of a series are better, and whether its unit alone
// implies that. The first matching --better decides.
func (j *judge) direction(s *series.Series) (better format.Direction, byUnit bool, err error) {
	for _, rule := range j.rules {
		ok, err := j.selects(rule.query, s)
		if err != nil {
			return format.Unknown, false, err
		}
		if ok {
			return rule.better, false, nil
		}
	}
	return s.Better, s.ByUnit, nil
}

// isExact reports whether the values of a series are exact.
func (j *judge) isExact(s *series.Series) (bool, error) {
	if s.Exact {
		return true, nil
	}
	for _, query := range j.exact {
		if ok, err := j.selects(query, s); err != nil || ok {
			return ok, err
		}
	}
	return false, nil
}

// selects reports whether a query selects a series, whose unit may be a param or not.
func (j *judge) selects(query *traceid.Query, s *series.Series) (bool, error) {
	params := s.Identity
	if _, ok := params.Get("unit"); !ok && s.Unit != "" {
		params = traceid.Merge(params, traceid.Of("unit", s.Unit))
	}
	return j.charset.Query(query).Match(j.charset.Canonical(params))
}

// leaveOut notes that something could not be judged. Equal reasons are counted.
func (j *judge) leaveOut(u unjudged) {
	for i := range j.unjudged {
		if same := &j.unjudged[i]; same.Reason == u.Reason && same.File == u.File {
			same.More++
			return
		}
	}
	if len(j.unjudged) >= maxUnjudged {
		j.left++
		return
	}
	j.unjudged = append(j.unjudged, u)
}

// finish sets the exit status. Nothing is green if nothing was judged, for the reason that is given; else
// a judgment that fails a build decides, unless something else went wrong.
func (j *judge) finish(nothing string, fails bool) {
	switch {
	case nothing != "":
		j.report(errors.New(nothing))
		j.status = max(j.status, statusInvalid)
	case j.strict && len(j.unjudged) > 0:
		j.status = max(j.status, statusInvalid)
	}
	if fails && j.status == statusOK {
		j.status = statusJudged
	}
}

// failsOn reports whether verdicts, by their numbers, fail a build.
func (j *judge) failsOn(counts map[string]int, drifted bool) bool {
	return j.failOn[failWorse] && counts["worse"] > 0 || j.failOn[failSuspect] && counts["worse?"] > 0 ||
		j.failOn[failUnknown] && counts["unknown"] > 0 || j.failOn[failKnown] && counts["known"] > 0 ||
		j.failOn[failDrift] && drifted
}

// listed returns the list of --commits, or nil.
func (j *judge) listed() ([]series.Commit, error) {
	if j.commits == "" {
		return nil, nil
	}
	if j.commits == "-" {
		return series.ReadCommits(j.stdin, inputName("-"))
	}
	file, err := os.Open(j.commits)
	if err != nil {
		return nil, err
	}
	defer file.Close() // it was read only
	return series.ReadCommits(file, j.commits)
}
