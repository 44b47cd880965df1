// Package judgment has the results of judging series: a [Judgment] of each, which
// [perfdata/series/compare] and [perfdata/series/check] make.
//
// A Judgment has the same members whoever made it, so that programs print it in one way. The
// change that it shows is Ratio, that of the two medians; an estimate that has an interval stands
// apart from it.
package judgment
