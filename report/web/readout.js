// The values at a commit, in words and tables.

function showLegend() {
  const units = meta.units.length > 1;
  byID("legend").replaceChildren(...state.sel.map((i, place) => {
    const cross = el("span", {"aria-hidden": "true"}, " \u00d7");
    return el("li", null, el("button", {type: "button", "data-series": i, "aria-current": place === state.cur ? "true" : null},
      el("span", {className: "hidden"}, "Remove "), swatch(place), el("span", {className: "clamp"}, isolated(name(i))),
      ...(units ? [" ", el("bdi", {className: "unit"}, unit(i))] : []), cross));
  }));
  if (S > 0 && state.sel.length === 0) byID("legend").replaceChildren(el("li", null, "No series is selected. The band shows all that match."));
  byID("scale").value = relative() ? "relative" : "values";
}

function marksAt(i, c) {
  return (marksOf.get(i) || []).filter(m => m.c === c).map(m => m.k === 2 ? "outlier" :
    (m.k === 1 ? "trend" : "step") + (m.b === null || m.a === null ? "" : ": " + number(m.b, brief) + " \u2192 " + number(m.a, brief))).join("; ");
}

// deltaAt returns the change of a value from the previous one, and its class, if it is marked: the rest is noise.
function deltaAt(i, p) {
  const s = series[i];
  if (p === 0) return ["", ""];
  const d = s.v[p] - s.v[p - 1], r = s.v[p] / s.v[p - 1] - 1;
  if (!Number.isFinite(d)) return ["", ""];
  return [(d > 0 ? "+" : "") + number(d, brief) + (Number.isFinite(r) ? " (" + percent(r) + ")" : ""), marksAt(i, s.at[p]) && effect(i, r)];
}

let showLinks = () => {}; // of the value of a series at a commit
function showReadout() {
  const box = byID("readout"), c = hovered ?? state.at ?? newest();
  if (c === null) { box.replaceChildren(); return; }
  const line = el("p", null, commitLink(c, commitLabel(c, 40)));
  if (date(c)) line.append(" \u00b7 ", el("time", null, date(c)));
  const about = [commits.author ? commits.authors[commits.author[c]] : "", commits.subject ? commits.subject[c] : ""].filter(t => t);
  for (const t of about) line.append(" \u00b7 ", isolated(t));
  if (state.at === c) line.append(" \u00b7 kept");
  const repeated = state.sel.some(i => series[i].n?.[find(series[i], c)] > 1), marked = state.sel.some(i => marksAt(i, c));
  const rows = state.sel.map((i, place) => {
    const s = series[i], p = find(s, c), row = el("tr", null, el("th", {scope: "row"},
      el("span", {className: "named"}, swatch(place), el("span", {className: "clamp"}, isolated(name(i))))));
    if (!Number.isInteger(p)) { row.append(el("td", {colSpan: 4}, "no value")); return row; }
    const [delta, kind] = deltaAt(i, p), n = s.n ? s.n[p] : 1;
    row.append(el("td", null, number(s.v[p]), " ", el("bdi", {className: "unit"}, unit(i))), el("td", {className: kind}, delta));
    if (repeated) row.append(el("td", null, n > 1 ? n + ": " + number(s.lo[p], brief) + " to " + number(s.hi[p], brief) : n));
    if (marked) row.append(el("td", null, marksAt(i, c)));
    return row;
  });
  const columns = ["Series", "Value", "To previous", ...(repeated ? ["n: range"] : []), ...(marked ? ["Mark"] : [])];
  const head = el("tr", null, ...columns.map(t => el("th", {scope: "col"}, t)));
  box.replaceChildren(line, el("div", {className: "scroll", tabIndex: 0, role: "region", "aria-label": "Values at the commit"}, el("table", null, el("thead", null, head), el("tbody", null, ...rows))));
  const current = state.sel[state.cur];
  if (state.at === c && current !== undefined && Number.isInteger(find(series[current], c))) showLinks(box, current, c);
}

function speak(c) {
  const i = state.sel[state.cur];
  if (c === null || i === undefined) return;
  const p = find(series[i], c), mark = marksAt(i, c);
  const value = Number.isInteger(p) ? number(series[i].v[p]) + " " + unit(i) + ", " + (deltaAt(i, p)[0] || "no change known") : "no value";
  byID("spoken").textContent = commitLabel(c) + (date(c) ? ", " + date(c) : "") + ": " + name(i) + " " + value + (mark ? ", " + mark : "");
}

// rowsOf returns a table of series, the newest commit first.
const mostRows = 300;
function tableOf(list, a, b) {
  const head = el("tr", null, el("th", {scope: "col"}, "Commit"));
  if (commits.time) head.append(el("th", {scope: "col"}, "Date"));
  for (const i of list) head.append(el("th", {scope: "col"}, isolated(name(i)), " ", el("bdi", null, unit(i))));
  const rows = [];
  let more = false;
  for (let c = b; c >= a; c--) {
    const places = list.map(i => find(series[i], c));
    if (!places.some(Number.isInteger)) continue;
    if (rows.length === mostRows) { more = true; break; }
    const row = el("tr", null, el("th", {scope: "row"}, commitLink(c, commitLabel(c))));
    if (commits.time) row.append(el("td", null, date(c)));
    list.forEach((i, k) => {
      const s = series[i], p = places[k];
      let text = "";
      if (Number.isInteger(p)) {
        text = number(s.v[p]);
        if (s.n && s.n[p] > 1) text += " (n=" + s.n[p] + ", " + number(s.lo[p], brief) + " to " + number(s.hi[p], brief) + ")";
        const mark = marksAt(i, c);
        if (mark) text += " " + mark;
      }
      row.append(el("td", null, text));
    });
    rows.push(row);
  }
  const table = el("table", null, el("thead", null, head), el("tbody", null, ...rows));
  return more ? [table, el("p", null, "The newest " + mostRows + " commits of the view.")] : [table];
}

function showTable() {
  const details = byID("table");
  if (details.open) details.querySelector("div").replaceChildren(...(state.sel.length ? tableOf(state.sel, ...view()) : ["No series is selected."]));
}
