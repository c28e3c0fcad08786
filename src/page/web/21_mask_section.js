// Section 2: the three masks of a sentence, side by side. 1 means blocked, 0 means visible.

function maskSection(trace, chosen) {
  return [
    lead(
      "A mask determines which ",
      element("b", {}, "keys"),
      " (columns) each ",
      element("b", {}, "query"),
      " (row) may not attend to. Hatched cells are blocked. Point at one to see why.",
    ),
    learnedWithout(trace),
    forSentence(trace, chosen, (sentence) => masksOf(trace, sentence)),
  ];
}

const maskName = (name) => name.replace("look_ahead", "look-ahead").replaceAll("_", " ");

function learnedWithout(trace) {
  const names = trace.json.model.learned_without.map(maskName);
  if (!names.length) return null;
  return element("p", { class: "warning" }, `Masks that were off when this model was trained: ${names.join(", ")}.`);
}

/// Each mask shown: the attention it belongs to, and the elementary masks in it.
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
  if (reasons.length > 1) return on.length > 1 ? "Blocked by one mask or by both." : "Only one of the two is on.";
  return name === "look_ahead" ? "The same for all sentences." : `One row of ${plural(keys, "key")} for all queries.`;
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
      maskGroup("1. Encoder padding", "Encoder self-attention: a mask for source padding.", mask("encoder_padding")),
      maskGroup(
        "2. Look-ahead and target padding",
        "Decoder self-attention: the elementwise maximum of two masks. A cell is blocked if either mask blocks it.",
        mask("look_ahead"),
        operator("max", "maximum with"),
        mask("target_padding"),
        operator("=", "equals"),
        mask("decoder_combined"),
      ),
      maskGroup(
        "3. Cross-attention padding",
        "Cross-attention: its keys come from the encoder, so this mask is for source padding, too.",
        mask("cross_padding"),
      ),
    ),
    readout,
    hatchLegend(),
    element(
      "p",
      { class: "note" },
      "A padding mask blocks keys, not queries: it leaves the rows of padded queries unchanged. ",
      paddedQueriesText(trace),
    ),
  ];
}

function paddedQueriesText(trace) {
  const seen = paddingSeen(trace).map((kind) => ATTENTION_KINDS[kind].title.toLowerCase());
  if (!seen.length) return "No word attends to their outputs, and the loss ignores them.";
  return `The loss ignores their outputs, but words attend to padding in ${new Intl.ListFormat("en-GB").format(seen)}.`;
}

/// The legend of the hatching. The style sheet draws the same patterns as the maps.
function hatchLegend(more = {}) {
  const kinds = { future: "the key is in the future", padding: "the key is padding", both: "both", ...more };
  const items = Object.entries(kinds).map(([kind, words]) =>
    element("span", {}, element("span", { class: `hatch ${kind}`, "aria-hidden": "true" }), ` ${words}`),
  );
  return element("p", { class: "hatch-legend" }, "Why a cell is blocked: ", items);
}

const maskGroup = (title, explanation, ...maps) =>
  element(
    "section",
    { class: "mask-group" },
    element("h3", {}, title),
    element("p", {}, explanation),
    element("div", { class: "mask-maps" }, maps),
  );

function maskMap(trace, { name, title, note, matrix, rows, cols, blocked, sentence, readout, fade = true }) {
  const map = heatMap({
    name: `${maskName(name)} mask`,
    matrix: { rows: matrix.rows, cols: matrix.cols, at: (row, col) => (matrix.at(row, col) ? NaN : 0) },
    rows: tokenAxis(rows, sentence, "query"),
    cols: tokenAxis(cols, sentence, "key"),
    scale: { kind: "amount", limit: 1 },
    value: (row, col) => (matrix.at(row, col) ? `1, blocked: ${reasonText(blocked(row, col))}` : "0, visible"),
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
