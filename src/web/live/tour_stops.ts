// The stops of the tour: places in the page, and what to look at there. A step of the walk is found by its direction, its
// part and the name of its output, so the tour fits every model; a stop that does not fit is left out.
import { formatNumber, percent, plural } from "../base/numbers";
import type { Trace } from "../trace/trace";
import type { AttentionKind, StepJson } from "../trace/types";
import { AFTERWARDS } from "./tour_stops_afterwards";

export interface Stop {
  title: string;
  section: string;
  /// The step of the walk that it shows.
  step?: { direction: StepJson["direction"]; part: RegExp; output: string };
  figure?: string; // what to look at: the first element that this selector finds
  toEnd?: true; // what it speaks of stands at the end of the figure
  attention?: AttentionKind; // the one that it speaks of
  says: (trace: Trace) => string;
  ways?: { text: string; address: string }[]; // where the reader may go from here
}

const first = (trace: Trace) => trace.json.answer[0]![0]!;
/// Why the table shows another number than the cross-entropy.
function smoothedText(trace: Trace): string {
  const { label_smoothing: smoothing } = trace.json.model;
  return smoothing > 0
    ? `The table says ${formatNumber(first(trace).loss, 4)}: label smoothing (${smoothing}) makes the loss of a position a little larger or smaller than its cross-entropy. `
    : "";
}

const headWidth = ({ json: { model } }: Trace) => model.d_model / model.heads;

const FORWARD: Stop[] = [
  {
    title: "Words become numbers",
    section: "text",
    figure: ".tokens",
    says: ({ json, source }) =>
      `Each token has an id: its place in the vocabulary of ${json.vocabulary.source.length} source tokens. The batch is a table of ${plural(json.sentences.length, "sentence")} by ${plural(source.length, "position")}; shorter sentences are padded.`,
  },
  {
    title: "The target, shifted right",
    section: "text",
    figure: ".shift",
    says: ({ target, expected }) =>
      `The decoder’s input begins with ${target.token(0, 0)}, so at position 0 it must predict “${expected.token(0, 0)}”. Without the shift, it would read the answer at its own position. It reads the expected tokens, not its own predictions: this is teacher forcing.`,
  },
  {
    title: "What each query may see",
    section: "masks",
    figure: ".layer-mask:has([data-mask=decoder_combined])",
    attention: "decoder self",
    says: () =>
      "The decoder’s own attention: rows are queries, columns are keys. The look-ahead mask hides the future, the padding mask hides padding; a cell is blocked if either mask blocks it. Point at a hatched cell to see the reason.",
  },
  {
    title: "Whose padding?",
    section: "masks",
    figure: ".layer-mask:has([data-mask=cross_padding])",
    attention: "cross",
    says: (trace) =>
      trace.isOn("cross_padding", "padding")
        ? "In cross-attention, the queries are target words and the keys are source tokens. A mask blocks keys, so this one is for the source’s padding, like the encoder’s. It need not block padded queries: no word reads their rows, and the loss ignores them."
        : "In cross-attention, the queries are target words and the keys are source tokens. So its mask is for the source’s padding, like the encoder’s. In this model it is off: words attend to padding, too.",
  },
  {
    title: "A row of the embedding table",
    section: "walk",
    step: { direction: "forward", part: /^encoder\.embed_tokens$/, output: "embedded" },
    says: ({ json }) =>
      `Each id picks a row of ${json.model.d_model} numbers${json.model.scale_embeddings ? `, which are multiplied by √${json.model.d_model} = ${formatNumber(Math.sqrt(json.model.d_model), 4)}` : ""}. A vector for the position is added, because attention alone does not know the order of its keys.`,
  },
  {
    title: "Queries, keys and values",
    section: "walk",
    step: { direction: "forward", part: /^encoder\.layers\.0\.self_attn\.qkv_proj$/, output: "y" },
    says: ({ json }) =>
      `One matrix product gives all three: ${json.model.d_model} numbers in, ${3 * json.model.d_model} out. Every row is a token; no token has seen another one yet.`,
  },
  {
    title: "Every query meets every key",
    section: "walk",
    step: { direction: "forward", part: /^encoder\.layers\.0\.self_attn$/, output: "products" },
    says: (trace) =>
      `A cell is the dot product of a query and a key. Each of the ${plural(trace.json.model.heads, "head")} has ${headWidth(trace)} columns of its own, so each can look for something different.`,
  },
  {
    title: "The scale",
    section: "walk",
    step: { direction: "forward", part: /^encoder\.layers\.0\.self_attn$/, output: "scores" },
    says: (trace) =>
      `The products are divided by √d_head = √${headWidth(trace)} = ${formatNumber(Math.sqrt(headWidth(trace)), 4)}: d_head is the width of a head, the paper’s d_k. Without this, wide heads would have large scores, and the softmax would put nearly all the weight on one key.`,
  },
  {
    title: "The masked softmax",
    section: "walk",
    step: { direction: "forward", part: /^encoder\.layers\.0\.self_attn$/, output: "weights" },
    says: () =>
      "Each row now sums to 1. The code first sets each blocked score to −∞, whose exponential is exactly 0. Choose another sentence to see more padding, or less.",
  },
  {
    title: "Tokens exchange what they know",
    section: "walk",
    step: { direction: "forward", part: /^encoder\.layers\.0\.self_attn$/, output: "context" },
    says: () =>
      "Each token gets a mean of the values, weighted by its row of weights. Attention is the only part of the layer in which tokens see each other; all other parts work on each row alone.",
  },
  {
    title: "Added, not replaced",
    section: "walk",
    step: { direction: "forward", part: /^encoder\.layers\.0\.self_attn_layer_norm\.residual$/, output: "sum" },
    says: ({ json }) =>
      `The sublayer’s input is added to what attention found. So attention only has to learn what to change, and the gradient has a path around it. ${json.model.norm === "post" ? "The norm comes after the sum (post-norm)." : "The norm comes before the sublayer (pre-norm)."}`,
  },
  {
    title: "The same spread for every token",
    section: "walk",
    step: { direction: "forward", part: /^encoder\.layers\.0\.self_attn_layer_norm$/, output: "x_hat" },
    says: () =>
      "Every row now has mean 0 and variance 1, up to rounding and a tiny epsilon. The next step scales and shifts each column with a gain and a bias, which are learned.",
  },
  {
    title: "Each token on its own",
    section: "walk",
    step: { direction: "forward", part: /^encoder\.layers\.0\.feed_forward$/, output: "activated" },
    says: ({ json }) =>
      `The feed-forward layer widens each row to ${json.model.d_ff} numbers and applies ${json.model.activation}, then narrows it again. ${json.model.activation === "relu" ? "Look at the zeros: these units are off for this token." : "Look for numbers near 0: these units say little about this token."}`,
  },
  {
    title: "No looking ahead",
    section: "walk",
    step: { direction: "forward", part: /^decoder\.layers\.0\.self_attn$/, output: "weights" },
    says: (trace) =>
      trace.isOn("decoder_combined", "future")
        ? "The upper triangle is hatched: a position attends to itself and to those before it. So all positions can be trained in one pass, and none sees its answer."
        : "The look-ahead mask is off: a position attends to the very token that it must predict.",
  },
  {
    title: "Keys and values from the encoder",
    section: "walk",
    step: { direction: "forward", part: /^decoder\.layers\.0\.encoder_attn\.kv_proj$/, output: "y" },
    says: ({ source, target }) =>
      `Here the two halves meet. The input x is the encoder’s output, with ${source.length} rows for each sentence. The queries come from the decoder, which has ${target.length}.`,
  },
  {
    title: "Where the decoder looks",
    section: "attention",
    figure: ".attention-kind:nth-of-type(3)",
    attention: "cross",
    says: () =>
      "Cross-attention: the rows are target tokens, the columns source tokens. In an untrained model, the weights of a row are nearly equal. Train it, come back, and see which source tokens each row has settled on.",
  },
  {
    title: "A number for every token of the vocabulary",
    section: "walk",
    step: { direction: "forward", part: /^decoder\.output$/, output: "y" },
    says: ({ json }) =>
      `The logits: ${json.vocabulary.target.length} numbers for each position, one for each target token. They can be any numbers; the softmax turns them into probabilities.`,
  },
  {
    title: "How wrong it is",
    section: "answer",
    figure: ".answers",
    says: (trace) =>
      `“${trace.expected.token(0, 0)}” is expected first, and the model gives it a probability of ${percent(first(trace).probability)}. Minus the natural logarithm of that is the cross-entropy, ${formatNumber(first(trace).cross_entropy, 4)}. ${smoothedText(trace)}Padding is not counted.`,
  },
];

const BACKWARD: Stop[] = [
  {
    title: "p − q",
    section: "walk",
    step: { direction: "backward", part: /^loss$/, output: "d_logits" },
    says: ({ json }) =>
      `The way back begins with a subtraction: p, the predicted distribution, minus q, the target distribution, divided by the ${json.loss.tokens} counted tokens. The expected token’s entry is negative as long as its probability is too low; rows of padding are 0.`,
  },
  {
    title: "The gradient of a weight",
    section: "walk",
    step: { direction: "backward", part: /^decoder\.output$/, output: "d_weight" },
    says: () =>
      "The gradient of what comes out, times what went in, summed over all tokens of the batch. Every linear layer uses these lines. Follow the link to the forward step to compare.",
  },
  {
    title: "Back through the softmax",
    section: "walk",
    step: { direction: "backward", part: /^decoder\.layers\.\d+\.encoder_attn$/, output: "d_scores" },
    says: () =>
      "Raising all scores of a row by the same amount changes no weight, so each row of this gradient sums to 0. Where the weight is 0, so is the gradient: nothing flows back through a blocked cell.",
  },
  {
    title: "Two ways back",
    section: "walk",
    step: { direction: "backward", part: /^decoder\.layers\.0\.self_attn_layer_norm\.residual$/, output: "d_x" },
    says: () =>
      "The residual sum sends its gradient along two paths: through the sublayer and around it. Here they meet and are added. Thanks to the path around, layers far from the loss still learn.",
  },
  {
    title: "What reaches the encoder",
    section: "gradient",
    figure: "div:has(> .memory-sum)",
    toEnd: true,
    says: ({ json }) =>
      `Every decoder layer sends a gradient back through the keys and values of its cross-attention; this model has ${plural(json.memory_gradient.parts.length, "decoder layer")}. The encoder gets their sum and nothing else: it has no loss of its own.`,
  },
  {
    title: "The end of the way back",
    section: "walk",
    step: { direction: "backward", part: /^encoder\.embed_tokens$/, output: "d_table" },
    says: () =>
      "Only the rows of tokens in this batch get a gradient here. If a token occurs twice, its row gets the sum of both. Padding adds nothing.",
  },
];

export const STOPS: Stop[] = [...FORWARD, ...BACKWARD, ...AFTERWARDS];

/// The number of the step that a stop shows, from 0; -1 if this trace does not have it.
export function stepOfStop(trace: Trace, { step }: Stop): number {
  if (!step) return 0;
  const { direction, part, output } = step;
  return trace.steps.findIndex(
    (one) => one.direction === direction && part.test(one.part) && trace.tensor(one.output).name === output,
  );
}

/// The stops that a page with these sections and this trace has.
export const stopsFor = (trace: Trace, sections: string[]): Stop[] =>
  STOPS.filter((stop) => sections.includes(stop.section) && stepOfStop(trace, stop) >= 0);
