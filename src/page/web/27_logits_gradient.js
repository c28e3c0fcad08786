// The gradient of one position's logits, softmax minus target distribution, as bars over the vocabulary.

const NAMED_ENTRIES = 8;
const NOT_COUNTED = "All zeros: padding is expected here, so nothing is to change.";

function logitsGradient(trace, sentence, position, counted) {
  const all = trace.matrix(trace.json.d_logits);
  const row = all.rowsFrom(sentence * trace.target.length + position, 1);
  const tokens = trace.json.vocabulary.target;
  const { ids = [...tokens.keys()] } = trace.json.tensors[trace.json.d_logits];
  const says = counted ? whatGradientSays(trace.json.model.label_smoothing, tokens.length) : NOT_COUNTED;
  const entries = ids.map((id, col) => ({ id, number: row.at(0, col) }));
  entries.sort((a, b) => Math.abs(b.number) - Math.abs(a.number));
  const largest = entries.slice(0, counted ? NAMED_ENTRIES : 0);
  const strip = heatMap({
    name: `gradient of the logits at position ${position + 1}`,
    matrix: row,
    rows: numberAxis(() => ""),
    cols: vocabularyAxis(tokens, ids),
    scale: { kind: "signed", limit: all.range.size },
  });
  return [
    element("p", {}, says),
    largest.length
      ? element(
          "ol",
          { class: "entries" },
          largest.map((one) => entryBar(trace, one, largest[0])),
        )
      : null,
    element("p", { class: "note" }, `${entriesShown(ids, tokens)} of the row, in the order of the vocabulary:`),
    strip,
  ].filter(Boolean);
}

const entriesShown = (ids, tokens) =>
  ids.length === tokens.length ? `All ${ids.length} entries` : `${ids.length} of the ${tokens.length} entries`;

/// With label smoothing, a model can be surer of the expected token than it is asked to be.
function whatGradientSays(labelSmoothing, vocabulary) {
  const says =
    "Softmax minus the target distribution, divided by the number of counted tokens. To lower the loss, a " +
    "logit whose entry is negative must rise, and one whose entry is positive must fall. ";
  if (labelSmoothing === 0) return says + "The target distribution is 1 for the expected token, 0 for all others.";
  const asked = formatNumber(100 * (1 - labelSmoothing + labelSmoothing / vocabulary), 3);
  return (
    `${says}Label smoothing of ${labelSmoothing} asks for ${asked}% of the expected token and a little of every ` +
    "other: the entry of a token that is likelier than that is positive, even the expected one’s."
  );
}

/// A bar to the left where negative, to the right where positive.
function entryBar(trace, { id, number }, largest) {
  const share = (50 * Math.abs(number)) / Math.abs(largest.number);
  const place = number < 0 ? `right: 50%; width: ${share}%` : `left: 50%; width: ${share}%`;
  return element(
    "li",
    {},
    element("bdi", {}, trace.json.vocabulary.target[id]),
    element(
      "span",
      { class: "entry-room" },
      element("span", { class: `entry ${number < 0 ? "negative" : "positive"}`, style: place }),
    ),
    element("span", { class: "number" }, formatNumber(number, 4)),
  );
}
