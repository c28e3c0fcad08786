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

/// Each mask that is shown: whose queries and keys it is for, and the words around it.
const SHOWN_MASKS = {
  encoder_padding: { title: "padding", rows: "source", cols: "source" },
  look_ahead: { title: "look-ahead", rows: "target", cols: "target", note: "The same for all sentences." },
  target_padding: { title: "padding", rows: "target", cols: "target" },
  decoder_combined: { title: "combined", rows: "target", cols: "target", note: "Blocked by one, or by both." },
  cross_padding: { title: "padding", rows: "target", cols: "source" },
};

function shownMask(trace, name, sentence, readout) {
  const { title, note, ...texts } = SHOWN_MASKS[name];
  const mask = trace.mask(name);
  const [rows, cols] = [trace[texts.rows], trace[texts.cols]];
  const reasons = {
    look_ahead: () => "this key lies in the future",
    decoder_combined: (row, col) => blockedReason(trace, "decoder self", sentence, row, col),
  };
  return maskMap(trace, {
    ...{ name, title, rows, cols, sentence, readout },
    note: note ?? `One row of ${cols.length}, for every query.`,
    matrix: name === "look_ahead" ? mask : maskOfSentence(mask, trace.sentences, sentence, rows.length),
    reason: reasons[name] ?? (() => "this key is padding"),
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
        "Masked decoder self-attention: blocked where either of two masks blocks, their elementwise maximum.",
        mask("look_ahead"),
        operator("max", "maximum with"),
        mask("target_padding"),
        operator("=", "is"),
        mask("decoder_combined"),
      ),
      maskGroup(
        "3. Cross-attention padding",
        "The keys are the encoder’s: the source’s padding again.",
        mask("cross_padding"),
      ),
    ),
    readout,
    hatchLegend(),
    element(
      "p",
      { class: "note" },
      "A padding mask blocks keys, not queries: the rows of padded queries stay as they are. What comes out of them ",
      "is never looked at again, and the loss does not count it.",
    ),
  ];
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

function maskMap(trace, { name, title, note, matrix, rows, cols, reason, sentence, readout, fade = true }) {
  const blocked = (row, col) => (matrix.at(row, col) ? reason(row, col) || "the mask says so" : "");
  const map = heatMap({
    name: `${name.replaceAll("_", " ")} mask`,
    matrix: { rows: matrix.rows, cols: matrix.cols, at: (row, col) => (matrix.at(row, col) ? NaN : 0) },
    rows: tokenAxis(rows, sentence, "query"),
    cols: tokenAxis(cols, sentence, "key"),
    scale: { kind: "amount", limit: 1 },
    value: (row, col) => (matrix.at(row, col) ? `1, blocked: ${blocked(row, col)}` : "0, visible"),
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
