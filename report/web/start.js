// The beginning, when the data is there.

function isReady() {
  document.documentElement.dataset.opened ||= Math.round(performance.now());
  document.documentElement.dataset.ready = "true";
}
function tell(problem) {
  byID("problem").textContent = problem;
  byID("problem").hidden = problem === "";
}

// begin shows what the page is about, without values.
function begin(meta) {
  take(meta);
  byID("panes").hidden = S === 0;
  byID("empty").hidden = S > 0;
  const cur = state ? state.cur : 0;
  restore();
  state.cur = cur;
  hovered = null;
}

new ResizeObserver(() => {
  const box = byID("chart");
  if (plot && box.clientWidth && (box.clientWidth !== plot.width || box.clientHeight !== plot.height)) plot.setSize({width: box.clientWidth, height: box.clientHeight});
}).observe(byID("chart"));

try {
  await load();
} catch (e) {
  tell("The page cannot be shown: " + e.message + ". It needs a browser of 2023 or later.");
  throw e;
}
