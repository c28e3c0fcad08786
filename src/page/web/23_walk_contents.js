// The walk's table of contents: the model as a tree, with links to the first forward and backward step of each block.

/// "encoder" -> "layer 1" -> "self-attention", each with the numbers of its steps, in the order of computation.
function modelTree(trace) {
  const root = { children: new Map(), steps: [] };
  trace.steps.forEach(({ part }, number) => {
    let node = root;
    for (const word of blockNames(trace, part)) {
      if (!node.children.has(word)) node.children.set(word, { word, children: new Map(), steps: [] });
      node = node.children.get(word);
      node.steps.push(number);
    }
  });
  return root;
}

function directionLink(trace, node, direction) {
  const first = node.steps.find((number) => trace.steps[number].direction === direction);
  if (first === undefined) return null;
  const arrow = direction === "forward" ? "→" : "←";
  const name = `${node.word}, ${direction}, step ${first + 1}`;
  return element("a", { href: anchor(first), class: direction, "aria-label": name }, `${arrow} ${first + 1}`);
}

function treeItem(trace, node, items) {
  const links = node.children.size ? [] : ["forward", "backward"].map((way) => directionLink(trace, node, way));
  const line = element(
    "span",
    { class: "block" },
    element("span", { class: "word" }, node.word.replace(/ (after|around) .*/, "")),
    links,
  );
  items.push({ node, line });
  const children = [...node.children.values()].map((child) => treeItem(trace, child, items));
  return element("li", {}, line, children.length ? element("ul", {}, children) : null);
}

function walkContents(trace) {
  const items = [];
  const list = [...modelTree(trace).children.values()].map((node) => treeItem(trace, node, items));
  const wide = window.matchMedia("(min-width: 90rem)").matches;
  const details = element(
    "details",
    { class: "contents", open: wide },
    element("summary", {}, "Contents"),
    element("nav", { "aria-label": "Table of contents" }, element("ul", {}, list)),
  );
  const show = (number) => {
    const { direction } = trace.steps[number];
    for (const { node, line } of items) {
      const here = node.steps.includes(number);
      line.classList.toggle("here", here);
      for (const link of line.querySelectorAll("a")) {
        if (here && link.classList.contains(direction)) link.setAttribute("aria-current", "step");
        else link.removeAttribute("aria-current");
      }
    }
  };
  return { node: details, show };
}
