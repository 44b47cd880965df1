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
})();
