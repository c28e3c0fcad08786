// Teacher forcing and free running, position by position: what the decoder reads, and what it says.
import type { SearchTree } from "../engine/protocol";
import type { Trace } from "../trace/trace";

/// What the decoder reads at a position, the token that it finds likeliest, and its probability.
export interface Said {
  input: string;
  says: string;
  probability: number | null;
}

export interface Position {
  expected: string | null; // null after the end of the expected translation
  forced: Said | null;
  free: Said | null; // null after the end of the model's own translation
  sameInput: boolean; // whether the decoder has read the same tokens so far
}

/// The positions of a sentence. `run`: the greedy search for its translation.
export function positionsOf(trace: Trace, sentence: number, run: SearchTree | undefined): Position[] {
  const free = run ? freeSide(trace.target.token(sentence, 0), run) : [];
  const answers = trace.json.answer[sentence]!;
  const length = answers.filter(({ counted }) => counted).length;
  let sameInput = true;
  return Array.from({ length: Math.max(length, free.length) }, (_, i) => {
    const answer = i < length ? answers[i]! : null;
    const [best] = answer?.likeliest ?? [];
    const forced = best && {
      input: trace.target.token(sentence, i),
      says: best.token,
      probability: best.probability,
    };
    sameInput &&= forced !== undefined && free[i] !== undefined && forced.input === free[i].input;
    return {
      expected: answer ? trace.expected.token(sentence, i) : null,
      forced: forced ?? null,
      free: free[i] ?? null,
      sameInput,
    };
  });
}

/// The first position at which the decoder reads something else than under teacher forcing; null: there is none.
export function driftsAt(positions: Position[]): number | null {
  const found = positions.findIndex(({ sameInput }) => !sameInput);
  return found < 0 ? null : found;
}

/// In a search with a beam of 1, the one extension of each step that goes on or ends it.
function freeSide(begin: string, run: SearchTree): Said[] {
  let input = begin;
  const side: Said[] = [];
  for (const step of run.steps) {
    const kept = step.find(({ fate }) => fate === "runs" || fate === "finished");
    if (!kept) break;
    side.push({ input, says: kept.text, probability: kept.probability });
    if (kept.fate === "finished") break;
    input = kept.text;
  }
  return side;
}

export const textOf = (run: SearchTree | undefined): string => run?.found[0]?.text ?? "";
