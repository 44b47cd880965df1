package hostile

import (
	"fmt"
	"strings"
)

// goBench returns the Generators of the Go benchmark format.
func goBench() []Generator {
	lines := func(name string, item func(int) string) Generator {
		return inputs(name, "benchfmt", "", "", "\n", item)
	}
	event := func(pkg int, output string) string {
		return fmt.Sprintf(`{"Action":"output","Package":"p%d","Output":"%s"}`, pkg, output)
	}
	long := strings.Repeat("x", 1_000_000)

	return []Generator{
		lines("bench packages with a split line", func(i int) string {
			return event(i, long) + "\n" + event(i, `\n`)
		}),
		lines("bench packages with half a line", func(i int) string { return event(i, long) }),
		lines("bench packages with a long name", func(i int) string {
			return event(i, "Benchmark"+long+` 1 1 ns/op\n`)
		}),
		lines("bench packages with a split name", func(i int) string {
			return event(i, "Benchmark"+long) + "\n" + event(i, ` 1 1 ns/op\n`)
		}),
		lines("bench packages with a configuration", func(i int) string { return event(i, `a: b\n`) }),

		lines("bench unit metadata", named("Unit u$ better=higher")),
		lines("bench units", named("BenchmarkX 1 1 u$")),
		lines("bench long units", named("BenchmarkX 1 1 u$"+strings.Repeat("x", 10_000))),
		lines("bench configuration", named("k$: v")),
		lines("bench configuration that changes", func(i int) string {
			return fmt.Sprintf("k%d: v%d\nBenchmarkX 1 1 ns/op", i%999, i)
		}).each(),
		inputs("bench configuration that grows at its front", "benchfmt",
			strings.ReplaceAll(list(990, named("z$: v")), ",", "\n")+"\n", "", "\n", named("a: v$\na:")),

		lines("bench values", func(int) string {
			return "BenchmarkX 1 " + strings.ReplaceAll(list(100_000, named("1 u$")), ",", " ")
		}).each(),
		lines("bench values of one unit", same("BenchmarkX 1"+strings.Repeat(" 1 u", 250_000))).each(),
		lines("bench names of many parts", func(i int) string {
			return fmt.Sprintf("BenchmarkX/q%d", i) + strings.ReplaceAll(list(990, named("/$")), ",", "") +
				" 1 1 ns/op"
		}).each(),
		lines("bench unit metadata in one line", func(int) string {
			return "Unit u " + strings.ReplaceAll(list(100_000, named("k$=v")), ",", " ")
		}),
		lines("bench faults", same("BenchmarkX 1 x")).each(),
		inputs("bench one line", "benchfmt", "", "", "", same("xxxxxxxxxx")),
	}
}

// keyvals returns the Generators of Autotest's keyvals.
func keyvals() []Generator {
	lines := func(name string, item func(int) string) Generator {
		return inputs(name, "keyval", "", "\n", "\n", item)
	}

	attrs := func(i int) string {
		return strings.ReplaceAll(list(999, func(k int) string { return fmt.Sprintf("k%d{attr}=%d", 999-k, i) }),
			",", "\n")
	}
	return []Generator{
		lines("keyval keys", named("$=1")),
		lines("keyval long values", named("$="+strings.Repeat("1", 100_000))),
		lines("keyval keys of iterations", func(i int) string {
			keys := list(17, func(k int) string { return fmt.Sprintf("k%d{perf}=1", 17*i+k) })
			return strings.ReplaceAll(keys, ",", "\n") + "\n"
		}),
		lines("keyval attributes", attrs),
		lines("keyval attributes of iterations", func(i int) string { return attrs(i) + "\nx{perf}=1\n" }).each(),
		lines("keyval blank lines", same("")).each(),
		lines("keyval faults", same("x")).each(),
		lines("keyval one key", same("x=1")),
		lines("keyval many traces", named("k$=1\n")).eachTrace(),
		inputs("keyval small iterations after a large one", "keyval",
			strings.ReplaceAll(list(1000, named("$=1")), ",", "\n")+"\n\n", "\n", "\n", named("a=1$\nb=1+-1\n")),
	}
}
