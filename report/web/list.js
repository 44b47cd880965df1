// The list of series.

let matching = [];
function filter() {
  const words = state.q.toLowerCase().split(/\s+/).filter(w => w);
  const filters = [...state.keys].map(([key, value]) => {
    const k = meta.keys.indexOf(key);
    return [k, k < 0 ? -2 : meta.values[k].indexOf(value)];
  });
  const passes = (i, but) => filters.every(([k, v]) => k === but || v >= 0 && meta.params[k][i] === v);
  const found = [];
  for (let i = 0; i < S; i++) if (words.length === 0 || words.every(w => text(i).includes(w))) found.push(i);
  matching = filters.length ? found.filter(i => passes(i)) : found;
  sort();
  showKeys(found, passes);
}

function sort() {
  const by = {
    change: i => { const c = change(i); return c !== c ? Infinity : -(meta.better[i] === 0 ? Math.abs(c) : meta.better[i] === 1 ? c : -c); },
    size: i => { const c = Math.abs(change(i)); return c !== c ? Infinity : -c; },
    order: i => i,
  }[state.sort];
  if (by) {
    const rank = new Float64Array(S);
    for (const i of matching) rank[i] = by(i);
    matching.sort((a, b) => rank[a] === rank[b] ? a - b : rank[a] < rank[b] ? -1 : 1);
  } else {
    const order = new Intl.Collator("en", {numeric: true}).compare, names = new Map(matching.map(i => [i, name(i)]));
    matching.sort((a, b) => order(names.get(a), names.get(b)) || a - b);
  }
}

// showKeys shows a choice for each key that tells series apart, with the values that the other choices leave.
const mostKeys = 8, mostOptions = 500;
let showAllKeys = false;
function showKeys(found, passes) {
  const box = byID("keys"), focused = document.activeElement?.dataset?.key;
  const keys = meta.keys.map((_, k) => k).filter(k => !meta.common.includes(k) && (meta.values[k].length > 1 || meta.params[k].includes(-1)));
  for (const key of state.keys.keys()) if (!meta.keys.includes(key)) keys.unshift(key);
  const visible = showAllKeys ? keys : keys.filter((k, place) => place < mostKeys || state.keys.has(meta.keys[k]));
  box.replaceChildren(...visible.map(k => {
    const key = typeof k === "string" ? k : meta.keys[k], chosen = state.keys.get(key), counts = new Map();
    if (typeof k !== "string") {
      for (const i of found) {
        const v = meta.params[k][i];
        if (v >= 0 && passes(i, k)) counts.set(v, (counts.get(v) || 0) + 1);
      }
    }
    const select = el("select", {"data-key": key}, el("option", {value: ""}, "any"));
    const options = [...counts].sort((a, b) => a[0] - b[0]);
    for (const [v, n] of options.slice(0, mostOptions)) {
      select.append(el("option", {value: "=" + meta.values[k][v], selected: meta.values[k][v] === chosen}, meta.values[k][v] + " (" + n + ")"));
    }
    if (options.length > mostOptions) select.append(el("option", {disabled: true}, counted(options.length - mostOptions, "more: search", "more: search")));
    if (chosen !== undefined && select.value !== "=" + chosen) select.append(el("option", {value: "=" + chosen, selected: true}, chosen + " (0)"));
    return el("label", null, isolated(key), select);
  }));
  if (visible.length < keys.length) {
    box.append(el("button", {type: "button", id: "allKeys", onclick: () => { showAllKeys = true; filter(); }}, counted(keys.length - visible.length, "more param", "more params")));
  }
  if (focused !== undefined) [...box.querySelectorAll("select")].find(s => s.dataset.key === focused)?.focus();
}

let listed = 100;
function showList() {
  const body = byID("list").tBodies[0], rows = [];
  for (const i of matching.slice(0, listed)) {
    const s = series[i], last = s.v.length - 1, c = change(i), found = recent(i), place = state.sel.indexOf(i);
    const said = Math.abs(c) === Infinity && Number.isFinite(s.v[last]) ? "from 0" : percent(c);
    const button = el("button", {type: "button", "aria-pressed": place >= 0, "data-series": i, title: name(i)}, swatch(place), el("span", {className: "clamp"}, isolated(name(i))));
    rows.push(el("tr", null, el("th", {scope: "row"}, button),
      el("td", null, ...(last < 0 ? ["no values"] : [number(s.v[last], brief), " ", el("bdi", {className: "unit"}, unit(i))])),
      el("td", {className: isUnusual(i) ? effect(i, c) : ""}, found ? el("a", {className: "open", href: "#explorer", "data-finding": found.finding}, said) : said)));
  }
  body.replaceChildren(...rows);
  byID("more").hidden = matching.length <= listed;
  let status = matching.length === S ? counted(S, "series", "series") : plain.format(matching.length) + " of " + counted(S, "series", "series");
  if (matching.length === 0 && S > 0) status = "No series match.";
  if (state.missing) status += " " + counted(state.missing, "series", "series") + " of the address " + (state.missing === 1 ? "is" : "are") + " not in this page.";
  byID("status").textContent = status;
}
