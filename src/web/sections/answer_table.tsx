import { PositionButton } from "../base/chooser";
import { percent } from "../base/numbers";
import { ScrollBox, TitledTable } from "../base/tables";
import { useUniqueId } from "../base/unique_id";
import { Bar } from "../figures/bar";
import type { Trace } from "../trace/trace";
import type { AnswerJson } from "../trace/types";
import "./answer_table.css";

interface Props {
  trace: Trace;
  sentence: number;
  chosen: number; // a position
  choose: (position: number) => void;
}

/// The prediction at every position of a sentence.
export function AnswerTable({ trace, sentence, chosen, choose }: Props) {
  const group = useUniqueId();
  const answers = trace.json.answer[sentence]!;
  const maxLoss = Math.max(...answers.map(({ counted, loss }) => (counted && loss !== null ? loss : 0)));
  return (
    <ScrollBox name="The prediction at every position">
      <TitledTable name="answers" titles={["position", "input", "expected", "most likely", "P(expected)", "loss"]}>
        {answers.map((answer, position) => (
          <tr key={position} class={answer.counted ? undefined : "pad"}>
            <th scope="row">
              <PositionButton {...{ group, position, chosen, choose }} />
            </th>
            <td>
              <bdi>{trace.target.token(sentence, position)}</bdi>
            </td>
            <td>
              <bdi>{trace.expected.token(sentence, position)}</bdi>
            </td>
            <AnswerCells answer={answer} maxLoss={maxLoss} />
          </tr>
        ))}
      </TitledTable>
    </ScrollBox>
  );
}

function AnswerCells({ answer, maxLoss }: { answer: AnswerJson; maxLoss: number }) {
  const { counted, likeliest, expected, probability, loss } = answer;
  const right = likeliest[0]!.id === expected;
  return (
    <>
      <td>
        <bdi>{likeliest[0]!.token}</bdi>
        {counted && <span class={right ? "right" : "wrong"}>{right ? " ✓" : " ✗"}</span>}
      </td>
      {counted ? <td class="number">{percent(probability)}</td> : <td>–</td>}
      {counted ? (
        <td>
          <Bar value={loss} max={maxLoss} />
        </td>
      ) : (
        <td class="not-counted">not counted</td>
      )}
    </>
  );
}
