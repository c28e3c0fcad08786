// Section 2: the three masks of a sentence side by side. Blocked is 1, visible is 0.

function maskSection(trace, chosen) {
  return [
    lead(
      "A mask says which ",
      element("b", {}, "keys"),
      " (columns) each ",
      element("b", {}, "query"),
      " (row) may not look at. Hatched is blocked. Ask a cell why: the readout tells.",
    ),
    learnedWithout(trace),
    forSentence(trace, chosen, (sentence) => masksOf(trace, sentence)),
  ];
}

function learnedWithout(trace) {
  const names = trace.json.model.learned_without;
  if (!names.length) return null;
  const list = names.map((name) => name.replaceAll("_", " ")).join(", ");
  return element("p", { class: "warning" }, `This model was trained with these masks off: ${list}.`);
}

/// Each mask that is shown: the attention it is for, and the elementary masks in it.
const SHOWN_MASKS = {
  encoder_padding: { title: "padding", kind: "encoder self", reasons: ["padding"] },
  look_ahead: { title: "look-ahead", kind: "decoder self", reasons: ["future"] },
  target_padding: { title: "padding", kind: "decoder self", reasons: ["padding"] },
  decoder_combined: { title: "combined", kind: "decoder self", reasons: ["future", "padding"] },
  cross_padding: { title: "padding", kind: "cross", reasons: ["padding"] },
};

function maskNote(trace, name, keys) {
  const { kind, reasons } = SHOWN_MASKS[name];
  const on = reasons.filter((reason) => trace.isOn(ATTENTION_KINDS[kind].mask, reason));
  if (!on.length) return reasons.length > 1 ? "Both are off: nothing is blocked." : "Off: it blocks nothing.";
  if (reasons.length > 1) return on.length > 1 ? "Blocked by one, or by both." : "Only one of them is on.";
  return name === "look_ahead" ? "The same for all sentences." : `One row of ${keys}, for every query.`;
}

function shownMask(trace, name, sentence, readout) {
  const { title, kind, reasons } = SHOWN_MASKS[name];
  const mask = trace.mask(name);
  const [rows, cols] = [trace[ATTENTION_KINDS[kind].rows], trace[ATTENTION_KINDS[kind].cols]];
  return maskMap(trace, {
    ...{ name, title, rows, cols, sentence, readout },
    note: maskNote(trace, name, cols.length),
    matrix: name === "look_ahead" ? mask : maskOfSentence(mask, trace.sentences, sentence, rows.length),
    blocked: (row, col) => blockedBy(trace, kind, sentence, row, col).filter((reason) => reasons.includes(reason)),
  });
}

function masksOf(trace, sentence) {
  const readout = makeReadout();
  const mask = (name) => shownMask(trace, name, sentence, readout);
  const operator = (sign, words) => element("span", { class: "operator", "aria-label": words, role: "img" }, sign);
  return [
    element(
      "div",
      { class: "masks" },
      maskGroup("1. Encoder padding", "Encoder self-attention: padding of the source.", mask("encoder_padding")),
      maskGroup(
        "2. Look-ahead and target padding",
        "Decoder self-attention: blocked where either of two masks blocks, their elementwise maximum.",
        mask("look_ahead"),
        operator("max", "maximum with"),
        mask("target_padding"),
        operator("=", "is"),
        mask("decoder_combined"),
      ),
      maskGroup(
        "3. Cross-attention padding",
        "Cross-attention: its keys are the encoder’s, so this is the source’s padding again.",
        mask("cross_padding"),
      ),
    ),
    readout,
    hatchLegend(),
    element(
      "p",
      { class: "note" },
      "A padding mask blocks keys, not queries: the rows of padded queries stay as they are. ",
      paddedQueriesWords(trace),
    ),
  ];
}

/// What becomes of the rows of padded queries.
function paddedQueriesWords(trace) {
  const seen = paddingSeen(trace).map((kind) => ATTENTION_KINDS[kind].title.toLowerCase());
  if (!seen.length) return "No word attends to their outputs, and the loss ignores them.";
  return `The loss ignores their outputs, but words attend to padding in ${seen.join(" and in ")}.`;
}

/// What the hatching means, drawn by the style sheet as the maps draw it.
function hatchLegend(more = {}) {
  const kinds = { future: "lies in the future", padding: "is padding", both: "both", ...more };
  const items = Object.entries(kinds).map(([kind, words]) =>
    element("span", {}, element("span", { class: `hatch ${kind}`, "aria-hidden": "true" }), ` ${words}`),
  );
  return element("p", { class: "hatch-legend" }, "Blocked, for this key ", items);
}

const maskGroup = (title, says, ...maps) =>
  element(
    "section",
    { class: "mask-group" },
    element("h3", {}, title),
    element("p", {}, says),
    element("div", { class: "mask-maps" }, maps),
  );

function maskMap(trace, { name, title, note, matrix, rows, cols, blocked, sentence, readout, fade = true }) {
  const map = heatMap({
    name: `${name.replaceAll("_", " ")} mask`,
    matrix: { rows: matrix.rows, cols: matrix.cols, at: (row, col) => (matrix.at(row, col) ? NaN : 0) },
    rows: tokenAxis(rows, sentence, "query"),
    cols: tokenAxis(cols, sentence, "key"),
    scale: { kind: "amount", limit: 1 },
    value: (row, col) => (matrix.at(row, col) ? `1, blocked: ${reasonWords(blocked(row, col))}` : "0, visible"),
    short: (row, col) => String(matrix.at(row, col)),
    blocked,
    readout,
    square: true,
    fade,
    plain: true,
  });
  return element(
    "figure",
    { class: "mask", "data-mask": name },
    element("figcaption", {}, element("b", {}, title), element("span", { class: "note" }, note)),
    map,
  );
}
