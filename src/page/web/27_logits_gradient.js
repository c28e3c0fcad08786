// The gradient of the logits at one position (softmax minus target distribution) as bars over the vocabulary.

const NAMED_ENTRIES = 8;
const NOT_COUNTED = "All zeros: padding is expected here, and the loss ignores it.";

function logitsGradient(trace, sentence, position, counted) {
  const all = trace.matrix(trace.json.d_logits);
  const row = all.rowsFrom(sentence * trace.target.length + position, 1);
  const tokens = trace.json.vocabulary.target;
  const { ids = [...tokens.keys()] } = trace.json.tensors[trace.json.d_logits];
  const text = counted ? gradientText(trace.json.model.label_smoothing, tokens.length) : NOT_COUNTED;
  const entries = ids.map((id, col) => ({ id, number: row.at(0, col) }));
  entries.sort((a, b) => Math.abs(b.number) - Math.abs(a.number));
  const largest = entries.slice(0, counted ? NAMED_ENTRIES : 0);
  const strip = heatMap({
    name: `gradient of the logits at position ${position}`,
    matrix: row,
    rows: numberAxis(() => ""),
    cols: vocabularyAxis(tokens, ids),
    scale: { kind: "signed", limit: all.range.size },
  });
  return [
    element("p", {}, text),
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

/// With label smoothing, a model can give the expected token a higher probability than its target.
function gradientText(labelSmoothing, vocabulary) {
  const text =
    "This is the softmax minus the target distribution, divided by the number of counted tokens. To lower the loss, " +
    "a logit with a negative entry must rise, and one with a positive entry must fall. ";
  if (labelSmoothing === 0) return text + "The target distribution is 1 for the expected token and 0 for all others.";
  const target = formatNumber(100 * (1 - labelSmoothing + labelSmoothing / vocabulary), 3);
  return (
    `${text}Label smoothing of ${labelSmoothing} sets the target to ${target}% for the expected token and to just ` +
    "above 0% for all others. A token that is more likely than its target has a positive entry, even the expected one."
  );
}

/// A bar to the left if the number is negative, to the right if it is positive.
function entryBar(trace, { id, number }, largest) {
  const width = (50 * Math.abs(number)) / Math.abs(largest.number);
  const place = number < 0 ? `right: 50%; width: ${width}%` : `left: 50%; width: ${width}%`;
  return element(
    "li",
    {},
    element("bdi", {}, trace.json.vocabulary.target[id]),
    element(
      "span",
      { class: "entry-track" },
      element("span", { class: `entry ${number < 0 ? "negative" : "positive"}`, style: place }),
    ),
    element("span", { class: "number" }, formatNumber(number, 4)),
  );
}
