// A recorded matrix: its name, its shape, where it comes from, and its numbers. The figure shows the rows of the chosen
// sentence, head by head if the matrix has heads.

const ALL_SENTENCES = -1;

const sentencesShown = (trace, sentence) =>
  sentence === ALL_SENTENCES ? [...trace.json.sentences.keys()] : [sentence];

function origin(trace, tensor) {
  const producer = trace.producer(tensor);
  if (producer === undefined) return element("span", { class: "origin" }, originText(trace, tensor));
  return element("a", { class: "origin", href: anchor(producer) }, `from step ${producer + 1}`);
}

const GIVEN_TEXTS = {
  mask: "given: a mask",
  id: "given: the ids of the tokens",
  expected: "given: the ids of the expected tokens",
  d_loss: "given: 1 / the number of counted tokens, because the loss is a mean over them",
  position: "given: sines and cosines of the position",
  kept: "given: drawn at random; 1 means kept, 0 means dropped",
};

const areIds = (name) => name === "id" || name === "expected";

/// Ids are names, not amounts: they are shown without colours or decimals.
const idCells = (matrix) => ({
  short: (row, col) => String(matrix.at(row, col)),
  scale: { kind: "amount", limit: Infinity },
  plain: true,
});

const isParameter = (name) => /^(weight|bias|gain|table)$/.test(name);

/// Why no step of the trace computes a tensor: it is given, or its step belongs to a layer that is left out.
function originText(trace, tensor, name = trace.json.tensors[tensor].name) {
  if (trace.json.tensors[tensor].computed) return "left out: computed in a layer that is not shown";
  return GIVEN_TEXTS[name] ?? (isParameter(name) ? "given: a parameter of the model" : "given: no step computes it");
}

/// "B·S × D = 30 × 64" for the axes "B*S, D". If the axis of a large vocabulary is cut, the text says so.
function shapeOf(trace, tensor) {
  const terms = axisTerms(trace, tensor);
  const { ids, vocabulary, values } = tensor;
  const [rows, cols] = [values.rows, values.cols].map((count, i) => (ids && terms[i] === "V" ? vocabulary : count));
  const letters = terms.map((term) => term.replaceAll("*", "·"));
  const shape = terms.every(Boolean) ? `${letters.join(" × ")} = ${rows} × ${cols}` : `${rows} × ${cols}`;
  return ids ? `${shape}, shown for ${ids.length} of ${vocabulary} tokens` : shape;
}

function tensorFigure(trace, index, sentence, role, name) {
  const tensor = trace.json.tensors[index];
  const [rowTerm, colTerm] = axisTerms(trace, tensor);
  const maps = /^B\*H\*/.test(rowTerm)
    ? headMaps(trace, index, rowTerm, colTerm, sentence)
    : [tensorMap(trace, index, rowTerm, colTerm, sentence)];
  const byHead = maps.length > 1 || /^B\*H\*/.test(rowTerm);
  return element(
    "figure",
    { class: `tensor ${role}`, "data-tensor": index },
    element(
      "figcaption",
      {},
      element("code", { class: "name" }, name ?? tensor.name),
      element("span", { class: "shape" }, shapeOf(trace, tensor)),
      role === "output" ? element("span", { class: "origin" }, "this step’s output") : origin(trace, index),
    ),
    byHead ? maps : maps[0],
  );
}

/// A matrix without heads: the rows of one sentence or of all, or the whole matrix if its rows are not tokens.
function tensorMap(trace, index, rowTerm, colTerm, sentence) {
  const tensor = trace.json.tensors[index];
  const matrix = trace.matrix(index);
  const cols = plainAxis(trace, colTerm, tensor, false);
  const cells = areIds(tensor.name) ? idCells(matrix) : { scale: scaleFor(matrix) };
  const options = { name: tensor.name, cols, ...cells };
  if (rowTerm === "B" && sentence !== ALL_SENTENCES) {
    const one = { ...numberAxis(() => `sentence ${sentence}`), tokens: true, short: () => "" };
    const tokens = /^[ST]$/.test(colTerm) ? tokenAxis(textOfTerm(trace, colTerm, tensor.name), sentence) : cols;
    const row = matrix.rowsFrom(sentence, 1);
    return heatMap({ ...options, ...(areIds(tensor.name) ? idCells(row) : {}), matrix: row, rows: one, cols: tokens });
  }
  if (!/^B\*[ST]$/.test(rowTerm)) {
    return heatMap({ ...options, matrix, rows: plainAxis(trace, rowTerm, tensor, true) });
  }
  const text = textOfTerm(trace, rowTerm, tensor.name);
  const predicts = tensor.part === "loss" || colTerm === "V";
  if (sentence === ALL_SENTENCES) {
    const rows = predicts ? predictionAxis(trace, sentencesShown(trace, sentence)) : batchAxis(text);
    return heatMap({ ...options, matrix, rows });
  }
  const rows = predicts ? predictionAxis(trace, [sentence]) : tokenAxis(text, sentence);
  return heatMap({ ...options, matrix: matrix.rowsFrom(sentence * text.length, text.length), rows });
}

/// A map with square cells, queries by keys, for each head of each sentence shown.
function headMaps(trace, index, rowTerm, colTerm, sentence) {
  const tensor = trace.json.tensors[index];
  const options = {
    matrix: trace.matrix(index),
    name: tensor.name,
    queries: textOfTerm(trace, rowTerm),
    keys: textOfTerm(trace, colTerm),
    kind: kindOfPart(trace, tensor.part),
  };
  const legend = scaleLegend(scaleFor(options.matrix));
  return sentencesShown(trace, sentence).map((b) => headRow(trace, options, b, { legend: legend.cloneNode(true) }));
}

/// The heads of one sentence side by side, with one readout. `matrix` is [B*H*queries, keys].
function headRow(trace, options, sentence, { legend }) {
  const { matrix, name, queries, keys, kind, variant, scale = scaleFor(matrix) } = options;
  const { heads } = trace.json.model;
  const readout = makeReadout();
  const group = [];
  const oneHead = (head) => {
    const map = heatMap({
      name: `${name}, sentence ${sentence}, head ${head}`,
      matrix: matrix.rowsFrom((sentence * heads + head) * queries.length, queries.length),
      rows: tokenAxis(queries, sentence, "query"),
      cols: tokenAxis(keys, sentence, "key"),
      blocked: kind ? (row, col) => blockedBy(trace, kind, sentence, row, col, variant) : undefined,
      ...{ scale, square: true, readout, group, plain: true },
    });
    return element("div", { class: "head" }, element("p", { class: "head-name" }, `head ${head}`), map);
  };
  const maps = Array.from({ length: heads }, (_, head) => oneHead(head));
  return element(
    "div",
    { class: "head-row" },
    element("div", { class: "heads side-by-side" }, maps),
    element("div", { class: "heat-map-foot" }, legend, enlargeButton(group)),
    readout,
  );
}
