// The live figures that need no engine. The live page adds those for attention and the search tree.
import { AdamFigure } from "./adam_figure";
import { MasksFigure } from "./masks_figure";
import { PMinusQFigure } from "./p_minus_q_figure";
import type { FigureTable } from "./slots";
import { SoftmaxFigure } from "./softmax_figure";
import { SoftmaxGradientFigure } from "./softmax_gradient_figure";

export const COURSE_FIGURES: FigureTable = {
  masks: MasksFigure,
  softmax: SoftmaxFigure,
  softmax_gradient: SoftmaxGradientFigure,
  p_minus_q: PMinusQFigure,
  adam: AdamFigure,
};
