// What the changed masks do to the pass: the loss and the gradient, before and after.
import { formatNumber, percent } from "../../base/numbers";
import { ScrollBox, TitledTable } from "../../base/tables";
import type { Trace } from "../../trace/trace";
import type { MaybeFinite } from "../../trace/types";
import { masks, unchanged } from "../pass_state";
import { gradientNorm, sentenceLoss } from "./pass_numbers";

interface Props {
  trace: Trace;
  sentence: number;
}

/// Its rows are there from the start, so that the masks below stay where they are.
export function MaskEffect({ trace, sentence }: Props) {
  const before = masks.value && unchanged.value;
  const numbersOf = (of: Trace) => [of.json.loss.mean, sentenceLoss(of, sentence), gradientNorm(of)];
  const own = numbersOf(before || trace);
  const changed = before ? numbersOf(trace) : null;
  const titles = ["masks", "loss of the batch", `loss of sentence ${sentence}`, "gradient norm"];
  const row = (title: string, texts: string[]) => (
    <tr>
      <th scope="row">{title}</th>
      {texts.map((text, i) => (
        <td key={i} class="number">
          {text}
        </td>
      ))}
    </tr>
  );
  const shown = (numbers: MaybeFinite[]) => numbers.map((number) => formatNumber(number, 6));
  const nothing = own.map(() => "–");
  return (
    <div role="status" class="mask-effect-bar">
      <ScrollBox name="Loss and gradient, before and after" class="mask-effect">
        <TitledTable titles={titles}>
          {row("the model’s own", shown(own))}
          {row("yours", changed ? shown(changed) : nothing)}
          {row("difference", changed ? own.map((number, i) => differenceText(number, changed[i]!)) : nothing)}
        </TitledTable>
      </ScrollBox>
    </div>
  );
}

function differenceText(before: MaybeFinite, after: MaybeFinite): string {
  if (before === null || after === null) return "–";
  if (before === after) return "none";
  const sign = after > before ? "+" : "−";
  const share = Math.abs(after - before) / before;
  const relative = share < 10 ? `${sign}${percent(share)}` : `× ${formatNumber(after / before, 2)}`;
  return `${sign}${formatNumber(Math.abs(after - before), 3)} (${relative})`;
}
