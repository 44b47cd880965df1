package report

import (
	"slices"

	"perfdata/internal/chars"
)

// A meta is all about the page that its script reads, except the values: see package encoding/json.
// Texts come from files, made visible. Lists of texts are shared: others refer to them by index.
type meta struct {
	CommitURL string     `json:"commitURL"`
	Commits   metaCommit `json:"commits"`

	Keys   []string   `json:"keys"`   // of params
	Names  []int      `json:"names"`  // indexes of the keys whose values name a series
	Lead   int        `json:"lead"`   // the number of the first of these that need no key
	Common []int      `json:"common"` // indexes of the keys whose values are the same for all series
	Values [][]string `json:"values"` // of each key
	Params [][]int    `json:"params"` // of each key, the index of its value in each series, or -1

	Units  []string `json:"units"`
	Unit   []int    `json:"unit"`   // of each series
	Better []int    `json:"better"` // 0 if it is not known, 1 for lower, 2 for higher
	Points []int    `json:"points"` // their number

	metaFound
}

// A metaFound has the findings in the series.
type metaFound struct {
	Marks     []metaMark    `json:"marks"`
	Findings  []metaFinding `json:"findings"`
	Threshold float64       `json:"threshold"`
}

// A metaCommit has a list for each field of commits. Lists are empty if nothing is known.
type metaCommit struct {
	Name    []string `json:"name"`
	Time    []int64  `json:"time"` // seconds since 1970; 0 if it is not known
	Authors []string `json:"authors"`
	Author  []int    `json:"author"` // indexes in Authors
	Subject []string `json:"subject"`
}

type metaMark struct {
	Series int              `json:"s"`
	Kind   int              `json:"k"`
	Commit int              `json:"c"`
	Lo     int              `json:"lo"`
	Hi     int              `json:"hi"`
	Before chars.JSONNumber `json:"b"`
	After  chars.JSONNumber `json:"a"`
}

type metaFinding struct {
	Series []int `json:"s"`
	Commit int   `json:"c"`
	Lo     int   `json:"lo"`
	Hi     int   `json:"hi"`
}

// A list is different texts.
type list struct {
	texts []string
	index map[string]int
}

// add returns the index of a text.
func (l *list) add(text string) int {
	i, ok := l.index[text]
	if !ok {
		if l.index == nil {
			l.index = make(map[string]int)
		}
		i = len(l.texts)
		l.index[text] = i
		l.texts = append(l.texts, chars.Visible(text))
	}
	return i
}

// newMeta returns what the script reads of a page.
func newMeta(p *Page) *meta {
	m := &meta{
		CommitURL: p.CommitURL, Keys: []string{}, Names: []int{}, Common: []int{}, Values: [][]string{},
		Params: [][]int{}, Units: []string{}, Unit: make([]int, len(p.Series)), Better: make([]int, len(p.Series)),
		Points: make([]int, len(p.Series)),
	}
	m.setCommits(p)
	m.setParams(p)
	m.setNames(p)

	var units list
	for i := range p.Series {
		s := &p.Series[i]
		m.Unit[i] = units.add(s.Unit)
		m.Better[i] = int(s.Better)
		m.Points[i] = len(s.Points)
	}
	m.Units = append(m.Units, units.texts...)
	m.Marks, m.Findings = []metaMark{}, []metaFinding{}
	return m
}

// setFindings sets the findings in the series of a page.
func (m *metaFound) setFindings(p *Page) {
	m.Threshold = p.Threshold
	for i := range p.Series {
		for _, k := range p.Series[i].Marks {
			m.Marks = append(m.Marks, metaMark{
				i, int(k.Kind), k.Commit, k.Lo, k.Hi, chars.JSONNumber(k.Before), chars.JSONNumber(k.After),
			})
		}
	}
	for _, f := range p.Findings {
		m.Findings = append(m.Findings, metaFinding{f.Series, f.Commit, f.Lo, f.Hi})
	}
}

func (m *meta) setCommits(p *Page) {
	var authors list
	c := &m.Commits
	c.Name = make([]string, len(p.Commits))
	for i, commit := range p.Commits {
		c.Name[i] = chars.Visible(commit.Hash)
		seconds := int64(0)
		if !commit.Time.IsZero() {
			seconds = commit.Time.Unix()
		}
		c.Time = append(c.Time, seconds)
		c.Author = append(c.Author, authors.add(commit.Author))
		c.Subject = append(c.Subject, chars.Visible(commit.Subject))
	}

	c.Authors = authors.texts
	if !slices.ContainsFunc(c.Time, func(seconds int64) bool { return seconds != 0 }) {
		c.Time = nil
	}
	if slices.Equal(c.Authors, []string{""}) {
		c.Authors, c.Author = nil, nil
	}
	if !slices.ContainsFunc(c.Subject, func(text string) bool { return text != "" }) {
		c.Subject = nil
	}
}

// setParams sets the keys, and the values of each. Keys are in the order of their first series.
func (m *meta) setParams(p *Page) {
	var keys list
	var values []list
	for i := range p.Series {
		for _, param := range p.Series[i].Params {
			k := keys.add(param.Key)
			if k == len(values) {
				values = append(values, list{})
				m.Params = append(m.Params, slices.Repeat([]int{-1}, len(p.Series)))
			}
			m.Params[k][i] = values[k].add(param.Value)
		}
	}
	m.Keys = append(m.Keys, keys.texts...)
	for _, v := range values {
		m.Values = append(m.Values, v.texts)
	}
}

// leads are the keys whose values name a benchmark.
var leads = []string{"name", "benchmark", "test"}

// setNames finds the keys that name a series, because they tell it from the others.
func (m *meta) setNames(p *Page) {
	for k, params := range m.Params {
		if len(p.Series) > 1 && len(m.Values[k]) == 1 && !slices.Contains(params, -1) {
			m.Common = append(m.Common, k)
		} else if m.Keys[k] != "unit" && m.Keys[k] != "units" {
			m.Names = append(m.Names, k)
		}
	}
	rank := func(k int) int { return (slices.Index(leads, m.Keys[k]) + len(leads) + 1) % (len(leads) + 1) }
	slices.SortStableFunc(m.Names, func(a, b int) int { return rank(a) - rank(b) })
	for m.Lead < len(m.Names) && rank(m.Names[m.Lead]) < len(leads) {
		m.Lead++
	}
}
