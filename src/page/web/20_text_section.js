// Section 1: from text to numbers. Tokens, ids, padding, and the target shifted right.

function textSection(trace) {
  return [
    lead(
      "A model reads numbers, so every token becomes an id. The sentences of a batch are ",
      element("b", {}, "padded"),
      " to the same length",
      isPadded(trace) ? ": see the grey cells." : "; this batch needs no padding.",
    ),
    sentenceList(trace),
    aboutModel(trace),
    element("h3", {}, "The source ", shapeNote(trace, trace.source)),
    element("p", {}, "One row is one sentence. The encoder gets these ids and nothing else."),
    scrollBox("Source tokens and ids", tokenTable(trace, trace.source)),
    element("h3", {}, "The target, shifted right ", shapeNote(trace, trace.target)),
    element(
      "p",
      {},
      "The decoder’s input begins with a start token, so every token stands one place further right than in the ",
      "expected output. At each position the decoder reads ",
      trace.isOn("decoder_combined", "future")
        ? "the tokens up to there"
        : "all the tokens, because its look-ahead mask is off,",
      " and must predict the one below. It reads the expected tokens, whatever it would have said itself: that is ",
      element("b", {}, "teacher forcing"),
      ". Choose a position to see what it must predict there.",
    ),
    trace.json.sentences.map((_, sentence) => shiftedTarget(trace, sentence)),
  ];
}

const hasPadding = (text) => text.ids.some((ids) => ids.includes(text.pad));

const isPadded = ({ source, target }) => hasPadding(source) || hasPadding(target);

const shapeNote = (trace, text) =>
  element("span", { class: "shape" }, `[${trace.sentences} sentences × ${text.length} positions]`);

function aboutModel(trace) {
  const { model, checkpoint } = trace.json;
  const facts = [
    checkpoint,
    `${model.encoder_layers} encoder and ${model.decoder_layers} decoder layers of width ${model.d_model}`,
    `${model.heads} heads`,
    `${model.parameters.toLocaleString("en")} parameters`,
    `${model.norm}-norm`,
    model.activation,
    trace.dropsOut() ? "with dropout" : "without dropout",
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
      own ? element("span", { class: "note" }, " (the model’s own translation, for none was given)") : null,
    );
  return element("ol", { class: "sentences" }, trace.json.sentences.map(item));
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
  const numbers = Array.from({ length: text.length }, (_, i) => element("th", { scope: "col" }, String(i + 1)));
  return element("thead", {}, element("tr", {}, element("th", { scope: "col" }, label), numbers));
}

function tokenRow(text, sentence, title, attributes) {
  const cells = text.ids[sentence].map((_, position) => tokenCell(text, sentence, position, attributes));
  return element("tr", {}, element("th", { scope: "row" }, title), cells);
}

function tokenTable(trace, text) {
  const rows = trace.json.sentences.map((_, sentence) => tokenRow(text, sentence, `sentence ${sentence + 1}`));
  return element("table", { class: "tokens" }, positionHeader(text, "position"), element("tbody", {}, rows));
}

/// Whether the decoder can look at a position of its input when it is asked at another.
const canRead = (trace, sentence, asked, position) =>
  !blockedBy(trace, "decoder self", sentence, asked, position).length;

/// Decoder input above expected output. One position is chosen; the sentence below says what is asked there.
function shiftedTarget(trace, sentence) {
  const { target, expected } = trace;
  const says = element("output", { class: "readout", "aria-live": "polite" });
  const table = element("table", { class: "tokens shifted" });
  const choose = (position) => {
    fill(says, ...askedWords(trace, sentence, position));
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
    element("figcaption", {}, `Sentence ${sentence + 1}`),
    scrollBox(`Decoder input and expected output of sentence ${sentence + 1}`, table),
    says,
  );
}

function positionButtons(length, sentence, choose) {
  return Array.from({ length }, (_, position) => {
    const radio = element("input", {
      type: "radio",
      name: `asked-${sentence}`,
      "aria-label": `position ${position + 1}`,
      checked: position === Math.min(2, length - 1),
      onchange: () => choose(position),
    });
    return element(
      "th",
      { scope: "col" },
      element("label", { class: "position" }, radio, element("span", {}, String(position + 1))),
    );
  });
}

function askedWords(trace, sentence, position) {
  const { target, expected } = trace;
  const read = target.tokens[sentence].filter((_, other) => canRead(trace, sentence, position, other));
  if (expected.isPad(sentence, position)) {
    return [`Position ${position + 1}: padding is expected here, and the loss ignores it.`];
  }
  return [
    `Position ${position + 1}: the decoder reads `,
    element("strong", {}, element("bdi", {}, read.join(" "))),
    " and must predict ",
    element("strong", {}, element("bdi", {}, expected.token(sentence, position))),
    ".",
  ];
}
