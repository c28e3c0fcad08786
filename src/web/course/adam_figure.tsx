// Chapter 11: a few updates of one weight with Adam. Each column is an update.
import { useSignal, type Signal } from "@preact/signals";
import { Chooser } from "../base/chooser";
import { adamUpdates, type Given, type Settings, type Start, type Update } from "./arithmetic/adam";
import { adamStart } from "./adam_start";
import { AdamTable } from "./adam_table";
import { fixed, LiveFrame } from "./live_frame";
import { LabelledField } from "./number_field";
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
      <BeginChooser begin={begin} before={saved.start.update - 1} />
      <SettingFields settings={settings} />
      <AdamTable updates={updates} corrected={settings.value.corrected} given={given} chosen={chosen} />
      <p class="explained" aria-live="polite">
        {explanation(updates, chosen.value, start, settings.value, given.value)}
      </p>
      <GradientButtons given={given} />
    </LiveFrame>
  );
};

function startOf(begin: Begin, saved: Start): Start {
  if (begin === "continued") return saved;
  return { ...saved, m: 0, v: 0, counted: 0, update: begin === "first" ? 1 : saved.update };
}

/// `before` is the last update of the saved start.
const BeginChooser = ({ begin, before }: { begin: Signal<Begin>; before: number }) => (
  <Chooser<Begin>
    legend="Begin"
    options={[
      { value: "continued", text: `after update ${before}` },
      { value: "forgotten", text: `after update ${before}, without m and v` },
      { value: "first", text: "at update 1" },
    ]}
    chosen={begin.value}
    choose={(value) => (begin.value = value)}
  />
);

function SettingFields({ settings }: { settings: Signal<Settings> }) {
  const { peakRate, clipNorm, corrected } = settings.value;
  const set = (changed: Partial<Settings>) => (settings.value = { ...settings.value, ...changed });
  const field = { digits: 4, step: 0.01, least: 0 };
  return (
    <div class="actions">
      <LabelledField name="peak rate" value={peakRate} {...field} change={(value) => set({ peakRate: value })} />
      <LabelledField name="clip_norm" value={clipNorm} {...field} change={(value) => set({ clipNorm: value })} />
      <label>
        <input
          type="checkbox"
          checked={corrected}
          onChange={({ currentTarget }) => set({ corrected: currentTarget.checked })}
        />
        correct m and v for their start at 0
      </label>
    </div>
  );
}

const GradientButtons = ({ given }: { given: Signal<Given[]> }) => (
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
);

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
