package unit

// The base units.
const (
	baseTime        = "s"
	baseInformation = "B"
	baseAllocations = "allocs"
	baseOperations  = "op"
	baseNumber      = "1"
)

// named returns the unit with a name, which contains no "/".
func named(name string) (Unit, bool) {
	u := symbol(name)
	if u.Quantity.Of == "" {
		var memory [len("milliseconds")]byte
		u = word(singular(&memory, name))
	}
	return u, u.Quantity.Of != ""
}

func of(base string, f factor) Unit { return Unit{Quantity: Quantity{Of: base}, factor: f} }

func rate(base string, f factor) Unit {
	return Unit{Quantity: Quantity{Of: base, Per: baseTime}, factor: f}
}

// symbol returns the unit with a symbol, or the zero Unit.
func symbol(name string) Unit {
	switch name {
	case "ns", "nsec":
		return of(baseTime, factor{ten: -9})
	case "us", "µs", "μs", "usec": // the micro sign, and the Greek letter
		return of(baseTime, factor{ten: -6})
	case "ms", "msec":
		return of(baseTime, factor{ten: -3})
	case "s", "sec", "secs":
		return of(baseTime, factor{})
	case "min", "mins":
		return of(baseTime, factor{sixty: 1})
	case "h":
		return of(baseTime, factor{sixty: 2})

	case "B":
		return of(baseInformation, factor{})
	case "kB", "KB":
		return of(baseInformation, factor{ten: 3})
	case "MB":
		return of(baseInformation, factor{ten: 6})
	case "GB":
		return of(baseInformation, factor{ten: 9})
	case "TB":
		return of(baseInformation, factor{ten: 12})
	case "KiB":
		return of(baseInformation, factor{two: 10})
	case "MiB":
		return of(baseInformation, factor{two: 20})
	case "GiB":
		return of(baseInformation, factor{two: 30})
	case "TiB":
		return of(baseInformation, factor{two: 40})
	case "kbit":
		return of(baseInformation, factor{ten: 3, two: -3})
	case "Mbit":
		return of(baseInformation, factor{ten: 6, two: -3})
	case "Gbit":
		return of(baseInformation, factor{ten: 9, two: -3})
	case "bps":
		return rate(baseInformation, factor{two: -3})
	case "kbps":
		return rate(baseInformation, factor{ten: 3, two: -3})
	case "Mbps":
		return rate(baseInformation, factor{ten: 6, two: -3})
	case "Gbps":
		return rate(baseInformation, factor{ten: 9, two: -3})

	case "alloc", "allocs":
		return of(baseAllocations, factor{})
	case "op", "ops", "iter", "iters", "i":
		return of(baseOperations, factor{})
	case "1":
		return of(baseNumber, factor{})
	case "%":
		return of(baseNumber, factor{ten: -2})

	case "Hz":
		return rate(baseNumber, factor{})
	case "fps":
		return rate("frames", factor{})
	}
	return Unit{}
}

// word returns the unit with a word, which is in the singular and in lower case, or the zero Unit.
func word(name []byte) Unit {
	switch string(name) {
	case "nanosecond":
		return symbol("ns")
	case "microsecond":
		return symbol("µs")
	case "millisecond":
		return symbol("ms")
	case "second":
		return symbol("s")
	case "minute":
		return symbol("min")
	case "hour":
		return symbol("h")

	case "bit":
		return of(baseInformation, factor{two: -3})
	case "byte":
		return symbol("B")
	case "kilobyte":
		return symbol("kB")
	case "megabyte":
		return symbol("MB")
	case "gigabyte":
		return symbol("GB")

	case "allocation":
		return symbol("allocs")
	case "operation", "iteration":
		return symbol("op")
	case "percent", "percentage":
		return symbol("%")
	}
	return Unit{}
}

// singular returns a word in lower case and without the s at its end. If the word is longer than
// any known word, it returns nothing.
func singular(memory *[len("milliseconds")]byte, name string) []byte {
	if len(name) > len(memory) {
		return nil
	}
	for i := range len(name) {
		c := name[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		memory[i] = c
	}
	end := len(name)
	if end > 1 && memory[end-1] == 's' {
		end--
	}
	return memory[:end]
}
