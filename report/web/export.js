// Files of what the chart shows.

// csvOf returns the values of series as CSV, the oldest commit first.
function csvOf(list, a, b) {
  const field = text => /[",\n\r]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
  const rows = [["commit", "time", "series", "unit", "value", "n", "min", "max"]];
  for (let c = a; c <= b; c++) {
    const time = commits.time && commits.time[c] ? new Date(1000 * commits.time[c]).toISOString() : "";
    for (const i of list) {
      const s = series[i], p = find(s, c);
      if (!Number.isInteger(p)) continue;
      const n = s.n ? s.n[p] : 1;
      rows.push([commits.name[c], time, name(i), unit(i), s.v[p], n, ...(n > 1 ? [s.lo[p], s.hi[p]] : [s.v[p], s.v[p]])]);
    }
  }
  return rows.map(row => row.map(cell => field(String(cell))).join(",") + "\n").join("");
}

// picture returns the chart with a legend, on the color of the page.
function picture() {
  const canvas = document.createElement("canvas"), chart = plot.ctx.canvas, ratio = devicePixelRatio || 1, line = 20 * ratio;
  canvas.width = chart.width;
  canvas.height = chart.height + line * state.sel.length + line / 2;
  const ctx = canvas.getContext("2d");
  ctx.fillStyle = getComputedStyle(document.body).backgroundColor;
  ctx.fillRect(0, 0, canvas.width, canvas.height);
  ctx.font = 13 * ratio + "px system-ui, sans-serif";
  state.sel.forEach((i, place) => {
    const y = line * (place + 0.7);
    ctx.fillStyle = lineColor(place);
    ctx.fillRect(10 * ratio, y - 6 * ratio, 14 * ratio, 4 * ratio);
    ctx.fillStyle = colors.text;
    ctx.fillText(name(i) + " (" + unit(i) + ")", 30 * ratio, y, canvas.width - 40 * ratio);
  });
  ctx.drawImage(chart, 0, line * state.sel.length + line / 2);
  return canvas;
}

// offer saves a file, as a download of the browser.
function offer(blob, file) {
  const url = URL.createObjectURL(blob);
  el("a", {href: url, download: file}).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
