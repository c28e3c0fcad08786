// A button for each attention head, which switches it off and on again; and what the model does without those that are
// off.
import { formatNumber } from "../base/numbers";
import { range } from "../base/numbers";
import { ScrollBox, TitledTable } from "../base/tables";
import { ATTENTION_KINDS } from "../trace/names";
import type { Trace } from "../trace/trace";
import { textOf } from "./forcing";
import { freeRuns, headsOff, unchanged, unchangedRuns } from "./pass_state";
import "./head_chips.css";

const toggled = (heads: string[], head: string): string[] =>
  heads.includes(head) ? heads.filter((other) => other !== head) : [...heads, head];

export function HeadChips({ trace }: { trace: Trace }) {
  return (
    <div class="head-chips">
      {trace.json.attention.map(({ part, kind, layer }) => (
        <fieldset key={part}>
          <legend>
            {ATTENTION_KINDS[kind].title}, layer {layer}
          </legend>
          {range(trace.json.model.heads).map((head) => {
            const name = `${part} ${head}`;
            const off = headsOff.value.includes(name);
            return (
              <button
                key={head}
                type="button"
                class="chip"
                aria-pressed={!off}
                onClick={() => (headsOff.value = toggled(headsOff.value, name))}
              >
                head {head} {off ? "off" : "on"}
              </button>
            );
          })}
        </fieldset>
      ))}
      <button type="button" aria-disabled={headsOff.value.length === 0} onClick={() => (headsOff.value = [])}>
        All heads on
      </button>
    </div>
  );
}

/// The losses and the translations before and after heads were switched off.
export function WithoutHeads({ trace }: { trace: Trace }) {
  const [before, runs] = [unchanged.value, unchangedRuns.value];
  if (!before || !runs)
    return <p class="note">All heads are on. Switch one off to see what the model does without it.</p>;
  const losses = [before, trace].map(({ json }) => formatNumber(json.loss.mean, 4));
  const right = [before, trace].map(({ json }) => `${json.loss.correct} of ${json.loss.tokens}`);
  return (
    <ScrollBox name="With all heads, and with your choice of heads">
      <TitledTable titles={["compared", "all heads", "with your choice of heads"]}>
        <tr>
          <th scope="row">loss</th>
          {losses.map((loss, i) => (
            <td key={i} class="number">
              {loss}
            </td>
          ))}
        </tr>
        <tr>
          <th scope="row">correct, teacher forcing</th>
          {right.map((count, i) => (
            <td key={i}>{count}</td>
          ))}
        </tr>
        {trace.json.sentences.map(({ source }, i) => (
          <tr key={i}>
            <th scope="row">
              <bdi>{source}</bdi>
            </th>
            {[runs, freeRuns.value].map((all, k) => (
              <td key={k}>
                <bdi>{textOf(all[i])}</bdi>
              </td>
            ))}
          </tr>
        ))}
      </TitledTable>
    </ScrollBox>
  );
}
