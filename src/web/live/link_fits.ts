// Whether the masks and the heads of a link fit its model and its sentences. The page asks before it makes the model, so
// that a link that is refused changes nothing.
import type { Pair, Values } from "../engine/protocol";
import type { Link } from "./link";
import { splitWords } from "./text/words";

/// Positions of the longest sentence: its words and one token more, </s> in the source, <s> in the target.
const lengthOf = (sentences: string[]): number => 1 + Math.max(...sentences.map((one) => splitWords(one).length));

/// Whether a model with all these values has a head such as "decoder.layers.0.encoder_attn 1".
export function hasHead(head: string, values: Values): boolean {
  const [, side, layer, kind, number] =
    /^(encoder|decoder)\.layers\.(\d+)\.(self_attn|encoder_attn) (\d+)$/.exec(head) ?? [];
  if (side === undefined || (side === "encoder" && kind === "encoder_attn")) return false;
  return Number(layer) < Number(values[`model.${side}_layers`]) && Number(number) < Number(values["model.heads"]);
}

/// What does not fit; null: nothing. `values`: all settings of the link's model. `pairs`: the sentences that it shows.
export function misfit({ masks, headsOff }: Link, values: Values, pairs: Pair[]): string | null {
  if (!headsOff.every((head) => hasHead(head, values))) return "off: this model does not have these heads";
  if (!masks) return null;
  const { queries, keys } = masks.cross_padding;
  const fits =
    queries === lengthOf(pairs.map(({ target }) => target)) && keys === lengthOf(pairs.map(({ source }) => source));
  return fits ? null : "masks: they are for sentences of other lengths";
}
