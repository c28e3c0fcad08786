// The table of the figure for Adam: a column for each update, with two rows to edit above those that follow.
import type { Signal } from "@preact/signals";
import { ScrollBox } from "../base/tables";
import type { Given, Update } from "./arithmetic/adam";
import { fixed, SignedBar } from "./live_frame";
import { NumberField } from "./number_field";

interface Props {
  updates: Update[];
  corrected: boolean; // whether m and v are
  given: Signal<Given[]>;
  chosen: Signal<number>; // column
}

export function AdamTable({ updates, corrected, given, chosen }: Props) {
  /// The column of the cell that is pointed at or has the focus.
  const follow = ({ target }: Event) => {
    const cell = (target as HTMLElement).closest<HTMLElement>("[data-column]");
    if (cell) chosen.value = Number(cell.dataset["column"]);
  };
  return (
    <ScrollBox name="The updates">
      <table onPointerOver={follow} onFocusIn={follow}>
        <thead>
          <tr>
            <th scope="col">update</th>
            {updates.map(({ number }, column) => (
              <th key={column} scope="col" class={classOf(column, chosen.value)} data-column={column}>
                {number}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <GivenRow name="gradient" digits={6} step={0.001} given={given} of="gradient" />
          <GivenRow name="norm of all gradients" digits={4} step={0.1} given={given} of="norm" />
          {rowsOf(corrected).map((row) => (
            <ComputedRow key={row.name} row={row} updates={updates} chosen={chosen.value} />
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}

const classOf = (column: number, chosen: number): string => (column === chosen ? "number chosen" : "number");

interface GivenRowProps {
  name: string;
  digits: number;
  step: number;
  given: Signal<Given[]>;
  of: keyof Given;
}

function GivenRow({ name, digits, step, given, of }: GivenRowProps) {
  return (
    <tr class="given">
      <th scope="row">{name}</th>
      {given.value.map((entry, column) => (
        <td key={column} class="number" data-column={column}>
          <NumberField
            name={`${name}, column ${column}`}
            value={entry[of]}
            digits={digits}
            step={step}
            least={of === "norm" ? 0 : undefined}
            change={(number) => (given.value = given.value.with(column, { ...entry, [of]: number }))}
          />
        </td>
      ))}
    </tr>
  );
}

interface Row {
  name: string;
  of: (update: Update) => number;
  digits?: number;
}

const rowsOf = (corrected: boolean): Row[] => [
  { name: "m", of: ({ m }) => m },
  { name: "v", of: ({ v }) => v, digits: 8 },
  ...(corrected ? [{ name: "m corrected", of: ({ mHat }: Update) => mHat }] : []),
  { name: corrected ? "root of corrected v" : "root of v", of: ({ rootV }) => rootV },
  { name: "fraction", of: ({ fraction }) => fraction },
  { name: "rate", of: ({ rate }) => rate },
  { name: "change", of: ({ change }) => change },
  { name: "weight after", of: ({ weight }) => weight },
];

function ComputedRow({ row, updates, chosen }: { row: Row; updates: Update[]; chosen: number }) {
  const { name, of, digits = 6 } = row;
  return (
    <tr>
      <th scope="row">{name}</th>
      {updates.map((update, column) => (
        <td key={column} class={classOf(column, chosen)} data-column={column}>
          {fixed(of(update), digits)}
          {name === "fraction" && <SignedBar value={update.fraction} most={1} />}
        </td>
      ))}
    </tr>
  );
}
