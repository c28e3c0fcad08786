// Why the gradient of the logits is p - q, and the numbers of the expected token.
import { formatNumber } from "../base/numbers";
import type { Trace } from "../trace/trace";
import "./logits_derivation.css";

interface Props {
  trace: Trace;
  sentence: number;
  position: number; // one that is counted
}

export function LogitsDerivation({ trace, sentence, position }: Props) {
  const { probability: p } = trace.json.answer[sentence]![position]!;
  const { label_smoothing: smoothing } = trace.json.model;
  const q = 1 - smoothing + smoothing / trace.json.vocabulary.target.length;
  const { tokens } = trace.json.loss;
  return (
    <>
      <ol class="derivation">
        <li>loss = −Σᵥ qᵥ log pᵥ, with pᵥ = exp(zᵥ) / Σₖ exp(zₖ)</li>
        <li>∂ log pᵥ / ∂ zⱼ = [v = j] − pⱼ (the bracket is 1 if v = j, otherwise 0)</li>
        <li>∂ loss / ∂ zⱼ = −Σᵥ qᵥ ([v = j] − pⱼ) = pⱼ − qⱼ, because all qᵥ add up to 1</li>
      </ol>
      {p !== null && (
        <p>
          The loss of the batch is a mean over {tokens} tokens. For{" "}
          <bdi class="boxed">{trace.expected.token(sentence, position)}</bdi>:{" "}
          <span class="number">
            ({formatNumber(p, 4)} − {formatNumber(q, 4)}) / {tokens} = {formatNumber((p - q) / tokens, 4)}
          </span>
          .
        </p>
      )}
    </>
  );
}
