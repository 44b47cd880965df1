package traceid

// ID returns the canonical id of p, or "" if p is empty.
func (c *Charset) ID(p Params) string { return string(c.AppendID(nil, p)) }

// AppendID appends the canonical id of p to dst and returns the extended slice. It appends nothing
// if p is empty. If the keys of p are canonical, it allocates only to extend dst.
func (c *Charset) AppendID(dst []byte, p Params) []byte {
	if len(p) == 0 {
		return dst
	}
	c = c.orDefault()
	for i := range p {
		if i > 0 && p[i].Key <= p[i-1].Key || !c.allows(p[i].Key) {
			// A key changes, and perhaps the order of the keys.
			p = c.Canonical(p)
			break
		}
	}

	dst = append(dst, ',')
	for i := range p {
		dst = append(dst, p[i].Key...)
		dst = append(dst, '=')
		dst = c.appendString(dst, p[i].Value)
		dst = append(dst, ',')
	}
	return dst
}
