// How the gradient flows back. The encoder gets the sum of what each decoder layer sends. Below that is the norm of
// every parameter's gradient.
import { SentenceChooser } from "../figures/sentence_chooser";
import { paddingSeen } from "../trace/reasons";
import type { Trace } from "../trace/trace";
import { sentenceOf, type SectionProps } from "./choices";
import { MemorySum } from "./memory_sum";
import { NormTables } from "./norm_tables";

export function GradientSection(props: SectionProps) {
  const { trace, choices } = props;
  const sentence = sentenceOf(props);
  return (
    <>
      <p class="lead">
        Every decoder layer makes the keys and values of its cross-attention from the encoder’s output, so every decoder
        layer sends a gradient back to the encoder, through these keys and values. The encoder gets the sum of these
        gradients. {memoryPaddingText(trace)}
      </p>
      <SentenceChooser trace={trace} chosen={sentence} choose={(value) => (choices.sentence.value = value)} />
      <MemorySum trace={trace} sentence={sentence} />
      <h3>The gradient of every parameter</h3>
      <p>
        The norm of each tensor’s gradient on a logarithmic scale: each line marks ten times the value of the one
        before. The bias of the keys shifts all scores of a row equally, so its gradient is 0, apart from rounding.
      </p>
      <NormTables trace={trace} />
    </>
  );
}

/// Which gradient the encoder's output gets at padded positions.
function memoryPaddingText(trace: Trace): string {
  if (!trace.source.hasPadding) return "This batch’s source has no padding.";
  return paddingSeen(trace).includes("cross")
    ? "In cross-attention, words attend to padding, so padding gets a gradient too."
    : "In cross-attention, no word attends to padding, so the gradient at padded positions is exactly 0.";
}
