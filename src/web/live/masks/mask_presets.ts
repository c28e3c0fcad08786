// Masks with something left out, or with a common mistake. src/page/mask_variants.cpp makes the same for the page of
// explain, with the same names and texts.
import type { Masks } from "../../engine/protocol";
import { ATTENTION_KINDS, KINDS } from "../../trace/names";
import type { Trace } from "../../trace/trace";
import type { AttentionKind, LayerMask } from "../../trace/types";
import { changedMasks, isBlocked, makeMasks } from "./mask_cells";

/// Which elementary masks are on: the settings masks.*.
interface MasksOn {
  encoder_padding: boolean;
  look_ahead: boolean;
  target_padding: boolean;
  cross_padding: boolean;
}

const ALL_ON: MasksOn = { encoder_padding: true, look_ahead: true, target_padding: true, cross_padding: true };
const NO_PADDING_MASKS = { encoder_padding: false, target_padding: false, cross_padding: false };

export interface MaskPreset {
  name: string;
  title: string;
  says: string; // what differs, and what to look at
  masks: Masks;
  changed: LayerMask[]; // which masks differ from the model's own
}

/// The elementary masks that the model was trained with.
export function masksOn({ json }: Trace): MasksOn {
  const without = new Set(json.model.learned_without);
  const on = Object.keys(ALL_ON).map((name) => [name, !without.has(name)]);
  return Object.fromEntries(on) as unknown as MasksOn;
}

const PADDING_OF: Record<AttentionKind, keyof MasksOn> = {
  "encoder self": "encoder_padding",
  "decoder self": "target_padding",
  cross: "cross_padding",
};

const padded = (trace: Trace, side: "source" | "target", sentence: number, position: number): boolean =>
  trace[side].isPad(sentence, position);

/// The masks of a batch if these elementary masks are on. The look-ahead mask is `late` positions late.
export const masksFor = (trace: Trace, on: MasksOn, late = 0): Masks =>
  makeMasks(trace, (kind, sentence, query, key) => {
    if (on[PADDING_OF[kind]] && padded(trace, ATTENTION_KINDS[kind].cols, sentence, key)) return true;
    return kind === "decoder self" && on.look_ahead && key > query + late;
  });

const queryIsPadded = (trace: Trace, kind: AttentionKind, sentence: number, query: number): boolean =>
  padded(trace, ATTENTION_KINDS[kind].rows, sentence, query);

/// Also blocks every key of a padded query, in both kinds of self-attention.
const paddedQueriesBlocked = (trace: Trace, own: Masks): Masks =>
  makeMasks(
    trace,
    (kind, sentence, query, key) =>
      isBlocked(own[ATTENTION_KINDS[kind].mask], sentence, query, key) ||
      (kind !== "cross" && queryIsPadded(trace, kind, sentence, query)),
  );

const inverted = (trace: Trace, own: Masks): Masks =>
  makeMasks(trace, (kind, sentence, query, key) => !isBlocked(own[ATTENTION_KINDS[kind].mask], sentence, query, key));

/// Whether any word may attend to padding, in any of the three kinds of attention.
function wordsSeePadding(trace: Trace, masks: Masks): boolean {
  const without = makeMasks(
    trace,
    (kind, sentence, query, key) =>
      !queryIsPadded(trace, kind, sentence, query) &&
      padded(trace, ATTENTION_KINDS[kind].cols, sentence, key) &&
      !isBlocked(masks[ATTENTION_KINDS[kind].mask], sentence, query, key),
  );
  return KINDS.some((kind) => without[ATTENTION_KINDS[kind].mask].blocked.includes(1));
}

const withFewer = (trace: Trace, on: MasksOn): Omit<MaskPreset, "changed">[] => {
  const noPadding = masksFor(trace, { ...on, ...NO_PADDING_MASKS });
  return [
    {
      name: "no_look_ahead",
      title: "Without the look-ahead mask",
      says:
        "The decoder sees the words it must predict. This model never learned to copy them, so its loss may get better " +
        "or worse. A model trained this way learns only to copy them (configs/lessons/no_look_ahead.yaml).",
      masks: masksFor(trace, { ...on, look_ahead: false }),
    },
    {
      name: "no_padding_masks",
      title: "Without the padding masks",
      says: wordsSeePadding(trace, noPadding)
        ? "Words attend to padding as if it were words, so the predictions for a sentence depend on how much padding " +
          "the rest of the batch adds. Compare the predictions in the batch with those for the sentence alone."
        : "In this batch, only padding attends to padding, and the loss ignores padding.",
      masks: noPadding,
    },
    {
      name: "no_cross_mask",
      title: "Without the cross-attention mask",
      says:
        "The decoder attends to the encoder’s output at padded positions. Compare the predictions in the batch with " +
        "those for the sentence alone.",
      masks: masksFor(trace, { ...on, cross_padding: false }),
    },
  ];
};

const withMistakes = (trace: Trace, on: MasksOn, own: Masks): Omit<MaskPreset, "changed">[] => [
  {
    name: "next_word_visible",
    title: "Look-ahead mask one position late",
    says: "An easy off-by-one error: the next position stays visible, and it holds the very word that must be predicted.",
    masks: masksFor(trace, { ...on, look_ahead: true }, 1),
  },
  {
    name: "future_of_three",
    title: "Look-ahead mask three positions late",
    says:
      "The mask blocks what is above the third diagonal instead of what is above the main one. Each query then also " +
      "sees the next three positions.",
    masks: masksFor(trace, { ...on, look_ahead: true }, 3),
  },
  {
    name: "padded_queries",
    title: "Padded queries blocked too",
    says:
      "A padding mask built as an outer product also blocks every key of a padded query. In this program, all weights " +
      "of that query are then 0. This changes nothing as long as no word attends to the padded position, because the " +
      "loss ignores it. Adding -infinity to the scores before an ordinary softmax would turn the weights into NaN.",
    masks: paddedQueriesBlocked(trace, own),
  },
  {
    name: "inverted",
    title: "1 read as visible",
    says:
      "In some libraries 1 means blocked, in others it means visible. If you mix them up, each query sees exactly the " +
      "keys that its mask should block.",
    masks: inverted(trace, own),
  },
];

const withAll = (trace: Trace, had: MasksOn, sawPadding: boolean): Omit<MaskPreset, "changed"> => ({
  name: "all_masks",
  title: "With all masks",
  says:
    "This model was trained without some of the masks. Here, all of them are on." +
    (had.look_ahead ? "" : " The decoder no longer sees the words it must predict, just as in translation.") +
    (sawPadding ? " No word attends to padding any more: each sentence is predicted as if it were alone." : ""),
  masks: masksFor(trace, ALL_ON),
});

const nothingChanges = (on: MasksOn, sawPadding: boolean): string =>
  "In this batch, these masks block exactly what the model’s own masks block, so nothing changes." +
  (on.look_ahead ? "" : " The model still sees the words it must predict: its own look-ahead mask is off.") +
  (sawPadding
    ? " The model’s own masks let words attend to padding: compare the predictions in the batch with those for the " +
      "sentence alone."
    : "");

export function maskPresets(trace: Trace): MaskPreset[] {
  const on = masksOn(trace);
  const own = masksFor(trace, on);
  const sawPadding = wordsSeePadding(trace, own);
  const presets = [...withFewer(trace, on), ...withMistakes(trace, on, own)];
  if (Object.values(on).includes(false)) presets.push(withAll(trace, on, sawPadding));
  return presets.map((preset) => {
    const changed = changedMasks(own, preset.masks);
    return { ...preset, changed, says: changed.length ? preset.says : nothingChanges(on, sawPadding) };
  });
}
