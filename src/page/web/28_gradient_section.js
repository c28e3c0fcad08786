// Section 6: the gradient's way back. What the encoder gets is the visible sum of what each decoder layer sends; and
// how large the gradient of every parameter is.

function gradientSection(trace, chosen) {
  return [
    lead(
      "Every decoder layer looks at the encoder’s output through its cross-attention, so every decoder layer sends ",
      "a gradient back through it. The encoder gets their sum. ",
      memoryPaddingWords(trace),
    ),
    forSentence(trace, chosen, (sentence) => memorySum(trace, sentence)),
    element("h3", {}, "The gradient of every parameter"),
    element(
      "p",
      {},
      "The norm of each tensor’s gradient, on a logarithmic scale: one line to the right is ten times as much. ",
      "The keys’ bias shifts all scores of a row equally, so its gradient is 0 up to rounding.",
    ),
    normTable(trace),
  ];
}

/// What gradient the encoder's output gets at padded positions.
function memoryPaddingWords(trace) {
  if (!hasPadding(trace.source)) return "This batch’s source has no padding.";
  return paddingSeen(trace).includes("cross")
    ? "The mask of cross-attention is off, so padding gets a gradient too."
    : "No query attends to padding, so the gradient at padded positions is exactly 0.";
}

function memorySum(trace, sentence) {
  const { sum, parts } = trace.json.memory_gradient;
  const matrices = [...parts.map((part) => trace.matrix(part.tensor)), trace.matrix(sum)];
  const scale = scaleFor(...matrices);
  const readout = makeReadout();
  const group = [];
  const map = (tensor, title, operator) =>
    memoryMap(trace, { tensor, title, operator, scale, sentence, readout, group });
  return element(
    "div",
    {},
    element(
      "div",
      { class: "memory-sum side-by-side" },
      parts.map(({ layer, tensor }, i) => map(tensor, `from decoder layer ${layer}`, i ? "+" : "")),
      map(sum, "what the encoder gets", "="),
    ),
    element("div", { class: "heat-map-foot" }, scaleLegend(scale), enlargeButton(group)),
    readout,
  );
}

function memoryMap(trace, { tensor, title, operator, scale, sentence, readout, group }) {
  const { source, target } = trace;
  const reasons = source.ids[sentence].map((_, key) => {  // why no query of the sentence can look there
    const ofQuery = target.ids[sentence].map((_, query) => blockedBy(trace, "cross", sentence, query, key));
    return ofQuery.every(({ length }) => length) ? ofQuery[0] : [];
  });
  const map = heatMap({
    name: title,
    matrix: trace.matrix(tensor).rowsFrom(sentence * source.length, source.length),
    rows: tokenAxis(source, sentence),
    cols: plainAxis(trace, "D", { part: "" }, false),
    blocked: (row) => reasons[row],
    scale,
    readout,
    group,
    plain: true,
  });
  return element(
    "figure",
    { class: "memory" },
    element(
      "figcaption",
      {},
      element("span", { class: "operator" }, operator),
      element("b", {}, title),
      origin(trace, tensor),
    ),
    map,
  );
}

/// The place of a norm on a logarithmic scale from `least` to `most`, 0 to 1.
function logPlace(norm, { least, most }) {
  if (!(norm > 0)) return 0;
  return Math.max(0.005, (Math.log10(norm) - least) / (most - least || 1));
}

/// Whole powers of ten around the norms; what is smaller than a millionth of the largest is cut off.
function logRange(norms) {
  const positive = norms.filter((norm) => norm > 0);
  const most = Math.ceil(Math.log10(Math.max(...positive, 1e-12)));
  return { least: Math.max(Math.floor(Math.log10(Math.min(...positive, 1))), most - 6), most };
}

function normTable(trace) {
  const { gradients } = trace.json;
  const range = logRange(gradients.map((one) => one.norm));
  const groups = groupByPart(trace, gradients);
  return element(
    "div",
    { class: "norms", style: `--decades: ${range.most - range.least}` },
    [...groups].map(([title, members]) => normGroup(title, members, range)),
  );
}

function groupByPart(trace, gradients) {
  const groups = new Map();
  for (const one of gradients) {
    const layer = /^model\.(encoder|decoder)\.layers\.\d+/.exec(one.name);
    const title = layer ? partTitle(trace, layer[0]) : "outside the layers";
    groups.set(title, [...(groups.get(title) ?? []), one]);
  }
  return groups;
}

function normGroup(title, members, range) {
  const row = ({ name, shape, norm, values_norm: values }) =>
    element(
      "tr",
      {},
      element("th", { scope: "row", title: name }, name.replace(/^model\.((encoder|decoder)\.layers\.\d+\.)?/, "")),
      element("td", { class: "shape" }, shape.join(" × ")),
      element("td", { class: "log-bar" }, logBar(norm, range)),
      element("td", { class: "number" }, formatNumber(values, 3)),
    );
  const head = ["tensor", "shape", "norm of the gradient", "of values"];
  return element(
    "section",
    { class: "norm-group" },
    element("h4", {}, title),
    scrollBox(`Gradients of ${title}`, titledTable({}, head, members.map(row))),
  );
}

const logBar = (norm, range) =>
  element(
    "span",
    { class: "bar" },
    element(
      "span",
      { class: "bar-room decades" },
      element("span", { class: "bar-fill", style: `width: ${100 * logPlace(norm, range)}%` }),
    ),
    element("span", { class: "number" }, formatNumber(norm, 3)),
  );
