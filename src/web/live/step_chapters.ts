// Which chapters explain a step of the walk: what its part is, and for some parts also what it computes there.
import type { StepJson } from "../trace/types";
import {
  ADD_AND_NORM,
  ATTENTION,
  CROSS_ENTROPY,
  FORCING,
  LAYER_NORM,
  LINEAR,
  MAP,
  MASKS,
  MEMORY,
  SOFTMAX,
  SOFTMAX_GRADIENT,
  type ChapterLink,
} from "./section_chapters";

interface Rule {
  part: RegExp;
  equation?: RegExp;
  chapters: ChapterLink[];
}

/// The first one that fits counts.
const RULES: Rule[] = [
  { part: /^loss$/, chapters: [CROSS_ENTROPY] },
  { part: /embed_tokens$/, chapters: [FORCING] },
  { part: /(\.dropout|\.residual)$/, chapters: [ADD_AND_NORM] },
  { part: /layer_norm$/, chapters: [LAYER_NORM] },
  { part: /_attn$/, equation: /^weights = softmax/, chapters: [SOFTMAX, MASKS] },
  { part: /_attn$/, equation: /^d_scores = /, chapters: [SOFTMAX_GRADIENT] },
  { part: /encoder_attn(\.kv_proj)?$/, equation: /^d_key_value = |^d_x = /, chapters: [MEMORY] },
  { part: /^decoder$/, equation: /^d_memory/, chapters: [MEMORY] },
  { part: /encoder_attn\.kv_proj$/, equation: /^y = /, chapters: [ATTENTION, MEMORY] },
  { part: /_attn\.(qkv|q|kv)_proj$/, equation: /^y = /, chapters: [ATTENTION, LINEAR] },
  { part: /_attn$/, chapters: [ATTENTION] },
  { part: /^decoder\.output$/, equation: /^y = /, chapters: [LINEAR, CROSS_ENTROPY] },
  { part: /_proj$|feed_forward|^decoder\.output$/, chapters: [LINEAR] },
];

/// Steps that no rule fits have the map.
export const chaptersOfStep = ({ part, equation }: Pick<StepJson, "part" | "equation">): ChapterLink[] =>
  RULES.find((rule) => rule.part.test(part) && (rule.equation?.test(equation) ?? true))?.chapters ?? [MAP];
