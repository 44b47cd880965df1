// State: all of it is in the address.

const mostSelected = 16;
let state;
const initial = () => ({q: "", keys: new Map(), sort: "change", sel: null, zoom: null, at: null, scale: "", cur: 0, missing: 0, chosen: false});

const commitKey = c => commits.name[c].length <= 12 ? commits.name[c] || "@" + c : commits.name[c].slice(0, 12);
function commitOf(key) {
  let c = commits.name.indexOf(key);
  if (c < 0 && key) c = commits.name.findIndex(name => name.startsWith(key));
  if (c < 0 && /^@\d+$/.test(key)) c = +key.slice(1);
  return c >= 0 && c < N ? c : null;
}

function address() {
  const p = new URLSearchParams();
  if (state.q) p.set("q", state.q);
  for (const [k, v] of state.keys) p.append("k", k + "=" + v);
  if (state.sort !== "change") p.set("sort", state.sort);
  if (state.sel) p.set("s", state.sel.map(id).join(" "));
  if (state.zoom) p.set("z", commitKey(state.zoom[0]) + ".." + commitKey(state.zoom[1]));
  if (state.at !== null) p.set("at", commitKey(state.at));
  if (state.scale) p.set("scale", state.scale);
  return p.toString();
}

// indexesOf returns the series of ids, without those that the page does not have.
function indexesOf(wanted) {
  const ids = new Map();
  for (let i = S - 1; i >= 0; i--) ids.set(id(i), i);
  return wanted.filter(s => ids.has(s)).map(s => ids.get(s));
}

function restore() {
  state = initial();
  const hash = location.hash.slice(1);
  if (!hash.includes("=")) return;
  const p = new URLSearchParams(hash);
  state.q = p.get("q") || "";
  for (const pair of p.getAll("k")) {
    const i = pair.indexOf("=");
    if (i > 0) state.keys.set(pair.slice(0, i), pair.slice(i + 1));
  }
  if (["size", "name", "order"].includes(p.get("sort"))) state.sort = p.get("sort");
  if (["values", "relative"].includes(p.get("scale"))) state.scale = p.get("scale");
  if (p.has("s")) {
    const wanted = p.get("s").split(" ").filter(s => s).slice(0, mostSelected);
    state.sel = indexesOf(wanted);
    state.missing = wanted.length - state.sel.length;
    state.chosen = true;
  }
  const ends = (p.get("z") || "").split("..").map(commitOf);
  if (ends.length === 2 && ends[0] !== null && ends[1] !== null && ends[0] <= ends[1]) state.zoom = ends;
  if (p.has("at")) state.at = commitOf(p.get("at"));
}

// save puts the state into the address, as a new entry of the history, or in place of the current one
// if that is of the same second and kind: Back undoes a row of steps at once.
let typing = false, savedAt = 0, savedKind = "";
function save(replace, kind = "") {
  const hash = "#" + (address() || "explorer");
  if (hash === location.hash) return;
  const again = kind !== "" && kind === savedKind && Date.now() - savedAt < 1000;
  savedKind = kind;
  savedAt = Date.now();
  try {
    history[replace || again ? "replaceState" : "pushState"](null, "", hash);
  } catch {
    location.hash = hash;
  }
}
