// Labels for the rows and columns of a matrix. Labels count from 0, as in the code.
import { ATTENTION_KINDS, kindOfPart } from "./names";
import type { Side, Trace } from "./trace";
import type { TensorJson } from "./types";

export interface Axis {
  tokens: boolean; // the labels are tokens, so they have different widths
  group?: number; // a rule separates groups of so many rows
  short(i: number): string; // at the edge of a map
  long(i: number): string; // in the readout
  pad(i: number): boolean; // whether this row or column is padding
}

export const numberAxis = (long: (i: number) => string): Axis => ({
  tokens: false,
  short: String,
  long,
  pad: () => false,
});

/// The tokens of one sentence. `role` is "query", "key" or empty.
export function tokenAxis(side: Side, sentence: number, role = ""): Axis {
  const name = role ? `${role} ` : "";
  return {
    tokens: true,
    short: (i) => side.token(sentence, i),
    long: (i) => `${name}“${side.token(sentence, i)}” (position ${i})`,
    pad: (i) => side.isPad(sentence, i),
  };
}

/// The tokens of all sentences, concatenated.
export function batchAxis(side: Side): Axis {
  const of = (i: number): [number, number] => [Math.floor(i / side.length), i % side.length];
  return {
    tokens: true,
    group: side.length,
    short: (i) => side.token(...of(i)),
    long: (i) => `“${side.token(...of(i))}” (sentence ${of(i)[0]}, position ${of(i)[1]})`,
    pad: (i) => side.isPad(...of(i)),
  };
}

/// Positions of the target, labelled with the token read and the token expected there: "<s> → der".
export function predictionAxis({ target, expected }: Trace, sentences: number[]): Axis {
  const of = (i: number): [number, number] => [sentences[Math.floor(i / target.length)]!, i % target.length];
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
const partedAxis = (names: string[], width: number): Axis =>
  numberAxis((i) => `${names[Math.floor(i / width)]} ${i % width}`);

/// Tokens of a vocabulary: those with these ids, or all of them.
export function vocabularyAxis(tokens: string[], ids?: number[]): Axis {
  const id = (i: number) => (ids ? ids[i]! : i);
  return { ...numberAxis((i) => `“${tokens[id(i)]}” (id ${id(i)})`), short: (i) => String(id(i)) };
}

/// The axis of one term of "axes" ("D", "3D", "V", ...), if it is not an axis of tokens.
export function plainAxis(
  trace: Trace,
  term: string,
  { vocabulary_of: side, ids }: Pick<TensorJson, "vocabulary_of" | "ids">,
  isRow: boolean,
): Axis {
  const width = trace.json.model.d_model;
  if (term === "3D") return partedAxis(["query", "key", "value"], width);
  if (term === "2D") return partedAxis(["key", "value"], width);
  if (term === "F") return numberAxis((i) => `hidden unit ${i}`);
  if (term === "S" || term === "T") return numberAxis((i) => `position ${i}`);
  if (term === "V") return vocabularyAxis(trace.json.vocabulary[side ?? "target"], ids);
  if (term === "1") return numberAxis(() => "");
  if (term === "B") return numberAxis((i) => `sentence ${i}`);
  return numberAxis((i) => `${isRow ? "row" : "column"} ${i}`);
}

/// "B*S, D" -> ["B*S", "D"]. A mask does not state its axes: they follow from its shape and its kind of attention.
export function axisTerms(trace: Trace, { name, part, axes, values }: TensorJson): [row: string, col: string] {
  if (axes) {
    const [row = "", col = ""] = axes.split(",").map((term) => term.trim());
    return [row, col];
  }
  const kind = name === "mask" ? kindOfPart(trace, part) : undefined;
  if (!kind) return ["", ""];
  const letter = { source: "S", target: "T" };
  const { rows, cols } = ATTENTION_KINDS[kind];
  return [values.rows === trace.sentences ? "B" : `B*${letter[rows]}`, letter[cols]];
}

/// The side of the batch whose tokens a term of "axes" counts, for the tensor of this name.
export function sideOfTerm(trace: Trace, term: string, name?: string): Side {
  if (name === "expected") return trace.expected;
  return term.endsWith("S") ? trace.source : trace.target;
}
