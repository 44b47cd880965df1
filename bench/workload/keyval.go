package workload

import "bytes"

// keyvalIteration is a pattern: the numbers and the digit of the core are replaced.
const keyvalIteration = `build{attr}=lumpy-release-R99-14469.8.0
core{attr}=cpu0
bytes_page_reads{perf}=11111111
fps_WebGLAquarium{perf}=22.2222
ms_page_load_mean{perf}=333.333333
ms_page_load_stddev{perf}=4.4444
watts_energy_rate{perf}=5.555555

`

// NewKeyval returns a file of Autotest perf keyvals. Each iteration has two attributes, one of
// which changes, and five performance values. 300,000 iterations take 66 MB.
func NewKeyval(iterations int) *Document {
	d := &Document{pattern: []byte(keyvalIteration), last: len(keyvalIteration), each: 5}
	core := bytes.Index(d.pattern, []byte("cpu0\n")) + len("cpu")
	// The numbers keep their first digit, and do not end in a zero.
	var fields [][2]int
	for _, text := range []string{"11111111", "22.2222", "333.333333", "4.4444", "5.555555"} {
		start := bytes.Index(d.pattern, []byte(text))
		fields = append(fields, [2]int{start + len("1"), start + len(text)})
	}
	d.fill = func(result []byte, i int) {
		h := mix(i)
		result[core] = '0' + byte(h>>61)
		for _, field := range fields {
			putDecimal(result[field[0]:field[1]], noZero(h%1e8))
			h = mix(int(h))
		}
	}
	return d.WithResults(iterations)
}
