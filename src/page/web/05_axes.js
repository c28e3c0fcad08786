// Labels for the rows and columns of a matrix. An axis has a short label for the edge of the map, a long one for the
// readout, and `pad`, which tells whether an index is padding. Labels count from 0, as in the code.

const numberAxis = (long) => ({ tokens: false, short: (i) => String(i), long, pad: () => false });

/// The tokens of one sentence. `role` is "query", "key" or empty.
function tokenAxis(text, sentence, role = "") {
  const name = role ? `${role} ` : "";
  return {
    tokens: true,
    short: (i) => text.token(sentence, i),
    long: (i) => `${name}“${text.token(sentence, i)}” (position ${i})`,
    pad: (i) => text.isPad(sentence, i),
  };
}

/// The tokens of all sentences, concatenated.
function batchAxis(text) {
  const [length, of] = [text.length, (i) => [Math.floor(i / text.length), i % text.length]];
  return {
    tokens: true,
    group: length,
    short: (i) => text.token(...of(i)),
    long: (i) => `“${text.token(...of(i))}” (sentence ${of(i)[0]}, position ${of(i)[1]})`,
    pad: (i) => text.isPad(...of(i)),
  };
}

/// Positions of the target, labelled with the token read and the token expected there: "<s> → der".
function predictionAxis(trace, sentences) {
  const { target, expected } = trace;
  const of = (i) => [sentences[Math.floor(i / target.length)], i % target.length];
  return {
    ...batchAxis(target),
    short: (i) => `${target.token(...of(i))} → ${expected.token(...of(i))}`,
    long: (i) => {
      const [sentence, position] = of(i);
      const [read, next] = [target.token(sentence, position), expected.token(sentence, position)];
      return `input “${read}”, expected “${next}” (sentence ${sentence}, position ${position})`;
    },
    pad: (i) => expected.isPad(...of(i)),
  };
}

/// Blocks side by side: 3D is queries, keys and values; 2D is keys and values.
function partedAxis(names, width) {
  return numberAxis((i) => `${names[Math.floor(i / width)]} ${i % width}`);
}

/// Tokens of a vocabulary: those with these ids, or all of them.
function vocabularyAxis(tokens, ids) {
  const id = (i) => (ids ? ids[i] : i);
  return { ...numberAxis((i) => `“${tokens[id(i)]}” (id ${id(i)})`), short: (i) => String(id(i)) };
}

/// The axis of one term of "axes" ("D", "3D", "V", ...), if it is not an axis of tokens.
function plainAxis(trace, term, { vocabulary_of: side, ids }, isRow) {
  const width = trace.json.model.d_model;
  if (term === "3D") return partedAxis(["query", "key", "value"], width);
  if (term === "2D") return partedAxis(["key", "value"], width);
  if (term === "F") return numberAxis((i) => `hidden unit ${i}`);
  if (term === "S" || term === "T") return numberAxis((i) => `position ${i}`);
  if (term === "V") return vocabularyAxis(trace.json.vocabulary[side], ids);
  if (term === "1") return numberAxis(() => "");
  if (term === "B") return numberAxis((i) => `sentence ${i}`);
  return numberAxis((i) => `${isRow ? "row" : "column"} ${i}`);
}

/// "B*S, D" -> ["B*S", "D"]. A mask does not state its axes: they follow from its shape and its kind of attention.
function axisTerms(trace, { name, part, axes, values }) {
  if (axes) return axes.split(",").map((term) => term.trim());
  const kind = name === "mask" ? ATTENTION_KINDS[kindOfPart(trace, part)] : null;
  if (!kind) return ["", ""];
  const letter = { source: "S", target: "T" };
  return [values.rows === trace.sentences ? "B" : `B*${letter[kind.rows]}`, letter[kind.cols]];
}

function textOfTerm(trace, term, name) {
  if (name === "expected") return trace.expected;
  return term.endsWith("S") ? trace.source : trace.target;
}
