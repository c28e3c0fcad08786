// The digests of the program's own run, from data/toy/digests.txt. Its lines: RUN UPDATE TENSOR DIGEST.

const linesOf = (text: string, run: string): string[][] =>
  text
    .split("\n")
    .map((line) => line.split(" "))
    .filter((words) => words.length === 4 && words[0] === run && /^\d+$/.test(words[1]!));

/// The updates after which digests are known.
export const updatesWithDigests = (text: string, run: string): number[] => [
  ...new Set(linesOf(text, run).map(([, update]) => Number(update))),
];

/// The digests of all tensors after an update; null if they are not known.
export function digestsOf(text: string, run: string, update: number): Record<string, string> | null {
  const found = linesOf(text, run).filter((words) => words[1] === String(update));
  return found.length > 0 ? Object.fromEntries(found.map(([, , tensor, digest]) => [tensor, digest])) : null;
}

export interface Comparison {
  equal: number;
  all: number;
}

/// How many of the expected digests are those that were found.
export const compareDigests = (expected: Record<string, string>, found: Record<string, string>): Comparison => ({
  equal: Object.entries(expected).filter(([tensor, digest]) => found[tensor] === digest).length,
  all: Object.keys(expected).length,
});
