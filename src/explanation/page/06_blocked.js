// Which keys a query may not look at, and why.

/// The row of a mask that rules a query: a mask has a row for each query of each sentence, or one for each sentence, or
/// one for each query, the same for all sentences.
function maskRow(mask, sentences, queries, sentence, query) {
  if (mask.rows === sentences * queries) return sentence * queries + query;
  if (mask.rows === sentences) return sentence;
  return mask.rows === queries ? query : 0;
}

/// The mask of one sentence as queries by keys, whatever rows it is stored in.
function maskOfSentence(mask, sentences, sentence, queries) {
  const at = (query, key) => mask.at(maskRow(mask, sentences, queries, sentence, query), key);
  return { rows: queries, cols: mask.cols, at };
}

/// Why a query may not look at a key: words, or "" where it may. The masks decide, the reason explains them.
function blockedReason(trace, kind, sentence, query, key, masks = trace.json.masks) {
  const { mask, rows, cols } = ATTENTION_KINDS[kind];
  const blocks = trace.matrix(masks[mask]);
  if (!blocks.at(maskRow(blocks, trace.sentences, trace[rows].length, sentence, query), key)) return "";
  const [padding, future] = [trace[cols].isPad(sentence, key), kind === "decoder self" && key > query];
  if (padding && future) return "this key is padding, and it lies in the future";
  if (padding) return "this key is padding";
  if (future) return "this key lies in the future";
  return trace[rows].isPad(sentence, query) ? "this query is padding" : "this mask blocks what it should not";
}

/// How a blocked cell is hatched: "future", "padding", "both", or "neither".
function hatchKind(reason) {
  const [padding, future] = [reason.includes("padding") && !reason.includes("query"), reason.includes("future")];
  if (padding && future) return "both";
  if (padding) return "padding";
  return future ? "future" : "neither";
}
