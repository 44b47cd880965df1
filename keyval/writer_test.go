package keyval

import "perfdata/traceid"

func params(pairs ...string) traceid.Params {
	m := make(map[string]string)
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return traceid.FromMap(m)
}
