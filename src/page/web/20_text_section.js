// Section 1: from text to numbers. It shows tokens, ids, padding, and the target shifted right.

function textSection(trace) {
  return [
    lead(
      "A model reads numbers, so every token becomes an id. The sentences of a batch are ",
      element("b", {}, "padded"),
      " to the same length",
      isPadded(trace) ? ": see the grey cells." : "; this batch needs no padding.",
      " This page counts sentences, positions, heads, layers, rows and columns from 0, as the code does.",
    ),
    sentenceList(trace),
    aboutModel(trace),
    element("h3", {}, "The source ", shapeNote(trace, trace.source)),
    element("p", {}, "Each row is one sentence. The encoder gets these ids and nothing else."),
    scrollBox("Source tokens and ids", tokenTable(trace, trace.source)),
    element("h3", {}, "The target, shifted right ", shapeNote(trace, trace.target)),
    element(
      "p",
      {},
      "The decoder’s input begins with a start token, so every token is one position further right than in the ",
      "expected output. At each position the decoder reads ",
      trace.isOn("decoder_combined", "future")
        ? "the tokens up to this position"
        : "all the tokens, because its look-ahead mask is off,",
      " and must predict the token below. It reads the expected tokens, not its own predictions: this is ",
      element("b", {}, "teacher forcing"),
      ". Choose a position to see what the decoder must predict there.",
    ),
    trace.json.sentences.map((_, sentence) => shiftedTarget(trace, sentence)),
  ];
}

const hasPadding = (text) => text.ids.some((ids) => ids.includes(text.pad));

const isPadded = ({ source, target }) => hasPadding(source) || hasPadding(target);

const shapeNote = (trace, text) =>
  element("span", { class: "shape" }, `[${plural(trace.sentences, "sentence")} × ${plural(text.length, "position")}]`);

function aboutModel(trace) {
  const { model, checkpoint } = trace.json;
  const facts = [
    checkpoint,
    `${plural(model.encoder_layers, "encoder layer")} and ${plural(model.decoder_layers, "decoder layer")}`,
    `width ${model.d_model} · ${plural(model.heads, "head")}`,
    `${model.parameters.toLocaleString("en")} parameters`,
    `${model.norm}-norm`,
    model.activation,
    trace.hasDropout() ? "with dropout" : "without dropout",
  ];
  return element("p", { class: "note" }, `The model: ${facts.join(" · ")}.`);
}

function sentenceList(trace) {
  const item = ({ source, target, own_translation: own }) =>
    element(
      "li",
      {},
      element("bdi", { class: "quote" }, source),
      " → ",
      element("bdi", { class: "quote" }, target),
      own ? element("span", { class: "note" }, " (the model’s own translation, because none was given)") : null,
    );
  return element("ol", { class: "sentences", start: 0 }, trace.json.sentences.map(item));
}

function tokenCell(text, sentence, position, attributes = {}) {
  const pad = text.isPad(sentence, position);
  return element(
    "td",
    { ...attributes, class: `token${pad ? " pad" : ""}` },
    element("bdi", {}, text.token(sentence, position)),
    element("span", { class: "id" }, String(text.ids[sentence][position])),
  );
}

function positionHeader(text, label) {
  const numbers = Array.from({ length: text.length }, (_, i) => element("th", { scope: "col" }, String(i)));
  return element("thead", {}, element("tr", {}, element("th", { scope: "col" }, label), numbers));
}

function tokenRow(text, sentence, title, attributes) {
  const cells = text.ids[sentence].map((_, position) => tokenCell(text, sentence, position, attributes));
  return element("tr", {}, element("th", { scope: "row" }, title), cells);
}

function tokenTable(trace, text) {
  const rows = trace.json.sentences.map((_, sentence) => tokenRow(text, sentence, `sentence ${sentence}`));
  return element("table", { class: "tokens" }, positionHeader(text, "position"), element("tbody", {}, rows));
}

/// Whether the decoder may read its input at position `key` when it predicts at position `query`.
const canRead = (trace, sentence, query, key) => !blockedBy(trace, "decoder self", sentence, query, key).length;

/// Decoder input above expected output. The sentence below says what the decoder must predict at the chosen position.
function shiftedTarget(trace, sentence) {
  const { target, expected } = trace;
  const task = element("output", { class: "readout", "aria-live": "polite" });
  const table = element("table", { class: "tokens shifted" });
  const choose = (position) => {
    fill(task, ...taskText(trace, sentence, position));
    for (const row of table.tBodies[0].rows) {
      [...row.cells].forEach((cell, i) => {
        cell.classList.toggle("read", row.matches(".input") && i >= 1 && canRead(trace, sentence, position, i - 1));
        cell.classList.toggle("asked", row.matches(".asked-for") && i === position + 1);
      });
    }
  };
  const header = element(
    "thead",
    {},
    element("tr", {}, element("th", { scope: "col" }, "position"), positionButtons(target.length, sentence, choose)),
  );
  const input = tokenRow(target, sentence, "decoder input");
  const output = tokenRow(expected, sentence, "expected output");
  input.classList.add("input");
  output.classList.add("asked-for");
  table.append(header, element("tbody", {}, input, output));
  choose(Math.min(2, target.length - 1));
  return element(
    "figure",
    { class: "shift" },
    element("figcaption", {}, `Sentence ${sentence}`),
    scrollBox(`Decoder input and expected output of sentence ${sentence}`, table),
    task,
  );
}

function positionButtons(length, sentence, choose) {
  return Array.from({ length }, (_, position) => {
    const radio = element("input", {
      type: "radio",
      name: `asked-${sentence}`,
      "aria-label": `position ${position}`,
      checked: position === Math.min(2, length - 1),
      onchange: () => choose(position),
    });
    return element(
      "th",
      { scope: "col" },
      element("label", { class: "position" }, radio, element("span", {}, String(position))),
    );
  });
}

function taskText(trace, sentence, position) {
  const { target, expected } = trace;
  const read = target.tokens[sentence].filter((_, other) => canRead(trace, sentence, position, other));
  if (expected.isPad(sentence, position)) {
    return [`Position ${position}: padding is expected here, and the loss ignores it.`];
  }
  return [
    `Position ${position}: the decoder reads `,
    element("strong", {}, element("bdi", {}, read.join(" "))),
    " and must predict ",
    element("strong", {}, element("bdi", {}, expected.token(sentence, position))),
    ".",
  ];
}
