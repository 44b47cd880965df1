// The page shows params, values and links that come from uploads. It sets them as text, never as
// markup, and links to http and https only.
"use strict";

const byID = id => document.getElementById(id);
const chart = byID("chart");
const colors = {
  light: ["#0072b2", "#c74f00", "#00805d", "#a8397a", "#6b4bb3", "#8a6a00", "#4d4d4d", "#c2183b"],
  dark: ["#56b4e9", "#ff9e4a", "#3ddc97", "#f19cc8", "#b794f6", "#e0c341", "#c8c8c8", "#ff7a90"],
};
const darkMode = matchMedia("(prefers-color-scheme: dark)");

let traces = [];   // as shown: {id, params, label, points: [points of a commit, ...]}
let commits = [];  // of these, in order: {commit, run, hour, ...}
let plot = null;
let selected = null; // {trace, commit}: indexes
let request = 0;     // numbers the queries, so that a late answer is ignored

// element returns an element with text or children.
function element(tag, content, properties = {}) {
  const e = Object.assign(document.createElement(tag), properties);
  e.append(...[content].flat());
  return e;
}

async function get(path, query = {}) {
  const response = await fetch(path + "?" + new URLSearchParams(query));
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.detail);
  return answer;
}

function say(text) { byID("status").textContent = text; }

// Params

async function loadParams() {
  const set = await get("api/params");
  const chosen = new URLSearchParams(location.hash.slice(1));
  byID("params").replaceChildren(...Object.entries(set).map(([key, values]) => {
    const select = element("select", values.map(value =>
      element("option", value, { value, selected: chosen.getAll(key).includes(term(value)) })),
      { multiple: true, name: key, size: Math.min(Math.max(values.length, 2), 6) });
    return element("label", [key, select]);
  }), element("button", "Clear", { type: "reset" }));
  return Object.keys(set).length;
}

// term returns what selects a value in a query, in which some first characters have a meaning.
function term(value) {
  return /^[!~*]/.test(value) ? "~^" + value.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&") + "$" : value;
}

async function query() {
  const mine = ++request;
  const q = new URLSearchParams();
  for (const option of byID("params").querySelectorAll("option:checked")) {
    q.append(option.closest("select").name, term(option.value));
  }
  history.replaceState(null, "", "#" + q);
  const answer = await get("api/series", { q, limit: 50 });
  if (mine === request) show(answer);
}

// Plot

// place returns what tells the commit of a point from others, or if it has none, its run.
const place = p => p.commit ? "commit " + p.commit : "run " + p.run;

function show(answer) {
  const used = new Set(answer.series.flatMap(s => s.points.map(place)));
  commits = answer.commits.filter(c => used.has(place(c)));
  const index = new Map(commits.map((c, i) => [place(c), i]));
  const keys = [...new Set(answer.series.flatMap(s => Object.keys(s.params)))].sort();
  const same = keys.filter(k => answer.series.every(s => s.params[k] === answer.series[0].params[k]));

  traces = answer.series.map(s => {
    const points = commits.map(() => []);
    for (const p of s.points) points[index.get(place(p))]?.push(p);
    const label = keys.filter(k => !same.includes(k) && k in s.params).map(k => `${k}=${s.params[k]}`).join(", ");
    return { ...s, points, label: label || s.id };
  });
  byID("title").textContent = same.map(k => `${k}=${answer.series[0].params[k]}`).join(", ") || "Values over commits";
  const order = byID("order");
  order.hidden = !answer.guess || commits.length < 2;
  order.textContent = answer.orderText[0].toUpperCase() + answer.orderText.slice(1) + ".";
  const more = answer.more ? " (the first ones; choose params to see others)" : "";
  say(`Traces: ${traces.length}${more}, commits: ${commits.length}`);
  select(null);
  draw();
}

function median(points) {
  const values = points.map(p => Number(p.value)).filter(Number.isFinite).sort((a, b) => a - b);
  const middle = values.length >> 1;
  if (values.length === 0) return null;
  return values.length % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

const color = i => colors[darkMode.matches ? "dark" : "light"][i % 8];
const dash = i => i < 8 ? [] : [2 + 4 * (i >> 3), 4];
const style = (id, property) => getComputedStyle(byID(id))[property]; // a color as a canvas takes it
const short = c => c === undefined ? "" : !c.commit ? c.hour?.slice(0, 13) ?? "(none)"
  : c.commit.length > 10 ? c.commit.slice(0, 9) + "…" : c.commit;

function draw() {
  plot?.destroy();
  chart.hidden = traces.length === 0;
  byID("legend").replaceChildren(...traces.map(legendItem));
  if (chart.hidden) return;

  const line = { stroke: style("chart", "borderTopColor"), width: 1 };
  const axis = { stroke: style("status", "color"), grid: line, ticks: line };
  plot = new uPlot({
    width: chart.clientWidth, height: chart.clientHeight, legend: { show: false },
    cursor: { points: { size: 10 }, drag: { x: true, y: false } },
    scales: { x: { time: false, range: rangeOfCommits } },
    axes: [
      { ...axis, space: 90, incrs: [1, 2, 5, 10, 20, 50, 100, 1000], values: (u, at) => at.map(i => short(commits[i])) },
      { ...axis, size: 80, values: (u, at) => at.map(v => String(Number(v.toPrecision(12)))) },
    ],
    series: [{}, ...traces.map((t, i) => ({
      stroke: color(i), dash: dash(i), width: 2, spanGaps: true, points: { show: true, size: 6, fill: color(i) },
    }))],
    hooks: { draw: [drawSelected] },
  }, [commits.map((c, i) => i), ...traces.map(t => t.points.map(median))], chart);
  plot.over.addEventListener("click", event => {
    const box = plot.over.getBoundingClientRect();
    selectNear(event.clientX - box.left, event.clientY - box.top);
  });
}

// rangeOfCommits returns the ends of the x axis. The plot makes a range of a single commit longer.
function rangeOfCommits(u, min, max) {
  max = Math.min(max, commits.length - 1);
  return max > min ? [min - .3, max + .3] : [min - 1, min + 1];
}

function svg(tag, attributes) {
  const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, value);
  return e;
}

function legendItem(trace, i) {
  const line = svg("svg", { width: 24, height: 4 });
  line.append(svg("path", { d: "M0 2H24", stroke: color(i), "stroke-width": 3, "stroke-dasharray": dash(i) }));
  const pressed = String(selected?.trace === i);
  const button = element("button", [line, trace.label], { type: "button", ariaPressed: pressed });
  button.onclick = () => { select(last(i)); chart.focus(); };
  return element("li", button);
}

// drawSelected draws a ring around the selected point.
function drawSelected(u) {
  if (!selected) return;
  const value = u.data[selected.trace + 1][selected.commit];
  if (value === null) return;
  const ratio = devicePixelRatio;
  u.ctx.beginPath();
  u.ctx.arc(u.valToPos(selected.commit, "x", true), u.valToPos(value, "y", true), 8 * ratio, 0, 7);
  u.ctx.lineWidth = 2 * ratio;
  u.ctx.strokeStyle = style("chart", "color");
  u.ctx.stroke();
}

// Selecting a point

const measured = (trace, commit) => traces[trace]?.points[commit]?.length > 0;
const last = trace => ({ trace, commit: commits.findLastIndex((c, i) => measured(trace, i)) });

function selectNear(left, top) {
  let best = null, least = 40 ** 2;
  for (let trace = 0; trace < traces.length; trace++) {
    plot.data[trace + 1].forEach((value, commit) => {
      if (value === null) return;
      const distance = (plot.valToPos(commit, "x") - left) ** 2 + (plot.valToPos(value, "y") - top) ** 2;
      if (distance < least) [best, least] = [{ trace, commit }, distance];
    });
  }
  if (best) select(best);
}

chart.onkeydown = event => {
  if (event.key === "Escape") return draw();
  const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
  if (!step || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  if (!selected) return select(last(0));

  let { trace, commit } = selected;
  if (step[0] !== 0) {
    trace = (trace + step[0] + traces.length) % traces.length;
    return select(measured(trace, commit) ? { trace, commit } : last(trace));
  }
  do commit += step[1]; while (commit >= 0 && commit < commits.length && !measured(trace, commit));
  if (measured(trace, commit)) select({ trace, commit });
};

// select shows a point: its params, its repetitions, and their links.
async function select(point) {
  selected = point;
  plot?.redraw(false);
  [...byID("legend").querySelectorAll("button")].forEach((b, i) => b.ariaPressed = String(point?.trace === i));
  const panel = byID("point");
  if (!point) return panel.replaceChildren();

  const trace = traces[point.trace], points = trace.points[point.commit].slice(0, 20);
  const rows = points.map(p => element("tr", [
    element("td", String(p.n)), element("td", String(p.value), { className: "value" }), element("td", ""),
  ]));
  const head = ["Repetition", "Value", "Links"].map(text => element("th", text));
  panel.replaceChildren(
    element("h2", commits[point.commit].commit ? `Commit ${commits[point.commit].commit}` : "No commit"),
    element("p", details(commits[point.commit])), element("p", trace.id),
    element("table", [element("thead", element("tr", head)), element("tbody", rows)]));

  await Promise.all(points.map(async (p, i) => {
    const links = await get("api/links", { id: trace.id, commit: p.commit, run: p.run ?? "", n: p.n });
    rows[i].lastChild.replaceChildren(...Object.entries(links).map(link));
  })).catch(error => panel.append(element("p", error.message)));
}

// details returns what is known of a commit, or of a run without one.
function details(c) {
  if (!c.commit) return `Run ${c.run}${c.hour ? ", " + c.hour : ""}`;
  return [c.subject, c.author, c.time?.replace("T", " ").replace("Z", " UTC")].filter(Boolean).join(", ");
}

// link returns a link with its whole URL, so that its name cannot pretend to lead elsewhere. What
// is not a URL of http or https is text.
function link([name, url]) {
  const safe = URL.canParse(url) && ["http:", "https:"].includes(new URL(url).protocol);
  const target = safe ? element("a", url, { href: url, target: "_blank", rel: "noopener noreferrer" }) : url;
  return element("div", [name + ": ", target]);
}

// Files that failed

async function loadFailed() {
  const failed = await get("api/files", { failed: 1 });
  const details = byID("failed");
  details.hidden = failed.length === 0;
  details.querySelector("summary").textContent = `Files that failed: ${failed.length}`;
  const rows = failed.slice(0, 200).map(f => element("tr", [element("td", f.path), element("td", f.error)]));
  details.querySelector("tbody").replaceChildren(...rows);
}

const report = error => say(error.message);
const run = () => query().catch(report);
byID("params").onchange = run;
byID("params").onreset = () => setTimeout(() => {
  for (const option of byID("params").querySelectorAll("option")) option.selected = false;
  run();
});
byID("params").onsubmit = event => event.preventDefault();
darkMode.onchange = draw;
addEventListener("resize", () => plot?.setSize({ width: chart.clientWidth, height: chart.clientHeight }));

loadParams().then(n => n > 0 ? query() : say("The store is empty."), report);
loadFailed().catch(report);
