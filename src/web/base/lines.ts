// Text as lines.

/// The lines of a text, with or without a line break at its end.
export const linesOf = (text: string): string[] => text.replace(/\n$/, "").split("\n");

/// A sentence is one line: a line break in it is a space.
export const oneLine = (sentence: string): string => sentence.replace(/[\r\n\u0085\u2028\u2029]+/g, " ");
