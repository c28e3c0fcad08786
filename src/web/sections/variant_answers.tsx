// The most likely token and the loss at every position, in the batch and for the sentence alone: for the unchanged model
// and, if the variant changes anything, for the changed one.
import { ScrollBox, TitledTable } from "../base/tables";
import { Bar } from "../figures/bar";
import type { Trace } from "../trace/trace";
import type { MaybeFinite } from "../trace/types";
import type { VariantProps } from "./variant_view";

/// What one column shows, by position.
interface Column {
  title: string;
  losses: MaybeFinite[];
  answers: (number | null)[];
}

function columnsOf({ trace: { own }, variant, sentence }: VariantProps): Column[] {
  const column = (title: string, of: Pick<typeof own, "losses" | "answers">) => ({
    title,
    losses: of.losses[sentence]!,
    answers: of.answers[sentence]!,
  });
  if (!variant.changed.length) return [column("in the batch", own), column("alone", own.alone)];
  return [
    column("unchanged", own),
    column("unchanged, alone", own.alone),
    column("changed", variant),
    column("changed, alone", variant.alone),
  ];
}

export function VariantAnswers(props: VariantProps) {
  const { trace, sentence } = props;
  const columns = columnsOf(props);
  const maxLoss = Math.max(...columns.flatMap(({ losses }) => losses.map((loss) => loss ?? 0)));
  return (
    <>
      <h4>The prediction at every position</h4>
      <p>
        The most likely token, and the loss of the expected one. “Alone” means in a batch of its own, where the sentence
        has no padding. If words attend to padding, the prediction depends on the rest of the batch.
      </p>
      <ScrollBox name="Predictions">
        <TitledTable name="losses answers-compared" titles={["expected", ...columns.map(({ title }) => title)]}>
          {trace.expected.tokens[sentence]!.map((_, position) => (
            <PositionRow key={position} {...{ trace, sentence, position, columns, maxLoss }} />
          ))}
          <tr class="mean">
            <th scope="row">mean loss</th>
            {columns.map(({ title, losses }) => (
              <td key={title}>
                <Bar value={meanOf(losses.filter((_, i) => !trace.expected.isPad(sentence, i)))} max={maxLoss} />
              </td>
            ))}
          </tr>
        </TitledTable>
      </ScrollBox>
    </>
  );
}

interface RowProps {
  trace: Trace;
  sentence: number;
  position: number;
  columns: Column[];
  maxLoss: number;
}

function PositionRow({ trace, sentence, position, columns, maxLoss }: RowProps) {
  const isPad = trace.expected.isPad(sentence, position);
  const expected = trace.expected.id(sentence, position);
  return (
    <tr class={isPad ? "pad" : undefined}>
      <th scope="row">
        <bdi>{trace.expected.token(sentence, position)}</bdi>
      </th>
      {isPad ? (
        <td colSpan={columns.length} class="not-counted">
          not counted
        </td>
      ) : (
        columns.map(({ title, losses, answers }) => {
          const answer = answers[position] ?? null;
          const right = answer === expected;
          return (
            <td key={title} class="answered">
              <bdi>{answer === null ? "" : trace.json.vocabulary.target[answer]}</bdi>
              <span class={right ? "right" : "wrong"}>{right ? " ✓" : " ✗"}</span>
              <Bar value={losses[position] ?? null} max={maxLoss} />
            </td>
          );
        })
      )}
    </tr>
  );
}

/// null if one of the numbers is not finite.
function meanOf(numbers: MaybeFinite[]): MaybeFinite {
  let sum = 0;
  for (const number of numbers) {
    if (number === null) return null;
    sum += number;
  }
  return sum / numbers.length;
}
