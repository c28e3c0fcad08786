// The chapters of the course, and which of them explain a section. A test compares them with docs/course/README.md.

export interface ChapterLink {
  number: number;
  title: string;
  page: string; // its id
  minutes: number; // to read it
}

const chapter = (number: number, title: string, name: string, minutes: number): ChapterLink => ({
  number,
  title,
  page: `${String(number).padStart(2, "0")}_${name}`,
  minutes,
});

export const MAP = chapter(0, "The map", "map", 30);
export const MASKS = chapter(1, "Masks", "masks", 25);
export const FORCING = chapter(2, "Teacher forcing", "teacher_forcing", 30);
export const SOFTMAX = chapter(3, "Softmax", "softmax", 10);
export const SOFTMAX_GRADIENT = chapter(4, "The gradient of softmax", "softmax_gradient", 20);
export const LINEAR = chapter(5, "Linear maps", "linear", 30);
export const ATTENTION = chapter(6, "Attention", "attention", 35);
export const LAYER_NORM = chapter(7, "Layer normalisation", "layer_norm", 25);
export const ADD_AND_NORM = chapter(8, "Add & Norm", "add_and_norm", 30);
export const CROSS_ENTROPY = chapter(9, "Cross-entropy", "cross_entropy", 25);
export const MEMORY = chapter(10, "Encoder, decoder, memory", "encoder_and_decoder", 35);
export const LEARNING = chapter(11, "Learning", "learning", 50);
export const SEARCH = chapter(12, "Search", "search", 50);
export const EVALUATION = chapter(13, "Evaluation", "evaluation", 20);

export const CHAPTERS = [
  ...[MAP, MASKS, FORCING, SOFTMAX, SOFTMAX_GRADIENT, LINEAR, ATTENTION, LAYER_NORM, ADD_AND_NORM, CROSS_ENTROPY],
  ...[MEMORY, LEARNING, SEARCH, EVALUATION],
];

/// In the walk, each step has chapters of its own: see step_chapters.ts.
export const CHAPTERS_OF: Record<string, ChapterLink[]> = {
  text: [FORCING],
  masks: [MASKS],
  walk: [MAP],
  attention: [SOFTMAX, ATTENTION],
  answer: [CROSS_ENTROPY],
  gradient: [MEMORY],
  update: [LEARNING],
  train: [LEARNING, EVALUATION],
  search: [SEARCH],
  break: [MASKS, ATTENTION, ADD_AND_NORM],
};
