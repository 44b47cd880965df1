// Package delta finds the params that change from one record to the next. Most params of a record
// equal the previous record's, and so do the results computed from them: their part of the trace
// ID, their checks, and their hashes.
//
// A [Layout] makes the trace IDs of the records of a Reader. A [Tracker] compares the params of any
// records, for Writers and validators, and hashes them to find duplicates. Both compare the params
// with a copy of the last ones, so they notice every change, whoever made it.
package delta
