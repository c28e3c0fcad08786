// The slots for live figures in the pages. scripts/course_pages.py renders the slots, and scripts/course.py computes
// their parameters: words or numbers, separated by spaces, and lists of them, separated by " | ".
import type { FunctionComponent } from "preact";
import slots from "./slots.json";

export type SlotName = keyof typeof slots;
export type Parameters = Record<string, string>;
export type LiveFigure = FunctionComponent<{ parameters: Parameters }>;
/// The figures that a page can show. A slot whose figure is missing stays empty.
export type FigureTable = Partial<Record<SlotName, LiveFigure>>;

export const wordsOf = (text = ""): string[] => text.split(" ").filter((word) => word !== "");
export const numbersOf = (text = ""): number[] => wordsOf(text).map(Number);
export const listsOf = (text = ""): string[] => text.split(" | ");
