// How a variant of section 7 changes the attention weights and the gradient.

/// All attention layers. The first one whose mask the variant changes is marked as `direct`.
function layersToCompare(trace, variant) {
  const { attention } = trace.json;
  const direct = attention.findIndex((one) => variant.changed.includes(ATTENTION_KINDS[one.kind].mask));
  return attention.map((one, index) => ({ ...one, index, direct: index === direct }));
}

function variantAttention(trace, variant, sentence) {
  const layers = layersToCompare(trace, variant);
  const body = element("div");
  const show = (index) => fill(body, ...comparedLayer(trace, variant, layers[index], sentence));
  const first = Math.max(
    0,
    layers.findIndex((one) => one.direct),
  );
  show(first);
  const option = ({ kind, layer, index }) =>
    element("option", { value: index, selected: index === first }, `${ATTENTION_KINDS[kind].title}, layer ${layer}`);
  const select = element("select", { onchange: () => show(Number(select.value)) }, layers.map(option));
  return [element("h4", {}, "The attention weights"), element("p", {}, element("label", {}, "Layer ", select)), body];
}

function comparedLayer(trace, variant, one, sentence) {
  const right = trace.matrix(trace.own.attention[one.index]);
  const unchanged = attentionLayer(trace, one, sentence, { json: trace.own.attention[one.index], title: "Unchanged" });
  if (!variant.changed.length) return [unchanged];
  const same = sameMatrix(right, trace.matrix(variant.attention[one.index]));
  return [
    same ? element("p", { class: "note" }, "Nothing changes in this layer, to the last digit shown.") : null,
    unchanged,
    attentionLayer(trace, one, sentence, {
      json: variant.attention[one.index],
      variant,
      title: "Changed",
    }),
  ].filter(Boolean);
}

const SHOWN_GRADIENTS = 12;

/// The parameters whose gradient norms change most, as a factor. A norm that is not finite (null) counts as infinite.
function variantGradients(trace, variant) {
  const right = trace.json.what_if[0].gradient_norms;
  const sizes = (i) => [right[i] ?? Infinity, variant.gradient_norms[i] ?? Infinity];
  const change = (i) => {
    const [before, after] = sizes(i);
    return before === after ? 0 : Math.abs(Math.log((after + 1e-12) / (before + 1e-12)));
  };
  const order = [...right.keys()].filter((i) => Math.max(...sizes(i)) > 1e-7);
  order.sort((a, b) => change(b) - change(a));
  const shown = order.slice(0, SHOWN_GRADIENTS);
  const range = logRange(shown.flatMap((i) => [right[i], variant.gradient_norms[i]]));
  const row = (i) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, trace.json.gradients[i].name.replace(/^model\./, "")),
      element("td", {}, logBar(right[i], range)),
      element("td", {}, logBar(variant.gradient_norms[i], range)),
    );
  const head = ["tensor", "unchanged", "changed"];
  return [
    element("h4", {}, "The gradient"),
    element("p", {}, `The norms that change most, on a logarithmic scale (${plural(shown.length, "tensor")}).`),
    scrollBox(
      "Gradient norms",
      titledTable({ class: "losses", style: `--decades: ${range.most - range.least}` }, head, shown.map(row)),
    ),
  ];
}
