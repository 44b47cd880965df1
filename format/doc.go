// Package format defines the types that all formats of module perfdata share: the [Record] of a
// measurement, the [Reader] and [Writer] interfaces, the [Error] of an input, and the [Limits] that
// bound the cost of hostile input.
//
// A program that reads one known format uses the package of that format, such as perfdata/skiav1,
// whose Reader has its own options and Header. A program that accepts any format uses a [Reader].
//
//	for rec, err := range r.Records() {
//		if e, ok := errors.AsType[*format.Error](err); ok && e.Severity == format.Recoverable {
//			log.Print(e) // the measurement was left out, others may follow
//			continue
//		}
//		if err != nil {
//			return err // the last step of the iteration
//		}
//		fmt.Println(rec.TraceID(), rec.Value)
//	}
//
// A strict program stops at the first error. A tolerant one continues after recoverable errors.
// Neither loses a measurement without an error.
package format
