// What the model predicts for the sentence, and its loss, alone and in company.
import { formatNumber } from "../../base/numbers";
import { ScrollBox, TitledTable } from "../../base/tables";
import { Bar } from "../../figures/bar";
import type { Trace } from "../../trace/trace";
import { sentenceLoss } from "../masks/pass_numbers";
import { lossDifference, type CompanyPasses } from "./company_passes";

const columnsOf = ({ alone, masked, unmasked }: CompanyPasses): [title: string, pass: Trace][] => [
  ["alone", alone],
  ["in company, padding masks on", masked],
  ["in company, padding masks off", unmasked],
];

export function CompanyAnswers({ passes }: { passes: CompanyPasses }) {
  const columns = columnsOf(passes);
  const answers = passes.alone.json.answer[0]!;
  const losses = columns.flatMap(([, pass]) => answers.map((_, i) => pass.json.answer[0]![i]!.loss ?? 0));
  const max = Math.max(...losses);
  return (
    <>
      <h4>Its predictions</h4>
      <p>The most likely token at each position, and the loss of the expected token.</p>
      <ScrollBox name="The predictions of the sentence, alone and in company">
        <TitledTable name="losses company-answers" titles={["expected", ...columns.map(([title]) => title)]}>
          {answers.map((_, position) => (
            <tr key={position}>
              <th scope="row">
                <bdi>{passes.alone.expected.token(0, position)}</bdi>
              </th>
              {columns.map(([title, pass]) => (
                <Answer key={title} pass={pass} position={position} max={max} />
              ))}
            </tr>
          ))}
          <tr class="mean">
            <th scope="row">mean loss</th>
            {columns.map(([title, pass]) => (
              <td key={title}>
                <Bar value={sentenceLoss(pass, 0)} max={max} />
              </td>
            ))}
          </tr>
          <tr class="difference">
            <th scope="row">largest difference from alone</th>
            {columns.map(([title, pass]) => (
              <td key={title} class="number">
                {pass === passes.alone ? "–" : formatNumber(lossDifference(pass, passes), 2)}
              </td>
            ))}
          </tr>
        </TitledTable>
      </ScrollBox>
    </>
  );
}

function Answer({ pass, position, max }: { pass: Trace; position: number; max: number }) {
  const { likeliest, expected, loss } = pass.json.answer[0]![position]!;
  const right = likeliest[0]!.id === expected;
  return (
    <td class="answered">
      <bdi>{likeliest[0]!.token}</bdi>
      <span class={right ? "right" : "wrong"}>{right ? " ✓" : " ✗"}</span>
      <Bar value={loss} max={max} />
    </td>
  );
}
