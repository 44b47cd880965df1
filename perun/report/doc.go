// Package report makes of Perun profiles what other programs and people read: tables, flame
// graphs, profiles for go tool pprof, summaries of fields, and curves of models.
//
//	r := perun.NewReader(in)
//	defer r.Close()
//	for row, err := range report.ResourceTable(r) { ... }
//
// # What there is
//
//	tables        ResourceTable, ModelTable: rows for encoding/csv, one for each resource or model
//	flame graphs  FlameLines: lines for flamegraph.pl and others, one for each resource
//	stacks        Stacks: the frames of each resource, with the uid or main at the root
//	pprof         Pprof: a profile for go tool pprof
//	fields        FieldNames, NumericalFields, UniqueValues: what the resources or models have
//	models        FilterModels, Curve: the models that suit, and points of what they describe
//
// Functions that take an iterator take resources or models as a [perun.Reader] yields them, and
// stop at the first error, recoverable or not. [format.Tolerant] removes the recoverable errors
// from an iterator.
//
// # Departures from the reference
//
// The source of the rules is the behavior of Perun's modules profile.query, profile.convert and
// postprocess, from which this package departs on purpose. The numbers continue the list of
// package perun:
//
//	P6  A profile without resources has no flame-graph lines. A resource without a trace is a
//	    line with its uid alone, and a frame that is not an object with function, source and
//	    line, or func, is written flattened. The reference fails.
//	P7  A field is numerical if it is a number wherever it occurs, and true and false are not
//	    numbers. For the reference, the last resource that has it decides.
//	P12 Semicolons and line breaks in the names of flame-graph lines become colons and spaces.
//	    The reference writes them as they are, so that other programs find other frames.
//	P16 Fields of resource types without resources are not listed. The reference lists them.
//	P17 True and 1 are two unique values, an empty uid adds no frame to a flame-graph line, and
//	    a point of a curve that overflows is an error. In the reference, they are one value, the
//	    line begins with a semicolon, and the point is infinite.
//	P19 A path that ends with a colon, such as uid:, leads to the elements of a list. In the
//	    reference, it leads to none of them if they are objects.
//	P20 true as x_start, x_end or r_square is an error. The reference takes it for 1.
package report
