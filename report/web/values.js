// Values.

function fromBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const binary = atob(text), bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}
async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// reader reads the numbers of a block: see values.go.
function reader(bytes) {
  let at = 0;
  const byte = () => bytes[at++];
  function uvarint() {
    let n = 0, unit = 1;
    for (;;) {
      const b = bytes[at++];
      n += (b & 127) * unit;
      if (b < 128) return n;
      unit *= 128;
    }
  }
  function varint() {
    let n = 0n, shift = 0n;
    for (;;) {
      const b = bytes[at++];
      n |= BigInt(b & 127) << shift;
      shift += 7n;
      if (b < 128) return Number(n & 1n ? -((n + 1n) >> 1n) : n >> 1n);
    }
  }
  function numbers(n) {
    const width = byte(), scale = byte() - 22, out = new Float64Array(n);
    if (width === 8) {
      const raw = new Uint8Array(out.buffer);
      for (let p = 0; p < 8; p++) for (let i = 0; i < n; i++) raw[8 * i + p] = bytes[at++];
      return out;
    }
    const least = varint(), power = Number("1e" + Math.abs(scale));
    for (let p = 0, unit = 1; p < width; p++, unit *= 256) for (let i = 0; i < n; i++) out[i] += bytes[at++] * unit;
    for (let i = 0; i < n; i++) out[i] = scale < 0 ? (out[i] + least) * power : (out[i] + least) / power;
    return out;
  }
  function series(count) {
    const flags = byte(), s = {at: new Uint32Array(count), v: null, n: null, lo: null, hi: null};
    if (count === 0) { s.v = new Float64Array(0); return s; }
    s.at[0] = uvarint();
    for (let i = 1; i < count; i++) s.at[i] = s.at[i - 1] + (flags & 1 ? uvarint() : 1);
    const special = flags & 2 ? bytes.subarray(at, at += count) : null;
    s.v = numbers(count);
    if (special) for (let i = 0; i < count; i++) if (special[i]) s.v[i] = [NaN, Infinity, -Infinity][special[i] - 1];
    if (flags & 4) {
      s.n = Float64Array.from({length: count}, uvarint);
      s.lo = numbers(count);
      s.hi = numbers(count);
      for (let i = 0; i < count; i++) { s.lo[i] = s.v[i] - s.lo[i]; s.hi[i] = s.v[i] + s.hi[i]; }
    }
    return s;
  }
  return series;
}

const series = [];
const noValues = () => ({at: new Uint32Array(0), v: new Float64Array(0), n: null, lo: null, hi: null});

// blockStarts returns the first series of each block, and the number of series, by their numbers of points.
function blockStarts(counts) {
  const starts = [];
  let points = 131072;
  counts.forEach((n, i) => {
    if (points >= 131072) { starts.push(i); points = 0; }
    points += n;
  });
  return [...starts, counts.length];
}
// decode reads the series of a block.
function decode(bytes, from, to) {
  const next = reader(bytes);
  for (let i = from; i < to; i++) series[i] = next(meta.points[i]);
  envelope = null;
}

function median(values) {
  const a = new Float64Array(values.length);
  let n = 0;
  for (let i = 0; i < values.length; i++) if (values[i] - values[i] === 0) a[n++] = values[i];
  a.subarray(0, n).sort();
  const h = n >> 1;
  return n === 0 ? NaN : n % 2 ? a[h] : a[h - 1] / 2 + a[h] / 2;
}

// center is what relative values are relative to.
function center(s) {
  if (s.center === undefined) s.center = median(s.v);
  return s.center;
}

// change is that of a finding among the newest values of a series, or of the newest value against the median of the 20
// before it.
function change(i) {
  const s = series[i], found = recent(i);
  if (found && found.mark.b !== null && found.mark.a !== null) return found.mark.a / found.mark.b - 1;
  if (s.change === undefined) {
    const last = s.v.length - 1;
    s.change = last < 1 ? NaN : s.v[last] / median(s.v.subarray(Math.max(last - 20, 0), last)) - 1;
  }
  return s.change;
}

// recent returns the last step or trend of a series and the number of its finding, if that is among the newest 20 values.
function recent(i) {
  const s = series[i], mark = (marksOf.get(i) || []).findLast(m => m.k !== 2);
  if (!mark || mark.hi < s.at[Math.max(s.at.length - 21, 0)]) return null;
  const finding = meta.findings.findIndex(f => f.hi >= mark.lo && f.lo <= mark.hi && f.s.includes(i));
  return finding < 0 ? null : {mark, finding};
}

// usual returns the range and the median of the values of a series since its last step, up to a point, without outliers; null
// if there are fewer than five, or if they follow a trend.
function usual(i, last) {
  const s = series[i], marks = marksOf.get(i) || [];
  const step = marks.filter(m => m.k === 0).reduce((c, m) => Math.max(c, m.c), 0), out = new Set(marks.filter(m => m.k === 2).map(m => m.c));
  if (marks.some(m => m.k === 1 && m.hi >= step)) return null;
  const values = [];
  for (let p = Math.max(Math.ceil(find(s, step)), 0); p < last; p++) {
    if (s.v[p] - s.v[p] === 0 && !out.has(s.at[p])) values.push(s.v[p]);
  }
  if (values.length < 5) return null;
  return {from: step, lo: Math.min(...values), hi: Math.max(...values), middle: median(values)};
}

// isUnusual reports whether the change of a series is a finding's, or its newest value is farther from the usual range than
// that is wide and than the threshold.
function isUnusual(i) {
  const s = series[i], last = s.v.length - 1;
  if (last < 1) return false;
  if (recent(i)) return true;
  const range = usual(i, last), v = s.v[last];
  if (!range || v - v !== 0) return false;
  const room = Math.max(range.hi - range.lo, meta.threshold * Math.abs(range.middle));
  return v > range.hi + room || v < range.lo - room;
}

// find returns the index of the point at a commit, or of the last one before it minus a half.
function find(s, commit) {
  let lo = 0, hi = s.at.length;
  while (lo < hi) {
    const mid = (lo + hi) >> 1;
    if (s.at[mid] < commit) lo = mid + 1; else hi = mid;
  }
  return s.at[lo] === commit ? lo : lo - 0.5;
}
