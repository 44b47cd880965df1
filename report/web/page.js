// The data of a page that has its own.

async function load() {
  begin(JSON.parse(byID("meta").textContent));
  const starts = blockStarts(meta.points), inflated = [...document.querySelectorAll("script.block")].map(b => {
    b.remove();
    return inflate(fromBase64(b.textContent));
  });
  for (const [k, block] of inflated.entries()) decode(await block, starts[k], starts[k + 1]);
  show();
  isReady();
}
