package traceid

import "unicode/utf8"

// This is the hot loop of naming measurements. Most params are already canonical. So AppendID
// builds the id as if all were, and then checks the id as a whole. To check each key and value
// took five times as many instructions. The slow path is appendAnyID.

// ID returns the canonical id of p, or "" if p is empty.
func (c *Charset) ID(p Params) string { return string(c.AppendID(nil, p)) }

// AppendID appends the canonical id of p to dst and returns the extended slice. It appends nothing
// if p is empty. If the keys of p are canonical, it allocates only to extend dst.
func (c *Charset) AppendID(dst []byte, p Params) []byte {
	if len(p) == 0 {
		return dst
	}

	c = c.orDefault()
	start := len(dst)
	dst = append(dst, ',')
	last := uint16(0) // the first two bytes of the key before; they usually decide the order
	for i := range p {
		x := &p[i]
		if x.Key == "" || x.Value == "" {
			return c.appendAnyID(dst[:start], p)
		}

		first := uint16(x.Key[0]) << 8
		if len(x.Key) > 1 {
			first |= uint16(x.Key[1])
		}
		if first <= last && (i == 0 || x.Key <= p[i-1].Key) {
			return c.appendAnyID(dst[:start], p)
		}

		last = first
		dst = append(dst, x.Key...)
		dst = append(dst, '=')
		dst = append(dst, x.Value...)
		dst = append(dst, ',')
	}

	if !c.plainID(dst[start:], len(p)) && !c.replaceValues(dst[start:], p) {
		return c.appendAnyID(dst[:start], p)
	}
	return dst
}

// replaceValues makes the values canonical in an id that was built of p. It returns false if that
// is not enough: if a key is not canonical, or some text is not ASCII.
func (c *Charset) replaceValues(id []byte, p Params) bool {
	for i := range p {
		key := id[1 : 1+len(p[i].Key)]
		value := id[len(key)+2 : len(key)+2+len(p[i].Value)]
		for _, b := range key {
			if !c.ascii[b] {
				return false
			}
		}
		for j, b := range value {
			r := c.replaced[b]
			if r == 0 {
				return false
			}
			value[j] = r
		}
		id = id[len(key)+len(value)+2:]
	}
	return true
}

// appendAnyID is AppendID for params that may have to change.
func (c *Charset) appendAnyID(dst []byte, p Params) []byte {
	if _, unsorted := p.unsorted(); unsorted {
		p = FromPairs(p...)
	}
	for _, x := range p {
		if !c.allows(x.Key) {
			// A key changes, and perhaps the order of the keys.
			p = c.Canonical(p)
			break
		}
	}
	dst = append(dst, ',')
	for _, x := range p {
		dst = append(dst, x.Key...)
		dst = append(dst, '=')
		dst = c.appendString(dst, x.Value)
		dst = append(dst, ',')
	}
	return dst
}

// The amounts that the bytes of an id add to its tally.
const (
	tallyComma  = 1
	tallyEquals = 1 << 20
	tallyOther  = 1 << 40 // a byte that is neither one of these nor in the set
	tallyMost   = 1 << 20 // bytes of an id whose tally can't overflow
)

func (c *Charset) setTally() {
	for b := range utf8.RuneSelf {
		c.replaced[b] = '_'
		if c.ascii[b] {
			c.replaced[b] = byte(b)
		}
	}
	for b := range c.tally {
		if !c.ascii[b] {
			c.tally[b] = tallyOther
		}
	}
	c.tally[','], c.tally['='] = tallyComma, tallyEquals
}

// plain reports whether s, which is not empty, is canonical ASCII. Most strings are, and looking at
// four bytes at a time takes a third of the instructions of replacing each.
func (c *Charset) plain(s string) bool {
	t := &c.tally
	sum := uint64(0)
	for ; len(s) >= 4; s = s[4:] {
		sum |= t[s[0]] | t[s[1]] | t[s[2]] | t[s[3]]
	}
	for i := range len(s) {
		sum |= t[s[i]]
	}
	return sum == 0
}

// plainID reports whether an id of n params is canonical: its only commas and equals signs separate
// keys and values, and all other characters are in the set.
func (c *Charset) plainID(id []byte, n int) bool {
	if len(id) >= tallyMost {
		return false
	}
	t := &c.tally
	sum := uint64(0)
	for len(id) >= 8 {
		sum += t[id[0]] + t[id[1]] + t[id[2]] + t[id[3]] + t[id[4]] + t[id[5]] + t[id[6]] + t[id[7]]
		id = id[8:]
	}
	for _, b := range id {
		sum += t[b]
	}
	return sum == uint64(n+1)*tallyComma+uint64(n)*tallyEquals
}
