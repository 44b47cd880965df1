// Package perun reads, writes and validates profiles of Perun, the performance version system:
// JSON files with the resources of a program, such as times or allocations, which a collector
// captured, and with models that postprocessors made of them.
//
//	{
//	    "origin": "f7f3dcea69b97f2b03c421a223a770917149cfae",
//	    "header": {"type": "memory", "units": {"memory": "B"}, "cmd": "./mct", "args": "-q", "workload": "small"},
//	    "collector_info": {"name": "memory", "params": {"sampling": 0.025}},
//	    "postprocessors": [],
//	    "snapshots": [
//	        {
//	            "time": "0.025000",
//	            "resources": [
//	                {
//	                    "type": "memory", "subtype": "malloc", "address": 19284560, "amount": 4,
//	                    "trace": [{"source": "test.c", "function": "main", "line": 22}],
//	                    "uid": {"source": "test.c", "function": "main", "line": 22}
//	                }
//	            ],
//	            "models": []
//	        }
//	    ]
//	}
//
// This is one measurement, of the trace
//
//	,args=-q,cmd=._mct,collector=memory,subtype=malloc,type=memory,uid=test.c_main_22,unit=B,workload=small, = 4
//
// with the attrs address, snapshot, time, trace, uid:function, uid:line and uid:source.
//
// # Layouts
//
// The members of the document are called regions. The header, which is a [Header] in Go, has the
// regions origin, header, collector_info and postprocessors, and all unknown regions, such as
// machine and chunks. Resources are in one of two layouts, and a [Reader] reads both in the same
// way. The layout of snapshots follows the specification:
//
//	snapshots          an array of snapshots, each with time, resources and models
//	global             an object like a snapshot, or an array of resources
//
// The layout of types is the one that Perun writes:
//
//	resources          from resource type to parallel arrays, of the collected fields
//	resource_type_map  from resource type to the fields that its resources share
//	models             the models
//
// In the layout of types, the resource of the example is
//
//	"resources": {"test.c:main:22#0": {"amount": [4], "address": [19284560]}},
//	"resource_type_map": {"test.c:main:22#0": {"type": "memory", "subtype": "malloc", "snapshot": 0, ...}}
//
// where amount, structure-unit-size, call-order, order, address, timestamp and exclusive are
// collected, and all other fields are shared. A resource type has as many resources as its arrays
// have values. The region resources can also be an array of resources.
//
// # Reading
//
// A profile can be read as
//
//   - measurements, like any format: [Reader.Records];
//   - resources with all their fields: [Reader.Resources], and by snapshot: [Reader.ResourcesBySnapshot];
//   - models: [Reader.Models].
//
// [Fields.Flatten] and [Fields.Values] return the contents of a resource or model. Package
// perun/report makes tables, flame graphs, curves and profiles for go tool pprof of them.
//
// # Writing and storing
//
// A [Writer] writes either layout, from records or from resources. [Merge] makes one profile of
// several, and [SortProfiles] sorts a list of them. Perun keeps profiles in stored objects, which
// are files that are named by their content: see package perun/object.
//
// Perun's helpers that make the names of profiles from templates, and find profiles by such names,
// belong to its command line. This package has none of them.
//
// # Conversion
//
// Package perfdata/convert makes a resource of type mixed of a measurement of another format, with the
// unit as subtype. Its uid is the param uid, name, test or key, the first that it has, with the other
// params as in the name of a Go benchmark, and after a point sub_result. So with
// pkg: example.com/sort,
//
//	BenchmarkSort/digits/n=10-8 100 1.5 ns/op
//	{"amount":1.5,"uid":"Sort/digits/n=10/pkg=example.com/sort-8","type":"mixed","subtype":"ns/op","n":"10", ...}
//
// All params also become fields, which are read as attributes. Not in the uid are params that the
// header of the input gives to all measurements, except pkg; and improvement_direction. Two series with
// the same uid, type and subtype become one, which is a loss.
//
// # Departures from the reference
//
// The source of the rules is the specification, "Perun's Profile Format", and the behavior of
// Perun's modules profile.factory, profile.query, profile.convert and logic.store. This package
// deliberately departs from them:
//
//	P1  An error of one resource, resource type or snapshot is recoverable. The reference
//	    fails as a whole or, if arrays differ in length, silently leaves out values without a
//	    counterpart. A member of the header with a wrong type, such as the units [null] that
//	    Perun has written, is a recoverable error too, and is treated as absent. The reference
//	    accepts any type.
//	P2  Resources come in the order of the file. The reference groups the resources of snapshots
//	    by the fields that they share.
//	P3  Models of snapshots are read, and models of global even if the region models is present.
//	    The reference loses them.
//	P4  A resource's own time and snapshot are used. The reference overrides them with the
//	    snapshot's, and gives a snapshot without a time the time "0.0".
//	P5  A resource without a uid or a type is read; Validate reports it. A record needs an
//	    amount, but a resource does not.
//	P6  A profile without resources has no snapshots. The reference fails.
//	P8  A duplicate member is an error. The reference uses the last one, and loses the others.
//	P9  An unknown region with resources is a recoverable error, and is ignored. The reference
//	    ignores it silently.
//	P10 NaN, Infinity and -Infinity, which are not JSON, are read as numbers, because Perun
//	    writes them. As an amount, they are a recoverable error.
//	P11 Empty strings of the header are absent, and make no params: one version of Perun writes
//	    an empty args, another does not. If cmd or args is a list, it is joined by spaces.
//	P13 The unit of a type and subtype is also found if its name has a space before the
//	    subtype's parenthesis, as some collectors write it.
//	P14 A trace that is not a list is a recoverable error. The reference fails only when it uses
//	    it.
//	P21 A region that is null is absent. The reference fails.
//	P22 An escaped lone surrogate, such as \ud800, is read as U+FFFD. The reference keeps it.
//
//	P18 Package perfdata skips a UTF-8 byte order mark before the document, and its Validate warns
//	    about it. The reference refuses the file, and so does this package's Reader.
//
// P7, P12, P16, P17, P19 and P20 are departures of package perun/report, P15 is one of
// perun/object.
package perun
