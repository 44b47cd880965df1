package change

import (
	"math"
	"slices"
)

// A ranking knows the order of a series by value, and ranks the values of any part of it.
//
// All tests of steps use ranks, which are integers: sums of them are exact, in whatever order
// they are added, so that a reversed or scaled series gets the same statistics to the last bit.
type ranking struct {
	values  []float64
	byValue []pair  // the values in ascending order
	other   []pair  // memory for sorting
	order   []int32 // their positions
	dense   []int32 // for each position, the number of distinct smaller values
	differ  bool    // no two values are equal

	// What rank found out about the part that it was called for last.
	inside []int32 // the positions of its values, in ascending order of value
	local  []int32 // for each of its values, twice the rank, less the mean: -(m-1) to m-1
	keys   []uint64
	counts []int32
}

// A pair is a value, as a key that has its order, and its position.
type pair struct {
	key uint64
	at  int32
}

// set sorts the values, which must be finite, and keeps them.
func (r *ranking) set(values []float64) {
	n := len(values)
	r.values = values
	r.sort()

	r.order = slices.Grow(r.order[:0], n)[:n]
	r.dense = slices.Grow(r.dense[:0], n)[:n]
	d := int32(0)
	for i, p := range r.byValue {
		if i > 0 && p.key != r.byValue[i-1].key {
			d++
		}
		r.order[i] = p.at
		r.dense[p.at] = d
	}
	r.differ = int(d) == n-1
	r.inside = slices.Grow(r.inside[:0], n+1)[:n+1]
	r.local = slices.Grow(r.local[:0], n)[:n]
}

// sort sets byValue: equal values are in the order of their positions. It sorts by the bytes of the keys,
// from the lowest on. With slices.SortFunc, Find takes 12% longer.
func (r *ranking) sort() {
	n := len(r.values)
	r.byValue = slices.Grow(r.byValue[:0], n)[:n]
	r.other = slices.Grow(r.other[:0], n)[:n]
	var counts [8][256]int32
	for i, v := range r.values {
		// Negative numbers have larger bits if they are smaller. Adding 0 makes 0 of -0.
		key := math.Float64bits(v + 0)
		key ^= uint64(int64(key)>>63) | 1<<63
		r.byValue[i] = pair{key, int32(i)}
		for b := range counts {
			counts[b][byte(key>>(8*b))]++
		}
	}

	from, to := r.byValue, r.other
	for b := range counts {
		if n > 0 && counts[b][byte(from[0].key>>(8*b))] == int32(n) {
			continue // they have this byte in common
		}
		next := int32(0)
		for i, c := range counts[b] {
			counts[b][i], next = next, next+c
		}
		for _, p := range from {
			place := &counts[b][byte(p.key>>(8*b))]
			to[*place] = p
			*place++
		}
		from, to = to, from
	}
	r.byValue, r.other = from, to
}

// rank ranks the values in [a, b). It returns the sum of the squares of the ranks, and the number
// of values that differ from the most frequent one.
func (r *ranking) rank(a, b int) (squares int64, odd int) {
	inside := r.sorted(a, b)
	m := b - a
	if r.differ { // without this, Find takes a fifth longer
		for p, at := range inside {
			r.local[at-int32(a)] = int32(2*p + 1 - m)
		}
		return int64(m) * (int64(m)*int64(m) - 1) / 3, m - 1
	}

	most := 0
	for p := 0; p < m; {
		q := p + 1
		d := r.dense[inside[p]]
		for q < m && r.dense[inside[q]] == d {
			q++
		}
		x := int32(p + q - m) // equal values share the mean of their ranks
		for _, at := range inside[p:q] {
			r.local[at-int32(a)] = x
		}
		squares += int64(q-p) * int64(x) * int64(x)
		most = max(most, q-p)
		p = q
	}
	return squares, m - most
}

// sorted returns the positions in [a, b) in ascending order of value.
func (r *ranking) sorted(a, b int) []int32 {
	m := b - a
	if 16*m < len(r.order) {
		return r.sortedFew(a, b)
	}
	inside := r.inside[:len(r.order)+1]
	n := 0
	for _, p := range r.order {
		inside[n] = p // overwritten if it is not inside: without a branch
		if uint32(p-int32(a)) < uint32(m) {
			n++
		}
	}
	return inside[:m]
}

// sortedFew is sorted for a part so short that sorting it is less work than reading the order of
// the whole series.
func (r *ranking) sortedFew(a, b int) []int32 {
	r.keys = r.keys[:0]
	for i := a; i < b; i++ {
		r.keys = append(r.keys, uint64(r.dense[i])<<32|uint64(i))
	}
	slices.Sort(r.keys)
	for i, k := range r.keys {
		r.inside[i] = int32(uint32(k))
	}
	return r.inside[:b-a]
}

// median returns the median of the values in [a, b), which must not be empty.
func (r *ranking) median(a, b int) float64 {
	s := r.sorted(a, b)
	return mean(r.values[s[(len(s)-1)/2]], r.values[s[len(s)/2]])
}

// mean returns the mean of two values without overflow.
func mean(a, b float64) float64 {
	if a == b {
		return a
	}
	return float64(a/2) + float64(b/2)
}
