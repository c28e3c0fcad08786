// Which chapters of the course explain a section. The test of this file compares them with docs/course/README.md.

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

const MAP = chapter(0, "The map", "map", 30);
const MASKS = chapter(1, "Masks", "masks", 25);
const FORCING = chapter(2, "Teacher forcing", "teacher_forcing", 30);
const SOFTMAX = chapter(3, "Softmax", "softmax", 10);
const ATTENTION = chapter(6, "Attention", "attention", 35);
const ADD_AND_NORM = chapter(8, "Add & Norm", "add_and_norm", 30);
const CROSS_ENTROPY = chapter(9, "Cross-entropy", "cross_entropy", 25);
const MEMORY = chapter(10, "Encoder, decoder, memory", "encoder_and_decoder", 35);
const LEARNING = chapter(11, "Learning", "learning", 50);
const SEARCH = chapter(12, "Search", "search", 50);
const EVALUATION = chapter(13, "Evaluation", "evaluation", 20);

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
