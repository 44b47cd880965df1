// The page of a plot. All is drawn on the context of a canvas, or on a Recorder, which makes a picture of it.

const data = JSON.parse(byID("data").textContent), off = new Set();
let plot = null;
for (const s of data.series) { s.points ||= []; s.curves ||= []; }

const color = i => data.series[i].others ? colors.soft : [...colors.lines, colors === palettes.dark ? "#a9b4ff" : "#3f4a8a"][i % 9];
const kinds = [...new Set(data.series.flatMap(s => s.curves.map(c => c.kind)))];
const patterns = [[], [9, 4.5], [2.2, 3.8], [12, 4.5, 2.2, 4.5], [18, 6], [4.5, 3], [12, 3, 2.2, 3, 2.2, 3], [2.2, 7.5], [21, 4.5, 6, 4.5]];
const shapes = [
  null, // a circle
  [[-0.9, -0.9], [0.9, -0.9], [0.9, 0.9], [-0.9, 0.9]], [[0, -1.3], [1.1, 0.8], [-1.1, 0.8]],
  [[0, -1.3], [1.3, 0], [0, 1.3], [-1.3, 0]], [[0, 1.3], [-1.1, -0.8], [1.1, -0.8]],
];

// mark adds a point of the i-th series to the path.
function mark(ctx, i, x, y, radius) {
  const shape = shapes[i % shapes.length];
  ctx.moveTo(x + radius, y);
  if (!shape) ctx.arc(x, y, radius, 0, 2 * Math.PI);
  else trace(ctx, shape.concat([shape[0]]).map(([dx, dy]) => [x + radius * dx, y + radius * dy]));
}
function trace(ctx, places) {
  places.forEach(([x, y], k) => k === 0 ? ctx.moveTo(x, y) : ctx.lineTo(x, y));
}

// drawSample draws what stands before a name in the legend, in a box of 40 by 14.
function drawSample(ctx, i, curve, ratio) {
  ctx.strokeStyle = ctx.fillStyle = color(i);
  ctx.lineWidth = 2.4 * ratio;
  ctx.beginPath();
  if (curve) {
    ctx.setLineDash(dashOf(curve, ratio));
    trace(ctx, [[0, 7 * ratio], [40 * ratio, 7 * ratio]]);
    ctx.stroke();
    ctx.setLineDash([]);
  } else if (data.series[i].points.length > 0) {
    mark(ctx, i, 20 * ratio, 7 * ratio, 3.3 * ratio);
    ctx.fill();
  }
}
const dashOf = (curve, ratio) => patterns[kinds.indexOf(curve.kind) % patterns.length].map(length => length * ratio);
const entries = () => data.series.flatMap((s, i) => [{i, name: s.name}, ...s.curves.map(curve => ({i, curve, name: curve.name}))]);

// drawMarks draws the points, the bars and the curves. Those of others must not cover the rest.
function drawMarks(u) {
  const ctx = u.ctx, ratio = uPlot.pxRatio, {left, top, width, height} = u.bbox, far = 1e5;
  const place = ([x, y]) => [u.valToPos(x, "x", true), u.valToPos(y, "y", true)].map(v => Math.max(-far, Math.min(far, v)));
  const shown = data.series.map((s, i) => i).filter(i => !off.has(i)).sort((i, j) => Boolean(data.series[j].others) - Boolean(data.series[i].others));
  const clip = margin => {
    ctx.save();
    ctx.beginPath();
    ctx.rect(left - margin, top - margin, width + 2 * margin, height + 2 * margin);
    ctx.clip();
  };
  clip(5 * ratio);
  for (const i of shown) {
    const s = data.series[i], several = s.points.length > 1;
    ctx.fillStyle = color(i);
    if (data.bars) drawBar(ctx, place([i - 0.3, s.median]), place([i + 0.3, Math.max(u.scales.y.min, 0)]), several);
    ctx.globalAlpha = 0.7;
    ctx.beginPath();
    if (!data.bars || several) for (const p of s.points) mark(ctx, i, ...place(p), 3.3 * ratio);
    ctx.fill();
    ctx.globalAlpha = 1;
    if (data.bars && !several) write(ctx, number(s.median, brief), place([i, s.median])[0], place([i, s.median])[1] - 8 * ratio, "center");
  }

  ctx.restore();
  clip(0);
  const ends = [], isInside = ([x, y]) => x >= left && x <= left + width && y >= top && y <= top + height;
  const toward = (from, to = from) => { // as far as the border
    const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
    const way = Math.min(1, dx > 0 ? (left + width - from[0]) / dx : 1, dy > 0 ? (top + height - from[1]) / dy : dy < 0 ? (top - from[1]) / dy : 1);
    return [from[0] + way * dx, from[1] + way * dy];
  };
  ctx.lineWidth = 2.4 * ratio;
  ctx.lineJoin = "round";
  for (const i of shown) for (const curve of data.series[i].curves) {
    ctx.strokeStyle = color(i);
    ctx.setLineDash(dashOf(curve, ratio));
    let end = null;
    for (const part of curve.parts) {
      const places = part.map(place), [x, y] = places[0];
      ctx.beginPath();
      trace(ctx, places.length > 1 ? places : [[x - 3 * ratio, y], [x + 3 * ratio, y]]);
      ctx.stroke();
      const last = places.findLastIndex(isInside);
      if (last >= 0) end = toward(places[last], places[last + 1]);
    }
    if (end) ends.push({i, name: curve.kind, x: end[0], y: end[1]});
  }
  ctx.restore();
  if (nameWidth(u.width) > 0) drawNames(ctx, ends, ratio);
}
function drawBar(ctx, [x0, y0], [x1, y1], isLight) {
  ctx.globalAlpha = isLight ? 0.3 : 1;
  ctx.beginPath();
  ctx.rect(x0, Math.min(y0, y1), x1 - x0, Math.abs(y1 - y0));
  ctx.fill();
}
function write(ctx, text, x, y, align = "left", size = 12) {
  ctx.font = size * uPlot.pxRatio + "px system-ui, sans-serif";
  ctx.textAlign = align;
  ctx.textBaseline = "middle";
  ctx.fillText(text, x, y);
}

// drawNames writes the name of each curve at its end. Names move up where they would cover each other.
function drawNames(ctx, ends, ratio) {
  ends.sort((a, b) => b.y - a.y);
  ends.forEach((end, k) => {
    end.to = end.y;
    for (const below of ends.slice(0, k)) if (Math.abs(below.x - end.x) < 90 * ratio) end.to = Math.min(end.to, below.to - 13 * ratio);
    ctx.fillStyle = ctx.strokeStyle = color(end.i);
    ctx.lineWidth = ratio;
    ctx.setLineDash([]);
    ctx.beginPath();
    trace(ctx, [[end.x + 2 * ratio, end.y], [end.x + 10 * ratio, end.to]]);
    ctx.stroke();
    write(ctx, end.name, end.x + 12 * ratio, end.to);
  });
}
const nameWidth = width => width < 500 ? 0 : Math.min(20 + 7 * Math.max(-2, ...kinds.map(k => k.length)), 130);

// ends returns an axis's ends: round numbers around all that it shows. Zero is a better end than a value near it.
function ends(axis) {
  if (data.bars && axis === data.x) return [-0.6, data.series.length - 0.4];
  let {lo, hi} = axis;
  if (axis.log) return uPlot.rangeLog(lo / 1.05, hi * 1.05, 10, hi / lo > 1000);
  if (lo === hi) { lo = Math.min(lo, 0); hi = Math.max(hi, 0) || 1; }
  return uPlot.rangeNum(lo >= 0 && lo <= hi / 2 ? 0 : lo, hi, 0.05, true);
}
function axisOf(axis, other) {
  const font = "13px system-ui, sans-serif", isBars = data.bars && axis === data.x;
  return {
    stroke: colors.soft, grid: {stroke: colors.grid, width: 1}, ticks: {stroke: colors.grid}, font, labelFont: font, label: axis.name + (axis.unit ? " (" + axis.unit + ")" : ""), labelSize: 22, ...other,
    ...(isBars ? {
      splits: () => data.series.map((s, i) => i), grid: {show: false},
      values: u => data.series.map(s => shortened(s.name, u.bbox.width / uPlot.pxRatio / data.series.length / 7)),
    } : {values: (u, places) => places.map(v => v === null ? "" : number(v, brief))}),
    incrs: axis.integers ? [1, 2, 5].flatMap(n => Array.from({length: 16}, (_, k) => n * 10 ** k)).sort((a, b) => a - b) : undefined,
  };
}
const shortened = (text, most) => [...text].length <= most ? text : [...text].slice(0, Math.max(most - 1, 1)).join("") + "\u2026";

function draw() {
  const box = byID("plotted"), width = box.clientWidth || 600;
  setColors();
  if (plot) plot.destroy();
  plot = make(width, Math.min(data.height, Math.max(0.75 * width, 260)), box, [ends(data.x), ends(data.y)]);
  byID("key").replaceChildren(...(data.bars || data.legend === "none" ? [] : entries().map(({i, curve, name}) => {
    const canvas = el("canvas", {width: 40 * uPlot.pxRatio, height: 14 * uPlot.pxRatio});
    drawSample(canvas.getContext("2d"), i, curve, uPlot.pxRatio);
    const entry = curve ? el("span", null, canvas, isolated(name)) : el("button", {type: "button", "aria-pressed": !off.has(i)}, canvas, isolated(name));
    if (!curve) entry.dataset.series = i;
    return el("li", {className: curve ? "curve" : ""}, entry);
  })));
}

// make returns a plot. The data of uPlot are only the corners: all that is shown is drawn by a hook.
function make(width, height, box, corners) {
  const scale = axis => ({time: false, distr: axis.log ? 3 : 1, range: (u, min, max) => [min, max]});
  return new uPlot({
    width, height, padding: [12, Math.max(nameWidth(width), 24), 0, 0], legend: {show: false},
    cursor: {points: {show: false}, drag: {x: true, y: true, uni: 20}},
    scales: {x: scale(data.x), y: scale(data.y)},
    axes: [axisOf(data.x, {size: 36}), axisOf(data.y, {size: (u, texts) => 24 + 7.5 * Math.max(3, ...(texts || []).map(t => t.length))})],
    series: [{}, {paths: () => null, points: {show: false}}],
    hooks: {draw: [drawMarks], setCursor: [showNearest]},
  }, corners, box);
}

// showNearest describes the point at the cursor.
function showNearest(u) {
  let best = null, least = 20;
  data.series.forEach((s, i) => {
    if (!off.has(i)) for (const [x, y] of s.points) {
      const far = Math.hypot(u.valToPos(x, "x") - u.cursor.left, u.valToPos(y, "y") - u.cursor.top);
      if (far < least) { least = far; best = {s, x, y}; }
    }
  });
  const value = (axis, v) => axis.name + " " + number(v) + (axis.unit ? " " + axis.unit : "");
  byID("readout").textContent = best ? best.s.name + ": " + value(data.y, best.y) + (data.bars ? "" : ", " + value(data.x, best.x)) : "";
}

// A Recorder has what is used of a canvas's context, and makes SVG of it: lines and letters that stay sharp on paper.
class Recorder {
  out = []; stack = []; clips = 0; path = "";
  state = {fillStyle: "#000", strokeStyle: "#000", lineWidth: 1, font: "12px sans-serif", textAlign: "left", textBaseline: "alphabetic", globalAlpha: 1, lineJoin: "miter", lineCap: "butt", dash: [], transform: "", clipPath: ""};
  constructor(canvas) {
    this.canvas = canvas;
    for (const key of Object.keys(this.state)) Object.defineProperty(this, key, {get: () => this.state[key], set: v => { this.state[key] = v; }});
  }
  save() { this.stack.push({...this.state}); }
  restore() { this.state = this.stack.pop() || this.state; }
  translate(x, y) { this.state.transform += `translate(${x} ${y})`; }
  rotate(angle) { this.state.transform += `rotate(${angle * 180 / Math.PI})`; }
  clearRect() { this.out = []; }
  setLineDash(dash) { this.state.dash = dash; }
  beginPath() { this.path = ""; }
  moveTo(x, y) { this.path += `M${short(x)} ${short(y)}`; }
  lineTo(x, y) { this.path += `L${short(x)} ${short(y)}`; }
  closePath() { this.path += "Z"; }
  rect(x, y, w, h) { this.path += `M${short(x)} ${short(y)}h${short(w)}v${short(h)}h${short(-w)}Z`; }
  fillRect(x, y, w, h) { this.beginPath(); this.rect(x, y, w, h); this.fill(); }
  arc(x, y, r) { this.path += `a${short(r)} ${short(r)} 0 1 0 ${short(-2 * r)} 0a${short(r)} ${short(r)} 0 1 0 ${short(2 * r)} 0`; }
  clip() { this.add("clipPath", {id: "c" + ++this.clips}, element("path", {d: this.path})); this.state.clipPath = `url(#c${this.clips})`; }
  fill() { this.add("path", {d: this.path, fill: this.state.fillStyle}); }
  stroke() {
    const s = this.state;
    this.add("path", {d: this.path, fill: "none", stroke: s.strokeStyle, "stroke-width": s.lineWidth, "stroke-linejoin": s.lineJoin, "stroke-dasharray": s.dash.join(" ") || null});
  }
  fillText(text, x, y) {
    const s = this.state, [, size, family] = s.font.match(/([\d.]+)px (.*)/), down = {middle: 0.35, top: 0.85}[s.textBaseline] || 0;
    this.add("text", {x: short(x), y: short(y + down * size), fill: s.fillStyle, "font-size": size, "font-family": family, "text-anchor": {center: "middle", right: "end"}[s.textAlign] || "start"}, text);
  }
  measureText(text) { return {width: text.length * 7 * uPlot.pxRatio}; }
  add(tag, attributes, ...children) {
    const {globalAlpha, transform, clipPath} = this.state;
    if (attributes.d !== "") this.out.push(element(tag, {...attributes, opacity: globalAlpha === 1 ? null : globalAlpha, transform: transform || null, "clip-path": tag === "clipPath" ? null : clipPath || null}, ...children));
  }
}
const short = v => Math.round(v * 10) / 10;
function element(tag, attributes, ...children) {
  const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [k, v] of Object.entries(attributes)) if (v !== null) e.setAttribute(k, v);
  e.append(...children);
  return e;
}

// picture returns the title, the plot as it is shown, and the legend as SVG, on the color of the page.
function svgPicture() {
  const ratio = uPlot.pxRatio, line = 20 * ratio, original = HTMLCanvasElement.prototype.getContext, {x, y} = plot.scales;
  const list = byID("key").children.length > 0 ? entries().filter(e => !off.has(e.i)) : [], lines = [data.title, data.note].filter(text => text);
  HTMLCanvasElement.prototype.getContext = function() { return new Recorder(this); };
  let copy;
  try {
    copy = make(plot.width, plot.height, el("div"), [[x.min, x.max], [y.min, y.max]]);
  } finally { HTMLCanvasElement.prototype.getContext = original; }
  return Promise.resolve().then(() => {
    const chart = copy.ctx, w = chart.canvas.width, top = line * (lines.length + 0.5), height = top + chart.canvas.height + line * (list.length + 0.5);
    const around = new Recorder();
    around.fillStyle = getComputedStyle(document.body).backgroundColor;
    around.fillRect(0, 0, w, height);
    lines.forEach((text, k) => { around.fillStyle = k > 0 ? colors.soft : colors.text; write(around, text, 10 * ratio, line * (k + 0.8), "left", k > 0 ? 13 : 17); });
    list.forEach(({i, curve, name}, k) => {
      around.save();
      around.translate((10 + (curve ? 14 : 0)) * ratio, top + chart.canvas.height + line * k);
      drawSample(around, i, curve, ratio);
      around.fillStyle = colors.text;
      write(around, name, 46 * ratio, 7 * ratio);
      around.restore();
    });
    const svg = element("svg", {xmlns: "http://www.w3.org/2000/svg", viewBox: `0 0 ${w} ${height}`, width: w / ratio, height: height / ratio});
    svg.append(...around.out, element("g", {transform: `translate(0 ${top})`}, ...chart.out));
    return new Blob([new XMLSerializer().serializeToString(svg)], {type: "image/svg+xml"});
  });
}
async function pngPicture() {
  const url = URL.createObjectURL(await svgPicture()), image = new Image(), sharp = 3;
  image.src = url;
  await image.decode();
  const canvas = el("canvas", {width: sharp * image.width, height: sharp * image.height});
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(url);
  return new Promise(done => canvas.toBlob(done));
}

byID("tools").hidden = byID("theme").hidden = false;
byID("view").className = data.legend;
byID("view").style.maxWidth = data.width + "px";
byID("theme").addEventListener("click", () => { switchTheme(); draw(); });
byID("all").addEventListener("click", draw);
byID("svg").addEventListener("click", async () => offer(await svgPicture(), "plot.svg"));
byID("png").addEventListener("click", async () => offer(await pngPicture(), "plot.png"));
byID("key").addEventListener("click", e => {
  const i = Number(e.target.closest("button")?.dataset.series);
  if (Number.isNaN(i)) return;
  if (!off.delete(i)) off.add(i);
  draw();
  byID("key").querySelector(`[data-series="${i}"]`).focus();
});
darkness.addEventListener("change", draw);
addEventListener("beforeprint", () => { printing = true; draw(); });
addEventListener("afterprint", () => { printing = false; draw(); });
new ResizeObserver(() => requestAnimationFrame(() => { if (plot.width !== byID("plotted").clientWidth) draw(); })).observe(byID("plotted"));
draw();
