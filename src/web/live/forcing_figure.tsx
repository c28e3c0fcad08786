// Teacher forcing beside free running, for one sentence.
import { percent } from "../base/numbers";
import { ScrollBox } from "../base/tables";
import type { Trace } from "../trace/trace";
import { driftsAt, positionsOf, type Position, type Said } from "./forcing";
import { freeRuns } from "./pass_state";
import "./forcing_figure.css";

export function ForcingFigure({ trace, sentence }: { trace: Trace; sentence: number }) {
  const positions = positionsOf(trace, sentence, freeRuns.value[sentence]);
  const drift = driftsAt(positions);
  return (
    <figure>
      <ScrollBox name="Teacher forcing and free running, position by position">
        <table class="forcing">
          <thead>
            <tr>
              <td rowSpan={2} />
              <th rowSpan={2} scope="col">
                expected
              </th>
              <th colSpan={3} scope="colgroup">
                Teacher forcing: it reads the expected tokens
              </th>
              <th colSpan={3} scope="colgroup">
                Free running: it reads its own tokens
              </th>
            </tr>
            <tr>
              {["reads", "predicts", "p", "reads", "predicts", "p"].map((title, i) => (
                <th key={i} scope="col" class={i % 3 === 0 ? "first" : undefined}>
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {positions.map((position, i) => (
              <Row key={i} {...{ position, i }} drifts={i === drift} />
            ))}
          </tbody>
        </table>
      </ScrollBox>
      <p class="readout">{driftText(positions, drift)}</p>
    </figure>
  );
}

function Row({ position, i, drifts }: { position: Position; i: number; drifts: boolean }) {
  const { expected, forced, free, sameInput } = position;
  return (
    <tr class={drifts ? "drifts" : sameInput ? undefined : "drifted"}>
      <th scope="row">{i}</th>
      <td>{expected === null ? <Nothing /> : <bdi>{expected}</bdi>}</td>
      <Cells said={forced} expected={expected} />
      <Cells said={free} expected={expected} />
    </tr>
  );
}

function Cells({ said, expected }: { said: Said | null; expected: string | null }) {
  if (!said)
    return ["first", undefined, undefined].map((name, i) => <td key={i} class={name} children={<Nothing />} />);
  const right = said.says === expected;
  return (
    <>
      <td class="first">
        <bdi>{said.input}</bdi>
      </td>
      <td>
        <bdi>{said.says}</bdi> <span class={right ? "right" : "wrong"}>{right ? "✓" : "✗"}</span>
      </td>
      <td class="number">{percent(said.probability)}</td>
    </>
  );
}

const Nothing = () => <span class="not-counted">–</span>;

function driftText(positions: Position[], drift: number | null): string {
  const right = positions.filter(({ forced, expected }) => forced?.says === expected).length;
  const expected = positions.filter((position) => position.expected !== null).length;
  const forcedText = `Under teacher forcing, ${right} of ${expected} predictions are right. `;
  if (drift === null) return `${forcedText}Running freely, it reads the same tokens: the two do not drift apart.`;
  const { free, forced } = positions[drift]!;
  if (!free) return `${forcedText}Running freely, it ends too early: it has nothing to read at position ${drift}.`;
  if (!forced) return `${forcedText}Running freely, it does not end: the two drift apart at position ${drift}.`;
  return (
    `${forcedText}Running freely, it predicted “${free.input}” at position ${drift - 1}, so at position ${drift} it ` +
    `reads “${free.input}” instead of “${forced.input}”. From there on, the two drift apart.`
  );
}
