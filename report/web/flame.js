(() => {
  const picture = document.currentScript.closest(".flame");
  const groups = [...picture.querySelectorAll(".box")];
  const boxes = groups.map(group => {
    const box = group.querySelector("svg"), of = name => parseFloat(box.getAttribute(name));
    return {box, left: of("x"), width: of("width"), top: of("y")};
  });
  const tiny = 1e-4; // places are rounded
  const show = shown => {
    boxes.forEach(({box, left, width}, i) => {
      const from = Math.max((left - shown.left) / shown.width * 100, 0);
      const to = Math.min((left + width - shown.left) / shown.width * 100, 100);
      const visible = left + width > shown.left + tiny && left < shown.left + shown.width - tiny;
      groups[i].style.display = visible ? "" : "none";
      box.setAttribute("x", from + "%");
      box.setAttribute("width", Math.max(to - from, 0) + "%");
    });
  };
  const visible = box => box && box.style.display !== "none";
  const below = (i, step) => { // the caller, or the largest callee
    const top = boxes[i].top + step * 20, {left, width} = boxes[i];
    return boxes.findIndex((b, j) => b.top === top && visible(groups[j]) &&
      b.left < left + width - tiny && b.left + b.width > left + tiny);
  };
  const beside = (i, step) => {
    for (let j = i + step; j >= 0 && j < boxes.length; j += step) if (boxes[j].top === boxes[i].top && visible(groups[j])) return j;
    return -1;
  };
  const focus = i => {
    if (i < 0) return;
    groups.forEach((g, j) => g.setAttribute("tabindex", j === i ? 0 : -1));
    groups[i].focus();
  };
  const keys = {
    Enter: i => show(boxes[i]), Escape: () => show(boxes[0]),
    ArrowUp: i => focus(below(i, -1)), ArrowDown: i => focus(below(i, 1)),
    ArrowLeft: i => focus(beside(i, -1)), ArrowRight: i => focus(beside(i, 1)),
  };
  picture.setAttribute("role", "group");
  groups.forEach((group, i) => {
    group.setAttribute("role", "button");
    group.setAttribute("tabindex", i ? -1 : 0);
    group.addEventListener("click", () => { show(boxes[i]); focus(i); });
    group.addEventListener("keydown", event => {
      if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
      keys[event.key](i);
      event.preventDefault();
    });
  });

  // The search is in a row below the heading, for which the boxes make room.
  const html = (tag, props, ...children) => {
    const e = Object.assign(document.createElementNS("http://www.w3.org/1999/xhtml", tag), props);
    e.append(...children);
    return e;
  };
  const input = html("input", {type: "search", autocomplete: "off", spellcheck: false}), count = html("output");
  const row = document.createElementNS("http://www.w3.org/2000/svg", "foreignObject"), height = 34;
  for (const [k, v] of [["class", "search"], ["x", "1%"], ["y", 54], ["width", "98%"], ["height", height]]) row.setAttribute(k, v);
  row.append(html("label", {}, "Search ", input), " ", count);
  const graph = boxes[0].box.closest("g").parentNode;
  for (const e of [picture, graph, ...picture.querySelectorAll(".caption")]) {
    const name = e === picture ? "height" : "y";
    e.setAttribute(name, parseFloat(e.getAttribute(name)) + height);
  }
  graph.before(row);

  const names = groups.map(g => g.querySelector("title").textContent.split("\n")[0].toLowerCase());
  input.addEventListener("input", () => {
    const text = input.value.toLowerCase();
    let found = 0, share = 0, end = -1;
    groups.forEach((group, i) => {
      const isFound = text !== "" && names[i].includes(text), {left, width} = boxes[i];
      group.classList.toggle("found", isFound);
      if (!isFound) return;
      found++;
      if (left < end - tiny) return; // a function that it calls counts once
      share += width / boxes[0].width;
      end = left + width;
    });
    count.textContent = text === "" ? "" : (found === 1 ? "1 box, " : found + " boxes, ") + +(share * 100).toPrecision(3) + "%";
  });
  input.addEventListener("keydown", event => {
    if (event.key === "Enter") focus(groups.findIndex(g => g.classList.contains("found") && visible(g)));
  });
})();
