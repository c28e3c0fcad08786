// The presets of the live page: those of the program, and one more.
import type { Trace } from "../../trace/trace";
import { changedMasks, ownMasks } from "./mask_cells";
import { maskPresets, masksFor, masksOn, type MaskPreset } from "./mask_presets";

/// Null if it would change nothing: without padding, or for a model that was trained without this mask.
function withoutTargetPadding(trace: Trace): MaskPreset | null {
  const on = masksOn(trace);
  const masks = masksFor(trace, { ...on, target_padding: false });
  const changed = changedMasks(ownMasks(trace), masks);
  if (changed.length === 0) return null;
  return {
    name: "no_target_padding",
    title: "Without the target padding mask",
    says: on.look_ahead
      ? "The loss and the gradient stay the same: padding comes after the words, so the look-ahead mask already hides it " +
        "from them. Only rows of padding change. No word reads these, and the loss ignores them. If padding stood on " +
        "the left, this mask would matter."
      : "The look-ahead mask is off, too, so words attend to the padding that comes after them.",
    masks,
    changed,
  };
}

export function livePresets(trace: Trace): MaskPreset[] {
  const presets = maskPresets(trace);
  const added = withoutTargetPadding(trace);
  const after = presets.findIndex(({ name }) => name === "no_padding_masks");
  return added ? presets.toSpliced(after + 1, 0, added) : presets;
}
