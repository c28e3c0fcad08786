// Ways to break the model. Each is a setting or two, what it takes away, and what gives it away.
import type { Values } from "../engine/protocol";

export interface Breakage {
  id: string;
  title: string;
  changed: Values;
  says: string; // what is missing
  tells: string; // which numbers give it away
}

export const BREAKAGES: Breakage[] = [
  {
    id: "look_ahead",
    title: "No look-ahead mask",
    changed: { "masks.look_ahead": "false" },
    says:
      "The decoder sees the whole target. The word that it must predict is the next word of its own input, so it learns " +
      "to copy that word.",
    tells:
      "The loss falls faster than the intact model’s, and teacher forcing is nearly always right. In free running there " +
      "is no next word to copy, so exact match stays at 0. (The loss cannot fall below 0.85, because of " +
      "label smoothing.)",
  },
  {
    id: "padding",
    title: "No padding masks",
    changed: { "masks.encoder_padding": "false", "masks.target_padding": "false", "masks.cross_padding": "false" },
    says: "Padding takes attention away from words. How much it takes depends on the longest sentence of the batch.",
    tells:
      "Not the loss: it is about that of the intact model, because the batches of training have little padding. But " +
      "beside a long sentence, a short one is translated differently.",
  },
  {
    id: "cross_padding",
    title: "No cross-attention mask",
    changed: { "masks.cross_padding": "false" },
    says: "The encoder ignores padding, but it still has an output at each padded position, and the decoder reads it.",
    tells: "Again, not the loss. Translations change beside a long sentence.",
  },
  {
    id: "scale",
    title: "Scores not divided",
    changed: { "model.scale_scores": "false" },
    says:
      "Without the division by √d_head, scores grow with d_head, the width of a head (the paper’s d_k). Large scores " +
      "make the softmax put nearly all the weight on one key, and then it has almost no gradient. Expect little here: " +
      "the toy’s heads are so narrow that it learns about as well without the division.",
    tells:
      "Hardly any number does: the toy’s heads are narrow (√16 = 4), and training makes its queries and keys smaller. The " +
      "damage grows with d_head.",
  },
  {
    id: "positions",
    title: "No positions",
    changed: { "model.positions": "false" },
    says:
      "To the encoder, a sentence is a bag of words: “the dog sees the cat” and “the cat sees the dog” are the same. " +
      "The decoder is not quite as blind: each position sees one word more than the one before, because of its mask.",
    tells:
      "Put the words of a source in reverse order, and its translation stays the same. The loss stays higher, and exact " +
      "match is what you get by guessing the likelier order.",
  },
  {
    id: "residual",
    title: "No residual sums",
    changed: { "model.residual": "false" },
    says:
      "Each sublayer replaces its input instead of adding to it. Whatever a sublayer does not pass on is lost, even " +
      "the word itself and its position. The gradient has no way around the sublayers either.",
    tells:
      "The loss falls slowly: after 400 updates it is still above 3.5, where the intact model is near 1.2. Even with teacher " +
      "forcing, few words are right.",
  },
];
