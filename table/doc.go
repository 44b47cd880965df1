// Package table reads tables of measurements, as JSON lines, CSV and TSV: tables that the commands
// records and store query print, tables that other programs write in the same columns, and any CSV
// whose columns are named by settings.
//
// A row is a measurement:
//
//	value,unit,commit,params
//	12.5,ms,3f2a9c1,"{""name"":""encode"",""size"":""1k""}"
//
// The same in JSON lines, an object on each line:
//
//	{"value":12.5,"unit":"ms","commit":"3f2a9c1","params":{"name":"encode","size":"1k"}}
//
// # Columns
//
// The columns are in any order, and only value is required. An empty cell, null, and a column that is
// missing say nothing.
//
//	value      the value: a number, or one of NaN, +Inf and -Inf, in quotes in JSON
//	unit       its unit
//	better     lower or higher: which values are better
//	commit     the commit that was measured
//	params     an object: what identifies the measurement; numbers and booleans are texts
//	attrs      an object: what was recorded with it
//	links      an object: names and URLs
//	trace      the trace ID of the series: params that it lacks are not part of the identity
//	n          the number of the repetition, from 1
//	commit_time
//	           when the commit was made
//
// The columns id, position, file and offset, which the commands print, are ignored: they follow
// from the rest, or are about another file. The others are params, with their names as keys; the
// column param:unit is the param unit. A param of the same key in params is used instead.
//
// A table with value and params is recognized by its first row. With the trace and n of a file, a
// measurement is in the series, and has the number, that it had where the file was made.
//
// # Other tables
//
// In a table without params, only the columns value, unit, better and commit have a meaning, and
// all others are params. The unit is also a param; if a setting names its column, another column called
// unit becomes the param column_unit. Settings name the columns:
//
//	time,commit,branch,encode_ms,decode_ms
//	2026-07-31 18:00:00 +0200,3f2a9c1,main,12.5,7.25
//
//	perfdata changes --set csv.value=encode_ms,decode_ms --set csv.time=time history.csv
//
// Each of several values is a measurement, whose param metric is the name of its column. The time
// becomes the attr commit-time. Such files, which Apache Otava and spreadsheets read, are read as
// CSV if csv.value is set, whatever their columns are. The setting csv.comma is for files whose
// cells are separated by another character, csv.attrs names columns that are not part of the
// identity.
//
// # Text
//
// JSON lines: one object a line, strict JSON. CSV: RFC 4180; line ends may also be LF. Cells may
// have quotes, and then line ends, and quotes that are doubled. TSV: there are no quotes; \t, \n,
// \r and \\ in a cell are a tab, the line ends and a backslash. Blank lines are skipped. CSV and
// TSV begin with the names of the columns, and all rows have as many cells as that row.
//
// A fault in a row is a recoverable error: the row is left out, or if only one of several values
// has it, that value. A row may be as long as Limits.MaxResultBytes; a longer one, and quotes
// without an end, end the reading. Validation warns about a last row of CSV or TSV that has no line
// end: its last cell may be truncated.
package table
