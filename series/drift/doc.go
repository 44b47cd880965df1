// Package drift finds renamed or vanished series, when results are compared with earlier ones,
// and says why: systems that ingest results name a series by all of its params, so that a new
// param, or another spelling of a name, ends the old series and begins a new one, and nobody is
// told. It also finds values in another unit under the same name. Elsewhere, drift is a slow
// change of values, which package change finds.
//
// A [Collector] takes the trace IDs of two sets of files, and their values, as a stream. Its
// Report counts the IDs that are on both sides, vanished and appeared, and explains as many as it
// can; [Report.Reasons] returns the causes as lines for people, one for each:
//
//   - SplittingKeys are params that have another value in almost every file, such as a date or
//     the load of the machine: each file begins new series. VaryingKeys have another one in every
//     record.
//   - AddingKeys and RemovingKeys are params that were added to series, or removed. Of these,
//     DividingKeys make several series of one, and MergingKeys one ID of several.
//   - Cardinality has params that have ten times as many values as before, or more: they multiply
//     the series.
//   - Changed is a param that has another value in series that are the same otherwise. If it is
//     the unit, ValueFactor is what old values are multiplied by to get values in the new one,
//     and Exact says whether the values follow.
//   - Moves are keys with another name, params that became a part of the name of the benchmark or
//     were one, other spellings of values, and pools of values, such as hosts, that were
//     replaced.
//   - Jumps are values that are multiplied by a factor between units, or are all 0.
//   - Renamed are benchmarks with another name: the name is the same without case and
//     punctuation, or alike, or the values are nearly the same. The other params must be the
//     same, or explained by the causes above, and the values of the same scale. If several names
//     change in the same way at their ends, as from Sort-8 to Sort-16, Pattern says how.
//   - Collisions are values that files spell differently, and trace IDs do not.
//
// Several causes can be at work in one series. Series are compared in views: each ignores some
// params, or compares only the words of their values, wherever they are. A view that ignores less
// is tried before one that ignores more, and the differences between the series that it matches
// are counted.
//
// The name of a benchmark is the param test, name or benchmark, or without these the one with the
// most values. The remaining series are Unexplained, in groups by a param that only they have.
//
// [Report.HasDrifted] is false if series only appeared: a new benchmark is not drift.
//
// [Aliases] continue series that were renamed.
package drift
