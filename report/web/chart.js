// The chart.

let plot = null, hovered = null, envelope = null, envelopeKey = "";
function relative() {
  if (state.scale) return state.scale === "relative";
  const centers = state.sel.map(i => Math.abs(center(series[i]))).filter(c => c > 0);
  return new Set(state.sel.map(unit)).size > 1 || state.sel.length === 0 || Math.max(...centers) > 10 * Math.min(...centers);
}
function factor(i) {
  if (!relative()) return 1;
  const c = center(series[i]);
  return c === 0 || c !== c ? NaN : 100 / c;
}
// view returns the first and the last commit that the chart shows: without a zoom, those of the selected series.
function view() {
  if (state.zoom) return state.zoom;
  const parts = state.sel.map(i => series[i].at).filter(at => at.length > 0);
  if (parts.length === 0) return [0, Math.max(N - 1, 0)];
  return [Math.min(...parts.map(at => at[0])), Math.max(...parts.map(at => at[at.length - 1]))];
}

// setEnvelope finds the least and the greatest of all matching series that have the scale of the chart, at each commit.
function setEnvelope() {
  const units = new Set(state.sel.map(i => meta.unit[i])), asRatio = relative();
  const key = [asRatio, [...units], state.q, [...state.keys]].join("\n");
  if (key === envelopeKey && envelope) return;
  envelopeKey = key;
  const lo = new Float64Array(N).fill(Infinity), hi = new Float64Array(N).fill(-Infinity);
  for (const i of matching) {
    if (!asRatio && units.size > 0 && !units.has(meta.unit[i])) continue;
    const s = series[i], f = factor(i), at = s.at, v = s.v;
    for (let p = 0; p < v.length; p++) {
      const y = v[p] * f, c = at[p];
      if (y - y !== 0) continue;
      if (y < lo[c]) lo[c] = y;
      if (y > hi[c]) hi[c] = y;
    }
  }
  envelope = {lo, hi};
}

// yRange returns the range of the selected series in the view, or of the envelope.
function yRange() {
  let [a, b] = view(), low = Infinity, high = -Infinity;
  const include = y => { if (y - y === 0) { if (y < low) low = y; if (y > high) high = y; } };
  for (const i of state.sel) {
    const s = series[i], f = factor(i);
    for (let p = Math.ceil(find(s, a)); p < s.at.length && s.at[p] <= b; p++) {
      include(s.v[p] * f);
      if (s.lo && s.n[p] > 1) { include(s.lo[p] * f); include(s.hi[p] * f); }
    }
  }
  if (state.sel.length === 0) for (let c = a; c <= b; c++) { include(envelope.lo[c]); include(envelope.hi[c]); }
  if (low > high) return [0, 1];
  if (low === high) { const room = Math.abs(low) / 10 || 1; return [low - room, high + room]; }
  const room = (high / 2 - low / 2) / 8;
  return low >= 0 && low - room < 0 ? [0, high + room] : [low - room, high + room];
}

// lineOf returns the values of a series for uPlot: null where the line is broken, undefined where nothing was measured.
function lineOf(i) {
  const s = series[i], f = factor(i), line = new Array(N);
  for (let p = 0; p < s.v.length; p++) {
    const y = s.v[p] * f;
    line[s.at[p]] = y - y === 0 ? y : null;
  }
  return line;
}

// area fills between two functions of the index, one column of pixels at a time.
function area(u, from, to, at, lo, hi) {
  const x0 = u.valToPos(0, "x", true), dx = u.valToPos(1, "x", true) - x0;
  const y0 = u.valToPos(0, "y", true), unitY = u.scales.y.max - u.scales.y.min, dy = (u.valToPos(u.scales.y.min + unitY, "y", true) - u.valToPos(u.scales.y.min, "y", true)) / unitY;
  const limit = 10 * u.bbox.height, base = u.valToPos(u.scales.y.min, "y", true), least = u.scales.y.min;
  const place = y => Math.max(-limit, Math.min(limit, base + (y - least) * dy));
  const ctx = u.ctx;
  let xs = [], tops = [], bottoms = [], last = NaN;
  const flush = () => {
    if (xs.length === 0) return;
    const wide = xs.length === 1 ? Math.max(Math.min(dx / 4, 3), 1) : 0;
    ctx.beginPath();
    for (let k = 0; k < xs.length; k++) ctx.lineTo(xs[k] - wide, tops[k]);
    if (wide) ctx.lineTo(xs[0] + wide, tops[0]);
    for (let k = xs.length - 1; k >= 0; k--) ctx.lineTo(xs[k] + wide, bottoms[k]);
    if (wide) ctx.lineTo(xs[0] - wide, bottoms[0]);
    ctx.fill();
    xs = []; tops = []; bottoms = []; last = NaN;
  };
  for (let k = from; k < to; k++) {
    const l = lo(k), h = hi(k);
    if (!(l <= h)) { flush(); continue; }
    const x = Math.round(x0 + dx * at(k)), top = place(h), bottom = place(l);
    if (x === last) {
      const end = xs.length - 1;
      if (top < tops[end]) tops[end] = top;
      if (bottom > bottoms[end]) bottoms[end] = bottom;
      continue;
    }
    xs.push(x); tops.push(top); bottoms.push(bottom);
    last = x;
  }
  flush();
}

function clip(u, margin = 0) {
  u.ctx.save();
  u.ctx.beginPath();
  u.ctx.rect(u.bbox.left - margin, u.bbox.top, u.bbox.width + 2 * margin, u.bbox.height);
  u.ctx.clip();
}

// drawBehind draws the envelope (not behind values of a series, which are not of the size of the others), the intervals of the changes, and the repetitions.
function drawBehind(u) {
  const [a, b] = view(), ctx = u.ctx;
  clip(u);
  ctx.fillStyle = colors.envelope;
  if (state.sel.length === 0 || matching.length > 1 && relative()) area(u, Math.max(a - 1, 0), Math.min(b + 2, N), c => c, c => envelope.lo[c], c => envelope.hi[c]);
  drawUsual(u);
  for (const m of marksInView()) {
    if (m.k !== 0 || m.lo === m.hi || m.s !== state.sel[state.cur]) continue;
    const from = u.valToPos(m.lo - 0.5, "x", true), to = u.valToPos(m.hi + 0.5, "x", true);
    ctx.fillStyle = colors.interval;
    ctx.globalAlpha = 0.6;
    ctx.fillRect(from, u.bbox.top, to - from, u.bbox.height);
    ctx.globalAlpha = 1;
  }
  state.sel.forEach((i, place) => {
    const s = series[i], f = factor(i);
    if (!s.lo) return;
    ctx.fillStyle = lineColor(place);
    ctx.globalAlpha = 0.22;
    const from = Math.max(Math.floor(find(s, a)) - 1, 0), to = Math.min(Math.ceil(find(s, b)) + 2, s.at.length);
    area(u, from, to, k => s.at[k], k => s.n[k] > 1 ? Math.min(s.lo[k] * f, s.hi[k] * f) : NaN, k => Math.max(s.lo[k] * f, s.hi[k] * f));
    ctx.globalAlpha = 1;
  });
  ctx.restore();
}

// drawUsual draws the usual range of the current series, and the threshold.
function drawUsual(u) {
  const i = state.sel[state.cur], range = i === undefined ? null : usual(i, series[i].v.length), f = i === undefined ? 1 : factor(i);
  if (!range) return;
  const ctx = u.ctx, place = y => u.valToPos(y * f, "y", true), left = Math.max(u.valToPos(range.from - 0.5, "x", true), u.bbox.left), right = u.bbox.left + u.bbox.width;
  ctx.fillStyle = colors.usual;
  ctx.globalAlpha = 0.8;
  ctx.fillRect(left, place(range.hi), right - left, Math.max(place(range.lo) - place(range.hi), 1));
  ctx.globalAlpha = 1;
  if (!meta.threshold) return;
  ctx.strokeStyle = colors.soft;
  ctx.lineWidth = devicePixelRatio || 1;
  ctx.setLineDash([2 * ctx.lineWidth, 4 * ctx.lineWidth]);
  ctx.beginPath();
  for (const edge of [1 - meta.threshold, 1 + meta.threshold]) {
    ctx.moveTo(left, place(range.middle * edge));
    ctx.lineTo(right, place(range.middle * edge));
  }
  ctx.stroke();
  ctx.setLineDash([]);
}

const marksOf = new Map();
function marksInView() {
  const [a, b] = view();
  return state.sel.flatMap(i => marksOf.get(i) || []).filter(m => m.hi >= a && m.lo <= b);
}

// drawMarks draws steps as triangles, those of the current series also as lines, trends as lines, outliers as rings, and
// the kept commit.
function drawMarks(u) {
  const ctx = u.ctx, ratio = devicePixelRatio || 1;
  clip(u);
  ctx.lineWidth = 1.5 * ratio;
  for (const m of marksInView()) {
    ctx.strokeStyle = colors.mark;
    const s = series[m.s], p = find(s, m.c);
    if (m.k === 2) {
      if (!Number.isInteger(p)) continue;
      ctx.setLineDash([]);
      ctx.beginPath();
      ctx.arc(u.valToPos(m.c, "x", true), u.valToPos(s.v[p] * factor(m.s), "y", true), 6 * ratio, 0, 7);
      ctx.stroke();
      continue;
    }
    const x = u.valToPos(m.c - (m.k === 0 ? 0.5 : 0), "x", true), top = u.bbox.top, isCurrent = m.s === state.sel[state.cur];
    ctx.setLineDash([4 * ratio, 3 * ratio]);
    ctx.beginPath();
    if (m.k === 0 && isCurrent) {
      ctx.moveTo(x, top);
      ctx.lineTo(x, top + u.bbox.height);
    } else if (m.k === 1 && m.b !== null && m.a !== null) {
      ctx.moveTo(u.valToPos(m.lo, "x", true), u.valToPos(m.b * factor(m.s), "y", true));
      ctx.lineTo(u.valToPos(m.hi, "x", true), u.valToPos(m.a * factor(m.s), "y", true));
    }
    ctx.stroke();
    ctx.fillStyle = isCurrent ? colors.mark : lineColor(state.sel.indexOf(m.s));
    ctx.beginPath();
    for (const [dx, dy] of [[-5, 0], [5, 0], [0, 8]]) ctx.lineTo(x + dx * ratio, top + dy * ratio);
    ctx.fill();
  }
  ctx.restore();
  clip(u, 6 * ratio); // a cross at the first or the last commit is whole
  state.sel.forEach((i, place) => drawCrosses(u, i, lineColor(place)));
  if (state.at !== null) {
    const x = u.valToPos(state.at, "x", true);
    ctx.setLineDash([]);
    ctx.lineWidth = ratio;
    ctx.strokeStyle = colors.text;
    ctx.beginPath();
    ctx.moveTo(x, u.bbox.top);
    ctx.lineTo(x, u.bbox.top + u.bbox.height);
    ctx.stroke();
  }
  ctx.restore();
}

// drawCrosses draws a cross at the bottom for each value that is not a finite number.
function drawCrosses(u, i, color) {
  const s = series[i], [a, b] = view(), ratio = devicePixelRatio || 1, y = u.bbox.top + u.bbox.height - 8 * ratio;
  u.ctx.setLineDash([]);
  u.ctx.lineWidth = 2 * ratio;
  u.ctx.strokeStyle = color;
  u.ctx.beginPath();
  for (let p = Math.ceil(find(s, a)); p < s.at.length && s.at[p] <= b; p++) {
    if (s.v[p] - s.v[p] === 0) continue;
    const x = u.valToPos(s.at[p], "x", true), d = 4 * ratio;
    u.ctx.moveTo(x - d, y - d);
    u.ctx.lineTo(x + d, y + d);
    u.ctx.moveTo(x + d, y - d);
    u.ctx.lineTo(x - d, y + d);
  }
  u.ctx.stroke();
}

// ticks returns places for labels of commits.
function ticks(u, axis, min, max) {
  const room = Math.max(Math.floor(u.bbox.width / (devicePixelRatio || 1) / 90), 2), [a, b] = view();
  const step = Math.max(Math.ceil((b - a) / room), 1), places = [];
  for (let c = Math.ceil(a / step) * step; c <= b; c += step) places.push(c);
  return places.length ? places : [a];
}

// setWidths makes dense lines a pixel wide: Chromium draws these 20 times as fast.
function setWidths() {
  const ratio = devicePixelRatio || 1;
  state.sel.forEach((i, place) => { plot.series[place + 1].width = inView(i) > plot.width / 2 ? 1 / ratio : 1.75; });
}
function inView(i) {
  const s = series[i], [a, b] = view();
  return Math.ceil(find(s, b + 1)) - Math.ceil(find(s, a));
}

function draw() {
  setColors();
  setEnvelope();
  if (plot) plot.destroy();
  plot = null;
  const box = byID("chart"), [a, b] = view();
  box.replaceChildren();
  showLegend();
  if (S === 0 || N === 0) return;
  const x = Array.from({length: N}, (_, c) => c);
  const font = "12px system-ui, sans-serif";
  const unitText = relative() ? "% of each median" : [...new Set(state.sel.map(unit))].join(", ");
  plot = new uPlot({
    width: box.clientWidth || 600, height: box.clientHeight || 320, padding: [10, 36, 0, 0],
    legend: {show: false},
    cursor: {
      y: false, drag: {x: true, y: false, setScale: false, dist: 5},
      points: {size: 8},
      bind: {dblclick: () => () => { setZoom(null); return null; }},
    },
    scales: {x: {time: false, range: () => { const [a, b] = view(); return a === b ? [a - 1, b + 1] : [a - (b - a) / 80, b + (b - a) / 80]; }}, y: {range: yRange}},
    axes: [
      {stroke: colors.soft, grid: {stroke: colors.grid, width: 1}, ticks: {stroke: colors.grid}, font, size: 34, splits: ticks,
        values: (u, places) => when(places)},
      {stroke: colors.soft, grid: {stroke: colors.grid, width: 1}, ticks: {stroke: colors.grid}, font, labelFont: font,
        size: (u, texts) => 16 + 7.2 * Math.max(3, ...(texts || []).map(t => t.length)), label: box.clientWidth >= 500 && unitText.slice(0, 40) || undefined,
        labelSize: 18, values: (u, places) => places.map(v => number(v, brief))},
    ],
    series: [{}, ...state.sel.map((i, place) => ({
      stroke: lineColor(place), dash: dashes(place), label: String(place),
      points: {show: u => inView(i) <= Math.max(u.width / 9, 1), size: 5, fill: lineColor(place)},
    }))],
    hooks: {
      init: [u => { plot = u; setWidths(); }],
      drawClear: [drawBehind], draw: [drawMarks],
      setCursor: [u => { const c = u.cursor.idx; const at = c === null || c === undefined || u.cursor.left < 0 ? null : nearest(c); if (at !== hovered) { hovered = at; later(showReadout); } }],
      setSelect: [u => {
        if (u.select.width < 5) return;
        const a = Math.max(Math.ceil(u.posToVal(u.select.left, "x")), 0), b = Math.min(Math.floor(u.posToVal(u.select.left + u.select.width, "x")), N - 1);
        u.setSelect({left: 0, top: 0, width: 0, height: 0}, false);
        if (b > a) setZoom([a, b]);
      }],
    },
  }, [x, ...state.sel.map(lineOf)], box);
  plot.over.addEventListener("pointermove", e => {
    if (e.pointerType === "touch") plot.setCursor({left: e.offsetX, top: e.offsetY});
  });
  plot.over.addEventListener("click", e => {
    const c = nearest(Math.round(plot.posToVal(e.offsetX, "x")));
    if (c === null) return;
    hovered = c; // a finger has not moved there
    keep(state.at === c ? null : c);
  });
  describe();
}

// describe says what the chart shows.
function describe() {
  const [a, b] = view(), shown = state.sel.slice(0, 3).map(name).join("; ");
  const what = state.sel.length === 0 ? "no series selected" : counted(state.sel.length, "series", "series") + ": " + shown + (state.sel.length > 3 ? "; and more" : "");
  byID("chart").setAttribute("aria-label", "Chart of " + what + (N ? ", from commit " + commitLabel(a) + " to " + commitLabel(b) : ""));
}

let waiting = new Set();
function later(f) {
  if (waiting.size === 0) requestAnimationFrame(() => { const now = waiting; waiting = new Set(); for (const f of now) f(); });
  waiting.add(f);
}

// nearest returns the commit nearest to one at which a selected series has a value.
function nearest(c) {
  let best = null;
  for (const i of state.sel) {
    const at = series[i].at, p = find(series[i], c);
    for (const k of [Math.floor(p), Math.ceil(p)]) {
      if (k >= 0 && k < at.length && (best === null || Math.abs(at[k] - c) < Math.abs(best - c))) best = at[k];
    }
  }
  return best;
}
function newest() {
  const [, b] = view();
  let best = null;
  for (const i of state.sel) {
    const k = Math.floor(find(series[i], b));
    if (k >= 0 && (best === null || series[i].at[k] > best)) best = series[i].at[k];
  }
  return best;
}
