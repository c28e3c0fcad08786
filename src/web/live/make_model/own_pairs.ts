// Sentence pairs that the reader pastes: their checks. Lines are counted from 1.
import { plural } from "../../base/numbers";
import type { Text } from "../../engine/protocol";
import { SIDES, type SideName } from "../text/limits";
import { splitWords } from "../text/words";

const LEAST_PAIRS = 20;
const MOST_TRAINING_PAIRS = 5000;

export interface OwnPairs {
  text: Text;
  count: number;
  problems: string[]; // with one of them, no model can be made
  remarks: string[]; // pairs that training leaves out
}

/// Without the mark at its start and without empty lines at its end.
function linesOf(text: string): string[] {
  const lines = text.replace(/^\ufeff/, "").split(/\r\n|\r|\n/);
  while (lines.length > 0 && splitWords(lines.at(-1)!).length === 0) lines.pop();
  return lines;
}

type Sides = Record<SideName, string[]>;

const asText = (lines: string[]): string => lines.map((line) => `${line}\n`).join("");

const number = (count: number): string => count.toLocaleString("en");

function check({ source, target }: Sides, maxLength: number, problems: string[]): OwnPairs {
  const remarks: string[] = [];
  const count = Math.min(source.length, target.length);
  for (let i = 0; i < count; ++i) {
    for (const side of SIDES) {
      const words = splitWords((side === "source" ? source : target)[i]!).length;
      if (words === 0) problems.push(`Line ${i + 1}: the ${side} side is empty.`);
      if (words <= maxLength) continue;
      remarks.push(
        `Line ${i + 1}: the ${side} side has ${plural(words, "word")}, but data.max_length is ${maxLength}: training leaves this pair out.`,
      );
    }
  }
  if (problems.length === 0 && (count < LEAST_PAIRS || count > MOST_TRAINING_PAIRS)) {
    problems.push(`Expected ${LEAST_PAIRS} to ${number(MOST_TRAINING_PAIRS)} sentence pairs, found ${number(count)}.`);
  }
  return { text: { source: asText(source), target: asText(target) }, count, problems, remarks };
}

/// Line i of `target` translates line i of `source`.
export function checkLines(source: string, target: string, maxLength: number): OwnPairs {
  const sides: Sides = { source: linesOf(source), target: linesOf(target) };
  const [sources, targets] = [sides.source.length, sides.target.length];
  const problems: string[] = [];
  if (sources !== targets) {
    const side = sources > targets ? "target" : "source";
    problems.push(
      `Line ${Math.min(sources, targets) + 1} has no ${side} side: found ${plural(sources, "source line")} and ` +
        `${plural(targets, "target line")}.`,
    );
  }
  return check(sides, maxLength, problems);
}

/// Each line has both sides, with a tab between them.
export function checkTabbed(pairs: string, maxLength: number): OwnPairs {
  const sides: Sides = { source: [], target: [] };
  const problems: string[] = [];
  linesOf(pairs).forEach((line, i) => {
    const parts = line.split("\t");
    if (parts.length !== 2) {
      problems.push(
        `Line ${i + 1}: expected one tab between source and target, found ${plural(parts.length - 1, "tab")}.`,
      );
    }
    sides.source.push(parts[0] ?? "");
    sides.target.push(parts[1] ?? "");
  });
  if (problems.length > 0)
    return { text: { source: "", target: "" }, count: sides.source.length, problems, remarks: [] };
  return check(sides, maxLength, problems);
}

/// The first of them, and how many more there are.
export function firstOf(messages: string[], most = 5): string[] {
  const rest = messages.length - most;
  return rest > 0 ? [...messages.slice(0, most), `… and ${number(rest)} more.`] : messages;
}
