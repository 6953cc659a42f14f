"use strict";
// Lines and operators that belong together light up together. Each side is one stop of the Tab key; arrows go through it.
(() => {
  const one = (id) => document.getElementById(id);
  const sides = ["source", "operators"].map(one).filter(Boolean);
  if (sides.length < 2) return;
  for (const link of document.querySelectorAll("nav a")) {
    link.addEventListener("click", (event) => { // in the frame of a notebook the address is that of the notebook
      event.preventDefault();
      const part = one(link.hash.slice(1));
      part.tabIndex = -1;
      part.scrollIntoView();
      part.focus();
    });
  }
  const lines = [...sides[0].querySelectorAll("[data-line]")];
  const groups = [...sides[1].querySelectorAll("[data-of]")];
  const byLine = new Map(lines.map((line) => [line.dataset.line, line]));
  const ofLine = new Map();
  const linesOf = (group) => group.dataset.of.split(" ").filter((index) => byLine.has(index));
  for (const group of groups) {
    for (const index of linesOf(group)) {
      if (!ofLine.has(index)) ofLine.set(index, []);
      ofLine.get(index).push(group);
    }
  }
  const others = (item) =>
    item.dataset.line === undefined
      ? linesOf(item).map((index) => byLine.get(index)).reverse()
      : ofLine.get(item.dataset.line) || [];

  let lit = [];
  const light = (item) => {
    for (const old of lit) old.classList.remove("lit", "from");
    lit = item ? [item, ...others(item)] : [];
    for (const now of lit) now.classList.add("lit");
    if (item) item.classList.add("from");
  };
  const show = (item) => {
    for (let box = item.closest("details:not([open])"); box; box = box.parentElement.closest("details:not([open])")) box.open = true;
    const side = sides.find((each) => each.contains(item));
    const here = item.getBoundingClientRect(), frame = side.getBoundingClientRect();
    if (here.top < frame.top || here.bottom > frame.bottom) side.scrollTop += here.top - frame.top - frame.height / 3;
  };
  const itemOf = (event) => event.target.closest && event.target.closest("[data-line], [data-of]");

  for (const side of sides) {
    const items = (side === sides[0] ? lines : groups).filter((item) => others(item).length);
    if (items.length) items[0].tabIndex = 0;
    let stop = items[0];
    const numbers = new Map(items.map((item, number) => [item, number]));
    const shown = (item) => item.checkVisibility === undefined || item.checkVisibility();
    const go = (number, step) => {
      while (items[number] && !shown(items[number])) number += step;
      if (items[number]) items[number].focus();
    };
    for (const item of items) if (item !== stop) item.tabIndex = -1;
    side.addEventListener("mouseover", (event) => {
      const item = itemOf(event);
      if (item && item !== lit[0]) light(item);
    });
    side.addEventListener("mouseleave", () => light(numbers.has(document.activeElement) ? document.activeElement : null));
    side.addEventListener("click", (event) => {
      const item = itemOf(event);
      if (item && !event.target.closest("summary") && others(item).length) show(others(item)[0]);
    });
    side.addEventListener("focusin", (event) => {
      if (!numbers.has(event.target)) return;
      stop.tabIndex = -1;
      stop = event.target;
      stop.tabIndex = 0;
      light(stop);
      const first = others(stop)[0];
      if (first) show(first);
    });
    side.addEventListener("focusout", () => light(null));
    side.addEventListener("keydown", (event) => {
      if (!numbers.has(event.target)) return;
      const number = numbers.get(event.target);
      const keys = { ArrowDown: [number + 1, 1], ArrowUp: [number - 1, -1], Home: [0, 1], End: [items.length - 1, -1] };
      if (event.key in keys) go(...keys[event.key]);
      else if (event.key === "Enter") others(event.target)[0].focus();
      else return;
      event.preventDefault();
    });
  }
})();
