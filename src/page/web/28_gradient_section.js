// Section 6: how the gradient flows back. The encoder gets the sum of what each decoder layer sends. Below that is the
// norm of every parameter's gradient.

function gradientSection(trace, chosen) {
  return [
    lead(
      "Every decoder layer attends to the encoder’s output in its cross-attention, so every decoder layer sends ",
      "a gradient back to the encoder. The encoder gets the sum of these gradients. ",
      memoryPaddingText(trace),
    ),
    forSentence(trace, chosen, (sentence) => memorySum(trace, sentence)),
    element("h3", {}, "The gradient of every parameter"),
    element(
      "p",
      {},
      "The norm of each tensor’s gradient on a logarithmic scale: each line marks ten times the value of the previous ",
      "one. The bias of the keys shifts all scores of a row equally, so its gradient is 0, apart from rounding.",
    ),
    normTable(trace),
  ];
}

/// Which gradient the encoder's output gets at padded positions.
function memoryPaddingText(trace) {
  if (!hasPadding(trace.source)) return "This batch’s source has no padding.";
  return paddingSeen(trace).includes("cross")
    ? "The cross-attention mask is off, so padding gets a gradient too."
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
  const reasons = source.ids[sentence].map((_, key) => {  // why no query may attend to the key; [] if one may
    const ofQuery = target.ids[sentence].map((_, query) => blockedBy(trace, "cross", sentence, query, key));
    return ofQuery.every(({ length }) => length) ? ofQuery[0] : [];
  });
  const map = heatMap({
    name: title,
    matrix: trace.matrix(tensor).rowsFrom(sentence * source.length, source.length),
    rows: tokenAxis(source, sentence),
    cols: plainAxis(trace, "D", {}, false),
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

/// The position of a norm on a logarithmic scale from `least` to `most`, as a number from 0 to 1.
function logPlace(norm, { least, most }) {
  if (!(norm > 0)) return 0;
  return Math.max(0.005, (Math.log10(norm) - least) / (most - least || 1));
}

/// The powers of ten that enclose the norms. The scale covers at most six of them below the largest.
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
  const head = ["tensor", "shape", "norm of the gradient", "norm of the values"];
  return element(
    "section",
    { class: "norm-group" },
    element("h4", {}, title),
    scrollBox(`Gradients: ${title}`, titledTable({}, head, members.map(row))),
  );
}

const logBar = (norm, range) =>
  element(
    "span",
    { class: "bar" },
    element(
      "span",
      { class: "bar-track decades" },
      element("span", { class: "bar-fill", style: `width: ${100 * logPlace(norm, range)}%` }),
    ),
    element("span", { class: "number" }, formatNumber(norm, 3)),
  );
