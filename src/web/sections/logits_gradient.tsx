// The gradient of the logits at one position (p - q, divided by the number of counted tokens) as bars over the vocabulary.
import { formatNumber, range } from "../base/numbers";
import { HeatMap } from "../figures/heat_map";
import { numberAxis, vocabularyAxis } from "../trace/axes";
import type { Trace } from "../trace/trace";
import { LogitsDerivation } from "./logits_derivation";
import "./logits_gradient.css";

const NAMED_ENTRIES = 8;
const NOT_COUNTED = "All zeros: padding is expected here, and the loss ignores it.";

interface Props {
  trace: Trace;
  sentence: number;
  position: number;
  counted: boolean;
}

export function LogitsGradient({ trace, sentence, position, counted }: Props) {
  const all = trace.matrix(trace.json.d_logits);
  const row = all.rowsFrom(sentence * trace.target.length + position, 1);
  const tokens = trace.json.vocabulary.target;
  const ids = trace.tensor(trace.json.d_logits).ids ?? range(tokens.length);
  const entries = ids.map((id, col) => ({ id, number: row.at(0, col) }));
  entries.sort((a, b) => Math.abs(b.number) - Math.abs(a.number));
  const [largest] = entries;
  return (
    <>
      <p>{counted ? gradientText(trace.json.model.label_smoothing, tokens.length) : NOT_COUNTED}</p>
      {counted && <LogitsDerivation {...{ trace, sentence, position }} />}
      {counted && largest && (
        <ol class="entries">
          {entries.slice(0, NAMED_ENTRIES).map(({ id, number }) => (
            <Entry key={id} token={tokens[id]!} number={number} largest={Math.abs(largest.number)} />
          ))}
        </ol>
      )}
      <p class="note">
        {ids.length === tokens.length ? `All ${ids.length} entries` : `${ids.length} of the ${tokens.length} entries`}{" "}
        of the row, in the order of the vocabulary:
      </p>
      <HeatMap
        name={`gradient of the logits at position ${position}`}
        matrix={row}
        rows={numberAxis(() => "")}
        cols={vocabularyAxis(tokens, ids)}
        scale={{ kind: "signed", limit: all.extent.size }}
      />
    </>
  );
}

/// With label smoothing, a model can give the expected token a higher probability than its target.
function gradientText(labelSmoothing: number, vocabulary: number): string {
  const text =
    "This is p − q, divided by the number of counted tokens: p is the predicted distribution, q the target distribution " +
    "(here, q is not a query). " +
    "To lower the loss, " +
    "a logit with a negative entry must rise, and one with a positive entry must fall. ";
  if (labelSmoothing === 0) return `${text}The target distribution is 1 for the expected token and 0 for all others.`;
  const target = formatNumber(100 * (1 - labelSmoothing + labelSmoothing / vocabulary), 3);
  return (
    `${text}Label smoothing of ${labelSmoothing} sets the target to ${target}% for the expected token and to just ` +
    "above 0% for all others. A token that is more likely than its target has a positive entry, even the expected one."
  );
}

/// A bar to the left if the number is negative, to the right if it is positive.
function Entry({ token, number, largest }: { token: string; number: number; largest: number }) {
  const [side, sign] = number < 0 ? ["right", "negative"] : ["left", "positive"];
  return (
    <li>
      <bdi>{token}</bdi>
      <span class="entry-track">
        <span class={`entry ${sign}`} style={`${side}: 50%; width: ${(50 * Math.abs(number)) / largest}%`} />
      </span>
      <span class="number">{formatNumber(number, 4)}</span>
    </li>
  );
}
