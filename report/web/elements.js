// The explorer of the page: the first of its scripts, which are one function. Texts of files become
// text nodes and options only, never markup, and names are keys of Maps only.

const byID = id => document.getElementById(id);
const minus = "\u2212";

// What the page is about: its params, commits and series, and the numbers of these.
let meta, commits, N = 0, S = 0;

// take sets what the page is about.
function take(newMeta) {
  meta = newMeta;
  commits = meta.commits;
  N = commits.name.length;
  S = meta.points.length;
  series.length = 0;
  for (let i = 0; i < S; i++) series.push(noValues());
  texts.length = 0;
  takeFound(meta);
}
// takeFound sets what was found in the series.
function takeFound({marks, findings, threshold}) {
  meta.threshold = threshold;
  meta.marks = marks || [];
  meta.findings = findings || [];
  marksOf.clear();
  for (const m of meta.marks) marksOf.set(m.s, (marksOf.get(m.s) || []).concat(m));
  envelope = null;
}

// el returns an element with properties, attributes (data-, aria-, and those of SVG) and children.
function el(tag, props, ...children) {
  const e = document.createElement(tag);
  for (const [k, v] of Object.entries(props || {})) {
    if (v === undefined || v === null) continue;
    if (k in e && !k.includes("-")) e[k] = v; else e.setAttribute(k, v);
  }
  e.append(...children);
  return e;
}
// isolated returns text whose direction does not reach beyond it, and which may break after punctuation and between words.
function isolated(text) {
  const e = el("bdi");
  text.split(/(?<=[/:_.,;|=-]+)(?![/:_.,;|=-])|(?<=[a-z])(?=[A-Z])/).forEach((part, i) => e.append(...(i > 0 ? [el("wbr")] : []), part));
  return e;
}
