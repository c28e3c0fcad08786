// The inputs of a step differ by the line that outlines their cells and underlines their numbers in the formula, so that
// nobody has to tell colours apart.
import "./input_style.css";

/// Lengths of dashes and gaps on a canvas: solid, dashed, dotted, dash and dot.
const DASHES = [[], [7, 4], [2, 3], [9, 3, 2, 3]];

export const dashesOf = (input: number): number[] => DASHES[input] ?? [];

export const styleOfInput = (input: number): string => (input < 0 ? "" : `of-input-${input}`);
