// Chapter 11: a few updates of one weight with Adam. Each column is an update.
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { Chooser } from "../base/chooser";
import { ScrollBox } from "../base/tables";
import { adamUpdates, type Given, type Settings, type Start, type Update } from "./arithmetic/adam";
import { adamStart } from "./adam_start";
import { fixed, LiveFrame, SignedBar } from "./live_frame";
import { NumberField } from "./number_field";
import type { LiveFigure } from "./slots";
import "./adam_figure.css";

type Begin = "continued" | "forgotten" | "first";

export const AdamFigure: LiveFigure = ({ parameters }) => {
  const saved = adamStart(parameters);
  const given = useSignal(saved.given);
  const settings = useSignal(saved.settings);
  const begin = useSignal<Begin>("continued");
  const chosen = useSignal(0);
  const start = startOf(begin.value, saved.start);
  const updates = adamUpdates(start, given.value, settings.value);
  const set = (changed: Partial<Settings>) => (settings.value = { ...settings.value, ...changed });
  const before = saved.start.update - 1;
  return (
    <LiveFrame
      name="adam-figure"
      title={`Update one weight ${updates.length} times`}
      about="Each column is an update. The gradients are those of the debug model: change any of them."
      reset={() => {
        given.value = saved.given;
        settings.value = saved.settings;
        begin.value = "continued";
      }}
    >
      <Chooser
        legend="Begin"
        options={[
          { value: "continued" as Begin, text: `after update ${before}` },
          { value: "forgotten" as Begin, text: `after update ${before}, without m and v` },
          { value: "first" as Begin, text: "at update 1" },
        ]}
        chosen={begin.value}
        choose={(value) => (begin.value = value)}
      />
      <div class="actions">
        <Field name="peak rate" value={settings.value.peakRate} change={(peakRate) => set({ peakRate })} />
        <Field name="clip_norm" value={settings.value.clipNorm} change={(clipNorm) => set({ clipNorm })} />
        <label>
          <input
            type="checkbox"
            checked={settings.value.corrected}
            onChange={({ currentTarget }) => set({ corrected: currentTarget.checked })}
          />
          correct m and v for their start at 0
        </label>
      </div>
      <Table
        updates={updates}
        rows={rowsOf(settings.value.corrected)}
        chosen={chosen.value}
        choose={(column) => (chosen.value = column)}
      >
        <GivenRow name="gradient" digits={6} step={0.001} given={given} of="gradient" />
        <GivenRow name="norm of all gradients" digits={4} step={0.1} given={given} of="norm" />
      </Table>
      <p class="explained" aria-live="polite">
        {explanation(updates, chosen.value, start, settings.value, given.value)}
      </p>
      <div class="actions">
        <button
          type="button"
          onClick={() => {
            given.value = given.value.map(({ gradient, norm }) => ({ gradient: 10 * gradient, norm: 10 * norm }));
          }}
        >
          All gradients × 10
        </button>
        <button type="button" onClick={() => (given.value = given.value.map(() => given.value[0]!))}>
          All equal to the first
        </button>
      </div>
    </LiveFrame>
  );
};

function startOf(begin: Begin, saved: Start): Start {
  if (begin === "continued") return saved;
  return { ...saved, m: 0, v: 0, counted: 0, update: begin === "first" ? 1 : saved.update };
}

interface FieldProps {
  name: string;
  value: number;
  change: (value: number) => void;
}

const Field = ({ name, value, change }: FieldProps) => (
  <span class="labelled">
    <span aria-hidden="true">{name}</span>
    <NumberField name={name} value={value} digits={4} step={0.01} least={0} change={change} />
  </span>
);

interface GivenRowProps {
  name: string;
  digits: number;
  step: number;
  given: { value: Given[] };
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

interface TableProps {
  updates: Update[];
  rows: Row[];
  chosen: number;
  choose: (column: number) => void;
  children: ComponentChildren; // the rows to edit
}

function Table({ updates, rows, chosen, choose, children }: TableProps) {
  /// The column of the cell that is pointed at or has the focus.
  const follow = ({ target }: Event) => {
    const cell = (target as HTMLElement).closest<HTMLElement>("[data-column]");
    if (cell) choose(Number(cell.dataset["column"]));
  };
  return (
    <ScrollBox name="The updates">
      <table onPointerOver={follow} onFocusIn={follow}>
        <thead>
          <tr>
            <th scope="col">update</th>
            {updates.map(({ number }, column) => (
              <th key={column} scope="col" class={`number${column === chosen ? " chosen" : ""}`} data-column={column}>
                {number}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {children}
          {rows.map(({ name, of, digits = 6 }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {updates.map((update, column) => (
                <td key={column} class={`number${column === chosen ? " chosen" : ""}`} data-column={column}>
                  {fixed(of(update), digits)}
                  {name === "fraction" && <SignedBar value={update.fraction} most={1} />}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}

/// The update of the chosen column, in these digits.
function explanation(updates: Update[], column: number, start: Start, settings: Settings, given: Given[]): string {
  const { number, clip, m, mHat, rootV, fraction, rate, weight } = updates[column]!;
  const previous = updates[column - 1] ?? start;
  const { beta1 } = settings;
  const g = clip * given[column]!.gradient;
  const clipped = clip < 1 ? `Clipping multiplies the gradient by ${fixed(clip)}. ` : "";
  return (
    `Update ${number}: ${clipped}m = ${beta1} · ${bracketed(previous.m)} + ${fixed(1 - beta1, 1)} · ${bracketed(g)} = ` +
    `${fixed(m, 6)}. The fraction is ${fixed(mHat, 6)} / ${fixed(rootV, 6)} = ${fixed(fraction, 4)}, so the weight ` +
    `becomes ${fixed(previous.weight, 6)} − ${fixed(rate, 6)} · ${bracketed(fraction, 4)} = ${fixed(weight, 6)}.`
  );
}

const bracketed = (number: number, digits = 6): string =>
  number < 0 ? `(${fixed(number, digits)})` : fixed(number, digits);
