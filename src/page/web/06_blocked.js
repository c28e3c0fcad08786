// Which keys a query may not attend to, and why. Both follow from the elementary masks that are on.

const REASONS = {
  padding: "this key is padding",
  future: "this key is in the future",
  padded_query: "this query is padding",
  inverted: "the model’s own mask has a 0 here, and 0 is read as blocked",
};

/// The mask of one sentence, queries by keys. It is stored with a row for each query, or with one row for all of them.
function maskOfSentence(mask, sentences, sentence, queries) {
  const row = (query) => (mask.rows === sentences ? sentence : sentence * queries + query);
  return { rows: queries, cols: mask.cols, at: (query, key) => mask.at(row(query), key) };
}

/// The names of the elementary masks of `variant` that block a key for a query; empty if the key is visible.
function blockedBy(trace, kind, sentence, query, key, variant = trace.own) {
  const blocks = ({ sentences, queries, blocked }) =>
    trace.matrix(blocked).at((sentences === 1 ? 0 : sentence) * queries + (queries === 1 ? 0 : query), key);
  return variant.reasons[ATTENTION_KINDS[kind].mask].filter(blocks).map(({ name }) => name);
}

/// ["padding", "future"] -> "this key is padding, and it is in the future"
const reasonText = (names) => {
  const reasons = names.map((name) => REASONS[name]);
  const last = reasons.length > 1 ? `, and ${reasons.pop()}` : "";
  return (reasons.join(", ") + last).replaceAll(/, (and )?this key/g, ", $1it");
};

/// How a blocked cell is hatched: "future", "padding", "both", or "neither".
function hatchKind(names) {
  const [padding, future] = [names.includes("padding"), names.includes("future")];
  if (padding && future) return "both";
  if (padding) return "padding";
  return future ? "future" : "neither";
}

/// The kinds of attention in which a word in any sentence may attend to padding.
function paddingSeen(trace) {
  const places = (text, sentence, pad) =>
    [...text.ids[sentence].keys()].filter((position) => text.isPad(sentence, position) === pad);
  const sees = (kind, sentence) => {
    const { rows, cols } = ATTENTION_KINDS[kind];
    const keys = places(trace[cols], sentence, true);
    const open = (query) => keys.some((key) => !blockedBy(trace, kind, sentence, query, key).length);
    return places(trace[rows], sentence, false).some(open);
  };
  const sentences = [...trace.json.sentences.keys()];
  return Object.keys(ATTENTION_KINDS).filter((kind) => sentences.some((sentence) => sees(kind, sentence)));
}
