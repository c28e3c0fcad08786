// The trace that a page shows: one recorded pass of the model, forward and backward. It is read-only. When the live page
// trains on, it makes a new Trace, so figures may compare traces by identity.
import { Matrix } from "./matrix";
import type {
  IdsAndTokensJson,
  LayerMask,
  MaskName,
  MatrixJson,
  ReasonName,
  StepJson,
  TensorJson,
  TraceJson,
  VariantJson,
} from "./types";

/// One side of the batch: ids and tokens, [sentences, length].
export class Side {
  readonly ids: number[][];
  readonly tokens: string[][];
  readonly length: number;

  constructor(
    { ids, tokens }: IdsAndTokensJson,
    readonly pad: number,
  ) {
    this.ids = ids;
    this.tokens = tokens;
    this.length = ids[0]?.length ?? 0;
  }

  id(sentence: number, position: number): number {
    return this.ids[sentence]![position]!;
  }

  token(sentence: number, position: number): string {
    return this.tokens[sentence]![position]!;
  }

  isPad(sentence: number, position: number): boolean {
    return this.id(sentence, position) === this.pad;
  }

  get hasPadding(): boolean {
    return this.ids.some((ids) => ids.includes(this.pad));
  }
}

export class Trace {
  readonly steps: StepJson[];
  readonly sentences: number;
  readonly source: Side;
  readonly target: Side;
  readonly expected: Side;
  readonly #producers: Map<number, number>;
  readonly #matrices = new Map<MatrixJson, Matrix>();

  constructor(readonly json: TraceJson) {
    const { batch, steps } = json;
    this.steps = steps;
    this.sentences = json.sentences.length;
    this.source = new Side(batch.source, batch.pad.source);
    this.target = new Side(batch.target_input, batch.pad.target);
    this.expected = new Side(batch.target_output, batch.pad.target);
    this.#producers = new Map(steps.map((step, number) => [step.output, number]));
  }

  step(number: number): StepJson {
    return this.steps[number]!;
  }

  tensor(number: number): TensorJson {
    return this.json.tensors[number]!;
  }

  /// A matrix, given as the number of a tensor or as its JSON. Returns the same object each time.
  matrix(given: number | MatrixJson): Matrix {
    const json = typeof given === "number" ? this.tensor(given).values : given;
    let matrix = this.#matrices.get(json);
    if (!matrix) this.#matrices.set(json, (matrix = new Matrix(json)));
    return matrix;
  }

  mask(name: MaskName): Matrix {
    return this.matrix(this.json.masks[name]);
  }

  /// The model under its own masks: what they block and why, and the results.
  get own(): VariantJson {
    return this.json.what_if[0]!;
  }

  /// Whether an elementary mask is on, that is, whether it is one of the reasons why `mask` blocks.
  isOn(mask: LayerMask, reason: ReasonName, variant = this.own): boolean {
    return variant.reasons[mask].some(({ name }) => name === reason);
  }

  /// Whether the pass has dropout in parts whose names end in `part`; by default, in any part.
  hasDropout(part = ""): boolean {
    return this.steps.some((step) => step.part.endsWith(`${part}.dropout`));
  }

  /// The step that computed a tensor; undefined if no step of the trace did.
  producer(tensor: number): number | undefined {
    return this.#producers.get(tensor);
  }
}
