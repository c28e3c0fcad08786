// Section 4: the attention weights of all layers and heads.

function attentionSection(trace, chosen) {
  const kinds = (sentence) => Object.keys(ATTENTION_KINDS).map((kind) => attentionOfKind(trace, kind, sentence));
  return [
    lead(
      "Each row is a query. Its weights sum to 1 and determine how much each key’s value contributes to its output. ",
      trace.hasDropout("attn") ? "These are the weights before dropout changes them. " : "",
      "Look for rows that put all their weight on one token. A hatched cell is blocked: its weight is exactly 0.",
    ),
    forSentence(trace, chosen, kinds),
  ];
}

/// What a token may attend to under the masks that are on.
function attentionText(trace, kind) {
  const padding = paddingClause(trace, kind);
  if (kind === "encoder self") return `Each source token attends to all source tokens${padding}.`;
  if (kind === "cross") return `Each target token attends to all outputs of the encoder${padding}.`;
  return trace.isOn("decoder_combined", "future")
    ? `Each target token attends to itself and to the tokens before it${padding}.`
    : `Each target token attends to the whole target${padding}. It even sees the tokens it must predict.`;
}

/// The end of the sentence in attentionText: whether tokens attend to padding; empty if no key is padding.
function paddingClause(trace, kind) {
  const { mask, cols } = ATTENTION_KINDS[kind];
  if (!hasPadding(trace[cols])) return "";
  if (trace.isOn(mask, "padding")) return ", but not to padding";
  if (paddingSeen(trace).includes(kind)) return ", padding included";
  return ". The padding mask is off, but padding comes after the words, so no word attends to it";
}

function attentionOfKind(trace, kind, sentence) {
  const { title } = ATTENTION_KINDS[kind];
  const layers = trace.json.attention.filter((one) => one.kind === kind);
  return element(
    "section",
    { class: "attention-kind" },
    element("h3", {}, title),
    element("p", {}, attentionText(trace, kind)),
    layers.map((one) => attentionLayer(trace, one, sentence)),
  );
}

/// All heads of one layer, with the trace's weights or, if given, those of `variant` in `json`.
function attentionLayer(trace, one, sentence, { json = one.weights, variant, title } = {}) {
  const { rows, cols } = ATTENTION_KINDS[one.kind];
  const step = trace.producer(one.weights);
  const scale = { kind: "amount", limit: 1 };
  const name = title ?? `Layer ${one.layer}`;
  const parts = {
    ...{ matrix: trace.matrix(json), name: `${name}, weights`, kind: one.kind, variant, scale },
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
