// Package drift says why series begin and end, when results of one time are compared with those of
// another: systems that ingest results name a series by all of its params, so that a new param, or
// another spelling of a name, ends the old series and begins a new one, and nobody is told.
//
// A [Collector] takes the trace IDs of two sets of files, as a stream. Its Report counts the IDs that
// are on both sides, vanished and appeared, and explains as many as it can:
//
//   - SplittingKeys are params that have another value in almost every file, such as a date or the load
//     of the machine: each file begins new series.
//   - AddingKeys and RemovingKeys are params that were added to series, or removed.
//   - Cardinality has params that have ten times as many values as before, or more: they multiply the
//     series.
//   - Changed is a param that has another value in series that are the same otherwise. If it is the
//     unit, ValueFactor is what old values are multiplied by to get values in the new one, and Exact
//     says whether the values follow.
//   - Renamed are benchmarks with another name: the name is the same without case and punctuation, or
//     alike, or the values are nearly the same. The other params must be the same, and the values of
//     the same scale. If several names change in the same way at their ends, as from Sort-8 to
//     Sort-16, Pattern says how.
//   - Collisions are values that files spell differently, and trace IDs do not.
//
// The name of a benchmark is the param test, name or benchmark, or without these the one with the most
// values. What is left is Unexplained, in groups by a param that only they have.
//
// [Report.HasDrifted] is false if series only appeared: a new benchmark is not drift.
//
// [Aliases] continue series that were renamed.
package drift
