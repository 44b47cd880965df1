// Package format defines what the formats of module perfdata have in common: the [Record] that
// every measurement becomes, the [Reader] and [Writer] interfaces, the [Error] that every fault
// is reported as, and the [Limits] that keep hostile input small.
//
// A program that knows which format it reads uses that format's package, such as perfdata/skiav1,
// whose Reader has options and a Header of its own. A program that takes any format holds a
// [Reader].
//
//	for rec, err := range r.Records() {
//		if e, ok := errors.AsType[*format.Error](err); ok && e.Recoverable {
//			log.Print(e) // the faulty measurement was left out, the others follow
//			continue
//		}
//		if err != nil {
//			return err // the last step of the iteration
//		}
//		fmt.Println(rec.TraceID(), rec.Value)
//	}
//
// A program that stops at the first error is strict, one that goes on after a recoverable one is
// tolerant. Neither loses anything unknowingly.
package format
