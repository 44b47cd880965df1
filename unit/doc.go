// Package unit knows the units in which benchmarks are measured: what they measure, how values of
// one are converted to another, and whether more or less is better.
//
// [Parse] reads a unit as files spell it. Two units that have the same [Quantity] can be compared,
// after [Unit.Convert]:
//
//	old, _ := unit.Parse("ns/op")
//	new, _ := unit.Parse("µs/iter")
//	if old.Quantity == new.Quantity {
//		value, _ = old.Convert(value, new)
//	}
//
// # Units
//
// A unit is a name, or a name and a divisor, with a "/" or the word "per" between: "ns/op",
// "frames-per-second", "bytes per second". These names are known:
//
//	time         base s       ns, us, µs, ms, s, min, h; nsec, usec, msec, sec; the words
//	information  base B       B, kB or KB (1000 B), MB, GB, TB, KiB (1024 B), MiB, GiB, TiB, bit
//	                          (1/8 B), kbit, Mbit, Gbit; the words bit, byte, kilobyte (1000 B),
//	                          megabyte, gigabyte
//	allocations  base allocs  alloc, allocs; the word allocation
//	operations   base op      op, ops, iter, iters, i; the words operation, iteration
//	numbers      base 1       1, % (1/100); the words percent, percentage
//
// Some rates have names of their own: Hz (1/s), fps (frames/s), bps, kbps, Mbps and Gbps (bits a
// second). Symbols are case sensitive: case tells Mbit from mbit. Words, such as "Milliseconds",
// are in any case, in the singular or plural.
//
// Other names are units of their own, if their divisor is known: the frames of "frames/s" are
// converted to "frames/min" only. If the first name is known, the divisor can be any name:
// "ns/request".
//
// The name of a metric may precede a unit of time, information or allocations, with a hyphen, as
// in the [Go benchmark data format]: "L1-miss-ns/op". It is the Quantity's Metric.
//
// All other names are unknown: Parse doesn't guess from parts of words. What a unit means in one
// format only, such as the 1024 bytes of Catapult's KB, or the milliseconds of nanobench's min_ms,
// is not in this package, but in the package of the format.
//
// # Better
//
// Less is better for time, and for information and allocations, in total or per operation. More
// is better for anything per second or per another unit of time, except for time itself. Other
// units don't say.
//
// [Go benchmark data format]:
// https://go.googlesource.com/proposal/+/master/design/14313-benchmark-format.md
package unit
