// Questions before a section shows its numbers. The right answers are read from the trace where it has them, so they fit
// the reader's own sentences, masks and settings.
import { formatNumber, plural, range } from "../base/numbers";
import { mostPadded } from "../sections/choices";
import { maskOfSentence } from "../trace/reasons";
import type { Trace } from "../trace/trace";

/// What the reader may answer, and what is right.
export type Form =
  | { kind: "choice"; options: string[]; right: number }
  | { kind: "number"; right: number; tolerance: number }
  | { kind: "cells"; names: string[]; right: boolean[] };

export type Given = number | boolean[];

export interface Asked {
  text: string;
  form: Form;
  why: string;
}

interface Question {
  id: string;
  sections: string[]; // it is asked in the first of these that the page has, after its first section
  ask(trace: Trace): Asked | null; // null: it does not fit this trace
}

export function isRight(form: Form, given: Given): boolean {
  if (form.kind === "number") return Math.abs((given as number) - form.right) <= form.tolerance;
  if (form.kind === "choice") return given === form.right;
  return form.right.every((cell, i) => cell === (given as boolean[])[i]);
}

/// The right answer, in words.
export function rightAnswer(form: Form): string {
  if (form.kind === "number") return formatNumber(form.right, 3);
  if (form.kind === "choice") return form.options[form.right]!;
  return form.names.filter((_, i) => form.right[i]).join(", ") || "none";
}

/// What the reader has answered, in words.
export function givenAnswer(form: Form, given: Given): string {
  if (form.kind === "number") return formatNumber(given as number, 3);
  if (form.kind === "choice") return form.options[given as number]!;
  return form.names.filter((_, i) => (given as boolean[])[i]).join(", ") || "none";
}

const choice = (options: string[], right: number): Form => ({ kind: "choice", options, right });

function shift(trace: Trace): Asked {
  const [start, first, source] = [trace.target.token(0, 0), trace.expected.token(0, 0), trace.source.token(0, 0)];
  const options = [...new Set([first, start, source])];
  const words = trace.expected.tokens[0]!.filter((_, position) => !trace.expected.isPad(0, position));
  return {
    text: `The decoder must predict “${words.join(" ")}”. What does it read at position 0?`,
    form: choice(options, options.indexOf(start)),
    why: `The target is shifted right by one position: at position 0, the decoder reads “${start}” and must predict “${first}”.`,
  };
}

function company(trace: Trace): Asked | null {
  if (trace.sentences < 2 || !(trace.source.hasPadding || trace.target.hasPadding)) return null;
  const sentence = mostPadded(trace);
  const [together, alone] = [trace.own.losses[sentence]!, trace.own.alone.losses[sentence]!];
  const counted = range(together.length).filter((i) => trace.json.answer[sentence]![i]!.counted);
  const change = Math.max(...counted.map((i) => Math.abs((together[i] ?? 0) - (alone[i] ?? 0))));
  const isSame = change < 1e-5;
  return {
    text: `“${trace.json.sentences[sentence]!.source}” is padded because a longer sentence is in its batch. Is its loss the same as in a batch of its own?`,
    form: choice(["Yes, it is the same", "No, the padding changes it"], isSame ? 0 : 1),
    why: isSame
      ? "No word attends to padding, and the loss ignores it, so the other sentences of the batch change nothing."
      : `Some words attend to padding here, because the masks let them: the loss of a token changes by up to ${formatNumber(change, 2)}.`,
  };
}

function visibleKeys(trace: Trace): Asked | null {
  const { target } = trace;
  const query = 2;
  if (target.length <= query) return null;
  const names = range(target.length).map((key) => `${key} ${target.token(0, key)}`);
  const mask = maskOfSentence(trace.matrix(trace.own.masks.decoder_combined), trace.sentences, 0, target.length);
  const right = range(target.length).map((key) => mask.at(query, key) === 0);
  const hasPadding = range(target.length).some((key) => key > query && target.isPad(0, key));
  const paddingBehind = hasPadding ? " Padding is no word, so no query may see it; here it comes later anyway." : "";
  return {
    text: `Decoder self-attention: which keys may query ${query} (“${target.token(0, query)}”) see?`,
    form: { kind: "cells", names, right },
    why: !right.slice(query + 1).includes(true)
      ? `The token that it must predict comes next in the input, at position ${query + 1}. So it may see itself and what comes before, but nothing later.${paddingBehind}`
      : "The look-ahead mask is off or changed: the query also sees what it must predict.",
  };
}

function scale(trace: Trace): Asked | null {
  const step = trace.steps.find(
    ({ part, output }) => /self_attn$/.test(part) && trace.tensor(output).name === "scores",
  );
  const products = step?.inputs.find(({ name }) => name === "products");
  if (!step || !products) return null;
  const [before, after] = [trace.matrix(products.tensor).numbers, trace.matrix(step.output).numbers];
  const at = before.findIndex((number, i) => Math.abs(number) > 1e-6 && after[i] !== 0);
  if (at < 0) return null;
  const divisor = before[at]! / after[at]!;
  const { d_model: width, heads } = trace.json.model;
  return {
    text: `The model is ${width} wide and has ${heads} heads. What number are the products of queries and keys divided by?`,
    form: { kind: "number", right: divisor, tolerance: 0.02 * Math.abs(divisor) },
    why: `Each head is ${width} / ${heads} = ${width / heads} wide (d_head, the paper’s d_k), and √${width / heads} = ${formatNumber(divisor, 4)}. Dividing by the square root keeps the spread of the scores about the same, however wide the heads are.`,
  };
}

function crossKeys(trace: Trace): Asked | null {
  const part = /^decoder\.layers\.0\.encoder_attn\.kv_proj$/;
  const step = trace.steps.find((one) => one.direction === "forward" && part.test(one.part));
  const x = step?.inputs.find(({ name }) => name === "x");
  const producer = x && trace.producer(x.tensor);
  if (producer === undefined) return null;
  return {
    text: "Where do the keys and values of cross-attention come from?",
    form: choice(
      ["From the encoder’s output", "From the decoder", "From the source embeddings"],
      !/^encoder/.test(trace.step(producer).part) ? 1 : /embed/.test(trace.step(producer).part) ? 2 : 0,
    ),
    why: "Its queries come from the decoder. Its keys and values are computed from the encoder’s output, so this is where the decoder reads the source.",
  };
}

function rowSum(trace: Trace): Asked {
  const weights = trace.matrix(trace.json.attention[0]!.weights);
  const sum = range(weights.cols).reduce((total, col) => total + weights.at(0, col), 0);
  return {
    text: "What do the attention weights of one query sum to?",
    form: { kind: "number", right: Math.round(1e4 * sum) / 1e4, tolerance: 0.001 },
    why: "The softmax divides each exponential by the sum of its row. Blocked keys are not part of that sum.",
  };
}

function differenceSum(trace: Trace): Asked {
  const gradient = trace.matrix(trace.json.d_logits);
  const sum = range(gradient.cols).reduce((total, col) => total + gradient.at(0, col), 0);
  return {
    text: "p is the predicted distribution, q the target distribution. What is the sum of p − q over the vocabulary?",
    form: { kind: "number", right: Math.abs(sum) < 1e-5 ? 0 : sum, tolerance: 0.001 },
    why: `p and q both sum to 1, so the difference sums to 0. In this pass, rounding leaves ${formatNumber(sum, 2)} at position 0.`,
  };
}

function expectedSign(trace: Trace): Asked | null {
  const { expected } = trace.json.answer[0]![0]!;
  const { ids } = trace.tensor(trace.json.d_logits);
  const col = ids ? ids.indexOf(expected) : expected;
  if (col < 0) return null;
  const number = trace.matrix(trace.json.d_logits).at(0, col);
  return {
    text: `Position 0 expects “${trace.expected.token(0, 0)}”. What is the sign of the gradient of its logit?`,
    form: choice(["Positive", "Negative", "It is exactly 0"], number > 0 ? 0 : number < 0 ? 1 : 2),
    why:
      number > 0
        ? `It is ${formatNumber(number, 3)}: p is above q here, because label smoothing asks for less than certainty. An update goes against the gradient, so it pushes the logit down.`
        : `It is ${formatNumber(number, 3)}: p is below q here. An update goes against the gradient, so it pushes the logit up.`,
  };
}

const memoryParts = (trace: Trace): Asked => {
  const count = trace.json.memory_gradient.parts.length;
  return {
    text: `The decoder of this model has ${plural(trace.json.model.decoder_layers, "layer")}. How many send a gradient to the encoder’s output?`,
    form: { kind: "number", right: count, tolerance: 0 },
    why: "Every decoder layer attends to the encoder’s output, so every one sends a gradient back. The encoder gets their sum.",
  };
};

function untrainedLoss(trace: Trace): Asked {
  const { length } = trace.json.vocabulary.target;
  const right = Math.log(length);
  return {
    text: `A model that knows nothing gives each of the ${length} target tokens the same probability. What is its loss, roughly?`,
    form: { kind: "number", right, tolerance: 0.15 * right },
    why: `Each token gets 1/${length}, so the loss is −ln(1/${length}) = ln ${length} = ${formatNumber(right, 3)}. A model with random weights usually begins somewhat above it.`,
  };
}

const adam = (): Asked => ({
  text: "Adam keeps two running means: m of the gradient, v of its square. What does it divide m by?",
  form: choice(["By the norm of the gradient", "By v", "By the square root of v", "By the learning rate"], 2),
  why: "√v is the typical size of this weight’s gradient. So m / √v hardly depends on that size, and all weights take steps of a similar size. (Before that, both means are corrected, because they start at 0.)",
});

const beamLoses = (): Asked => ({
  text: "Which finds the translation with the better score: greedy search, or a beam of 4?",
  form: choice(
    ["The beam of 4 is never worse", "Usually the beam of 4, but greedy search can win", "Both always find the same"],
    1,
  ),
  why: "If the token that looks best leads to a bad ending, a beam still has alternatives, and greedy search has none. But a beam keeps only the 4 best beginnings, so it may drop the one that greedy search follows.",
});

export const QUESTIONS: Question[] = [
  { id: "visible keys", sections: ["masks"], ask: visibleKeys },
  { id: "company", sections: ["masks"], ask: company },
  { id: "scale", sections: ["walk"], ask: scale },
  { id: "row sum", sections: ["attention"], ask: rowSum },
  { id: "cross keys", sections: ["attention"], ask: crossKeys },
  { id: "shift", sections: ["answer"], ask: shift },
  { id: "difference sum", sections: ["answer"], ask: differenceSum },
  { id: "expected sign", sections: ["answer"], ask: expectedSign },
  { id: "memory parts", sections: ["gradient"], ask: memoryParts },
  { id: "untrained loss", sections: ["train"], ask: untrainedLoss },
  { id: "adam", sections: ["update", "train"], ask: adam },
  { id: "beam", sections: ["search"], ask: beamLoses },
];

/// The questions of a section, given all sections of the page. The first one asks none: a newcomer sees the text and the
/// model before a question.
export const questionsOf = (section: string, all: string[]): Question[] =>
  QUESTIONS.filter(({ sections }) => sections.find((id) => all.indexOf(id) > 0) === section);
