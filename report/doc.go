// Package report writes one page of HTML that answers the questions that people have about results:
// what changed, where, since when, and how sure that is. The page needs no server and no network:
// it can be mailed, kept with a build, or opened from a disk.
//
//	page := &report.Page{
//		Title:     "rover",
//		CommitURL: "https://github.com/acme/rover/commit/{commit}",
//		Commits:   commits, // the oldest first
//		Series:    all,
//	}
//	err := report.Write(file, page)
//
// The page begins with the findings of the caller, the worst first, each with a small plot, which is
// SVG and prints. The table of a comparison follows, and an explorer of all series: a chart, and a
// list to search. The state of the explorer is in the address of the page, so that a link shows what
// its sender saw. All can be done with the keyboard, and a table has the values of each plot.
//
// [Page.FindChanges] finds the findings, as the command perfdata changes does.
//
// A server writes the page without data, with [WriteShell]. The page asks the server for what [Pack]
// returns, and again while it is open, so that new values appear: see [Source].
//
// # Values
//
// The page has, for each series and commit, the number of values, and a value that represents them,
// with the least and the greatest. A series of integers is exact; other values are rounded to a
// millionth of the series' median or less, and ranges to a thousandth of their median. A value of
// noise takes 3 to 4 bytes.
//
// # Plots
//
// [WritePlot] writes points or bars, and curves, as a page that shows the values at the cursor,
// enlarges a part, and saves the picture as SVG and PNG.
//
// # Flame graphs
//
// [WriteFlame] writes what each function took, and which functions called it, as an SVG picture with
// the colors of the page.
//
// # Safety
//
// Texts of files are text in the page: nothing of them is markup, a script or an address. Characters
// that hide or reorder text are shown as their escapes. A Content-Security-Policy in the page allows
// its own scripts and style only, by their hashes, and no requests.
//
// The explorer and the axes of plots are drawn by uPlot 1.6, Copyright (c) 2022 Leon Sorokin, whose
// license (MIT) is in the page.
package report
