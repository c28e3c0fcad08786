// Section 4: the attention weights of all layers and heads.

function attentionSection(trace, chosen) {
  const kinds = (sentence) => Object.keys(ATTENTION_KINDS).map((kind) => attentionOfKind(trace, kind, sentence));
  return [
    lead(
      "Each row is a query, and its weights sum to 1: they say how much of each key’s value it takes. ",
      "Look for rows that put all their weight on one token, and for hatched columns: those weights are exactly 0.",
    ),
    forSentence(trace, chosen, kinds),
  ];
}

function attentionOfKind(trace, kind, sentence) {
  const { title, says } = ATTENTION_KINDS[kind];
  const layers = trace.json.attention.filter((one) => one.kind === kind);
  return element(
    "section",
    { class: "attention-kind" },
    element("h3", {}, title),
    element("p", {}, says),
    layers.map((one) => attentionLayer(trace, one, sentence)),
  );
}

/// All heads of one layer. `json`: other weights than those of the trace, and `masks` the masks that made them.
function attentionLayer(trace, one, sentence, { json = one.weights, masks, title } = {}) {
  const { rows, cols } = ATTENTION_KINDS[one.kind];
  const step = trace.maker(one.weights);
  const scale = { kind: "amount", limit: 1 };
  const name = title ?? `Layer ${one.layer}`;
  const parts = {
    ...{ matrix: trace.matrix(json), name: `${name}, weights`, kind: one.kind, masks, scale },
    queries: trace[rows],
    keys: trace[cols],
  };
  const link = step === undefined || title ? null : element("a", { href: anchor(step) }, `step ${step + 1}`);
  return element(
    "figure",
    { class: "attention", "data-part": one.part },
    element("figcaption", {}, element("b", {}, name), link),
    headRow(trace, parts, sentence, { legend: scaleLegend(scale) }),
  );
}
