// Section 7: the same sentences and weights, but different masks, compared with the unchanged model.

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
      "The weights stay the same; the masks change. Watch the loss. If it improves, ask whether it improves for ",
      "the wrong reason: a model that can see the answer does not have to translate.",
    ),
    variantTable(trace, variants),
    element("p", { class: "note" }, lossNote(trace)),
    element("div", { class: "variant-chooser" }, chooser("Change", options, chosen.variant, pick("variant"))),
    sentenceChooser(trace, chosen.sentence, pick("sentence")),
    body,
  ];
}

/// A less confident model may have a higher cross-entropy but a lower smoothed loss.
function lossNote(trace) {
  if (!(trace.json.model.label_smoothing > 0)) return "The perplexity is exp(loss).";
  return (
    "The loss includes label smoothing, which penalises confidence. Less confident predictions can therefore lower " +
    "the loss even if they are worse. The perplexity is exp(cross-entropy), without label smoothing."
  );
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

/// If the variant changes nothing, this shows only the unchanged model, in the batch and alone.
function variantView(trace, variant, sentence) {
  const changes = variant.changed.length > 0;
  const columns = changes ? { unchanged: trace.own, changed: variant } : { "in the batch": trace.own };
  return [
    element("h3", {}, variant.title),
    element("p", {}, variant.says),
    variantPadding(trace, columns, sentence),
    variantAnswers(trace, changes ? variant : null, sentence),
    changes ? variantMasks(trace, variant, sentence) : null,
    variantAttention(trace, variant, sentence),
    changes ? variantGradients(trace, variant) : null,
  ];
}

const pair = (...children) => element("div", { class: "pair" }, children);

const sameMatrix = (a, b) =>
  a.numbers.length === b.numbers.length && a.numbers.every((x, i) => Object.is(x, b.numbers[i]));

/// Each mask that the variant changes, unchanged and changed.
function variantMasks(trace, variant, sentence) {
  const readout = makeReadout();
  const side = (kind, of, title) => {
    const { mask: name, ...texts } = ATTENTION_KINDS[kind];
    const [rows, cols] = [trace[texts.rows], trace[texts.cols]];
    const matrix = maskOfSentence(trace.matrix(of.masks[name]), trace.sentences, sentence, rows.length);
    const blocked = (row, col) => blockedBy(trace, kind, sentence, row, col, of);
    return maskMap(trace, { name, title, note: "", matrix, rows, cols, blocked, sentence, readout, fade: false });
  };
  const changed = Object.keys(ATTENTION_KINDS).filter((kind) => variant.changed.includes(ATTENTION_KINDS[kind].mask));
  const masks = changed.map((kind) =>
    element(
      "section",
      {},
      element("h4", {}, `The ${ATTENTION_KINDS[kind].title.toLowerCase()} mask`),
      pair(side(kind, trace.own, "unchanged"), side(kind, variant, "changed")),
    ),
  );
  const legend = hatchLegend({ neither: "another reason (point at the cell to see it)" });
  return [element("div", { class: "variant-masks" }, masks), readout, legend];
}

/// How much attention the words of the sentence pay to padding. `columns` maps titles to variants.
function variantPadding(trace, columns, sentence) {
  const means = Object.values(columns).map((of) => of.on_padding[sentence]);
  const row = (kind) =>
    element(
      "tr",
      { "data-kind": kind },
      element("th", { scope: "row" }, ATTENTION_KINDS[kind].title),
      means.map((mean) => element("td", {}, bar(mean[kind], 1, mean[kind] === 0 ? "0" : percent(mean[kind])))),
    );
  return [
    element("h4", {}, "Attention to padding"),
    element(
      "p",
      {},
      "This is how much of their attention the words of this sentence pay to padded keys, averaged over layers, heads ",
      "and words. Alone, the sentence has no padding.",
    ),
    scrollBox(
      "Attention to padding",
      titledTable({ class: "losses padding" }, ["", ...Object.keys(columns)], Object.keys(ATTENTION_KINDS).map(row)),
    ),
  ];
}

/// The most likely token and the loss at every position, in the batch and for the sentence alone: for the unchanged
/// model and, unless `variant` is null, for the changed one.
function variantAnswers(trace, variant, sentence) {
  const sides = variant ? [trace.own, trace.own.alone, variant, variant.alone] : [trace.own, trace.own.alone];
  const columns = sides.map(({ losses, answers }) => ({ losses: losses[sentence], answers: answers[sentence] }));
  const maxLoss = Math.max(...columns.flatMap(({ losses }) => losses));
  const answer = ({ losses, answers }, position) => {
    const right = answers[position] === trace.expected.ids[sentence][position];
    return element(
      "td",
      { class: "answered" },
      element("bdi", {}, trace.json.vocabulary.target[answers[position]]),
      element("span", { class: right ? "right" : "wrong" }, right ? " ✓" : " ✗"),
      bar(losses[position], maxLoss),
    );
  };
  const isPad = (position) => trace.expected.isPad(sentence, position);
  const row = (_, position) =>
    element(
      "tr",
      { class: isPad(position) ? "pad" : null },
      element("th", { scope: "row" }, element("bdi", {}, trace.expected.token(sentence, position))),
      isPad(position)
        ? element("td", { colspan: columns.length, class: "not-counted" }, "not counted")
        : columns.map((column) => answer(column, position)),
    );
  const mean = ({ losses }) => {
    const counted = losses.filter((_, position) => !isPad(position));
    const sum = counted.includes(null) ? null : counted.reduce((total, loss) => total + loss, 0);
    return element("td", {}, bar(sum && sum / counted.length, maxLoss));
  };
  const rows = columns[0].losses.map(row);
  rows.push(element("tr", { class: "mean" }, element("th", { scope: "row" }, "mean loss"), columns.map(mean)));
  const titles = variant
    ? ["unchanged", "unchanged, alone", "changed", "changed, alone"]
    : ["in the batch", "alone"];
  return [
    element("h4", {}, "The prediction at every position"),
    element(
      "p",
      {},
      "The most likely token, and the loss of the expected one. “Alone” means in a batch of its own, where the ",
      "sentence has no padding. If words attend to padding, the prediction depends on the rest of the batch.",
    ),
    scrollBox("Predictions", titledTable({ class: "losses answers-compared" }, ["expected", ...titles], rows)),
  ];
}
