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
      "The weights stay as they are, the masks change. Watch the loss, and if it improves, ask whether for the wrong ",
      "reason: a model that can see the answer need not translate.",
    ),
    variantTable(trace, variants),
    element("p", { class: "note" }, lossNote(trace)),
    element("div", { class: "variant-chooser" }, chooser("Change", options, chosen.variant, pick("variant"))),
    sentenceChooser(trace, chosen.sentence, pick("sentence")),
    body,
  ];
}

/// A less confident model has a higher cross-entropy, but its smoothed loss may be lower.
function lossNote(trace) {
  if (!(trace.json.model.label_smoothing > 0)) return "The perplexity is exp(loss).";
  return (
    "The loss includes label smoothing, which penalises confidence, so less confident answers can lower it even if " +
    "they are worse. The perplexity is exp(cross-entropy), without label smoothing."
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

/// Where the variant changes nothing: the model as it is, in the batch and alone.
function variantView(trace, variant, sentence) {
  const changes = variant.changed.length > 0;
  const columns = changes ? { "as it is": trace.own, changed: variant } : { "in the batch": trace.own };
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

/// Each mask that was changed, as it is and changed.
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
      element("h4", {}, `The mask of ${ATTENTION_KINDS[kind].title.toLowerCase()}`),
      pair(side(kind, trace.own, "as it is"), side(kind, variant, "changed")),
    ),
  );
  const legend = hatchLegend({ neither: "neither: ask the cell" });
  return [element("div", { class: "variant-masks" }, masks), readout, legend];
}

/// How much of their attention the sentence's words give to padding; `columns`: by their titles, under whose masks.
function variantPadding(trace, columns, sentence) {
  const shares = Object.values(columns).map((of) => of.on_padding[sentence]);
  const row = (kind) =>
    element(
      "tr",
      { "data-kind": kind },
      element("th", { scope: "row" }, ATTENTION_KINDS[kind].title),
      shares.map((share) => element("td", {}, bar(share[kind], 1, share[kind] === 0 ? "0" : percent(share[kind])))),
    );
  return [
    element("h4", {}, "Attention on padding"),
    element(
      "p",
      {},
      "How much of their attention this sentence’s words give to padded keys, averaged over layers, heads and words. ",
      "Alone, the sentence has no padding.",
    ),
    scrollBox(
      "Attention on padding",
      titledTable({ class: "losses padding" }, ["", ...Object.keys(columns)], Object.keys(ATTENTION_KINDS).map(row)),
    ),
  ];
}

/// The likeliest token and the loss at every position, in the batch and with the sentence alone: as it is, and changed
/// unless `variant` is null.
function variantAnswers(trace, variant, sentence) {
  const sides = variant ? [trace.own, trace.own.alone, variant, variant.alone] : [trace.own, trace.own.alone];
  const columns = sides.map(({ losses, answers }) => ({ losses: losses[sentence], answers: answers[sentence] }));
  const most = Math.max(...columns.flatMap(({ losses }) => losses));
  const answer = ({ losses, answers }, position) => {
    const right = answers[position] === trace.expected.ids[sentence][position];
    return element(
      "td",
      { class: "answered" },
      element("bdi", {}, trace.json.vocabulary.target[answers[position]]),
      element("span", { class: right ? "right" : "wrong" }, right ? " ✓" : " ✗"),
      bar(losses[position], most),
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
    return element("td", {}, bar(sum && sum / counted.length, most));
  };
  const rows = columns[0].losses.map(row);
  rows.push(element("tr", { class: "mean" }, element("th", { scope: "row" }, "mean loss"), columns.map(mean)));
  const titles = variant
    ? ["as it is", "as it is, and alone", "changed", "changed, and alone"]
    : ["in the batch", "alone"];
  return [
    element("h4", {}, "The answer at every position"),
    element(
      "p",
      {},
      "The likeliest token, and the loss of the expected one. Alone means in a batch of its own, where this sentence ",
      "has no padding. If words attend to padding, the answer depends on the other sentences of the batch.",
    ),
    scrollBox("Answers", titledTable({ class: "losses answers-compared" }, ["expected", ...titles], rows)),
  ];
}
