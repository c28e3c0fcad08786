// The trace as the page reads it: one recorded pass of the model, forward and backward. Nothing changes it.

class Trace {
  #matrices = new Map();

  constructor(json) {
    this.json = json;
    this.steps = json.steps;
    this.sentences = json.sentences.length;
    this.source = new Text(json.batch.source, json.batch.pad.source);
    this.target = new Text(json.batch.target_input, json.batch.pad.target);
    this.expected = new Text(json.batch.target_output, json.batch.pad.target);
    this.makers = new Map(json.steps.map((step, number) => [step.output, number]));
  }

  /// The matrix of tensor `index`, or the one that lies in `json`; the same object each time.
  matrix(place) {
    const json = typeof place === "number" ? this.json.tensors[place].values : place;
    if (!this.#matrices.has(json)) this.#matrices.set(json, new Matrix(json));
    return this.#matrices.get(json);
  }

  mask(name) {
    return this.matrix(this.json.masks[name]);
  }

  /// The masks that the model is used with, what they block and why, and what comes of it; section 7 has others.
  get own() {
    return this.json.what_if[0];
  }

  /// Whether an elementary mask is on: one of the reasons for which a mask blocks.
  isOn(mask, reason, variant = this.own) {
    return variant.reasons[mask].some(({ name }) => name === reason);
  }

  /// Whether the pass has dropout in a part of the model: "" is any part.
  dropsOut(part = "") {
    return this.steps.some((step) => step.part.endsWith(`${part}.dropout`));
  }

  /// The step that computed a tensor; undefined where none did: it is given.
  maker(tensor) {
    return this.makers.get(tensor);
  }
}

/// One side of the batch: ids and tokens, [sentences, length].
class Text {
  constructor({ ids, tokens }, pad) {
    this.ids = ids;
    this.tokens = tokens;
    this.pad = pad;
    this.length = ids[0].length;
  }

  token(sentence, position) {
    return this.tokens[sentence][position];
  }

  isPad(sentence, position) {
    return this.ids[sentence][position] === this.pad;
  }
}

const readTrace = () => new Trace(JSON.parse(document.getElementById("trace").textContent));
