// The data of a page that a server has.

const source = JSON.parse(byID("source").textContent);
let version = "", updated = "";

// ask returns an answer of the server, or null if it has nothing new.
async function ask(path, as, more = {}) {
  const query = new URLSearchParams(location.search);
  for (const [k, v] of Object.entries(more)) query.set(k, v);
  let status = 0, answer;
  try {
    const response = await fetch(source.url + path + "?" + query, {signal: AbortSignal.timeout(60000)});
    status = response.status;
    if (status === 204) return null;
    if (response.ok) return await response[as]();
    answer = await response.json();
  } catch {
    // The server is gone, or what answers is another one.
  }
  throw Object.assign(new Error(answer?.detail ? "The server says: " + answer.detail + "." : "The server does not answer."), {status, isAnswer: true});
}

// setPart sets a part of the page. It is made by the server, which escapes all texts in it.
const parts = new Map();
function setPart(id, html) {
  if (parts.get(id) === html) return;
  parts.set(id, html);
  byID(id).replaceChildren(...new DOMParser().parseFromString(html, "text/html").body.childNodes);
}

// tellEmpty says why there are no values.
function tellEmpty() {
  const box = byID("empty"), query = new URLSearchParams(location.search).get("q");
  if (query) box.replaceChildren(el("p", null, "No series matches the query."));
  else for (const code of box.querySelectorAll("code")) code.textContent = code.textContent.replaceAll("{server}", location.origin);
}

// update shows the data of the server, if it is new. The first time, each part is shown as it arrives.
async function update() {
  const head = await ask("", "json", version ? {have: version} : {});
  if (head === null) return;
  const of = {version: head.version}, isFirst = version === "", starts = blockStarts(head.meta.points);
  const found = ask("/findings", "json", of);
  found.catch(() => {}); // it is awaited below
  const block = async k => inflate(await ask("/values", "arrayBuffer", {...of, block: k}));
  const blocks = starts.slice(1).map((_, k) => k);
  document.title = head.title;

  if (isFirst) {
    begin(head.meta);
    if (S === 0) tellEmpty();
    setPart("about", head.about);
    const wanted = new Set(state.sel || []);
    const isWanted = k => [...wanted].some(i => i >= starts[k] && i < starts[k + 1]) ? 0 : 1;
    blocks.sort((a, b) => isWanted(a) - isWanted(b) || a - b);
    for (const [n, k] of blocks.entries()) {
      decode(await block(k), starts[k], starts[k + 1]);
      if (n === 0 || n === blocks.length - 1) show();
      document.documentElement.dataset.picture ||= Math.round(performance.now());
    }
  }
  const values = [];
  if (!isFirst) for (const k of blocks) values.push(await block(k));
  const {about, answers, ...rest} = await found;
  if (!isFirst) {
    begin(head.meta); // the address has what the user chose
    for (const k of blocks) decode(values[k], starts[k], starts[k + 1]);
  } else if (!state.chosen && !state.zoom && state.at === null) {
    state.sel = null;
  }
  takeFound(rest);
  setPart("about", about);
  setPart("answers", answers);
  show();
  if (isFirst && location.hash.startsWith("#f-")) byID(location.hash.slice(1))?.scrollIntoView();
  version = head.version;
  updated = new Date().toTimeString().slice(0, 8);
  if (!isFirst) byID("live").textContent = "New values since " + updated + ".";
  document.documentElement.dataset.version = version;
  isReady();
}

// load updates the page for as long as it is open, and says what is wrong with the server.
async function load() {
  for (let failures = 0, isFirst = true; ;) {
    try {
      await update();
      failures = 0;
      tell("");
    } catch (e) {
      if (!e.isAnswer) throw e;
      if (e.status === 400) {
        setPart("about", "<h1>" + document.title.replaceAll("&", "&amp;").replaceAll("<", "&lt;") + "</h1>");
        tell(e.message);
        return;
      }
      if (e.status === 410) version = "";
      failures++;
      if (failures > 1 || e.status !== 410) {
        tell(e.message + (updated ? " This is the state of " + updated + "." : "") + " The page tries again.");
      }
    }
    // The first answer may be older than the question: a server may need time for a new one.
    const every = isFirst ? Math.min(source.every, 1000) : source.every;
    isFirst = false;
    await pause(failures ? Math.min(every * 2 ** (failures - 1), 60000) : every);
  }
}

// pause waits for some milliseconds, and until the page is visible.
function pause(ms) {
  return new Promise(done => setTimeout(() => {
    if (document.hidden) document.addEventListener("visibilitychange", done, {once: true}); else done();
  }, ms));
}

// showLinks adds the links of a value to an element, once they have arrived.
const linksAt = new Map();
showLinks = (box, i, c) => {
  if (!version) return;
  const key = version + " " + i + " " + c, to = el("p");
  box.append(to);
  if (!linksAt.has(key)) linksAt.set(key, ask("/links", "json", {version, series: i, commit: c}));
  linksAt.get(key).then(links => {
    for (const [name, url] of Object.entries(links)) {
      const isWeb = URL.canParse(url) && ["http:", "https:"].includes(new URL(url).protocol);
      to.append(isolated(name), ": ", isWeb ? el("a", {href: url, rel: "noopener noreferrer", target: "_blank"}, isolated(url)) : isolated(url), " ");
    }
  }, e => { linksAt.delete(key); to.textContent = e.message; });
};

byID("query").value = new URLSearchParams(location.search).get("q") || "";
byID("select").addEventListener("submit", e => {
  e.preventDefault();
  const query = new URLSearchParams(location.search), q = byID("query").value.trim();
  if (q) query.set("q", q); else query.delete("q");
  location.assign(location.pathname + (query.size ? "?" + query : ""));
});
