// Words.

const plain = new Intl.NumberFormat("en", {maximumSignificantDigits: 7});
const brief = new Intl.NumberFormat("en", {maximumSignificantDigits: 4, notation: "compact"});
function number(v, format = plain) {
  if (v === Infinity) return "+Inf";
  if (v === -Infinity) return minus + "Inf";
  if (v !== v) return "NaN";
  const size = Math.abs(v);
  const text = size !== 0 && (size < 1e-4 || size >= 1e15) ? v.toExponential(3) : format.format(v);
  return text.replace("-", minus).replace("K", "k").replace("B", "G");
}
function percent(v) {
  if (!Number.isFinite(v)) return "";
  if (Math.abs(v) >= 10 || v > -1 && v < -0.999) return "\u00d7" + number(1 + v, brief);
  const text = (100 * v).toFixed(1);
  return (+text > 0 ? "+" : "") + text.replace("-0.0", "0.0").replace("-", minus) + "%";
}
const counted = (n, one, many) => plain.format(n) + " " + (n === 1 ? one : many);
const mostParts = 8;
const unit = i => meta.units[meta.unit[i]];
function name(i) {
  const parts = [];
  meta.names.forEach((k, place) => {
    const v = meta.params[k][i];
    if (v >= 0) parts.push((place < meta.lead ? "" : meta.keys[k] + "=") + meta.values[k][v]);
  });
  const more = parts.length - mostParts;
  if (more > 0) parts.splice(mostParts, more, "(" + more + " more params)");
  return parts.join(" ") || "all values";
}
// query selects a series, as ParseQuery reads it.
function query(i) {
  return meta.keys.flatMap((key, k) => {
    const v = meta.params[k][i];
    return v < 0 ? [] : [encodeURIComponent(key) + "=" + encodeURIComponent(meta.values[k][v])];
  }).join("&");
}
const texts = [];
function text(i) {
  if (texts[i] === undefined) {
    texts[i] = meta.keys.map((key, k) => meta.params[k][i] < 0 ? "" : key + "=" + meta.values[k][meta.params[k][i]])
      .concat(unit(i)).join(" ").toLowerCase();
  }
  return texts[i];
}
// id names a series in the address: a hash (FNV-1a) of its params.
function id(i) {
  let h = 0x811c9dc5;
  for (let k = 0; k < meta.keys.length; k++) {
    const v = meta.params[k][i];
    if (v < 0) continue;
    for (const c of meta.keys[k] + "=" + meta.values[k][v] + ",") h = Math.imul(h ^ c.codePointAt(0), 0x01000193) >>> 0;
  }
  return h.toString(36);
}
function commitLabel(c, most = 12) {
  const text = [...commits.name[c]];
  return text.length === 0 ? "no name" : text.length > most ? text.slice(0, most - 1).join("") + "\u2026" : commits.name[c];
}
const date = c => commits.time && commits.time[c] ? new Date(1000 * commits.time[c]).toISOString().slice(0, 10) : "";
// when returns the labels of some commits: their dates, with the times if dates are equal.
function when(places) {
  const dates = places.map(date), repeated = dates.some((d, k) => d && d === dates[k - 1]);
  return places.map((c, k) => !dates[k] ? commitLabel(c, 10) : repeated ? new Date(1000 * commits.time[c]).toISOString().slice(5, 16).replace("T", " ") : dates[k]);
}
function commitLink(c, label) {
  if (!meta.commitURL || !commits.name[c] || commits.name[c].includes(" ")) return el("code", null, isolated(label));
  const href = meta.commitURL.replaceAll("{commit}", encodeURIComponent(commits.name[c]));
  return el("a", {href, rel: "noreferrer"}, isolated(label));
}
function effect(i, relative) {
  const better = meta.better[i];
  if (better === 0 || !relative || Math.abs(relative) < 0.005) return "";
  return (relative > 0) === (better === 1) ? "bad" : "good";
}
