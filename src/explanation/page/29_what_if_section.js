// Section 7: the same sentences through the same weights, with one thing changed, beside the model as it is.

function whatIfSection(trace, chosen) {
  const body = element("div", { class: "variant" });
  const variants = trace.json.what_if;
  const show = () => fill(body, ...variantView(trace, variants[chosen.variant], chosen.sentence));
  show();
  const pick = (name) => (value) => {
    chosen[name] = value;
    show();
  };
  const options = variants.slice(1).map(({ title }, i) => ({ value: i + 1, text: title }));
  return [
    lead(
      "The weights stay as they are, one thing changes. Look at what the loss does, and whether it is better for a ",
      "bad reason: a model that may look at the answer does not have to translate.",
    ),
    variantTable(trace, variants),
    element("p", { class: "note" }, "The perplexity is e to the cross-entropy, which knows no label smoothing."),
    element("div", { class: "variant-chooser" }, chooser("Change", options, chosen.variant, pick("variant"))),
    sentenceChooser(trace, chosen.sentence, pick("sentence")),
    body,
  ];
}

function variantTable(trace, variants) {
  const head = ["", "loss", "perplexity", "correct"];
  const row = ({ title, loss, name }) =>
    element(
      "tr",
      { "data-variant": name },
      element("th", { scope: "row" }, title),
      element("td", { class: "number" }, formatNumber(loss.mean, 5)),
      element("td", { class: "number" }, formatNumber(loss.perplexity, 5)),
      element("td", { class: "number" }, `${loss.correct} of ${loss.tokens}`),
    );
  return scrollBox("All variants", titledTable({ class: "variants" }, head, variants.map(row)));
}

function variantView(trace, variant, sentence) {
  return [
    element("h3", {}, variant.title),
    element("p", {}, variant.says),
    variantMasks(trace, variant, sentence),
    variantLosses(trace, variant, sentence),
    variantAttention(trace, variant, sentence),
    variantGradients(trace, variant),
  ];
}

const pair = (...children) => element("div", { class: "pair" }, children);

const sameMatrix = (a, b) =>
  a.numbers.length === b.numbers.length && a.numbers.every((x, i) => Object.is(x, b.numbers[i]));

/// Each mask that was changed, as it is and changed.
function variantMasks(trace, variant, sentence) {
  const readout = makeReadout();
  const side = (kind, masks, title) => {
    const { mask: name, ...texts } = ATTENTION_KINDS[kind];
    const [rows, cols] = [trace[texts.rows], trace[texts.cols]];
    const matrix = maskOfSentence(trace.matrix(masks[name]), trace.sentences, sentence, rows.length);
    const reason = (row, col) => blockedReason(trace, kind, sentence, row, col, masks);
    return maskMap(trace, { name, title, note: "", matrix, rows, cols, reason, sentence, readout, fade: false });
  };
  const changed = Object.keys(ATTENTION_KINDS).filter((kind) => variant.changed.includes(ATTENTION_KINDS[kind].mask));
  if (!changed.length) return element("p", { class: "note" }, "No mask of this batch differs.");
  const masks = changed.map((kind) =>
    element(
      "section",
      {},
      element("h4", {}, `The ${MASK_TITLES[ATTENTION_KINDS[kind].mask]}`),
      pair(side(kind, trace.json.masks, "as it is"), side(kind, variant.masks, "changed")),
    ),
  );
  const legend = hatchLegend({ neither: "neither: ask the cell" });
  return [element("div", { class: "variant-masks" }, masks), readout, legend];
}

function variantLosses(trace, variant, sentence) {
  const right = trace.json.what_if[0].losses[sentence];
  const other = variant.losses[sentence];
  const most = Math.max(...right, ...other);
  const row = (loss, position) =>
    element(
      "tr",
      { class: loss === null ? "pad" : null },
      element("th", { scope: "row" }, element("bdi", {}, trace.expected.token(sentence, position))),
      loss === null
        ? element("td", { colspan: 2, class: "not-counted" }, "not counted")
        : [loss, other[position]].map((value) => element("td", {}, bar(value, most))),
    );
  return [
    element("h4", {}, "The loss at every position"),
    scrollBox("Losses", titledTable({ class: "losses" }, ["expected", "as it is", "changed"], right.map(row))),
  ];
}
