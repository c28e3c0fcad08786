// The trace that the page shows: one recorded pass of the model, forward and backward. It is read-only.

class Trace {
  #matrices = new Map();

  constructor(json) {
    this.json = json;
    this.steps = json.steps;
    this.sentences = json.sentences.length;
    this.source = new Text(json.batch.source, json.batch.pad.source);
    this.target = new Text(json.batch.target_input, json.batch.pad.target);
    this.expected = new Text(json.batch.target_output, json.batch.pad.target);
    this.producers = new Map(json.steps.map((step, number) => [step.output, number]));
  }

  /// A matrix, given as the number of a tensor or as its JSON. Returns the same object each time.
  matrix(given) {
    const json = typeof given === "number" ? this.json.tensors[given].values : given;
    if (!this.#matrices.has(json)) this.#matrices.set(json, new Matrix(json));
    return this.#matrices.get(json);
  }

  mask(name) {
    return this.matrix(this.json.masks[name]);
  }

  /// The model under its own masks: what they block and why, and the results. Section 7 shows the other variants.
  get own() {
    return this.json.what_if[0];
  }

  /// Whether an elementary mask is on, that is, whether it is one of the reasons why `mask` blocks.
  isOn(mask, reason, variant = this.own) {
    return variant.reasons[mask].some(({ name }) => name === reason);
  }

  /// Whether the pass has dropout in parts whose names end in `part`; by default, in any part.
  hasDropout(part = "") {
    return this.steps.some((step) => step.part.endsWith(`${part}.dropout`));
  }

  /// The step that computed a tensor; undefined if no step of the trace did.
  producer(tensor) {
    return this.producers.get(tensor);
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
