package unit_test

import (
	"fmt"

	"perfdata/format"
	"perfdata/unit"
)

func Example() {
	// A test changed its unit. The values before and after are compared in the new one.
	older, _ := unit.Parse("ns")
	newer, _ := unit.Parse("ms")
	if older.Quantity != newer.Quantity {
		fmt.Println("another quantity")
		return
	}
	value, _ := older.Convert(9964651.066589, newer)
	fmt.Println(value, "ms")
	// Output: 9.964651066589 ms
}

func ExampleParse() {
	for _, text := range []string{"ns/op", "MB/s", "iter/sec", "peak-RSS-bytes", "%", "score"} {
		u, ok := unit.Parse(text)
		if !ok {
			fmt.Println(text, "is unknown")
			continue
		}
		better := "no direction"
		if u.Better != format.Unknown {
			better = "better " + u.Better.String()
		}
		fmt.Printf("%s: %v %s, %s\n", text, u.Factor(), u.Quantity, better)
	}
	// Output:
	// ns/op: 1e-09 s/op, better lower
	// MB/s: 1e+06 B/s, better higher
	// iter/sec: 1 op/s, better higher
	// peak-RSS-bytes: 1 peak-RSS-B, better lower
	// %: 0.01 1, no direction
	// score is unknown
}
