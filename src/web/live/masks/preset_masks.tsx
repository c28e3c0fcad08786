// Masks to try: some are left out, others have a common mistake.
import { useMemo } from "preact/hooks";
import type { Trace } from "../../trace/trace";
import { traced } from "../pass_state";
import { changedMasks, fits } from "./mask_cells";
import { AlsoSays } from "./also_says";
import { livePresets } from "./live_presets";
import type { MaskPreset } from "./mask_presets";
import { ask, ownMasksOf } from "./mask_state";

/// The preset whose masks the trace has; "right": the model's own; "": others.
function chosenPreset(trace: Trace, presets: MaskPreset[]): string {
  const shown = traced.value?.masks;
  if (!shown || !fits(shown, trace)) return "right";
  return presets.find((preset) => changedMasks(preset.masks, shown).length === 0)?.name ?? "";
}

export function PresetMasks({ trace }: { trace: Trace }) {
  // They depend on the batch and the model, not on the cells that are flipped.
  const presets = useMemo(() => livePresets(trace), [trace]);
  const chosen = chosenPreset(trace, presets);
  const choose = (name: string) =>
    ask((of, now) =>
      name === "right" ? ownMasksOf(of) : (livePresets(of).find((one) => one.name === name)?.masks ?? now),
    );
  return (
    <section class="preset-masks">
      <h3>Masks to try</h3>
      <p>
        <label>
          The masks of all sentences{" "}
          <select class="mask-presets" value={chosen} onChange={(event) => choose(event.currentTarget.value)}>
            <option value="right">The model’s own</option>
            {presets.map(({ name, title }) => (
              <option key={name} value={name}>
                {title}
              </option>
            ))}
            {chosen === "" && <option value="">Your own changes</option>}
          </select>
        </label>
      </p>
      <p class="note preset-says" role="status">
        {presets.find(({ name }) => name === chosen)?.says} <AlsoSays trace={trace} preset={chosen} />
      </p>
    </section>
  );
}
