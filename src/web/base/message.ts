/// What went wrong, in words.
export const messageOf = (problem: unknown): string => (problem instanceof Error ? problem.message : String(problem));
