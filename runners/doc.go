// Package runners has what the packages of the benchmark runners' formats have in common: the type of
// their Readers, and the rules by which a runner's file becomes records. Each format is a package of
// its own below this one, and only read.
//
//  1. Identity. What a result is called, and what the benchmark's author made a parameter of it, are
//     params. Whatever may differ from run to run, such as the date, the host, the load and versions,
//     is an attr; the option Promote makes a param of one. Each package lists the members of its files
//     and what becomes of them.
//  2. Names. The param name is the name of the benchmark, whole, except the parts that are parameters.
//     The param metric says what was measured, where a result has several values, and unit is the unit
//     as the runner spells it.
//  3. Repetitions. If a file has the single values, each is a record, with equal params, in the order
//     in which they were measured, and statistics of them are left out, unless Reader.Summaries is set.
//     If a file has only statistics, each is a record, with the param stat.
//  4. An error is never a value. A result that failed is a recoverable error with the runner's message.
//     One that was skipped on purpose is a warning of validation. NaN and infinities are recoverable
//     errors, too.
//  5. Members that a package does not know are skipped: runners add some with each version.
//  6. Record.Better says what the format says. It is never guessed from a name.
//
// A parameter that has the name of another param, such as name, or that is called metric, stat or
// unit, gets the prefix "params.".
package runners
