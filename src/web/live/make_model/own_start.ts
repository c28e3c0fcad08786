// A start of the reader's own text.
import { linesOf } from "../../base/lines";
import type { Text } from "../../engine/protocol";
import type { Start } from "../starts";
import { MOST_WORDS } from "../text/limits";
import { pairsOf } from "../text/text_examples";
import { splitWords } from "../text/words";

/// A model of the reader's own text starts like any other. `from`: whose settings it has.
export function ownStart(from: Start, text: Text): Start {
  const short = pairsOf(text, 200).filter(({ source, target }) =>
    [source, target].every((side) => splitWords(side).length <= MOST_WORDS),
  );
  const count = linesOf(text.source).length;
  return {
    id: "own",
    base: from.id,
    title: "Your own sentence pairs",
    says: `${count.toLocaleString("en")} pairs`,
    values: { ...from.values, "data.source_language": "source", "data.target_language": "target" },
    text: () => Promise.resolve(text),
    test: null,
    pairs: short.slice(0, 3),
  };
}
