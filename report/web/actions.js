// What the user does.

function show() {
  filter();
  choose();
  byID("search").value = state.q;
  byID("sort").value = state.sort;
  setColors();
  showList();
  showChart();
}
function showChart() {
  draw();
  showReadout();
  showTable();
}
// choose selects the first series, unless the address says which.
function choose() {
  if (!state.sel) {
    const finding = meta.findings[0];
    const first = finding ? finding.s.slice(0, 3) : matching.slice(0, 1);
    state.sel = state.missing ? [] : first;
    state.chosen = false;
  }
  state.cur = Math.min(state.cur, Math.max(state.sel.length - 1, 0));
}
function set(change, replace) {
  Object.assign(state, change);
  if (change.sel) state.chosen = true;
  state.missing = 0;
  hovered = null;
  save(replace);
  show();
}
// select shows other series. The list stays as it is, but for what is selected.
function select(sel) {
  const all = !state.missing;
  Object.assign(state, {sel, missing: 0, chosen: true});
  hovered = null;
  choose();
  save();
  if (!all) showList();
  for (const button of byID("list").querySelectorAll("button")) {
    const place = sel.indexOf(+button.dataset.series);
    if (place < 0 && button.getAttribute("aria-pressed") === "false") continue;
    button.setAttribute("aria-pressed", place >= 0);
    button.firstChild.replaceWith(swatch(place));
  }
  showChart();
}
function toggle(i) {
  const sel = state.sel.includes(i) ? state.sel.filter(s => s !== i) : [...state.sel, i].slice(-mostSelected);
  select(sel);
}
function setZoom(zoom, replace) {
  if (zoom && zoom[0] <= 0 && zoom[1] >= N - 1) zoom = null;
  state.zoom = zoom;
  save(replace, "zoom");
  if (!plot) return;
  const [a, b] = view(), cursor = hovered ?? state.at;
  setWidths();
  plot.setScale("x", {min: a, max: b});
  if (cursor !== null) queueMicrotask(() => point(cursor)); // the plot has moved under the cursor
  describe();
  showReadout();
  showTable();
}
// move shifts the view by a share of its width, and zooms it.
function move(shift, factor) {
  const [a, b] = view(), width = Math.max(Math.min(Math.round((b - a) * factor), N - 1), Math.min(4, N - 1));
  const middle = state.at !== null && factor !== 1 && state.at >= a && state.at <= b ? state.at : (a + b) / 2;
  let from = Math.round(middle - width / 2 + shift * (b - a));
  from = Math.max(Math.min(from, N - 1 - width), 0);
  setZoom([from, from + width]);
}
function keep(c) {
  state.at = c;
  save();
  plot?.redraw(false);
  showReadout();
}
// step moves the cursor to the next commit with a value.
function step(direction) {
  const i = state.sel[state.cur];
  if (i === undefined || !plot) return;
  const s = series[i], p = find(s, hovered ?? state.at ?? newest());
  let k = hovered === null && state.at === null ? Math.floor(p) : direction > 0 ? Math.floor(p) + 1 : Math.ceil(p) - 1;
  k = Math.max(Math.min(k, s.at.length - 1), 0);
  if (k >= s.at.length) return;
  const c = s.at[k], [a, b] = view();
  if (c < a || c > b) {
    const from = Math.max(Math.min(c < a ? c : c - (b - a), N - 1 - (b - a)), 0);
    setZoom([from, from + b - a], true);
  }
  point(c);
  showReadout();
  speak(c);
}
// point moves the cursor to a commit.
function point(c) {
  plot?.setCursor({left: plot.valToPos(c, "x"), top: 10}, false);
  hovered = c;
}

byID("chart").addEventListener("keydown", e => {
  if (e.ctrlKey || e.metaKey || e.altKey) return;
  const actions = {
    ArrowLeft: () => e.shiftKey ? move(-0.25, 1) : step(-1),
    ArrowRight: () => e.shiftKey ? move(0.25, 1) : step(1),
    ArrowUp: () => next(-1), ArrowDown: () => next(1),
    "+": () => move(0, 0.5), "=": () => move(0, 0.5), "-": () => move(0, 2), 0: () => setZoom(null),
    Enter: () => { if (hovered !== null) keep(state.at === hovered ? null : hovered); },
    Escape: () => { hovered = null; keep(null); },
  };
  const action = Object.hasOwn(actions, e.key) ? actions[e.key] : null;
  if (!action) return;
  e.preventDefault();
  action();
});
function next(direction) {
  if (state.sel.length === 0) return;
  state.cur = (state.cur + direction + state.sel.length) % state.sel.length;
  showLegend();
  plot?.redraw(false);
  speak(hovered ?? state.at ?? newest());
}
byID("search").addEventListener("input", e => {
  state.q = e.target.value;
  listed = 100;
  save(typing);
  typing = true;
  filter();
  showList();
  later(draw);
});
byID("search").addEventListener("blur", () => { typing = false; });
byID("keys").addEventListener("change", e => {
  const keys = new Map(state.keys), key = e.target.dataset.key;
  if (e.target.value === "") keys.delete(key); else keys.set(key, e.target.value.slice(1));
  listed = 100;
  set({keys});
});
byID("sort").addEventListener("change", e => set({sort: e.target.value}));
byID("scale").addEventListener("change", e => { state.scale = e.target.value; save(); showChart(); });
byID("more").addEventListener("click", () => {
  const from = listed;
  listed += 200;
  showList();
  byID("list").tBodies[0].rows[from]?.querySelector("button").focus();
});
byID("list").addEventListener("click", e => {
  const button = e.target.closest("button");
  if (button) toggle(+button.dataset.series);
});
byID("legend").addEventListener("click", e => {
  const button = e.target.closest("button");
  if (!button) return;
  toggle(+button.dataset.series);
  (byID("legend").querySelector("button") || byID("chart")).focus();
});
for (const [button, action] of [["left", () => move(-0.25, 1)], ["right", () => move(0.25, 1)], ["in", () => move(0, 0.5)], ["out", () => move(0, 2)], ["all", () => setZoom(null)]]) {
  byID(button).addEventListener("click", action);
}
byID("table").addEventListener("toggle", showTable);
byID("theme").hidden = false;
byID("theme").addEventListener("click", () => { switchTheme(); show(); });
byID("csv").addEventListener("click", () => offer(new Blob([csvOf(state.sel, ...view())], {type: "text/csv"}), "values.csv"));
byID("png").addEventListener("click", () => picture().toBlob(blob => offer(blob, "chart.png")));
// copy copies a text, and says so for a while on the button.
async function copy(button, text, label, said) {
  try { await navigator.clipboard.writeText(text); } catch { prompt(label, text); return; }
  const before = button.textContent;
  byID("spoken").textContent = button.textContent = said;
  setTimeout(() => { button.textContent = before; }, 4000);
}
byID("link").addEventListener("click", e => {
  save(true);
  copy(e.target, location.href, "The address of this view", "Copied");
});
document.addEventListener("click", e => {
  const button = e.target.closest("button.accept");
  const reason = button && prompt("Why is this change accepted?");
  if (!reason) return;
  const f = meta.findings[button.dataset.finding];
  copy(button, f.s.map(i => [query(i), commits.name[f.c], reason].join(" ") + "\n").join(""), "Add this to the file of --known", "Copied: add it to the file of --known");
});
document.addEventListener("click", e => {
  const link = e.target.closest("a.open");
  if (!link) return;
  e.preventDefault();
  const f = meta.findings[link.dataset.finding], room = 40;
  set({sel: f.s.slice(0, 8), zoom: [Math.max(f.lo - room, 0), Math.min(f.hi + room, N - 1)], at: f.c, keys: new Map(), q: "", scale: ""});
  byID("explorer").scrollIntoView();
  byID("chart").focus({preventScroll: true});
});
document.addEventListener("toggle", e => {
  const details = e.target;
  if (!details.matches("details.data") || !details.open || details.children.length > 1) return;
  const f = meta.findings[details.dataset.finding];
  details.append(el("div", {className: "scroll", tabIndex: 0, role: "region", "aria-label": "Data of the finding"}, ...tableOf(f.s.slice(0, 1), Math.max(f.lo - 30, 0), Math.min(f.hi + 30, N - 1))));
}, true);
addEventListener("popstate", () => {
  if (location.hash && !location.hash.includes("=") && location.hash !== "#explorer") return;
  restore();
  hovered = null;
  show();
});
darkness.addEventListener("change", () => { if (!theme) show(); });
addEventListener("beforeprint", () => { printing = true; show(); });
addEventListener("afterprint", () => { printing = false; show(); });

